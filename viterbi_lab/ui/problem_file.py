"""Problems as JSON files: the format of ``assets/problems``, described in ``README.md`` there."""

from itertools import pairwise
from pathlib import Path

import numpy as np

from viterbi_lab.data.text import decode, one_line
from viterbi_lab.dp import ChainScores
from viterbi_lab.files import read_at_most
from viterbi_lab.limits import Limits, variable
from viterbi_lab.ui import strict_json
from viterbi_lab.ui.question import CAPPED, OPS, OWN, RULES, Question

NEEDED = ("title", "labels", "y", "g", "h", "op")
OPTIONAL = ("why", "source", "order", "offset", "kmin", "cost", "trace")
MOST_COST = 100_000  # each floor k has a value of h
FORBIDDEN = "-inf"  # JSON has no infinities


def read(path: Path) -> Question:
    """Read a problem.

    Raises:
        ValueError: if the file is not valid JSON, lacks a field, or describes no valid problem; the message
            names the file, and the place in it.
        OSError: if it cannot be read.
    """
    content = read_at_most(path, Limits.in_force("upload_bytes"), variable("upload_bytes"))
    return read_text(decode(content, path.name), path.name)


def read_text(text: str, name: str) -> Question:
    """Read a problem from the text of a file; ``name`` is what errors call it. Raises as `read`."""
    try:
        return question_of(strict_json.parse(text))
    except (ValueError, OverflowError) as error:
        raise ValueError(one_line(f"{name}: {error}")) from error


def question_of(content: object) -> Question:
    """Return the problem that a file's content describes.

    Raises:
        ValueError: if it describes none; the message says what is wrong and where.
        OverflowError: if score sums could leave the range of float64.
    """
    if not isinstance(content, dict):
        raise ValueError("A problem is an object {…} with the fields " + ", ".join(NEEDED) + ".")
    for field in NEEDED:
        if field not in content:
            raise ValueError(f"There is no field {field!r}. Needed are {', '.join(NEEDED)}.")
    strange = set(content) - set(NEEDED) - set(OPTIONAL)
    if strange:
        raise ValueError(
            f"The field {min(strange)!r} is unknown. Beside the needed ones there are {', '.join(OPTIONAL)}."
        )
    labels = _label_names(content["labels"])
    h, op = content["h"], content["op"]
    if op not in OPS:
        raise ValueError(f"op is {op!r}; it is one of {', '.join(OPS)}.")
    if not isinstance(h, list | str):
        raise ValueError(
            f"h is {h!r}; it is one of {', '.join(RULES)}, a formula in k, or a list h(0), h(1), …"
        )
    named = isinstance(h, str) and h in RULES
    question = Question(
        title=_text(content["title"], "title"),
        labels=labels,
        scores=ChainScores.from_tables(
            _tables(content["g"], len(labels)),
            order=_whole(content["order"], "order") if "order" in content else None,
        ),
        y=_true_labels(content["y"], labels),
        rule=h if named else OWN,
        own=tuple(_number(value, f"h({k})") for k, value in enumerate(h)) if isinstance(h, list) else (),
        formula=h if isinstance(h, str) and not named else "",
        op=op,
        offset=_number(content.get("offset", 0.0), "offset"),
        kmin=_whole(content.get("kmin", 0), "kmin"),
        cost=_costs(content["cost"]) if content.get("cost") is not None else None,
    )
    question.problem()  # refuses what the engine cannot take
    return question


def content_of(question: Question) -> dict:
    """Return what a file holds of a problem; `question_of` brings the same problem back."""
    scores = question.scores
    first, *windows = scores.tables()
    # the first ℓ' sites carry their sum at the last of them
    before = [np.zeros((scores.n_states,) * (t + 1)) for t in range(scores.window_order - 1)]
    content = {
        "title": question.title,
        "labels": list(question.labels),
        "y": [question.labels[label] for label in question.y],
        "h": _wrapper(question),
        "op": question.op,
        "g": [_plain(table) for table in (*before, first, *windows)],
    }
    if max(1, scores.order) >= scores.length:
        content["order"] = max(1, scores.order)  # more than the tables' axes tell
    if question.offset:
        content["offset"] = float(question.offset)
    if question.kmin:
        content["kmin"] = question.kmin
    if question.cost is not None:
        content["cost"] = question.cost.tolist()
    return content


def _wrapper(question: Question) -> str | list:
    if question.rule in RULES:
        return question.rule
    if question.rule == CAPPED:
        return f"min(k, {question.cap})"
    return question.formula or _plain(question.h)


def _plain(array: np.ndarray) -> list:
    """Nested lists with whole numbers whole and −inf as text."""
    if array.ndim > 1:
        return [_plain(row) for row in array]
    return [
        FORBIDDEN
        if np.isneginf(value)
        else int(value)
        if value.is_integer() and abs(value) < 2**53
        else value
        for value in array.tolist()
    ]


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} is {value!r}; it is a text.")
    return value


def _label_names(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(name, str) and name for name in value):
        raise ValueError(f"labels is {value!r}; it is a list of names.")
    twice = next((a for a, b in pairwise(sorted(value)) if a == b), None)
    if twice is not None:
        raise ValueError(f"labels names {twice!r} twice.")
    return tuple(value)


def _true_labels(value: object, labels: tuple[str, ...]) -> np.ndarray:
    if not isinstance(value, list):
        raise ValueError(f"y is {value!r}; it is a list of labels, one for each site.")
    for t, label in enumerate(value):
        if label not in labels:
            raise ValueError(f"y holds {label!r} at site {t + 1}; the labels are {', '.join(labels)}.")
    return np.array([labels.index(label) for label in value], np.int64)


def _tables(value: object, n_labels: int) -> list[np.ndarray]:
    if not isinstance(value, list) or not value:
        raise ValueError("g is a list of tables, one for each site.")
    return [_table(table, f"g, site {t + 1}", n_labels) for t, table in enumerate(value)]


def _table(value: object, where: str, n_labels: int) -> np.ndarray:
    """One table of scores; a message names the site, and row by row the place in it."""
    if not isinstance(value, list):
        raise ValueError(f"{where} is {value!r}; it is a list of {n_labels} entries.")
    if len(value) != n_labels:
        raise ValueError(f"{where} has {len(value)} entries; there are {n_labels} labels.")
    if any(isinstance(entry, list) for entry in value):
        rows = [_table(entry, f"{where}, row {row + 1}", n_labels) for row, entry in enumerate(value)]
        if len({row.ndim for row in rows}) > 1:
            raise ValueError(f"{where} has rows of different depth.")
        return np.array(rows)
    return np.array([_score(entry, f"{where}, entry {n + 1}") for n, entry in enumerate(value)])


def _score(value: object, where: str) -> float:
    return -np.inf if value == FORBIDDEN else _number(value, where)


def _number(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{where} is {value!r}; it is a number.")
    number = float(value)
    if not np.isfinite(number):
        raise ValueError(f'{where} is {value}; it is a finite number. A forbidden score is written "-inf".')
    return number


def _whole(value: object, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{where} is {value!r}; it is a whole number.")
    return value


def _costs(value: object) -> np.ndarray:
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        raise ValueError("cost is a list of T rows of N whole numbers.")
    rows = [[_whole(entry, f"cost, site {t + 1}") for entry in row] for t, row in enumerate(value)]
    if len({len(row) for row in rows}) > 1:
        raise ValueError("cost has rows of different length.")
    largest = sum(max(row, default=0) for row in rows)
    if largest > MOST_COST:
        raise ValueError(f"cost sums up to {largest}; at most {MOST_COST} floors are counted.")
    return np.array(rows, np.int64)
