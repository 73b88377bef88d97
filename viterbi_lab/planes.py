"""The vectors z of the constraints that a training has found: kept in full, or without their zeros.

Weights w = Σ a z are kept in full either way. Where planes are sparse, nothing that grows with the number of
constraints is as wide as w.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from viterbi_lab.rows import Rows, as_dense, as_sparse
from viterbi_lab.sweeps import (
    sparse_combination,
    sparse_gram,
    sparse_products,
    sparse_sweep,
    sweep,
)

RIDGE = 1e-14
"""Of the largest ‖z‖² times m, added to the products of planes that are not independent."""


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
            return _OnColumns(self.rows, np.arange(d), d)
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


class SparsePlanes(Planes):
    """Rows without their zeros: compressed rows in arrays that grow by doubling."""

    def __init__(self, n_weights: int):
        if n_weights > np.iinfo(np.int32).max:
            raise ValueError(f"{n_weights} weights are more than the 2**31 - 1 that an index can hold.")
        self.n_weights = n_weights
        self._count, self._begins = 0, np.zeros(17, np.int64)
        self._columns, self._data = np.empty(64, np.int32), np.empty(64)
        self._used = np.zeros(n_weights, bool)  # the columns where a row is not 0

    def __len__(self) -> int:
        return self._count

    @property
    def rows(self) -> Rows:
        """All of them, as a csr_array of scipy."""
        from scipy.sparse import csr_array

        begins, columns, data = self._stored()
        return csr_array((data, columns, begins), shape=(self._count, self.n_weights), copy=True)

    def append(self, Z: Rows) -> None:
        """Add rows."""
        Z = as_sparse(Z)
        before = int(self._begins[self._count])
        m, size = self._count + Z.shape[0], before + Z.nnz
        self._begins = grown(self._begins, self._count + 1, m + 1)
        self._begins[self._count + 1 : m + 1] = before + Z.indptr[1:]
        self._columns = grown(self._columns, before, size)
        self._columns[before:size] = Z.indices
        self._data = grown(self._data, before, size)
        self._data[before:size] = Z.data
        self._used[Z.indices] = True
        self._count = m

    def keep(self, kept: np.ndarray) -> None:
        """Forget all rows but these."""
        sizes = np.diff(self._begins[: self._count + 1])[kept]
        begins = np.concatenate([[0], np.cumsum(sizes)])
        entries = np.arange(begins[-1]) + np.repeat(self._begins[kept] - begins[:-1], sizes)
        self._columns[: begins[-1]] = self._columns[entries]
        self._data[: begins[-1]] = self._data[entries]
        self._begins[: len(begins)] = begins
        self._count = len(kept)
        self._used[:] = False
        self._used[self._columns[: begins[-1]]] = True

    def products(self, w: np.ndarray) -> np.ndarray:
        """⟨w, z⟩ of every row."""
        products = np.empty(self._count)
        sparse_products(*self._stored(), _writeable(w), products)
        return products

    def combination(self, a: np.ndarray) -> np.ndarray:
        """Σ a z."""
        w = np.zeros(self.n_weights)
        sparse_combination(*self._stored(), _writeable(a), w)
        return w

    def norms(self) -> np.ndarray:
        """‖z‖ of every row."""
        begins, _, data = self._stored()
        return np.sqrt(np.bincount(_owners(begins), data**2, minlength=self._count))

    def n_coordinates(self) -> int:
        """The smaller of m and the number of columns where a row is not 0."""
        return min(self._count, max(int(np.count_nonzero(self._used)), 1))

    def coordinates(self) -> Coordinates:
        """The columns where a row is not 0; with fewer rows than these, from the products of the rows.

        For G = Z Zᵀ = L Lᵀ the rows of L have the products of the rows of Z, and the weights at u are Zᵀ c
        with Lᵀ c = u. Planes need not be independent, so G gets a ridge: it moves products by about the
        rounding of their sums.
        """
        begins, columns, data = self._stored()
        m, used = self._count, np.flatnonzero(self._used)
        if len(used) <= m:
            used = used if len(used) else np.zeros(1, np.int64)  # a space has at least one dimension
            Z = np.zeros((m, len(used)))
            Z[_owners(begins), np.searchsorted(used, columns)] = data
            return _OnColumns(Z, used, self.n_weights)
        gram = np.zeros((m, m))
        sparse_gram(begins, columns, data, np.zeros(self.n_weights), gram)
        return _OnProducts(_factor(gram), self)

    def table_size(self) -> int:
        """m·r."""
        return self._count * self.n_coordinates()

    def mean_size(self) -> float:
        """Stored numbers of a row on average."""
        return float(self._begins[self._count]) / max(self._count, 1)

    def sweep(self, visits: np.ndarray, blocks: Blocks, H: np.ndarray, dz: np.ndarray, steps: int) -> float:
        """Visit examples; ``dz`` is given back as zeros."""
        order, starts, b, a, w, mass, box, curvature = blocks
        stored = self._stored()
        touched = np.empty(2 * int(np.diff(stored[0]).max(initial=0)), np.int32)
        return sparse_sweep(
            visits, order, starts, *stored, b, a, w, mass, box, curvature, H, dz, touched, steps
        )

    def _stored(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where rows begin, their columns and their values."""
        begins = self._begins[: self._count + 1]
        return begins, self._columns[: begins[-1]], self._data[: begins[-1]]


class _OnColumns(Coordinates):
    """Some of the columns; the planes are 0 in all others."""

    def __init__(self, Z: np.ndarray, columns: np.ndarray, n_weights: int):
        self.Z, self._columns, self._n_weights = Z, columns, n_weights

    def weights(self, coordinates: np.ndarray) -> np.ndarray:
        w = np.zeros(self._n_weights)
        w[self._columns] = coordinates
        return w


class _OnBasis(Coordinates):
    """An orthonormal basis (d, r) of the span."""

    def __init__(self, Z: np.ndarray, basis: np.ndarray):
        self.Z, self._basis = Z, basis

    def weights(self, coordinates: np.ndarray) -> np.ndarray:
        return self._basis @ coordinates


class _OnProducts(Coordinates):
    """The factor L of the products of the planes."""

    def __init__(self, factor: np.ndarray, planes: SparsePlanes):
        self.Z, self._planes = factor, planes

    def weights(self, coordinates: np.ndarray) -> np.ndarray:
        return self._planes.combination(np.linalg.solve(self.Z.T, coordinates))


def _factor(gram: np.ndarray) -> np.ndarray:
    """L of G = L Lᵀ, with the smallest ridge on G with which it can be computed."""
    ridge = RIDGE * len(gram) * gram.diagonal().max()
    while True:
        try:
            return np.linalg.cholesky(gram + ridge * np.eye(len(gram)))
        except np.linalg.LinAlgError:
            ridge *= 10.0


def _owners(begins: np.ndarray) -> np.ndarray:
    """The row of each stored number."""
    return np.repeat(np.arange(len(begins) - 1), np.diff(begins))


def grown(array: np.ndarray, used: int, needed: int) -> np.ndarray:
    """The array itself, or one at least twice as long that begins with the same ``used`` items."""
    if needed <= len(array):
        return array
    longer = np.empty((max(needed, 2 * len(array)), *array.shape[1:]), array.dtype)
    longer[:used] = array[:used]
    return longer


def _writeable(array: np.ndarray) -> np.ndarray:
    """A copy of what is read-only, for which numba would compile every kernel again."""
    return array if array.flags.writeable else array.copy()
