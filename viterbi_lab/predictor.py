"""What can be done with the weights of a sequence task: label, rank, decide, score."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from viterbi_lab.dp import ChainProblem, Combine, k_best, lead
from viterbi_lab.labelled import as_input, as_list
from viterbi_lab.oracle import predict
from viterbi_lab.tasks.sequence import SequenceTask


class NotFittedError(ValueError, AttributeError):
    """The estimator has not been trained yet."""


class Ranked(NamedTuple):
    """One of the best labellings of a sequence: its labels, and its score ⟨w, Ψ(x, ŷ)⟩."""

    labels: list[Hashable]
    score: float


class Predictor:
    """Labels sequences, once it has been trained.

    Attributes:
        classes_: list of the labels in the order of their numbers.
        task_: the task, which knows the order of the weights.
        w_: (d,) float64, the weights.
    """

    classes_: list[Hashable]
    task_: SequenceTask
    w_: np.ndarray

    def predict(self, X: Sequence[Any]) -> list[list[Hashable]]:
        """The best labelling of each sequence, Bauer et al. (5), in the labels that `fit` was given."""
        return [self._labels(predict(self.task_, x, self.w_)) for x in self._prepared(X)]

    def decision_function(self, X: Sequence[Any]) -> np.ndarray:
        """How well and how clearly each sequence is labelled.

        Returns:
            (n, 2) float64: the score ⟨w, Ψ(x, ŷ)⟩ of the prediction, and by how much it exceeds that of every
            other labelling; inf where there is no other.
        """
        decided = []
        for x in self._prepared(X):
            scores = self.task_.scores(x, self.w_)
            decided.append((scores.score(predict(self.task_, x, self.w_)), lead(scores)))
        return np.array(decided, dtype=np.float64).reshape(-1, 2)

    def k_best(self, X: Sequence[Any], count: int) -> list[list[Ranked]]:
        """The ``count`` best labellings of each sequence, best first; fewer where there are fewer."""
        ranked = []
        for x in self._prepared(X):
            scores = self.task_.scores(x, self.w_)
            shape = (scores.length, scores.n_states)
            problem = ChainProblem(
                scores,
                np.zeros(shape[0], np.int64),
                np.zeros(1),
                Combine.PLUS,
                cost=np.zeros(shape, np.int64),
            )
            ranked.append([Ranked(self._labels(best.y), best.score) for best in k_best(problem, count)])
        return ranked

    def score(self, X: Sequence[Any], Y: Sequence[Sequence[Hashable]]) -> float:
        """The share of sites that `predict` labels as in Y, over all sequences together."""
        predicted, truths = self.predict(X), [as_list(labels) for labels in Y]
        if [len(labels) for labels in predicted] != [len(labels) for labels in truths]:
            raise ValueError("X and Y differ in their numbers of sequences or sites. Give one label a site.")
        pairs = list(zip(chain.from_iterable(predicted), chain.from_iterable(truths), strict=True))
        if not pairs:
            raise ValueError("There is no site to score. Give at least one sequence.")
        return sum(found == true for found, true in pairs) / len(pairs)

    def _require_fit(self) -> None:
        if not hasattr(self, "w_"):
            raise NotFittedError("This StructuredSVM is not fitted yet. Call fit with training data first.")

    def _prepared(self, X: Sequence[Any]) -> Iterator[Any]:
        self._require_fit()
        for i, x in enumerate(X):
            where = f"sequence {i}"
            yield self.task_.prepare_input(as_input(x, self.task_.encoding, where), where)

    def _labels(self, numbers: np.ndarray) -> list[Hashable]:
        return [self.classes_[number] for number in numbers]
