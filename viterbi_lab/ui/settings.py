"""What a run of the Train view is determined by, in words and numbers that can be stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from viterbi_lab import block_coordinate, cutting_plane
from viterbi_lab.iterate import Iterate
from viterbi_lab.losses import IDENTITY, SQRT, SQUARE, ZERO_ONE, Wrapper, capped

GENES, CELEGANS, OWN = "genes", "celegans", "own"
WRAPPERS: dict[str, Wrapper] = {
    "k": IDENTITY,
    "√k": SQRT,
    "k²": SQUARE,
    "0/1": ZERO_ONE,
    "min(k, 10)": capped(10),
}
BLOCKS, PLANES = "block coordinate", "cutting planes"
TRAINERS: dict[str, Callable[..., Iterator[Iterate]]] = {
    BLOCKS: block_coordinate.iterates,
    PLANES: cutting_plane.iterates,
}
"""The fast trainer, and that of the papers, whose iterations Fig. 7 counts; both reach the same optimum."""


@dataclass(frozen=True)
class Settings:
    """What a run is determined by.

    Attributes:
        data: `GENES`, `CELEGANS` or `OWN`.
        rescaling: a key of `viterbi_lab.rescaling.RESCALINGS`.
        sigma: σ of the synthetic signals; without meaning for other data.
        n: training examples.
        C: what slacks cost.
        epsilon: how large the gap may be at the end, as a share of the objective.
        wrapper: a key of `WRAPPERS`.
        seed: of the data, or of the choice among them.
        trainer: a key of `TRAINERS`.
        own: what the visitor's file is called; empty for other data.
    """

    data: str
    rescaling: str
    sigma: float
    n: int
    C: float
    epsilon: float
    wrapper: str
    seed: int
    trainer: str = BLOCKS
    own: str = ""

    def __str__(self) -> str:
        source = {GENES: f"genes σ={self.sigma:g}", CELEGANS: "C. elegans", OWN: self.own}[self.data]
        return (
            f"{self.rescaling} · {source} · n={self.n} · C={self.C:g} · ε={100 * self.epsilon:g} % · "
            f"h={self.wrapper} · seed {self.seed} · {self.trainer}"
        )

    def same_program(self, other: Settings) -> bool:
        """Whether constraints found under ``other`` hold here: all but C, ε and the trainer agree."""
        return self._program == other._program

    @property
    def _program(self) -> tuple:
        sigma = self.sigma if self.data == GENES else None
        return self.data, self.own, self.rescaling, sigma, self.n, self.wrapper, self.seed
