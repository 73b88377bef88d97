"""Whether the fast trainer and cvxpy come to the same objective, on cells of the grid of Fig. 7."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from viterbi_lab import block_coordinate, cutting_plane
from viterbi_lab.experiments.drawn import draw
from viterbi_lab.experiments.protocol import Cell, Protocol
from viterbi_lab.rescaling import RESCALINGS


@dataclass(frozen=True)
class Agreement:
    """The objective of one cell at one C by two trainers, each to a certified gap.

    Attributes:
        cell: which.
        C: what slacks cost.
        fast: ``(lower, upper)`` by block_coordinate.
        reference: the same by the cutting planes of the papers with Clarabel by cvxpy.
    """

    cell: Cell
    C: float
    fast: tuple[float, float]
    reference: tuple[float, float]

    @property
    def difference(self) -> float:
        """How far the two objectives are apart, as a share of the reference."""
        return abs(self.fast[1] - self.reference[1]) / self.reference[1]


def agreement(protocol: Protocol, cell: Cell, C: float, relative_gap: float = 1e-5) -> Agreement:
    """Train one cell at one C by the fast trainer and by the reference, both to this gap."""
    data = draw(protocol, cell.data_set, cell.sigma)
    examples = data.examples(cell.n)

    def bounds(iterates: Callable[..., Any], **settings: Any) -> tuple[float, float]:
        *_, last = iterates(
            data.task,
            examples,
            C=C,
            relative_gap=relative_gap,
            rescaling=RESCALINGS[cell.rescaling],
            **settings,
        )
        return last.lower, last.upper

    return Agreement(
        cell,
        C,
        bounds(block_coordinate.iterates),
        bounds(cutting_plane.iterates, solver="clarabel"),
    )
