"""Sequences of letters: a row for each, with one string that describes its sites and one of their labels.

Such are tables of proteins: the amino acids, and a letter for the structure that each is in.
"""

from __future__ import annotations

from collections.abc import Sequence

from viterbi_lab.data.dataset import LETTERS, DataSet, Record
from viterbi_lab.data.delimited import split_rows

_NAMES = ("id", "name", "sequence", "seq")


def read_letters(
    text: str,
    source: str,
    *,
    letters: str | None = None,
    labels: str | None = None,
    separator: str | None = None,
) -> DataSet:
    """Read a table whose cells are strings with one letter for each site.

    Args:
        text: the whole file, lines ended by line feeds; its first line names the columns.
        source: its name, for messages.
        letters: the column that describes the sites; None: the first of strings.
        labels: the column of labels; None: the first other one whose strings are all as long. If there is
            none, the sequences have no labels.
        separator: between columns; None: the one that divides every row alike.

    Returns:
        A record for each row, named by the column ``id`` or by its line. Blanks between letters do not count.

    Raises:
        ValueError: if a column is missing, or a row has not as many labels as letters; it names the line.
    """
    notes: list[str] = []
    names, body = split_rows(text, source, separator, notes)
    for given in (letters, labels):
        if given is not None and given not in names:
            raise ValueError(f"{source} has no column {given!r}; it has {', '.join(names)}.")
    name = next((column for column in names if column.lower() in _NAMES), None)
    cells = {
        column: ["".join(row[place].split()) for _, row in body]
        for place, column in enumerate(names)
        if column != name
    }
    strings = [column for column in cells if not all(cell.isdecimal() for cell in cells[column])]
    letters = letters or next(iter(strings), None)
    if letters is None:
        raise ValueError(f"{source} has no column of letters; it has {', '.join(names)}.")
    if labels is None:
        alike = (column for column in strings if column != letters)
        labels = next((c for c in alike if _lengths(cells[c]) == _lengths(cells[letters])), None)
        found = "there are no labels" if labels is None else f"column {labels!r} their labels"
        notes.append(f"{source}: column {letters!r} holds the sites, {found}.")
    records = []
    for i, (line, row) in enumerate(body):
        x, y = cells[letters][i], None if labels is None else cells[labels][i]
        if not x:
            raise ValueError(f"{source}, line {line}: no letters in column {letters!r}.")
        if y is not None and len(x) != len(y):
            raise ValueError(
                f"{source}, line {line}: {len(x)} letters in {letters!r}, but {len(y)} in {labels!r}."
            )
        called = row[names.index(name)].strip() if name else ""
        records.append(Record(called or f"{source}, line {line}", x, None if y is None else tuple(y)))
    return DataSet(LETTERS, tuple(records), tuple(notes))


def _lengths(cells: Sequence[str]) -> list[int]:
    return [len(cell) for cell in cells]
