"""The vectors z of the constraints that a training has found: what every kind can do, and those kept in full.

Weights w = Σ a z are kept in full either way. Where planes are sparse (`viterbi_lab.sparse_planes`), nothing
that grows with the number of constraints is as wide as w.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from viterbi_lab.rows import Rows, as_dense
from viterbi_lab.sweeps import sweep


class Blocks(NamedTuple):
    """Dual variables in blocks, one for each example, as `viterbi_lab.sweeps` wants them."""

    order: np.ndarray
    starts: np.ndarray
    b: np.ndarray
    a: np.ndarray
    w: np.ndarray
    mass: np.ndarray
    box: float
    curvature: float


class Coordinates(ABC):
    """The planes as they are seen from inside a space of r dimensions which holds all of them.

    Attributes:
        Z: (m, r) float64, the planes in coordinates; products of planes are what they were.
    """

    Z: np.ndarray

    @abstractmethod
    def weights(self, coordinates: np.ndarray) -> np.ndarray:
        """The weights (d,) at a point (r,) of the space; as long as it is."""


class Planes(ABC):
    """The rows z of constraints, in the order in which they were added."""

    n_weights: int

    @abstractmethod
    def __len__(self) -> int:
        """M."""

    @property
    @abstractmethod
    def rows(self) -> Rows:
        """All of them, (m, d)."""

    @abstractmethod
    def append(self, Z: Rows) -> None:
        """Add rows (k, d), or one (d,), dense or sparse."""

    @abstractmethod
    def keep(self, kept: np.ndarray) -> None:
        """Forget all rows but these, given by their numbers, ascending."""

    @abstractmethod
    def products(self, w: np.ndarray) -> np.ndarray:
        """⟨w, z⟩ of every row, (m,) float64."""

    @abstractmethod
    def combination(self, a: np.ndarray) -> np.ndarray:
        """Σ a z, (d,) float64."""

    @abstractmethod
    def norms(self) -> np.ndarray:
        """‖z‖ of every row, (m,) float64."""

    @abstractmethod
    def n_coordinates(self) -> int:
        """R of `coordinates`."""

    @abstractmethod
    def coordinates(self) -> Coordinates:
        """The rows in the space they span, or a small space around it, as a table (m, r)."""

    @abstractmethod
    def table_size(self) -> int:
        """How many numbers `coordinates` needs beside those that are kept anyway."""

    @abstractmethod
    def mean_size(self) -> float:
        """How many numbers a row has on average."""

    @abstractmethod
    def sweep(self, visits: np.ndarray, blocks: Blocks, H: np.ndarray, dz: np.ndarray, steps: int) -> float:
        """Visit examples as `viterbi_lab.sweeps.sweep` does.

        Args:
            visits: (n,) int64, the examples in their order.
            blocks: changed by it.
            H: room for as many numbers as an example has rows.
            dz: (d,) float64, zeros; given back as zeros or not, see there.
            steps: the most steps within an example.
        """


class DensePlanes(Planes):
    """Rows in full, in a table that grows by doubling."""

    def __init__(self, n_weights: int):
        self.n_weights = n_weights
        self._table, self._count = np.empty((16, n_weights)), 0

    def __len__(self) -> int:
        return self._count

    @property
    def rows(self) -> np.ndarray:
        """All of them, (m, d) float64."""
        return self._table[: self._count]

    def append(self, Z: Rows) -> None:
        """Add rows."""
        Z = np.atleast_2d(as_dense(Z))
        self._table = grown(self._table, self._count, self._count + len(Z))
        self._table[self._count : self._count + len(Z)] = Z
        self._count += len(Z)

    def keep(self, kept: np.ndarray) -> None:
        """Forget all rows but these."""
        self._table[: len(kept)] = self._table[kept]
        self._count = len(kept)

    def products(self, w: np.ndarray) -> np.ndarray:
        """⟨w, z⟩ of every row."""
        return self.rows @ w

    def combination(self, a: np.ndarray) -> np.ndarray:
        """Σ a z."""
        return a @ self.rows

    def norms(self) -> np.ndarray:
        """‖z‖ of every row."""
        return np.linalg.norm(self.rows, axis=1)

    def n_coordinates(self) -> int:
        """The smaller of m and d."""
        return min(self.rows.shape)

    def coordinates(self) -> Coordinates:
        """The rows as they are; with fewer rows than weights, in an orthonormal basis of their span."""
        m, d = self.rows.shape
        if m >= d:
            return OnColumns(self.rows, np.arange(d), d)
        basis, R = np.linalg.qr(self.rows.T)
        return _OnBasis(np.ascontiguousarray(R.T), basis)

    def table_size(self) -> int:
        """0: the rows lie in a table already."""
        return 0

    def mean_size(self) -> float:
        """All d of them."""
        return float(self.n_weights)

    def sweep(self, visits: np.ndarray, blocks: Blocks, H: np.ndarray, dz: np.ndarray, steps: int) -> float:
        """Visit examples; ``dz`` is left as it is after the last step."""
        order, starts, b, a, w, mass, box, curvature = blocks
        return sweep(visits, order, starts, self.rows, b, a, w, mass, box, curvature, H, dz, steps)


class OnColumns(Coordinates):
    """Some of the columns; the planes are 0 in all others."""

    def __init__(self, Z: np.ndarray, columns: np.ndarray, n_weights: int):
        self.Z, self._columns, self._n_weights = Z, columns, n_weights

    def weights(self, coordinates: np.ndarray) -> np.ndarray:
        """0 where no plane has anything."""
        w = np.zeros(self._n_weights)
        w[self._columns] = coordinates
        return w


class _OnBasis(Coordinates):
    """An orthonormal basis (d, r) of the span."""

    def __init__(self, Z: np.ndarray, basis: np.ndarray):
        self.Z, self._basis = Z, basis

    def weights(self, coordinates: np.ndarray) -> np.ndarray:
        return self._basis @ coordinates


def grown(array: np.ndarray, used: int, needed: int) -> np.ndarray:
    """The array itself, or one at least twice as long that begins with the same ``used`` items."""
    if needed <= len(array):
        return array
    longer = np.empty((max(needed, 2 * len(array)), *array.shape[1:]), array.dtype)
    longer[:used] = array[:used]
    return longer
