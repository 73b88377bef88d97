"""Joint features of many outputs as the rows of a matrix: an array, or sparse where there are many weights.

Joint features are sparse for two reasons: of many features few are there, and of many labels few are used.
So how many weights there are decides.

A matrix of rows is an ndarray (n, d) or a csr_array of scipy, a row an ndarray (d,) or a sparse array (d,).
Both know ``@``, ``-`` and indexing by rows; what they do not have in common is here. scipy is imported when
the first sparse row is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import sparray

Rows: TypeAlias = "np.ndarray | sparray"
"""(n, d) float64, or (d,) where one row is meant."""

MOST_DENSE = 4096
"""Weights up to which joint features are kept in full: such rows are faster, however few of them are used."""


def sparse_rows(rows: np.ndarray, columns: np.ndarray, values: np.ndarray, shape: tuple[int, int]) -> Rows:
    """A sparse matrix from its entries; entries at the same place are added.

    Args:
        rows: (m,) int64, the row of each entry.
        columns: (m,) int64, its column.
        values: (m,) float64.
        shape: (n, d).
    """
    from scipy.sparse import csr_array

    return csr_array((values, (rows, columns)), shape=shape)


def as_sparse(Z: Rows) -> Rows:
    """One row or many as a csr_array (n, d) with its columns in order and no stored zeros."""
    from scipy.sparse import csr_array

    if isinstance(Z, np.ndarray):
        return csr_array(np.atleast_2d(Z))
    Z = csr_array(Z.reshape(1, -1) if Z.ndim == 1 else Z, copy=True)
    Z.sum_duplicates()
    Z.eliminate_zeros()
    return Z


def as_dense(Z: Rows) -> np.ndarray:
    """The same as an ndarray."""
    return Z if isinstance(Z, np.ndarray) else Z.toarray()


def stacked(rows: Sequence[Rows]) -> Rows:
    """Rows (d,), at least one and all of a kind, as a matrix (n, d)."""
    if isinstance(rows[0], np.ndarray):
        return np.array(rows)
    from scipy.sparse import vstack

    return vstack(rows, format="csr")


def times_rows(Z: Rows, factors: np.ndarray) -> Rows:
    """Each row times its factor; ``factors`` is (n,)."""
    if isinstance(Z, np.ndarray):
        return Z * factors[:, np.newaxis]
    from scipy.sparse import diags_array

    return diags_array(factors, format="csr") @ Z


def times_columns(Z: Rows, factors: np.ndarray) -> Rows:
    """Each column times its factor, of many rows or of one; ``factors`` is (d,)."""
    if isinstance(Z, np.ndarray):
        return Z * factors
    scaled = Z.tocsr(copy=True)
    scaled.data *= factors[scaled.indices]
    return scaled


def used_columns(row: Rows) -> np.ndarray:
    """The columns where a row (d,) is not 0, ascending, int64."""
    if isinstance(row, np.ndarray):
        return np.flatnonzero(row)
    entries = row.tocoo()
    return np.unique(entries.coords[0][entries.data != 0])
