"""Label sequences: the joint feature map (1) of Bauer et al. with the loss h∘Δ_H.

Ψ(x, y) sums, for every label, the features of the sites that carry it, and counts, for every pair of labels,
the transitions between neighbouring sites; on request also the first and the last label. The weights stand in
this order, F being the number of features of a site:

    emissions     label · F + f
    transitions   N·F + previous · N + current
    start         N·F + N² + first label          (with start_end=True)
    end           N·F + N² + N + last label       (with start_end=True)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from viterbi_lab.dp import ChainProblem, ChainScores, Combine
from viterbi_lab.losses import IDENTITY, Wrapper, hamming_cost
from viterbi_lab.tasks.base import Example, Task


class Encoding(ABC):
    """How the features φ(x_t) of the sites are written down."""

    @abstractmethod
    def check(self, x: Any, n_features: int, where: str) -> np.ndarray:
        """The checked array of features of one sequence, one row for each site."""

    @abstractmethod
    def scores(self, x: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """⟨weights of label j, φ(x_t)⟩ as (T, N); ``weights`` is (N, F)."""

    @abstractmethod
    def counts(self, x: np.ndarray, y: np.ndarray, n_states: int, n_features: int) -> np.ndarray:
        """Σ_t φ(x_t) ⊗ Λ(y_t), label-major, (N·F,) float64."""


class _Dense(Encoding):
    """(T, F) float64, entry ``[t, f]`` the value of feature f at site t."""

    def check(self, x: Any, n_features: int, where: str) -> np.ndarray:
        values = np.asarray(x)
        if values.dtype.kind != "f":
            raise ValueError(
                f"The features of {where} are of type {values.dtype}; values must be floats, "
                f"(T, {n_features}). If they are indices of active features, use encoding=ACTIVE."
            )
        if values.ndim != 2 or values.shape[1] != n_features or not len(values):
            raise ValueError(
                f"The features of {where} have shape {values.shape}; needed is (T, {n_features}) with T >= 1."
            )
        if not np.isfinite(values).all():
            t, f = np.argwhere(~np.isfinite(values))[0]
            raise ValueError(
                f"Feature {f} of {where}, position {t} is {values[t, f]}. Features must be finite numbers."
            )
        return np.ascontiguousarray(values, dtype=np.float64)

    def scores(self, x: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return x @ weights.T

    def counts(self, x: np.ndarray, y: np.ndarray, n_states: int, n_features: int) -> np.ndarray:
        carries = (y == np.arange(n_states)[:, None]).astype(np.float64)
        return (carries @ x).ravel()

    def __repr__(self) -> str:
        return "DENSE"


class _Active(Encoding):
    """(T, a) int32, row t the indices of the features that are 1 at site t; an index twice counts twice."""

    def check(self, x: Any, n_features: int, where: str) -> np.ndarray:
        indices = np.asarray(x)
        if indices.dtype.kind not in "iu":
            raise ValueError(
                f"The features of {where} are of type {indices.dtype}; active features are given by their "
                "indices, whole numbers (T, a). For values of features, build the task with encoding=DENSE."
            )
        if indices.ndim != 2 or not len(indices):
            raise ValueError(
                f"The features of {where} have shape {indices.shape}; needed is (T, a) with T >= 1."
            )
        outside = (indices < 0) | (indices >= n_features)
        if outside.any():
            t, column = np.argwhere(outside)[0]
            raise ValueError(
                f"Active feature {indices[t, column]} of {where}, position {t} is none of the "
                f"{n_features} features 0..{n_features - 1}."
            )
        return np.ascontiguousarray(indices, dtype=np.int32)

    def scores(self, x: np.ndarray, weights: np.ndarray) -> np.ndarray:
        # by label, then summed over the few features of a site: 3x faster than adding rows of weights.T
        return np.ascontiguousarray(weights.take(x, axis=1).sum(axis=2).T)

    def counts(self, x: np.ndarray, y: np.ndarray, n_states: int, n_features: int) -> np.ndarray:
        indices = (x + (y * n_features)[:, None]).ravel()
        return np.bincount(indices, minlength=n_states * n_features).astype(np.float64)

    def __repr__(self) -> str:
        return "ACTIVE"


DENSE: Encoding = _Dense()
ACTIVE: Encoding = _Active()


@dataclass(frozen=True)
class SequenceTask(Task):
    """Sequences of labels of order 1, with the loss h∘Δ_H.

    Attributes:
        n_states: N, the number of labels; a label is one of 0..N - 1.
        n_features: F, the number of features of a site.
        wrapper: h, applied to the number of wrong sites.
        start_end: whether the first and the last label have weights of their own.
        encoding: DENSE for values of features, (T, F) float; ACTIVE for indices of those that are 1, (T, a).

    Example:
        >>> task = SequenceTask(n_states=2, n_features=1)
        >>> (example,) = task.prepare([np.array([[1.0], [2.0]])], [np.array([0, 1])])
        >>> example.psi
        array([1., 2., 0., 1., 0., 0.])
    """

    n_states: int
    n_features: int
    wrapper: Wrapper = IDENTITY
    start_end: bool = False
    encoding: Encoding = DENSE
    _transitions: slice = field(init=False, repr=False, compare=False)

    def __post_init__(self):
        if self.n_states < 1 or self.n_features < 1:
            raise ValueError(
                f"n_states={self.n_states}, n_features={self.n_features}; both must be at least 1."
            )
        first = self.n_states * self.n_features
        object.__setattr__(self, "_transitions", slice(first, first + self.n_states**2))

    @property
    def n_weights(self) -> int:
        """N·F + N², and 2N more with start and end weights."""
        return self._transitions.stop + (2 * self.n_states if self.start_end else 0)

    def prepare(self, X: Sequence[Any], Y: Sequence[Any]) -> tuple[Example, ...]:
        """Check training sequences.

        Args:
            X: n inputs as the encoding asks, each (T_i, …) with its own T_i >= 1.
            Y: n true label sequences, (T_i,) ints in ``0..n_states - 1``.

        Raises:
            ValueError: if there is no sequence, X and Y differ in length anywhere, a feature is not finite or
                not of the right kind, a label is out of range, or h is no loss. Sequences and positions are
                named, both counted from 0.
        """
        if len(X) != len(Y):
            raise ValueError(
                f"X holds {len(X)} sequences, Y holds {len(Y)}. Give one label sequence for each input."
            )
        if not len(X):
            raise ValueError("There is no sequence to train on. Give at least one.")
        tables: dict[int, np.ndarray] = {}
        examples = []
        for number, (x, y) in enumerate(zip(X, Y, strict=True)):
            where = f"sequence {number}"
            x = self.encoding.check(x, self.n_features, where)
            y = self._checked_labels(y, len(x), where)
            if len(y) not in tables:
                tables[len(y)] = self.wrapper.loss_table(len(y))
            examples.append(Example(number, x, y, self.joint_feature(x, y), tables[len(y)]))
        return tuple(examples)

    def prepare_input(self, x: Any, where: str = "the sequence") -> np.ndarray:
        """Check one input as `prepare` does."""
        return self.encoding.check(x, self.n_features, where)

    def scores(self, x: np.ndarray, w: np.ndarray) -> ChainScores:
        """Scores of labels at sites, of transitions, and of the first and last label.

        Args:
            x: a prepared input.
            w: (d,) float64, finite.
        """
        N, first = self.n_states, self._transitions.stop
        emissions = self.encoding.scores(x, w[: self._transitions.start].reshape(N, self.n_features))
        start, end = (w[first : first + N], w[first + N :]) if self.start_end else (None, None)
        # a copy: the weights of an iterate are read-only, for which numba would compile every kernel again
        transitions = w[self._transitions].copy().reshape(N, N)
        return ChainScores.trusted_homogeneous(emissions, transitions, start, end)

    def costs(self, y: np.ndarray) -> np.ndarray:
        """Cost of each label at each site, (T, N): 1 where it is wrong."""
        return hamming_cost(y, self.n_states)

    def problem(
        self, example: Example, scores: ChainScores, h: np.ndarray, combine: Combine, offset: float
    ) -> ChainProblem:
        """Loss-augmented inference for one example; see `Task.problem`."""
        return ChainProblem(scores, example.y, h, combine, offset)

    def joint_feature(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Ψ(x, y), Bauer et al. (1), in the order of the module's table; (d,) float64."""
        N = self.n_states
        psi = np.zeros(self.n_weights)
        psi[: self._transitions.start] = self.encoding.counts(x, y, N, self.n_features)
        psi[self._transitions] = np.bincount(y[:-1] * N + y[1:], minlength=N * N)
        if self.start_end:
            psi[self._transitions.stop + y[0]] = 1.0
            psi[self._transitions.stop + N + y[-1]] = 1.0
        return psi

    def loss(self, y: np.ndarray, y_hat: np.ndarray) -> float:
        """Δ(y, ŷ) = h(number of wrong sites)."""
        return float(self.wrapper.table(len(y))[np.count_nonzero(y != y_hat)])

    def _checked_labels(self, y: Any, length: int, where: str) -> np.ndarray:
        labels = np.asarray(y)
        if labels.shape != (length,):
            raise ValueError(
                f"The labels of {where} have shape {labels.shape}, but it has {length} sites. Label each."
            )
        if labels.dtype.kind not in "iu":
            raise ValueError(
                f"The labels of {where} are of type {labels.dtype}; a task numbers its labels "
                f"0..{self.n_states - 1}. Names of labels are the business of StructuredSVM."
            )
        outside = (labels < 0) | (labels >= self.n_states)
        if outside.any():
            t = int(np.argmax(outside))
            raise ValueError(
                f"Label {labels[t]} of {where}, position {t} is none of the {self.n_states} labels "
                f"0..{self.n_states - 1}."
            )
        return labels.astype(np.int64)
