"""What the stage in the browser is told about a problem: typed arrays and scalars, no nested objects."""

import numpy as np

from viterbi_lab.dp import Decoding, Trace
from viterbi_lab.ui.question import Question
from viterbi_lab.ui.words import explained


def problem_message(question: Question, tables: Trace) -> dict:
    """Return one consistent whole, problem and tables, as the head of ``trellis.js`` lists it.

    Args:
        question: what is asked.
        tables: its trace.

    Returns:
        Scalars T, N, window (ℓ'), K, kmin, offset, title, labels, and flat arrays y, cost (int32), first,
        steps, L, L_min (float64), S, S_min (int16).
    """
    scores = question.scores
    return {
        "title": question.title,
        "labels": list(question.labels),
        "T": scores.length,
        "N": scores.n_states,
        "window": scores.window_order,
        "K": question.largest_cost,
        "kmin": question.kmin,
        "offset": float(question.offset),
        "y": question.y.astype(np.int32),
        "cost": tables.problem.cost.reshape(-1).astype(np.int32),
        "first": question.flat_first,
        "steps": question.flat_steps,
        "L": tables.L.reshape(-1),
        "S": tables.S.reshape(-1).astype(np.int16),
        "L_min": tables.L_min.reshape(-1),
        "S_min": tables.S_min.reshape(-1).astype(np.int16),
    }


def words_message(question: Question, answer: Decoding) -> dict:
    """Return what is said of a problem that is too big to be drawn: title and words."""
    return {"title": question.title, "words": explained(question, answer)}


def h_message(question: Question) -> dict[str, np.ndarray]:
    """Return h by rule, each (K+1,) float64, so that the stage switches without asking."""
    largest = question.largest_cost
    return {rule: wrapper.table(largest) for rule, wrapper in question.wrappers.items()}
