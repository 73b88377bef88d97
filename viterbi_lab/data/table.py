"""Tables: a row for each site, with the sequence it belongs to, numbers that describe it, and its label.

Numbers are read with a decimal point or comma, as the table needs it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from viterbi_lab.data.dataset import TABLE, DataSet, Record, on_lines
from viterbi_lab.data.delimited import POINT, split_rows

_NAMES = {
    "sequence": ("sequence", "seq", "id", "name", "chain", "sentence"),
    "order": ("position", "pos", "order", "site", "t", "time", "index"),
    "label": ("label", "y", "state", "tag", "class", "target"),
}
_COMMA = re.compile(r"[+-]?(\d+,?\d*|,\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Layout:
    """Which column of a table is what.

    Attributes:
        sequence: the column that names the sequence; None: a usual name, or all rows are one sequence.
        order: the column that numbers the sites of a sequence; None: a usual name, or the rows are in order.
        label: the column of the label; None: a usual name, or there are no labels.
        features: the columns of numbers; None: all others.
        separator: between columns; None: the one that divides every row alike.
        decimal: ``"."`` or ``","``; None: as the numbers need it.
    """

    sequence: str | None = None
    order: str | None = None
    label: str | None = None
    features: tuple[str, ...] | None = None
    separator: str | None = None
    decimal: str | None = None

    def __post_init__(self):
        if self.decimal not in (None, ".", ","):
            raise ValueError(f"decimal={self.decimal!r}; allowed are '.' and ','.")
        if self.separator is not None and len(self.separator) != 1:
            raise ValueError(f"separator={self.separator!r}; it is one character.")


def read_table(text: str, source: str, layout: Layout = Layout()) -> DataSet:
    """Read a table with a first line that names its columns.

    Rows of a sequence need not stand together if a column numbers them; then its numbers decide their order.
    Labels are taken as they are written: ``NA`` and ``None`` are labels.

    Args:
        text: the whole file, lines ended by line feeds.
        source: its name, for messages.
        layout: which column is what.

    Returns:
        A record for each sequence, in the order of first rows, with (T, F) float64.

    Raises:
        ValueError: if the columns cannot be told apart, a row has more or fewer cells than the first, a cell
            is no finite number or empty, or a site is numbered twice; the message names line and column.
    """
    notes: list[str] = []
    names, body = split_rows(text, source, layout.separator, notes)
    place = {what: _find(what, getattr(layout, what), names, source, notes) for what in _NAMES}
    features = _features(names, set(place.values()), layout.features, source)
    values = _numbers(body, [names.index(name) for name in features], names, layout.decimal, source, notes)
    members = _group(body, place["sequence"], names, source)
    records = []
    for name, members_of_one in members.items():
        order = _ordered(body, members_of_one, place["order"], names, source, name, notes)
        y = None if place["label"] is None else _labels(body, order, place["label"], names, source)
        records.append(Record(name, values[order], y))
    return DataSet(TABLE, tuple(records), tuple(notes), columns=features)


def _find(what: str, given: str | None, names: list[str], source: str, notes: list[str]) -> int | None:
    """The place of the column of sequences, order or labels."""
    if given is not None:
        if given not in names:
            raise ValueError(f"{source} has no column {given!r}; it has {', '.join(names)}.")
        return names.index(given)
    usual = next((name for known in _NAMES[what] for name in names if name.lower() == known), None)
    if usual is None:
        return None
    role = {"sequence": "names the sequences", "order": "numbers the sites", "label": "holds the labels"}
    notes.append(f"{source}: column {usual!r} {role[what]}.")
    return names.index(usual)


def _features(
    names: list[str], taken: set[int | None], given: Sequence[str] | None, source: str
) -> tuple[str, ...]:
    free = tuple(name for place, name in enumerate(names) if place not in taken)
    if given is not None:
        missing = next((name for name in given if name not in free), None)
        if missing is not None:
            raise ValueError(f"{source} has no column {missing!r} for a feature; free are {', '.join(free)}.")
        free = tuple(given)
    if not free:
        raise ValueError(f"{source} has no column left for features; it has {', '.join(names)}.")
    return free


def _numbers(
    body: list[tuple[int, list[str]]],
    places: list[int],
    names: list[str],
    decimal: str | None,
    source: str,
    notes: list[str],
) -> np.ndarray:
    """(rows, F) float64."""
    cells = [[row[place].strip() for place in places] for _, row in body]
    if decimal is None:
        points = next((c for row in cells for c in row if "." in c), None)
        commas = next((c for row in cells for c in row if "," in c), None)
        if points is not None and commas is not None:
            raise ValueError(
                f"{source} writes both {points!r} and {commas!r}. Say which is the decimal sign, and "
                "write no sign between thousands."
            )
        decimal = "," if commas is not None else "."
        if commas is not None:
            notes.append(f"{source}: the decimal sign is a comma.")
    pattern = _COMMA if decimal == "," else POINT
    values = np.empty((len(cells), len(places)))
    for i, row in enumerate(cells):
        for f, cell in enumerate(row):
            if not pattern.fullmatch(cell):
                raise ValueError(
                    f"{source}, line {body[i][0]}: {cell[:40]!r} in column {names[places[f]]!r} is no "
                    "number. Leave the column out of the features, or write a number."
                )
            values[i, f] = float(cell.replace(",", "."))
    if not np.isfinite(values).all():
        i, f = np.argwhere(~np.isfinite(values))[0]
        raise ValueError(
            f"{source}, line {body[i][0]}: {cells[i][f][:40]!r} in column {names[places[f]]!r} is too large."
        )
    return values


def _group(
    body: list[tuple[int, list[str]]], place: int | None, names: list[str], source: str
) -> dict[str, list[int]]:
    """The rows of each sequence."""
    if place is None:
        return {source: list(range(len(body)))}
    members: dict[str, list[int]] = {}
    for i, (line, cells) in enumerate(body):
        name = cells[place].strip()
        if not name:
            raise ValueError(f"{source}, line {line}: column {names[place]!r} is empty. Name the sequence.")
        members.setdefault(name, []).append(i)
    return members


def _ordered(
    body: list[tuple[int, list[str]]],
    members: list[int],
    place: int | None,
    names: list[str],
    source: str,
    name: str,
    notes: list[str],
) -> list[int]:
    """The rows of a sequence from its first site to its last."""
    lines = [body[i][0] for i in members]
    if place is None:
        gap = next((b for a, b in pairwise(members) if b != a + 1), None)
        if gap is not None:
            raise ValueError(
                f"{source}, line {body[gap][0]}: rows of sequence {name} stand apart, and no column numbers "
                "them. Put them together or number the sites."
            )
        return members
    numbers: list[float] = []
    seen: set[float] = set()
    for i in members:
        line, cells = body[i]
        cell = cells[place].strip()
        if not POINT.fullmatch(cell):
            raise ValueError(f"{source}, line {line}: {cell[:40]!r} in column {names[place]!r} is no number.")
        if float(cell) in seen:
            twice = lines[numbers.index(float(cell))]
            raise ValueError(
                f"{source}, lines {twice} and {line}: site {cell} of sequence {name} is there twice."
            )
        numbers.append(float(cell))
        seen.add(float(cell))
    order = np.argsort(numbers, kind="stable")
    if (np.diff(order) < 0).any():
        moved = [lines[i] for i in range(len(order)) if order[i] != i]
        notes.append(
            f"{source}, {on_lines(sorted(moved))}: rows of sequence {name} are ordered by {names[place]!r}."
        )
    steps = np.diff(np.array(numbers)[order])
    if len(steps) and (steps != 1).any():
        after = int(np.argmax(steps != 1))
        notes.append(
            f"{source}, line {lines[order[after + 1]]}: after site {numbers[order[after]]:g} of sequence "
            f"{name} comes {numbers[order[after + 1]]:g}; they are taken as neighbours."
        )
    return [members[i] for i in order]


def _labels(
    body: list[tuple[int, list[str]]], rows: list[int], place: int, names: list[str], source: str
) -> tuple[str, ...]:
    labels = []
    for i in rows:
        line, cells = body[i]
        label = cells[place].strip()
        if not label:
            raise ValueError(
                f"{source}, line {line}: the label (column {names[place]!r}) is missing. Give every site a "
                "label, or remove the column."
            )
        labels.append(label)
    return tuple(labels)
