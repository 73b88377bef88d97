"""Problems as CSV files: a row for each label that a site can be reached from, as in ``assets/problems``.

    # op: times
    # h: k
    t,y,from,1,2,3
    1,3,,2,1,3
    2,2,1,4,5,1
    2,2,2,2,3,4

Column ``from`` has the labels before, the oldest first, with blanks between; the columns after it are the
labels of site t.
"""

import csv
import io
import re
from dataclasses import replace
from itertools import product

import numpy as np

from viterbi_lab.data.text import one_line
from viterbi_lab.dp import ChainScores
from viterbi_lab.ui import problem_file, typed
from viterbi_lab.ui.question import OPS, OWN, RULES, Question

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab"}
FIXED = ("t", "y", "from")
SETTINGS = ("title", "op", "h", "offset", "kmin")
MOST_LABELS = 100


def read_text(text: str, name: str) -> tuple[Question, list[str]]:
    """Read a problem from the text of a table.

    Args:
        text: its lines, ended by line feeds.
        name: what errors call it.

    Returns:
        The problem, and a sentence for everything that was not taken for granted.

    Raises:
        ValueError: if it describes no valid problem; the message names line and column.
    """
    try:
        return _question(text, name)
    except (ValueError, OverflowError) as error:
        raise ValueError(one_line(f"{name}: {error}")) from None


def text_of(question: Question) -> str:
    """Return a problem as `read_text` reads it.

    Raises:
        ValueError: if labels have costs of their own, for which the table has no place.
    """
    if question.cost is not None:
        raise ValueError("Costs of labels cannot be written as CSV; save the problem as JSON.")
    content, order = problem_file.content_of(question), max(1, question.scores.order)
    h = content["h"] if isinstance(content["h"], str) else typed.listed(tuple(content["h"]))
    out = io.StringIO()
    for key in SETTINGS:
        value = h if key == "h" else content.get(key)
        if value is not None:
            out.write(f"# {key}: {value}\n")
    table = csv.writer(out, lineterminator="\n")
    table.writerow([*FIXED, *question.labels])
    for t, scores in enumerate(content["g"]):
        array = np.array(scores, dtype=object)
        for before in product(range(len(question.labels)), repeat=min(t, order)):
            names = " ".join(question.labels[label] for label in before)
            table.writerow([t + 1, content["y"][t], names, *array[before]])
    return out.getvalue()


def _question(text: str, name: str) -> tuple[Question, list[str]]:
    settings, header, rows, notes = _lines(text)
    labels = tuple(header[len(FIXED) :])
    tables, y = _tables(rows, labels)
    question = Question(
        title=settings.get("title", (0, name))[1],
        labels=labels,
        scores=ChainScores.from_tables(tables),
        y=y,
        op=_chosen(settings, "op", OPS, "times"),
        offset=_setting(settings, "offset", typed.score, 0.0),
        kmin=int(_chosen(settings, "kmin", ("0", "1"), "0")),
    )
    return _with_h(question, settings), notes


def _lines(
    text: str,
) -> tuple[dict[str, tuple[int, str]], list[str], list[tuple[int, list[str]]], list[str]]:
    """Settings with their lines, the names of the columns, the rows with theirs, and notes."""
    settings: dict[str, tuple[int, str]] = {}
    lines = text.split("\n")
    start = 0
    while start < len(lines) and (not lines[start].strip() or lines[start].startswith("#")):
        if lines[start].startswith("#"):
            key, value = _named(lines[start], start + 1)
            if key in settings:
                raise ValueError(f"line {start + 1}: {key} stands there a second time.")
            settings[key] = (start + 1, value)
        start += 1
    header_line = lines[start] if start < len(lines) else ""
    found = re.match(r'"?t"?([,;\t])', header_line)
    if not found:
        raise ValueError(
            f"line {start + 1}: “{header_line[:40]}” does not name the columns: t, y, from, and the labels."
        )
    separator = found[1]
    notes = [] if separator == "," else [f"A {SEPARATORS[separator]} separates the columns."]
    rows = _rows("\n".join(lines[start:]), separator, start)
    header = rows[0][1]
    names = header[len(FIXED) :]
    if tuple(header[: len(FIXED)]) != FIXED or not 1 <= len(names) <= MOST_LABELS:
        raise ValueError(f"line {start + 1}: the columns are t, y, from, and 1 to {MOST_LABELS} labels.")
    for column, label in enumerate(names, start=len(FIXED) + 1):
        if not label or " " in label or names.count(label) > 1:
            raise ValueError(
                f"line {start + 1}, column {column}: “{label}” is no name for a label: it is empty, holds a "
                "blank, or stands there twice."
            )
    return settings, header, rows[1:], notes


def _named(line: str, number: int) -> tuple[str, str]:
    key, colon, value = line.lstrip("#").strip(" ,;\t").partition(":")
    if not colon or key.strip() not in SETTINGS:
        raise ValueError(
            f"line {number}: “{line[:40]}” is no setting. They are written # {SETTINGS[1]}: times, and named "
            f"{', '.join(SETTINGS)}."
        )
    return key.strip(), value.strip()


def _rows(text: str, separator: str, before: int) -> list[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text), delimiter=separator, strict=True)
    rows: list[tuple[int, list[str]]] = []
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append((before + reader.line_num, [cell.strip() for cell in cells]))
    except csv.Error as error:
        raise ValueError(f"line {before + reader.line_num}: {error}.") from None
    width = len(rows[0][1])
    for line, cells in rows:
        if len(cells) != width:
            raise ValueError(
                f"line {line} has {len(cells)} cells, but line {rows[0][0]} has {width}. Write decimals "
                "with a point: a decimal comma may have split a number."
            )
    return rows


def _tables(
    rows: list[tuple[int, list[str]]], labels: tuple[str, ...]
) -> tuple[list[np.ndarray], np.ndarray]:
    if not rows:
        raise ValueError("there are no rows below the names of the columns.")
    known: list[dict[tuple[int, ...], np.ndarray]] = []
    y: list[int] = []
    order = max(len(cells[2].split()) for _, cells in rows)
    for line, cells in rows:
        if cells[0] not in (str(len(known)), str(len(known) + 1)) or cells[0] == "0":
            expected = f"{len(known)} or {len(known) + 1}" if known else "1"
            raise ValueError(f"line {line}, column 1: t is “{cells[0]}”; it is {expected} here.")
        truth = _label(cells[1], labels, f"line {line}, column 2: y")
        if cells[0] == str(len(known) + 1):
            known.append({})
            y.append(truth)
        elif truth != y[-1]:
            raise ValueError(
                f"line {line}, column 2: y is “{cells[1]}”, but “{labels[y[-1]]}” in a line above."
            )
        names = cells[2].split()
        needed = min(len(known) - 1, order)
        if len(names) != needed:
            raise ValueError(
                f"line {line}, column 3: from is “{cells[2]}”; at t = {len(known)} it has {needed} labels."
            )
        before = tuple(_label(label, labels, f"line {line}, column 3: from") for label in names)
        if before in known[-1]:
            raise ValueError(f"line {line}, column 3: from “{cells[2]}” stands there a second time.")
        known[-1][before] = _scores(cells, line, labels)
    return [_whole(table, t, labels, min(t, order)) for t, table in enumerate(known)], np.array(y, np.int64)


def _scores(cells: list[str], line: int, labels: tuple[str, ...]) -> np.ndarray:
    values = []
    for column, cell in enumerate(cells[len(FIXED) :], start=len(FIXED) + 1):
        try:
            values.append(typed.score(cell))
        except ValueError as error:
            raise ValueError(f"line {line}, column {column} (label {labels[column - 4]}): {error}") from None
    return np.array(values)


def _whole(table: dict, t: int, labels: tuple[str, ...], axes: int) -> np.ndarray:
    filled = np.empty((len(labels),) * (axes + 1))
    for before in np.ndindex(filled.shape[:-1]):
        if before not in table:
            names = " ".join(labels[label] for label in before)
            raise ValueError(f"site t = {t + 1} has no row from “{names}”.")
        filled[before] = table[before]
    return filled


def _label(text: str, labels: tuple[str, ...], where: str) -> int:
    if text not in labels:
        raise ValueError(f"{where} is “{text[:40]}”; the labels are {', '.join(labels)}.")
    return labels.index(text)


def _chosen(settings: dict, key: str, allowed: tuple[str, ...], default: str) -> str:
    line, value = settings.get(key, (0, default))
    if value not in allowed:
        raise ValueError(f"line {line}: {key} is “{value[:40]}”; it is one of {', '.join(allowed)}.")
    return value


def _setting(settings: dict, key: str, read, default: float) -> float:
    line, value = settings.get(key, (0, ""))
    try:
        return read(value) if line else default
    except ValueError as error:
        raise ValueError(f"line {line}: {key}: {error}") from None


def _with_h(question: Question, settings: dict) -> Question:
    line, text = settings.get("h", (0, "k"))
    if text in RULES:
        return replace(question, rule=text)
    try:
        own, formula = typed.wrapper(text, question)
    except ValueError as error:
        raise ValueError(f"line {line}: h: {error}") from None
    return replace(question, rule=OWN, own=own, formula=formula)
