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

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from viterbi_lab import rows
from viterbi_lab.dp import (
    ChainBatch,
    ChainProblem,
    ChainScores,
    Combine,
    decode,
    decode_all,
    decode_batch,
    viterbi,
)
from viterbi_lab.losses import IDENTITY, LabelCosts, Wrapper, hamming_cost
from viterbi_lab.rows import Rows
from viterbi_lab.tasks.base import Corpus, Example, Optima, Optimum, Task
from viterbi_lab.tasks.encoding import ACTIVE, DENSE, SPARSE, Encoding, owners_of

__all__ = ["ACTIVE", "DENSE", "SPARSE", "SequenceTask"]


@dataclass(frozen=True)
class SequenceTask(Task):
    """Sequences of labels of order 1, with the loss h∘Δ_H or h of weighted errors, Bauer et al. (20).

    Attributes:
        n_states: N, the number of labels; a label is one of 0..N - 1.
        n_features: F, the number of features of a site.
        wrapper: h, applied to the number of wrong sites.
        start_end: whether the first and the last label have weights of their own.
        encoding: DENSE for values of features, (T, F) float; ACTIVE for indices of those that are 1, (T, a);
            SPARSE for matrices of scipy.sparse.
        label_costs: what it costs to put one label in the place of another; None: 1.

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
    label_costs: LabelCosts | None = None
    _transitions: slice = field(init=False, repr=False, compare=False)

    def __post_init__(self):
        if self.n_states < 1 or self.n_features < 1:
            raise ValueError(
                f"n_states={self.n_states}, n_features={self.n_features}; both must be at least 1."
            )
        if self.label_costs is not None and self.label_costs.n_states != self.n_states:
            raise ValueError(
                f"label_costs are for {self.label_costs.n_states} labels, the task has {self.n_states}."
            )
        first = self.n_states * self.n_features
        object.__setattr__(self, "_transitions", slice(first, first + self.n_states**2))

    @property
    def n_weights(self) -> int:
        """N·F + N², and 2N more with start and end weights."""
        return self._transitions.stop + (2 * self.n_states if self.start_end else 0)

    @property
    def sparse(self) -> bool:
        """Whether there are many weights."""
        return self.n_weights > rows.MOST_DENSE

    def prepare(
        self, X: Sequence[Any], Y: Sequence[Any], site_weights: Sequence[Any] | None = None
    ) -> tuple[Example, ...]:
        """Check training sequences.

        Args:
            X: n inputs as the encoding asks, each with its own T_i >= 1.
            Y: n true label sequences, (T_i,) ints in ``0..n_states - 1``.
            site_weights: n sequences of (T_i,) whole numbers >= 1, how often an error at each site counts;
                None: once.

        Raises:
            ValueError: if there is no sequence, X and Y differ in length anywhere, a feature is not finite or
                not of the right kind, a label or a weight is out of range, or h is no loss. Sequences and
                positions are named, both counted from 0.
        """
        for name, given in (("Y", Y), ("site_weights", site_weights)):
            if given is not None and len(X) != len(given):
                raise ValueError(
                    f"X holds {len(X)} sequences, {name} holds {len(given)}. Give one for each input."
                )
        if not len(X):
            raise ValueError("There is no sequence to train on. Give at least one.")
        tables: dict[int, np.ndarray] = {}
        inputs, labels, costs, losses = [], [], [], []
        for number, (x, y) in enumerate(zip(X, Y, strict=True)):
            where = f"sequence {number}"
            inputs.append(self.encoding.check(x, self.n_features, where))
            labels.append(self._checked_labels(y, len(inputs[-1]), where))
            weights = None if site_weights is None else site_weights[number]
            costs.append(self._checked_costs(labels[-1], weights, where))
            most = len(labels[-1]) if costs[-1] is None else int(costs[-1].max(axis=1).sum())
            if most not in tables:
                tables[most] = self.wrapper.loss_table(most)
            losses.append(tables[most])
        starts = np.concatenate([[0], np.cumsum([len(y) for y in labels])])
        psi = self._joint_features(self.join(inputs), starts, np.concatenate(labels))
        return tuple(
            Example(number, *parts)
            for number, parts in enumerate(zip(inputs, labels, psi, losses, costs, strict=True))
        )

    def prepare_input(self, x: Any, where: str = "the sequence") -> Any:
        """Check one input as `prepare` does."""
        return self.encoding.check(x, self.n_features, where)

    def join(self, inputs: Sequence[Any]) -> Any:
        """Lay prepared inputs end to end."""
        return self.encoding.join(inputs, self.n_features)

    def work(self, example: Example) -> float:
        """T·(K + 1)."""
        return float(len(example.y)) * len(example.h)

    def best(self, x: Any, w: np.ndarray) -> np.ndarray:
        """The best labelling, by Bauer et al. Algorithm 2; (T,) int64."""
        return viterbi(self.scores(x, w)).y

    def optimum(
        self, example: Example, w: np.ndarray, h: np.ndarray, combine: Combine, offset: float
    ) -> Optimum:
        """Loss-augmented inference for one example, by Bauer et al. Algorithm 1; see `Task.optimum`."""
        problem = self.problem(example, self.scores(example.x, w), h, combine, offset)
        found = decode(problem)
        return Optimum(found.y, found.value, found.k, problem)

    def optima(
        self,
        corpus: Corpus,
        w: np.ndarray,
        losses: Sequence[np.ndarray],
        combine: Combine,
        offsets: np.ndarray,
        threads: int,
    ) -> Optima:
        """Loss-augmented inference for all examples; see `Task.optima`."""
        if all(example.cost is None for example in corpus.examples):
            batch = self.batch(corpus, w, np.concatenate(losses), combine, offsets)
            found = decode_batch(batch, threads=threads)
            return Optima(found.y, corpus.starts, found.value, found.k)
        problems = [
            self.problem(example, self.scores(example.x, w), h, combine, float(offset))
            for example, h, offset in zip(corpus.examples, losses, offsets, strict=True)
        ]
        best = decode_all(problems, threads=threads)
        return Optima(
            np.concatenate([decoding.y for decoding in best]),
            corpus.starts,
            np.array([decoding.value for decoding in best]),
            np.array([decoding.k for decoding in best]),
        )

    def scores(self, x: np.ndarray, w: np.ndarray) -> ChainScores:
        """Scores of labels at sites, of transitions, and of the first and last label.

        Args:
            x: a prepared input.
            w: (d,) float64, finite.
        """
        emissions = self._emissions(x, w)
        start, end = self._borders(w)
        return ChainScores.trusted_homogeneous(emissions, self._transition_scores(w), start, end)

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
        emissions, starts = self._emissions(corpus.x, w), corpus.starts
        if self.start_end:
            start, end = self._borders(w)
            emissions[starts[:-1]] += start
            emissions[starts[1:] - 1] += end
        return ChainBatch(starts, emissions, self._transition_scores(w), corpus.y, h, combine, offsets)

    def problem(
        self, example: Example, scores: ChainScores, h: np.ndarray, combine: Combine, offset: float
    ) -> ChainProblem:
        """Loss-augmented inference for one example, Bauer et al. (14): (score + offset) ⊙ h(costs)."""
        return ChainProblem(scores, example.y, h, combine, offset, cost=example.cost)

    def joint_feature(self, x: Any, y: np.ndarray) -> Rows:
        """Ψ(x, y), Bauer et al. (1), in the order of the module's table; (d,) float64."""
        return self._joint_features(self.join([x]), np.array([0, len(y)]), y)[0]

    def joint_features(self, corpus: Corpus, y: np.ndarray, starts: np.ndarray) -> Rows:
        """Ψ of all examples with other outputs; see `Task.joint_features`."""
        return self._joint_features(corpus.x, starts, y)

    def loss(self, y: np.ndarray, y_hat: np.ndarray, site_weights: np.ndarray | None = None) -> float:
        """Δ(y, ŷ): h of the number of wrong sites, or of their costs."""
        costs = self._costs(y, site_weights)
        if costs is None:
            return float(self.wrapper.table(len(y))[np.count_nonzero(y != y_hat)])
        table = self.wrapper.table(int(costs.max(axis=1).sum()))
        return float(table[costs[np.arange(len(y)), y_hat].sum()])

    def _emissions(self, x: Any, w: np.ndarray) -> np.ndarray:
        weights = w[: self._transitions.start].reshape(self.n_states, self.n_features)
        return self.encoding.scores(x, weights)

    def _transition_scores(self, w: np.ndarray) -> np.ndarray:
        # a copy: the weights of an iterate are read-only, for which numba would compile every kernel again
        return w[self._transitions].copy().reshape(self.n_states, self.n_states)

    def _borders(self, w: np.ndarray) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Scores of the first and of the last label."""
        first, N = self._transitions.stop, self.n_states
        return (w[first : first + N], w[first + N :]) if self.start_end else (None, None)

    def _joint_features(self, x: Any, starts: np.ndarray, y: np.ndarray) -> Rows:
        """Ψ of joined inputs: (n, d) float64."""
        n, N, emissions = len(starts) - 1, self.n_states, self._transitions.start
        owner = owners_of(starts)
        within = np.ones(len(y), bool)
        within[starts[1:] - 1] = False  # the last site of a sequence has none after it
        within = np.flatnonzero(within)
        # the sequence and the weight of every count
        counted = [(owner[within], emissions + y[within] * N + y[within + 1])]
        if self.start_end:
            first = self._transitions.stop
            counted.append((np.arange(n), first + y[starts[:-1]]))
            counted.append((np.arange(n), first + N + y[starts[1:] - 1]))
        rows_of, weights = (np.concatenate(parts) for parts in zip(*counted, strict=True))
        if self.sparse:
            sites, features, values = self.encoding.entries(x, self.n_features)
            return rows.sparse_rows(
                np.concatenate([owner[sites], rows_of]),
                np.concatenate([y[sites] * self.n_features + features, weights]),
                np.concatenate([values, np.ones(len(weights))]),
                (n, self.n_weights),
            )
        psi = np.empty((n, self.n_weights))
        psi[:, :emissions] = self.encoding.counts(x, y, starts, N, self.n_features)
        others = self.n_weights - emissions
        places = rows_of * others + weights - emissions
        psi[:, emissions:] = np.bincount(places, minlength=n * others).reshape(n, others)
        return psi

    def _costs(self, y: np.ndarray, weights: np.ndarray | None) -> np.ndarray | None:
        """(T, N) int64 costs of all labels, None if every wrong one costs 1."""
        if self.label_costs is None and weights is None:
            return None
        costs = hamming_cost(y, self.n_states) if self.label_costs is None else self.label_costs.table[y]
        return costs.astype(np.int64) * (1 if weights is None else np.asarray(weights)[:, np.newaxis])

    def _checked_costs(self, y: np.ndarray, weights: Any, where: str) -> np.ndarray | None:
        if weights is not None:
            weights = np.asarray(weights)
            if weights.shape != y.shape or weights.dtype.kind not in "iu" or weights.min() < 1:
                raise ValueError(
                    f"The site weights of {where} have shape {weights.shape} of {weights.dtype}; needed is "
                    f"one whole number >= 1 for each of its {len(y)} sites."
                )
        return self._costs(y, weights)

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
