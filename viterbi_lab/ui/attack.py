"""The most violated labelling of one example, small enough to be sent for every pass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from viterbi_lab.dp import best_scores
from viterbi_lab.oracle import Violation, most_violated
from viterbi_lab.rescaling import RESCALINGS
from viterbi_lab.ui.names import DataSet
from viterbi_lab.ui.window import Window, readable


@dataclass(frozen=True, eq=False)
class Attack:
    """What the oracle found for one example, and what it chose from.

    Attributes:
        example: its number, from 0.
        y: (T,) int16, its true states.
        y_hat: (T,) int16, the most violated states.
        value: H(ŷ), the exact slack ξ that these weights need.
        k: the number of wrong states of ŷ.
        leads: (K+1,) float32, for every number of errors the largest lead of a labelling over the truth,
            max ⟨w, Ψ(x, ŷ)⟩ − ⟨w, Ψ(x, y)⟩; −inf where there is no labelling.
        window: a few sites of the problem that the oracle solved, for the stepper.
    """

    example: int
    y: np.ndarray
    y_hat: np.ndarray
    value: float
    k: int
    leads: np.ndarray
    window: Window

    @classmethod
    def of(cls, violation: Violation, truth: float, window: Window) -> Attack:
        """Keep what is shown of a violation.

        Args:
            violation: what the oracle found.
            truth: ⟨w, Ψ(x, y)⟩, the score of the true labelling.
            window: of its problem.
        """
        return cls(
            example=violation.example.number,
            y=violation.example.y.astype(np.int16),
            y_hat=violation.y_hat.astype(np.int16),
            value=violation.value,
            k=violation.k,
            leads=(best_scores(violation.problem) - truth).astype(np.float32),
            window=window,
        )


def attack(data: DataSet, number: int, w: np.ndarray, rescaling: str, site: int | None = None) -> Attack:
    """Ask the oracle for the most violated labelling of one training example.

    Args:
        data: what is trained on.
        number: of the example, from 0.
        w: (d,) float64.
        rescaling: a key of `RESCALINGS`.
        site: a site that the window must hold, from 0; None: whichever shows most.
    """
    example = data.examples[number]
    violation = most_violated(data.task, example, w, RESCALINGS[rescaling])
    window = readable(violation.problem, violation.y_hat, site)
    return Attack.of(violation, float(example.psi @ w), window)
