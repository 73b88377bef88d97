"""Classes: multiclass and taxonomies; T04, sections 4.1 and 4.2.

An output is one class of K, and Ψ(x, y) = Λ(y) ⊗ φ(x): the features of x, once for each attribute of y. With
one attribute a class this is the machine of Crammer and Singer; with those of a taxonomy classes share
weights. The weight of feature f for attribute z has number z · F + f.

The loss is any table Δ(y, ŷ). Inference needs whole-number costs, so the cost of a class is the place of its
loss among the different losses of that row, and h gives the loss back.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from viterbi_lab import rows
from viterbi_lab.dp import Combine
from viterbi_lab.dp.builders import choice
from viterbi_lab.dp.hypergraph import GraphProblem, solve
from viterbi_lab.rows import Rows
from viterbi_lab.tasks.base import Corpus, Example, Optima, Optimum, Task
from viterbi_lab.tasks.encoding import DENSE, SPARSE, Encoding
from viterbi_lab.taxonomy import Taxonomy

__all__ = ["DENSE", "SPARSE", "ClassificationTask"]


@dataclass(frozen=True, eq=False)
class ClassificationTask(Task):
    """One class for each input.

    Attributes:
        attributes: (K, V) float64, Λ(y) of each class.
        losses: (K, K) float64, Δ(y, ŷ): row y is the truth; 0 on the diagonal, positive elsewhere.
        n_features: F.
        encoding: DENSE for inputs (F,) float; SPARSE for rows (1, F) of scipy.sparse.

    Raises:
        ValueError: if a table is none, or a loss is not one.

    Example:
        >>> task = ClassificationTask.flat(2, n_features=2)
        >>> _, example = task.prepare([[3.0, 4.0], [5.0, 7.0]], [0, 1])
        >>> example.psi
        array([0., 0., 5., 7.])
    """

    attributes: np.ndarray
    losses: np.ndarray
    n_features: int
    encoding: Encoding = DENSE

    def __post_init__(self):
        attributes = np.asarray(self.attributes)
        if attributes.ndim != 2 or not attributes.size or attributes.dtype.kind not in "bfiu":
            raise ValueError(
                f"attributes have shape {attributes.shape} of {attributes.dtype}; needed are (K, V) numbers."
            )
        if not np.isfinite(attributes).all():
            raise ValueError("An attribute is not a finite number.")
        losses, K = np.asarray(self.losses, dtype=np.float64), len(attributes)
        if losses.shape != (K, K):
            raise ValueError(f"losses have shape {losses.shape}; {K} classes need ({K}, {K}).")
        right = np.eye(K, dtype=bool)
        bad = ~np.isfinite(losses) | np.where(right, losses != 0.0, losses <= 0.0)
        if bad.any():
            y, j = np.argwhere(bad)[0]
            raise ValueError(
                f"Class {j} in the place of {y} has the loss {losses[y, j]}. The true class has loss 0, any "
                "other a positive, finite one."
            )
        if self.n_features < 1:
            raise ValueError(f"n_features={self.n_features}; it must be at least 1.")
        object.__setattr__(self, "attributes", attributes.astype(np.float64))
        object.__setattr__(self, "losses", losses)

    @classmethod
    def flat(
        cls, n_classes: int, n_features: int, losses: ArrayLike | None = None, encoding: Encoding = DENSE
    ) -> ClassificationTask:
        """Classes that have nothing in common; by default with 0/1 loss: Crammer and Singer."""
        losses = zero_one(n_classes) if losses is None else losses
        return cls(np.eye(n_classes), losses, n_features, encoding)

    @classmethod
    def taxonomy(
        cls,
        taxonomy: Taxonomy,
        n_features: int,
        losses: ArrayLike | None = None,
        encoding: Encoding = DENSE,
    ) -> ClassificationTask:
        """The leaves of a taxonomy, with weights for its nodes; by default with its tree loss."""
        losses = taxonomy.tree_loss if losses is None else losses
        return cls(taxonomy.informative, losses, n_features, encoding)

    @property
    def n_classes(self) -> int:
        """K."""
        return len(self.losses)

    @property
    def n_weights(self) -> int:
        """V·F."""
        return self.attributes.shape[1] * self.n_features

    @property
    def sparse(self) -> bool:
        """Whether there are many weights."""
        return self.n_weights > rows.MOST_DENSE

    def prepare(self, X: Sequence[Any], Y: Sequence[Any]) -> tuple[Example, ...]:
        """Check training data.

        Args:
            X: n inputs: an array or a list (n, F), or a matrix (n, F) of scipy.sparse, as the encoding asks.
            Y: n classes, ints in ``0..K - 1``.

        Raises:
            ValueError: if there is no example, X and Y differ in length, a feature is not finite or a class
                out of range. Examples are named, counted from 0.

        Warns:
            RuntimeWarning: if a class has no example.
        """
        n, classes = np.shape(X)[0], np.asarray(Y)
        if classes.shape != (n,):
            raise ValueError(
                f"X holds {n} inputs, Y has shape {classes.shape}. Give one class for each input."
            )
        if not n:
            raise ValueError("There is no example to train on. Give at least one.")
        if classes.dtype.kind not in "iu":
            raise ValueError(f"Classes are of type {classes.dtype}; number them 0..{self.n_classes - 1}.")
        outside = (classes < 0) | (classes >= self.n_classes)
        if outside.any():
            i = int(np.argmax(outside))
            raise ValueError(f"Class {classes[i]} of example {i} is none of 0..{self.n_classes - 1}.")
        classes = classes.astype(np.int64)
        self._warn_of_absent(classes)
        inputs = [self.prepare_input(X[i : i + 1], f"example {i}") for i in range(n)]
        ranked = [np.unique(self.losses[y], return_inverse=True) for y in range(self.n_classes)]
        psi = self._joint_features(self.join(inputs), classes)
        return tuple(
            Example(i, x, classes[i : i + 1], psi[i], *ranked[classes[i]]) for i, x in enumerate(inputs)
        )

    def prepare_inputs(self, X: Sequence[Any]) -> Any:
        """Check many inputs, a matrix (n, F), and lay them end to end, as `scores` wants them."""
        return self.join([self.prepare_input(X[i : i + 1], f"input {i}") for i in range(np.shape(X)[0])])

    def prepare_input(self, x: Any, where: str = "the input") -> Any:
        """Check one input: features (F,) or (1, F)."""
        row = x if np.ndim(x) == 2 else np.asarray(x)[np.newaxis]
        checked = self.encoding.check(row, self.n_features, where)
        if len(checked) != 1:
            raise ValueError(f"The features of {where} have {len(checked)} rows; an input is one.")
        return checked

    def join(self, inputs: Sequence[Any]) -> Any:
        """Lay prepared inputs end to end."""
        return self.encoding.join(inputs, self.n_features)

    def work(self, example: Example) -> float:
        """V + K."""
        return float(self.attributes.shape[1] + self.n_classes)

    def scores(self, x: Any, w: np.ndarray) -> np.ndarray:
        """⟨w, Ψ(x, y)⟩ of every class, (n, K) float64, for prepared or joined inputs."""
        return self.encoding.scores(x, w.reshape(-1, self.n_features)) @ self.attributes.T

    def best(self, x: Any, w: np.ndarray) -> np.ndarray:
        """The class with the largest score, the first if several have it; (1,) int64."""
        return np.argmax(self.scores(x, w), axis=1)

    def optimum(
        self, example: Example, w: np.ndarray, h: np.ndarray, combine: Combine, offset: float
    ) -> Optimum:
        """Loss-augmented inference by looking at every class; see `Task.optimum`."""
        scores = self.scores(example.x, w)[0]
        problem = GraphProblem(choice(self.n_classes), scores, h, combine, offset, cost=example.cost)
        found = solve(problem)
        return Optimum(found.edges, found.value, found.k, problem)

    def optima(
        self,
        corpus: Corpus,
        w: np.ndarray,
        losses: Sequence[np.ndarray],
        combine: Combine,
        offsets: np.ndarray,
        threads: int,
    ) -> Optima:
        """The same for all examples at once; see `Task.optima`. One thread does it."""
        cost = np.array([example.cost for example in corpus.examples])
        loss = np.array([h[k] for h, k in zip(losses, cost, strict=True)])
        totals = self.scores(corpus.x, w) + offsets[:, np.newaxis]
        values = totals * loss if combine is Combine.TIMES else totals + loss
        value = values.max(axis=1)
        # ties: the smallest cost, then the first class
        y = np.where(values == value[:, np.newaxis], cost, cost.max() + 1).argmin(axis=1)
        return Optima(y, corpus.starts, value, cost[np.arange(len(y)), y])

    def joint_feature(self, x: Any, y: np.ndarray) -> Rows:
        """Ψ(x, y) = Λ(y) ⊗ φ(x), (d,) float64."""
        return self._joint_features(x, y)[0]

    def joint_features(self, corpus: Corpus, y: np.ndarray, starts: np.ndarray) -> Rows:
        """Ψ of all examples with other classes; see `Task.joint_features`."""
        return self._joint_features(corpus.x, y)

    def loss(self, y: np.ndarray, y_hat: np.ndarray) -> float:
        """Δ(y, ŷ)."""
        return float(self.losses[y[0], y_hat[0]])

    def _joint_features(self, x: Any, y: np.ndarray) -> Rows:
        """Λ(y_i) ⊗ φ(x_i) of joined inputs, (n, d) float64."""
        n = len(y)
        if self.sparse:
            owners, features, values = self.encoding.entries(x, self.n_features)
            # every feature of an input meets every attribute of its class
            classes, attributes = np.nonzero(self.attributes)
            begins = np.searchsorted(classes, np.arange(self.n_classes + 1))
            count = np.diff(begins)[y[owners]]
            entry = np.repeat(np.arange(len(owners)), count)
            first = np.cumsum(count) - count
            place = begins[y[owners[entry]]] + np.arange(len(entry)) - first[entry]
            return rows.sparse_rows(
                owners[entry],
                attributes[place] * self.n_features + features[entry],
                self.attributes[classes[place], attributes[place]] * values[entry],
                (n, self.n_weights),
            )
        phi = self.encoding.counts(x, np.zeros(n, np.int64), np.arange(n + 1), 1, self.n_features)
        return np.einsum("nv,nf->nvf", self.attributes[y], phi).reshape(n, -1)

    def _warn_of_absent(self, classes: np.ndarray) -> None:
        absent = np.setdiff1d(np.arange(self.n_classes), classes)
        if absent.size:
            warnings.warn(
                f"{absent.size} of {self.n_classes} classes have no example, the first is class {absent[0]}: "
                "training only learns what speaks against them, or for classes that share their attributes.",
                RuntimeWarning,
                stacklevel=3,
            )


def zero_one(n_classes: int) -> np.ndarray:
    """(K, K) float64, the loss 1 for every wrong class."""
    return 1.0 - np.eye(n_classes)
