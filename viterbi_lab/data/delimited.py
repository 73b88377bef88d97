"""Text whose lines are rows and whose cells a character separates; the first row names the columns.

The standard library splits the rows. pandas would take the label NA for a missing value, and counts rows
without the lines of quoted cells.
"""

from __future__ import annotations

import csv
import io
import re

from viterbi_lab.limits import Limits, variable

MOST_COLUMNS = 10_000
POINT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
"""A number as it is written with a decimal point."""

_SEPARATORS = {"\t": "tab", ";": "semicolon", ",": "comma", "|": "bar"}


def split_rows(
    text: str, source: str, separator: str | None, notes: list[str]
) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The names of the columns, and (line, cells) of each row below that is not empty.

    Args:
        text: the whole file, lines ended by line feeds.
        source: its name, for messages.
        separator: between columns; None: the one that divides every row alike.
        notes: takes a sentence about the separator.

    Raises:
        ValueError: if rows differ in their number of cells, columns have no or equal names, or there are no
            rows.
    """
    lines, most = text.count("\n"), Limits.in_force("table_rows")
    if lines > most + 1:
        raise ValueError(
            f"{source} has {lines:,} lines, and {variable('table_rows')} allows {most:,} rows. "
            "Give a part of it."
        )
    if not text.strip():
        raise ValueError(f"{source} is empty. Needed is a first line that names the columns, and rows.")
    widest = max(map(text.split("\n", 1)[0].count, _SEPARATORS))
    if widest >= MOST_COLUMNS:
        raise ValueError(f"{source}, line 1: {widest + 1} columns; at most {MOST_COLUMNS} are read.")
    if separator is None:
        separator = _separator(text, source)
        if separator != ",":
            notes.append(f"{source}: a {_SEPARATORS[separator]} separates the columns.")
    rows = _rows(text, separator, source)
    if not rows:
        raise ValueError(f"{source} has no cell with anything in it.")
    (first, header), *body = rows
    for line, cells in body:
        if len(cells) != len(header):
            raise ValueError(
                f"{source}, line {line}: {len(cells)} cells, but the first line has {len(header)}."
            )
    if not body:
        raise ValueError(f"{source} has no rows below its first line.")
    return _header((first, header), source), body


def _separator(text: str, source: str) -> str:
    """The separator that divides all rows into the same number of cells, the largest such number."""
    header = text.lstrip("\n").split("\n", 1)[0]
    widths: dict[str, int] = {}
    for candidate in (separator for separator in _SEPARATORS if separator in header):
        found = {len(cells) for _, cells in _rows(text, candidate, source)}
        if len(found) == 1 and found != {1}:
            widths[candidate] = found.pop()
    if widths:
        return max(widths, key=widths.get)
    if not any(candidate in header for candidate in _SEPARATORS):
        return ","  # a single column, or rows that are no table, which their cells will tell
    raise ValueError(f"{source}, {_best_guess(text, source)}")


def _best_guess(text: str, source: str) -> str:
    """Which line breaks the separator that the first line speaks for."""
    separator = max(_SEPARATORS, key=text.split("\n", 1)[0].count)
    (_, header), *rows = _rows(text, separator, source)
    line, cells = next(((line, cells) for line, cells in rows if len(cells) != len(header)), (1, header))
    return (
        f"line {line} has {len(cells)} cells where a {_SEPARATORS[separator]} separates, but the first line "
        f"has {len(header)}. Give every row the same cells, or name another separator."
    )


def _rows(text: str, separator: str, source: str) -> list[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows, line = [], 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append((line, cells))
            line = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(f"{source}, line {reader.line_num}: {error}.") from error
    return rows


def _header(row: tuple[int, list[str]], source: str) -> list[str]:
    line, names = row[0], [name.strip() for name in row[1]]
    for place, name in enumerate(names):
        if not name:
            raise ValueError(f"{source}, line {line}: column {place + 1} has no name.")
        if names.index(name) != place:
            raise ValueError(f"{source}, line {line}: two columns are named {name!r}. Names must differ.")
    if all(POINT.fullmatch(name) for name in names):
        raise ValueError(f"{source}, line {line}: numbers where the columns should be named. Name them.")
    return names
