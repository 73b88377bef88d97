"""What an application tells the oracle and the trainers: Ψ, the parts it is made of, and the loss.

A task is a joint feature map Ψ(x, y) whose score ⟨w, Ψ(x, ŷ)⟩ is a sum of scores of parts, and a loss
Δ(y, ŷ) = h(Σ costs) whose costs are whole numbers, one for each part (Bauer et al. (7)–(9) and (14)).
Everything that comes from outside is checked once, by `Task.prepare`; what follows trusts it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from viterbi_lab.dp import ChainProblem, ChainScores, Combine


@dataclass(frozen=True, eq=False)
class Example:
    """One prepared training example.

    Attributes:
        number: its place in the training data, from 0.
        x: the input, as its task wants it.
        y: (T,) int64, the true output.
        psi: (d,) float64, Ψ(x, y).
        h: (K + 1,) float64, the loss h(0..K) of the possible sums of costs.
    """

    number: int
    x: Any
    y: np.ndarray
    psi: np.ndarray
    h: np.ndarray


class Task(ABC):
    """One application: joint feature map, parts and loss.

    Laws, for every w, example (x, y) and output ŷ: ⟨w, Ψ(x, ŷ)⟩ is the score of ŷ under ``scores(x, w)``;
    Δ(y, ŷ) is ``h`` at the sum of the costs of ŷ, and 0 at ŷ = y.
    """

    @property
    @abstractmethod
    def n_weights(self) -> int:
        """d, the length of w and of Ψ."""

    @abstractmethod
    def prepare(self, X: Sequence[Any], Y: Sequence[Any]) -> tuple[Example, ...]:
        """Check training data and bring it into the form that everything else trusts.

        Raises:
            ValueError: if anything is not as the task allows; the message names sequence and position.
        """

    @abstractmethod
    def prepare_input(self, x: Any, where: str = "the sequence") -> Any:
        """Check one input without its output, as `prepare` does; ``where`` names it in messages."""

    @abstractmethod
    def scores(self, x: Any, w: np.ndarray) -> ChainScores:
        """The scores of the parts of every output of a prepared ``x``, with w (d,)."""

    @abstractmethod
    def costs(self, y: np.ndarray) -> np.ndarray:
        """The costs of the parts of every output, given the true one: whole numbers, (T, N)."""

    @abstractmethod
    def problem(
        self, example: Example, scores: ChainScores, h: np.ndarray, combine: Combine, offset: float
    ) -> ChainProblem:
        """Loss-augmented inference for one example, Bauer et al. (14): (score + offset) ⊙ h(costs)."""

    @abstractmethod
    def joint_feature(self, x: Any, y: np.ndarray) -> np.ndarray:
        """Ψ(x, y) of a prepared x and output, (d,) float64."""

    @abstractmethod
    def loss(self, y: np.ndarray, y_hat: np.ndarray) -> float:
        """Δ(y, ŷ)."""

    def delta_psi(self, example: Example, y_hat: np.ndarray) -> np.ndarray:
        """δΨ(ŷ) = Ψ(x, y) − Ψ(x, ŷ), (d,) float64."""
        return example.psi - self.joint_feature(example.x, y_hat)
