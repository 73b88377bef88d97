"""The vectors z of constraints without their zeros: memory grows with what is stored, not with w."""

from __future__ import annotations

import numpy as np

from viterbi_lab.planes import Blocks, Coordinates, OnColumns, Planes, grown
from viterbi_lab.rows import Rows, as_sparse
from viterbi_lab.sweeps import sparse_combination, sparse_gram, sparse_products, sparse_sweep

RIDGE = 1e-14
"""Of the largest ‖z‖² times m, added to the products of planes that are not independent."""


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
            return OnColumns(Z, used, self.n_weights)
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


def _writeable(array: np.ndarray) -> np.ndarray:
    """A copy of what is read-only, for which numba would compile every kernel again."""
    return array if array.flags.writeable else array.copy()
