"""What people type into the controls: scores, h and true labels; and how each of them is written."""

import re

import numpy as np

from viterbi_lab.formula import formula
from viterbi_lab.ui.question import Question


def score(text: str) -> float:
    """Return a score as people type it.

    Raises:
        ValueError: if it is not a number, or is +inf or NaN.
    """
    plain = text.strip().replace("−", "-").replace("∞", "inf")
    try:
        value = float(plain)
    except ValueError:
        hint = "Write decimals with a point." if "," in text else "Enter a number such as 2 or -1.5."
        raise ValueError(f"“{text.strip()}” is not a number. {hint}") from None
    if np.isnan(value) or value == np.inf:
        raise ValueError(f"{value} is not a score. Enter a finite number, or -inf to forbid this step.")
    return value


def wrapper(text: str, question: Question) -> tuple[tuple[float, ...], str]:
    """Return the K+1 values of a typed h, and its formula where it is one and no list.

    Raises:
        ValueError: if it is neither, has too few or too many values, or is not finite somewhere.
    """
    K, N = question.largest_cost, question.scores.n_states
    if re.search(r"[^\W\d_eE∞]|\*|\(", text.replace("inf", "")):
        h = formula(text)
        return tuple(h.table(K, N).tolist()), h.text
    return _values(text, K + 1), ""


def _values(text: str, needed: int) -> tuple[float, ...]:
    """The values h(0), h(1), … with commas or blanks between."""
    values = tuple(score(word) for word in text.replace(",", " ").split())
    if len(values) != needed:
        raise ValueError(f"{needed} numbers h(0)…h({needed - 1}) are needed; here are {len(values)}.")
    if not np.isfinite(values).all():
        raise ValueError("Every h(k) must be finite.")
    return values


def truth(text: str, question: Question) -> np.ndarray:
    """Return (T,) int64 true labels: names with blanks or commas between, or single letters run together.

    Raises:
        ValueError: if a name is none of the labels, or there is not one for each site.
    """
    names, labels = text.replace(",", " ").split(), question.labels
    if len(names) == 1 and all(len(label) == 1 for label in labels):
        names = list(names[0])
    strange = next((name for name in names if name not in labels), None)
    if strange is not None:
        raise ValueError(f"“{strange}” is not a label. The labels are {', '.join(labels)}.")
    if len(names) != question.y.size:
        raise ValueError(f"{question.y.size} labels are needed, one for each site; here are {len(names)}.")
    return np.array([labels.index(name) for name in names], np.int64)


def written_wrapper(question: Question) -> str:
    """Return the own h of a question as `wrapper` reads it."""
    return question.formula or listed(question.own)


def listed(values: tuple[float, ...]) -> str:
    """Return values of h as `wrapper` reads them, whole ones whole."""
    return ", ".join(repr(float(value)).removesuffix(".0") for value in values)


def written_truth(question: Question) -> str:
    """Return the true labels as `truth` reads them."""
    return " ".join(question.labels[label] for label in question.y)
