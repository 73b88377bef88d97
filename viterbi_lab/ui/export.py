"""What can be taken away from the stepper: a page that steps without a server, tables, and Python code.

The picture is in `picture`, the JSON format in `problem_file`.
"""

import base64
import csv
import io
import json
from html import escape
from pathlib import Path
from string import Template

import numpy as np

from viterbi_lab.dp import trace
from viterbi_lab.ui import problem_file, program
from viterbi_lab.ui.film import gif, png
from viterbi_lab.ui.picture import svg
from viterbi_lab.ui.question import Question
from viterbi_lab.ui.wire import h_message, problem_message
from viterbi_lab.ui.words import undrawable

__all__ = ["cells_csv", "gif", "html", "json_text", "png", "python_code", "scores_csv", "svg"]

FOLDER = Path(__file__).resolve().parent


def html(question: Question, *, why: str = "", step: int = 0) -> str:
    """Return a page that steps, switches ⊙ and changes h by itself, from ``file://`` and without a network.

    Args:
        question: what is asked.
        why: a sentence beside the title.
        step: events done when the page opens.

    Returns:
        One HTML document that refers to nothing outside itself. Without scripts it shows the still picture.

    Raises:
        ValueError: if it is too big to be drawn.
        NoFeasibleLabelling: if every labelling is forbidden.
    """
    if refusal := undrawable(question):
        raise ValueError(refusal)
    message = problem_message(question, trace(question.problem()))
    state = {
        "problem": {
            "revision": 0,
            "reset": False,
            **{name: packed(value) for name, value in message.items()},
        },
        "h": {rule: table.tolist() for rule, table in h_message(question).items()},
        "rule": question.rule,
        "op": question.op,
        "step": step,
        "editable": False,
        "controls": True,
    }
    return Template((FOLDER / "standalone.html").read_text(encoding="utf-8")).substitute(
        title=escape(question.title),
        why=escape(why),
        picture=svg(question),
        state=json.dumps(state, ensure_ascii=False).replace("<", "\\u003c"),  # no tag can end the script
        program=program.packed(),
        boot=program.boot(),
    )


def json_text(question: Question, *, why: str = "") -> str:
    """Return the problem with its trace as JSON; `problem_file.read_text` brings the problem back.

    Undefined entries of the tables are ``null``; floors k and states are counted from 0, predecessors are
    the names of labels.
    """
    tables = trace(question.problem())
    content = problem_file.content_of(question)
    if why:
        content["why"] = why
    answer = tables.decoding
    content["trace"] = {
        "L": _finite(tables.L),
        "S": _labels(tables.S, question.labels),
        "L_min": _finite(tables.L_min),
        "S_min": _labels(tables.S_min, question.labels),
        "answer": {
            "y": [question.labels[label] for label in answer.y],
            "value": answer.value,
            "score": answer.score,
            "k": answer.k,
        },
    }
    return json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n"


def cells_csv(question: Question) -> str:
    """Return every defined cell as CSV: ``t, k, labels, L, S, L_min, S_min``.

    Sites count from 1; labels of a state are separated by blanks, the oldest first. The first column of
    the recursion has no predecessors.
    """
    tables, labels, n = trace(question.problem()), question.labels, question.scores.n_states

    def predecessor(label: int) -> str:
        return _cell(labels[label]) if label >= 0 else ""

    rows = [("t", "k", "labels", "L", "S", "L_min", "S_min")]
    for t, k, s in np.argwhere(np.isfinite(tables.L)):
        names = " ".join(labels[s // n**age % n] for age in range(question.scores.window_order))
        largest = _short(tables.L[t, k, s]), predecessor(tables.S[t, k, s])
        smallest = _short(tables.L_min[t, k, s]), predecessor(tables.S_min[t, k, s])
        rows.append((t + 1, k, _cell(names), *largest, *smallest))
    return _csv(rows)


def scores_csv(question: Question) -> str:
    """Return the scores g as CSV: ``t``, the labels of the window from the oldest to that of site t, ``g``.

    Sites count from 1; −inf forbids. The row of the first state, of ℓ labels, has g₁+…+g_ℓ.
    """
    labels, scores = question.labels, question.scores
    lags = [f"label_t-{lag}" for lag in range(scores.window_order, 0, -1)]
    rows = [("t", *lags, "label_t", "g")]
    for t, table in enumerate(scores.tables(), start=scores.window_order):
        for window in np.ndindex(table.shape):
            names = [_cell(labels[label]) for label in window]
            rows.append((t, *[""] * (len(lags) + 1 - len(names)), *names, _short(table[window])))
    return _csv(rows)


def _cell(text: str) -> str:
    """A text as a cell; with an apostrophe where a spreadsheet would take it for a formula."""
    return f"'{text}" if len(text) > 1 and text[0] in "=+-@\t\r" else text


def python_code(question: Question) -> str:
    """Return a script that solves the problem with this library and prints the result."""
    content, problem, answer = problem_file.content_of(question), question.problem(), question.answer()
    tables = ",\n".join(f"    {table!r}" for table in content["g"]).replace(
        repr(problem_file.FORBIDDEN), "-inf"
    )
    more = [f"    offset={problem.offset!r}"] if problem.offset else []
    more += [f"    kmin={problem.kmin}"] if problem.kmin else []
    more += [f"    cost=np.array({question.cost.tolist()!r})"] if question.cost is not None else []
    arguments = [
        f"    scores=ChainScores.from_tables(tables, order={max(1, problem.scores.order)})",
        f"    y=np.array({problem.y.tolist()!r})",
        f"    h=np.array({problem.h.tolist()!r})",
        f"    op=Combine.{problem.op.name}",
        *more,
    ]
    return (
        f"# {' '.join(question.title.split())}\n"
        "# Labels are numbered from 0: " + ", ".join(json.dumps(label) for label in question.labels) + "\n"
        "import numpy as np\n\n"
        "from viterbi_lab.dp import ChainProblem, ChainScores, Combine, decode\n\n"
        + ("inf = np.inf\n" if "-inf" in tables else "")
        + f"g = [\n{tables},\n]\n"
        + "tables = [np.array(table, float) for table in g]\n"
        + "problem = ChainProblem(\n"
        + ",\n".join(arguments)
        + ",\n)\nanswer = decode(problem)\n"
        + "print(answer.value, answer.k, answer.y.tolist())\n"
        + f"# {answer.value!r} {answer.k} {answer.y.tolist()}\n"
    )


def packed(value: object) -> object:
    """An array as base64 of its little-endian bytes; everything else as it is."""
    if not isinstance(value, np.ndarray):
        return value
    return base64.b64encode(value.astype(value.dtype.newbyteorder("<")).tobytes()).decode()


def _finite(table: np.ndarray) -> list:
    if table.ndim > 1:
        return [_finite(part) for part in table]
    return [value if np.isfinite(value) else None for value in table.tolist()]


def _labels(table: np.ndarray, labels: tuple[str, ...]) -> list:
    if table.ndim > 1:
        return [_labels(part, labels) for part in table]
    return [labels[label] if label >= 0 else None for label in table.tolist()]


def _short(value: float) -> str:
    return repr(float(value)).removesuffix(".0")


def _csv(rows: list[tuple]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
