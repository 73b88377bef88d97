"""What prediction and training ask of inference: the best output, and the most violated constraint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from viterbi_lab.dp import ChainProblem, decode, viterbi
from viterbi_lab.rescaling import LINEAR, Penalty, Rescaling
from viterbi_lab.tasks.base import Example, Task


@dataclass(frozen=True, eq=False)
class Violation:
    """The labelling that violates its constraint most at some w; the truth itself if none violates it.

    Attributes:
        example: whose constraint.
        y_hat: (T,) int64, argmax_ŷ H(ŷ).
        value: H(y_hat) = max_ŷ H(ŷ) >= 0: the exact slack ξ_i that this w needs.
        k: the number of wrong sites of ``y_hat``, Δ_H.
        loss: h(k)^p, the loss as the constraint sees it.
        problem: the very problem which was solved; `viterbi_lab.dp.trace` shows how it came to its answer.
    """

    example: Example
    y_hat: np.ndarray
    value: float
    k: int
    loss: float
    problem: ChainProblem


def predict(task: Task, x: Any, w: np.ndarray) -> np.ndarray:
    """The best output argmax_ŷ ⟨w, Ψ(x, ŷ)⟩, Bauer et al. (5).

    Args:
        task: the application.
        x: an input as ``task.prepare_input`` returns it.
        w: (d,) float64.

    Returns:
        (T,) int64.
    """
    return viterbi(task.scores(x, w)).y


def most_violated(
    task: Task, example: Example, w: np.ndarray, rescaling: Rescaling, penalty: Penalty = LINEAR
) -> Violation:
    """The most violated constraint of one example: max_ŷ H(ŷ), exactly, by Bauer et al. Algorithm 1.

    Args:
        task: the application.
        example: one that ``task.prepare`` returned.
        w: (d,) float64.
        rescaling: SLACK or MARGIN.
        penalty: LINEAR or QUADRATIC; it decides the power of the loss.
    """
    h = penalty.tempered(example.h)
    truth = float(w @ example.psi)
    problem = task.problem(example, task.scores(example.x, w), h, rescaling.combine, rescaling.offset(truth))
    best = decode(problem)
    return Violation(example, best.y, best.value, best.k, float(h[best.k]), problem)


def plane(task: Task, violation: Violation, rescaling: Rescaling) -> tuple[np.ndarray, float]:
    """The row (z, b) of a violated constraint: H(ŷ) = b − ⟨w, z⟩, at every w."""
    return rescaling.plane(task.delta_psi(violation.example, violation.y_hat), violation.loss)
