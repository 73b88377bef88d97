"""What an application tells the oracle and the trainers: Ψ, the parts it is made of, and the loss.

A task is a joint feature map Ψ(x, y) whose score ⟨w, Ψ(x, ŷ)⟩ is a sum of scores of parts, and a loss
Δ(y, ŷ) = h(Σ costs) whose costs are whole numbers, one for each part (Bauer et al. (7)–(9) and (14)).
Everything that comes from outside is checked once, by `Task.prepare`; what follows trusts it.

Outputs are vectors of whole numbers, whatever they stand for: the labels of a sequence, a class, the
operations of an alignment, the rules of a parse. Oracles and trainers only lay them end to end and compare
them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from viterbi_lab.dp import Combine
from viterbi_lab.rows import Rows, stacked


@dataclass(frozen=True, eq=False)
class Example:
    """One prepared training example.

    Attributes:
        number: its place in the training data, from 0.
        x: the input, as its task wants it.
        y: (T,) int64, the true output.
        psi: (d,) float64, Ψ(x, y); sparse where the task says so.
        h: (K + 1,) float64, the loss h(0..K) of the possible sums of costs.
        cost: int64, what each part costs, as its task wants it; for sequences (T, N), what each label
            costs at each site, or None if that is 1 for every wrong label.
    """

    number: int
    x: Any
    y: np.ndarray
    psi: Rows
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
        psi: (n, d) float64, their joint features; sparse where the task says so.
    """

    examples: tuple[Example, ...]
    x: Any
    y: np.ndarray
    starts: np.ndarray
    psi: Rows

    def __len__(self) -> int:
        return len(self.examples)


@dataclass(frozen=True, eq=False)
class Optimum:
    """The optimum of loss-augmented inference for one example.

    Attributes:
        y: (T,) int64, the best output ŷ.
        value: (score + offset) ⊙ h(k).
        k: the sum of the costs of ŷ.
        problem: what was solved.
    """

    y: np.ndarray
    value: float
    k: int
    problem: Any


@dataclass(frozen=True, eq=False)
class Optima:
    """The optima of loss-augmented inference for all examples of a corpus.

    Attributes:
        y: the best outputs, end to end, int64.
        starts: (n + 1,) int64, where each begins.
        value: (n,) float64, (score + offset) ⊙ h(k) of each.
        k: (n,) int64, the sum of its costs.
    """

    y: np.ndarray
    starts: np.ndarray
    value: np.ndarray
    k: np.ndarray


class Task(ABC):
    """One application: joint feature map, parts and loss.

    Laws, for every w, example (x, y) and output ŷ: ⟨w, Ψ(x, ŷ)⟩ is the sum of the scores of the parts of ŷ;
    Δ(y, ŷ) is ``h`` at the sum of their costs, and 0 at ŷ = y; `best` and `optimum` find what enumeration
    finds.
    """

    @property
    @abstractmethod
    def n_weights(self) -> int:
        """d, the length of w and of Ψ."""

    @property
    @abstractmethod
    def sparse(self) -> bool:
        """Whether Ψ is given without its zeros, as `viterbi_lab.rows` has it; w never is."""

    @abstractmethod
    def prepare(self, X: Sequence[Any], Y: Sequence[Any]) -> tuple[Example, ...]:
        """Check training data and bring it into the form that everything else trusts.

        Raises:
            ValueError: if anything is not as the task allows; the message names example and position.
        """

    @abstractmethod
    def prepare_input(self, x: Any, where: str = "the sequence") -> Any:
        """Check one input without its output, as `prepare` does; ``where`` names it in messages."""

    @abstractmethod
    def join(self, inputs: Sequence[Any]) -> Any:
        """Lay prepared inputs end to end, in the form that `optima` and `joint_features` want."""

    def gather(self, examples: Sequence[Example]) -> Corpus:
        """Lay prepared examples end to end."""
        return Corpus(
            tuple(examples),
            self.join([example.x for example in examples]),
            np.concatenate([example.y for example in examples]),
            np.concatenate([[0], np.cumsum([len(example.y) for example in examples])]),
            stacked([example.psi for example in examples]),
        )

    @abstractmethod
    def work(self, example: Example) -> float:
        """About how many cells the tables of its inference have, to divide a pass into parts."""

    @abstractmethod
    def best(self, x: Any, w: np.ndarray) -> np.ndarray:
        """The output argmax_ŷ ⟨w, Ψ(x, ŷ)⟩ of a prepared input, Bauer et al. (5)."""

    @abstractmethod
    def optimum(
        self, example: Example, w: np.ndarray, h: np.ndarray, combine: Combine, offset: float
    ) -> Optimum:
        """Loss-augmented inference for one example, Bauer et al. (14): max (score + offset) ⊙ h(costs).

        Args:
            example: one that `prepare` returned.
            w: (d,) float64.
            h: the losses in the place of ``example.h``.
            combine: ⊙.
            offset: added to every score.
        """

    @abstractmethod
    def optima(
        self,
        corpus: Corpus,
        w: np.ndarray,
        losses: Sequence[np.ndarray],
        combine: Combine,
        offsets: np.ndarray,
        threads: int,
    ) -> Optima:
        """What `optimum` says of each example of a corpus; the same for every number of threads.

        Args:
            corpus: what `gather` returned.
            w: (d,) float64.
            losses: one table h for each example.
            combine: ⊙.
            offsets: (n,) float64.
            threads: how many may share the work.
        """

    @abstractmethod
    def joint_feature(self, x: Any, y: np.ndarray) -> Rows:
        """Ψ(x, y) of a prepared x and output, (d,) float64."""

    @abstractmethod
    def joint_features(self, corpus: Corpus, y: np.ndarray, starts: np.ndarray) -> Rows:
        """Ψ(x_i, y_i) of all examples with outputs ``y`` end to end, which begin at ``starts``; (n, d)."""

    @abstractmethod
    def loss(self, y: np.ndarray, y_hat: np.ndarray) -> float:
        """Δ(y, ŷ)."""

    def delta_psi(self, example: Example, y_hat: np.ndarray) -> Rows:
        """δΨ(ŷ) = Ψ(x, y) − Ψ(x, ŷ), (d,) float64."""
        return example.psi - self.joint_feature(example.x, y_hat)
