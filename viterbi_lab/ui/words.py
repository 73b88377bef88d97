"""What is said of a problem too big to be drawn: its exact answer, how it was found, and the limit."""

import numpy as np

from viterbi_lab.dp import Certificate, Decoding
from viterbi_lab.ui.drawable import too_big
from viterbi_lab.ui.number import shown
from viterbi_lab.ui.question import Question

SIGNS = {"times": "·", "plus": "+"}
MOST_NAMED = 12  # sites that differ from y, written out


def undrawable(question: Question) -> str:
    """Return why a question cannot be drawn; empty if it can."""
    scores = question.scores
    return too_big(scores.length, scores.n_states, scores.window_order, question.largest_cost)


def explained(question: Question, answer: Decoding) -> list[str]:
    """Return the answer of a problem in sentences, a paragraph each.

    Args:
        question: what was asked.
        answer: its optimum.
    """
    T, N, order = question.size
    return [
        f"T = {T:,} sites, N = {N} labels, order ℓ = {order}: decoded exactly, but not drawn. "
        + undrawable(question),
        _value(question, answer),
        _labelling(question, answer.y),
        f"Found by {_method(answer.certificate)}.",
    ]


def _value(question: Question, answer: Decoding) -> str:
    score = shown(answer.score)
    if question.op == "plain":
        return f"Plain decoding: the largest score is {score}, with k = {answer.k} wrong labels."
    if question.offset:
        score = f"({score} {'−' if question.offset < 0 else '+'} {shown(abs(question.offset))})"
    h = shown(question.h[answer.k])
    if question.op == "times" and question.h[answer.k] < 0:
        h = f"({h})"
    return (
        f"The best value is {shown(answer.value)} = {score} {SIGNS[question.op]} {h}: "
        f"score {shown(answer.score)}, k = {answer.k}, h(k) = {shown(question.h[answer.k])}."
    )


def _labelling(question: Question, y: np.ndarray) -> str:
    labels = question.labels
    wrong = np.flatnonzero(y != question.y)
    if not wrong.size:
        return "ŷ is the true y itself."
    named = ", ".join(f"{t + 1} ({labels[y[t]]} for {labels[question.y[t]]})" for t in wrong[:MOST_NAMED])
    rest = wrong.size - MOST_NAMED
    more = f", and {rest:,} more" if rest > 0 else ""
    return f"ŷ differs from the true y at {wrong.size:,} of {y.size:,} sites: {named}{more}."


def _method(certificate: Certificate) -> str:
    bounds = f"{len(certificate.slopes)} plain decodings of g + λ·loss as bounds"
    told = {
        "plain": "plain Viterbi decoding (Algorithm 2)",
        "affine": "plain decoding of g + a·loss, since h is affine",
        "capped": f"Algorithm 1 with a counter that stops where h does, {certificate.cells:,} cells",
        "hull": f"{bounds}, which left nothing to search",
        "pruned": f"{bounds}, then Algorithm 1 over the {certificate.cells:,} cells that could still win",
        "full": f"Algorithm 1 over all {certificate.cells:,} cells",
    }[certificate.method]
    if certificate.minima is not None:
        told += f"; where h is negative, on the smallest sums, by {_method(certificate.minima)}"
    return told
