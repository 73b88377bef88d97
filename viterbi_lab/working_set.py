"""The constraints that a training has found so far, as rows of numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from viterbi_lab.planes import DensePlanes, grown
from viterbi_lab.rows import Rows
from viterbi_lab.sparse_planes import SparsePlanes
from viterbi_lab.tasks.base import Task

PER_ROW = ("_bounds", "_owners", "_multipliers", "_idle")


class WorkingSet:
    """The constraints ∪_i S_i found so far: rows (z, b) of n examples. It grows, unless rows are dropped.

    Args:
        n_examples: n.
        n_weights: d.
        sparse: whether rows are kept without their zeros; it decides time and memory, not the result.

    Attributes:
        n_examples: n.
        planes: the z of the constraints in the order in which they were added.
        C: the C for which `multipliers` are feasible; None as long as all are 0.
    """

    def __init__(self, n_examples: int, n_weights: int, *, sparse: bool = False):
        self.n_examples = n_examples
        self.C: float | None = None
        self.planes = SparsePlanes(n_weights) if sparse else DensePlanes(n_weights)
        self._bounds = np.empty(16)
        self._owners = np.empty(16, np.int64)
        self._multipliers = np.empty(16)
        self._idle = np.empty(16, np.int64)
        self._keys: list[tuple[int, bytes]] = []
        self._known: set[tuple[int, bytes]] = set()

    @classmethod
    def of(cls, task: Task, n_examples: int) -> WorkingSet:
        """An empty set for the weights of a task, sparse where its joint features are."""
        return cls(n_examples, task.n_weights, sparse=task.sparse)

    @classmethod
    def fitting(cls, given: WorkingSet | None, task: Task, n_examples: int) -> WorkingSet:
        """The set that is given for a training, or an empty one.

        Raises:
            ValueError: if it was made for other numbers of examples or weights.
        """
        if given is None:
            return cls.of(task, n_examples)
        given.require(n_examples, task.n_weights)
        return given

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, constraint: tuple[int, np.ndarray]) -> bool:
        """Whether the constraint of ``(example number, ŷ)`` is in the set."""
        owner, y_hat = constraint
        return (owner, y_hat.tobytes()) in self._known

    def require(self, n_examples: int, n_weights: int) -> None:
        """Refuse a training with other numbers of examples or weights than the set was made for."""
        if (self.n_examples, self.planes.n_weights) != (n_examples, n_weights):
            raise ValueError(
                f"The working set is for {self.n_examples} examples and {self.planes.n_weights} weights; "
                f"this training has {n_examples} and {n_weights}."
            )

    @property
    def rows(self) -> Rows:
        """(m, d) float64, the z of the constraints, as one matrix."""
        return self.planes.rows

    @property
    def bounds(self) -> np.ndarray:
        """(m,) float64, their b."""
        return self._bounds[: len(self)]

    @property
    def owners(self) -> np.ndarray:
        """(m,) int64, the numbers of the examples they belong to."""
        return self._owners[: len(self)]

    @property
    def multipliers(self) -> np.ndarray:
        """(m,) float64, the a >= 0 of a dual solution to start from; may be written to. 0 for new rows."""
        return self._multipliers[: len(self)]

    def add(self, owner: int, y_hat: np.ndarray, z: Rows, b: float) -> None:
        """Add the constraint ⟨w, z⟩ ≥ b − ξ of a labelling.

        Args:
            owner: the number of the example, in ``0..n_examples - 1``.
            y_hat: the labelling, which identifies the constraint.
            z: (d,) float64, dense or sparse.
            b: its bound.

        Raises:
            ValueError: if the constraint is in the set already.
        """
        key = (owner, y_hat.tobytes())
        if key in self._known:
            raise ValueError(f"The constraint of this labelling of example {owner} is in the set already.")
        self._append([key], np.array([owner]), z, b)

    def add_new(self, owners: np.ndarray, outputs: Sequence[np.ndarray], Z: Rows, b: np.ndarray) -> int:
        """Add those of many constraints of different examples that are not in the set; how many those are.

        Args:
            owners: (k,) int64, all different.
            outputs: their k labellings.
            Z: (k, d) float64, dense or sparse.
            b: (k,) float64.
        """
        keys = [(owner, y_hat.tobytes()) for owner, y_hat in zip(owners.tolist(), outputs, strict=True)]
        new = [place for place, key in enumerate(keys) if key not in self._known]
        if new:
            self._append([keys[place] for place in new], owners[new], Z[new], b[new])
        return len(new)

    def _append(self, keys: list[tuple[int, bytes]], owners: np.ndarray, Z: Rows, b: np.ndarray) -> None:
        m, end = len(self), len(self) + len(keys)
        for name in PER_ROW:
            setattr(self, name, grown(getattr(self, name), m, end))
        self.planes.append(Z)
        self._bounds[m:end], self._owners[m:end] = b, owners
        self._multipliers[m:end], self._idle[m:end] = 0.0, 0
        self._keys += keys
        self._known.update(keys)

    def take(self, part: WorkingSet, examples: np.ndarray) -> None:
        """Take over the rows of a set for some of the examples, given by their numbers here.

        Multipliers shrink as their box C/n does.
        """
        m = len(self)
        keys = [(int(examples[owner]), y_hat) for owner, y_hat in part._keys]
        self._append(keys, examples[part.owners], part.rows, part.bounds)
        self._multipliers[m : len(self)] = part.multipliers * (part.n_examples / self.n_examples)
        self.C = part.C

    def extend_examples(self, count: int) -> None:
        """Make room for ``count`` further examples, which have no rows yet; the others keep their numbers."""
        self.n_examples += count

    def drop_idle(self, idle: np.ndarray, patience: int) -> int:
        """Drop rows that are ``idle`` (m,) now and were so the ``patience`` times before; how many."""
        m = len(self)
        self._idle[:m] = np.where(idle, self._idle[:m] + 1, 0)
        kept = np.flatnonzero(self._idle[:m] <= patience)
        if len(kept) < m:
            self.planes.keep(kept)
            for name in PER_ROW:
                array = getattr(self, name)
                array[: len(kept)] = array[kept]
            self._keys = [self._keys[place] for place in kept]
            self._known = set(self._keys)
        return m - len(kept)

    def violations(self, w: np.ndarray) -> np.ndarray:
        """H = b − ⟨w, z⟩ of every constraint, (m,) float64."""
        return self.bounds - self.planes.products(w)

    def slack(self, w: np.ndarray) -> np.ndarray:
        """ξ_i = max(0, max_{S_i} H), the slacks that the constraints in the set ask for, (n,) float64."""
        slack = np.zeros(self.n_examples)
        np.maximum.at(slack, self.owners, self.violations(w))
        return slack
