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

from viterbi_lab.dp import ChainBatch, ChainProblem, ChainScores, Combine


@dataclass(frozen=True, eq=False)
class Example:
    """One prepared training example.

    Attributes:
        number: its place in the training data, from 0.
        x: the input, as its task wants it.
        y: (T,) int64, the true output.
        psi: (d,) float64, Ψ(x, y).
        h: (K + 1,) float64, the loss h(0..K) of the possible sums of costs.
        cost: (T, N) int64, what each label costs at each site; None means 1 for every wrong label.
    """

    number: int
    x: Any
    y: np.ndarray
    psi: np.ndarray
    h: np.ndarray
    cost: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Corpus:
    """Examples laid end to end, for what is done to all of them at once.

    Attributes:
        examples: the n examples.
        x: their inputs, joined as their task wants it.
        y: (ΣT,) int64, their outputs.
        starts: (n + 1,) int64, where each begins among the sites.
        psi: (n, d) float64, their joint features.
    """

    examples: tuple[Example, ...]
    x: Any
    y: np.ndarray
    starts: np.ndarray
    psi: np.ndarray

    def __len__(self) -> int:
        return len(self.examples)


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
    def gather(self, examples: Sequence[Example]) -> Corpus:
        """Lay prepared examples end to end."""

    @abstractmethod
    def scores(self, x: Any, w: np.ndarray) -> ChainScores:
        """The scores of the parts of every output of a prepared ``x``, with w (d,)."""

    @abstractmethod
    def batch(
        self, corpus: Corpus, w: np.ndarray, h: np.ndarray, combine: Combine, offsets: np.ndarray
    ) -> ChainBatch:
        """Loss-augmented inference for all examples of a corpus whose costs are 1 for every wrong label.

        Args:
            corpus: what `gather` returned.
            w: (d,) float64.
            h: the losses h(0..T_i) of all examples, end to end.
            combine: ⊙.
            offsets: (n,) float64, one constant for each example.
        """

    @abstractmethod
    def problem(
        self, example: Example, scores: ChainScores, h: np.ndarray, combine: Combine, offset: float
    ) -> ChainProblem:
        """Loss-augmented inference for one example, Bauer et al. (14): (score + offset) ⊙ h(costs)."""

    @abstractmethod
    def joint_feature(self, x: Any, y: np.ndarray) -> np.ndarray:
        """Ψ(x, y) of a prepared x and output, (d,) float64."""

    @abstractmethod
    def joint_features(self, corpus: Corpus, y: np.ndarray) -> np.ndarray:
        """Ψ(x_i, y_i) of all examples with outputs ``y`` (ΣT,) end to end; (n, d) float64."""

    @abstractmethod
    def loss(self, y: np.ndarray, y_hat: np.ndarray) -> float:
        """Δ(y, ŷ)."""

    def delta_psi(self, example: Example, y_hat: np.ndarray) -> np.ndarray:
        """δΨ(ŷ) = Ψ(x, y) − Ψ(x, ŷ), (d,) float64."""
        return example.psi - self.joint_feature(example.x, y_hat)
