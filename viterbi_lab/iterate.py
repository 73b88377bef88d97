"""What every trainer reports after a pass, and when it may stop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from viterbi_lab.oracle import Violation
from viterbi_lab.rescaling import Penalty
from viterbi_lab.tasks.base import Example


class Status(Enum):
    """How a training stands; the value is the sentence to show."""

    RUNNING = "Training."
    CONVERGED = "Converged: the weights are as near to the optimum as was asked."
    STALLED = "Stopped: the quadratic program cannot be solved as exactly as was asked; not converged."
    LIMIT = "Stopped at the limit of passes, not converged."
    CANCELLED = "Cancelled, not converged. The weights are those of the last complete pass."
    INFEASIBLE = "Stopped: no weights satisfy every constraint, and this machine allows no slack."


@dataclass(frozen=True, eq=False)
class Iterate:
    """The state of a training after one pass over the examples.

    Attributes:
        number: passes so far; 0 only if the training was cancelled during its first.
        w: (d,) float64, the weights that this pass looked at; read-only.
        slack: (n,) float64, the exact ξ_i = max_ŷ H_i(ŷ) at ``w``; read-only. inf before the first pass.
        lower: the dual value of the program over the working set: no weights have an objective below it.
        upper: the exact objective ½‖w‖² + cost(ξ).
        planes: constraints in the working set.
        added: how many of them are new since the iterate before.
        violated: examples whose most violated constraint exceeds its slack by more than was asked.
        lowers: the dual values of the programs solved since the iterate before, in order.
        oracle_calls: calls of the oracle so far.
        qp_solves: programs solved so far.
        oracle_seconds: wall-clock time spent in the oracle so far.
        qp_seconds: wall-clock time spent in programs so far.
        worst: the constraint that exceeds its slack most at ``w``; None before the first pass.
        status: how the training stands. Every status but RUNNING is that of a last iterate.
    """

    number: int
    w: np.ndarray
    slack: np.ndarray
    lower: float
    upper: float
    planes: int
    added: int
    violated: int
    lowers: tuple[float, ...]
    oracle_calls: int
    qp_solves: int
    oracle_seconds: float
    qp_seconds: float
    worst: Violation | None
    status: Status

    @property
    def gap(self) -> float:
        """``upper - lower``: how far the objective of ``w`` may be above the optimum, at most."""
        return self.upper - self.lower

    @property
    def relative_gap(self) -> float:
        """The gap as a share of ``upper``; 0 where both are 0."""
        return self.gap / self.upper if self.upper > 0.0 else 0.0


@dataclass(frozen=True)
class Goal:
    """When a training has converged: when all holds that was asked for.

    Attributes:
        epsilon: by how much a constraint may exceed its slack at the end, in units of the loss, as in the
            paper. At large C this alone leaves a large gap. None: any.
        relative_gap: how large the gap may be at the end as a share of the objective. None: any.

    Raises:
        ValueError: if neither is asked for, or one is not positive.
    """

    epsilon: float | None
    relative_gap: float | None

    def __post_init__(self):
        if self.epsilon is None and self.relative_gap is None:
            raise ValueError("Neither epsilon nor relative_gap is given. Training needs one to know its end.")
        for name in ("epsilon", "relative_gap"):
            if getattr(self, name) is not None:
                require_positive(name, getattr(self, name))

    def allowed_gap(self, penalty: Penalty, slack: np.ndarray, C: float, upper: float) -> float:
        """The largest gap that this goal allows at exact slacks (n,) and this objective."""
        gaps = []
        if self.epsilon is not None:
            gaps.append(penalty.tolerance(slack, C, self.epsilon) + 1e-9 * upper)  # no program is exact
        if self.relative_gap is not None:
            gaps.append(self.relative_gap * upper)
        return min(gaps)

    def threshold(self, penalty: Penalty, slack: np.ndarray, C: float, upper: float) -> float:
        """By how much a constraint must exceed its slack to be worth adding.

        If no constraint does, then constraints account for at most half of the gap that is allowed.
        """
        if self.relative_gap is None:
            return self.epsilon
        by_gap = penalty.excess(slack, C, 0.5 * self.relative_gap * upper)
        return by_gap if self.epsilon is None else min(self.epsilon, by_gap)


def require_some(examples: Sequence[Example], **counts: int) -> None:
    """Refuse a training without examples, and counts below 1."""
    if not examples:
        raise ValueError("There is no example to train on. Give at least one.")
    for name, value in counts.items():
        if value < 1:
            raise ValueError(f"{name}={value}; it is at least 1.")


def require_positive(name: str, value: float) -> None:
    """Refuse a setting that is not a positive number."""
    if not (np.isfinite(value) and value > 0.0):
        raise ValueError(f"{name}={value}; it must be a positive number.")
