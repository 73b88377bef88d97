"""How the features φ(x_t) of the sites are written down: as values, as indices of indicators, or sparse.

All three also work on many sequences laid end to end, which is how training looks at its examples.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from viterbi_lab.dp.compile import kernel


class Encoding(ABC):
    """One way to write features down."""

    @abstractmethod
    def check(self, x: Any, n_features: int, where: str) -> Any:
        """The checked features of one sequence; ``len`` of it is T."""

    @abstractmethod
    def join(self, inputs: Sequence[Any], n_features: int) -> Any:
        """Checked inputs end to end."""

    @abstractmethod
    def scores(self, x: Any, weights: np.ndarray) -> np.ndarray:
        """⟨weights of label j, φ(x_t)⟩ as (T, N); ``weights`` is (N, F)."""

    @abstractmethod
    def counts(self, x: Any, y: np.ndarray, starts: np.ndarray, n_states: int, n_features: int) -> np.ndarray:
        """Σ_t φ(x_t) ⊗ Λ(y_t) of each sequence, label-major: (n, N·F) float64.

        Args:
            x: joined inputs.
            y: (ΣT,) int64, their labels.
            starts: (n + 1,) int64, where each sequence begins.
            n_states: N.
            n_features: F.
        """

    @abstractmethod
    def entries(self, x: Any, n_features: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sites (m,), features (m,) and values (m,) of joined inputs, wherever a feature is not 0."""

    def __reduce__(self) -> str:
        """There is one object of each kind, also after copying and pickling: the global of that name."""
        return repr(self)


def owners_of(starts: np.ndarray) -> np.ndarray:
    """(ΣT,) int64, the number of the sequence that each site belongs to."""
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


@kernel
def _add_sites(x, place, counts):
    """Add the features of site t to row place[t] of the counts."""
    for t in range(len(place)):
        for f in range(x.shape[1]):
            counts[place[t], f] += x[t, f]


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

    def join(self, inputs: Sequence[np.ndarray], n_features: int) -> np.ndarray:
        return np.concatenate(inputs)

    def scores(self, x: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return x @ weights.T

    def counts(
        self, x: np.ndarray, y: np.ndarray, starts: np.ndarray, n_states: int, n_features: int
    ) -> np.ndarray:
        n = len(starts) - 1
        counts = np.zeros((n * n_states, n_features))
        _add_sites(x, owners_of(starts) * n_states + y, counts)
        return counts.reshape(n, -1)

    def entries(self, x: np.ndarray, n_features: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        sites, features = np.nonzero(x)
        return sites, features, x[sites, features]

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

    def join(self, inputs: Sequence[np.ndarray], n_features: int) -> np.ndarray:
        columns = max(x.shape[1] for x in inputs)
        joined = np.full((sum(len(x) for x in inputs), columns), n_features, np.int32)  # F: no feature
        begin = 0
        for x in inputs:
            joined[begin : begin + len(x), : x.shape[1]] = x
            begin += len(x)
        return joined

    def scores(self, x: np.ndarray, weights: np.ndarray) -> np.ndarray:
        with_none = np.column_stack([weights, np.zeros(len(weights))])
        # by label, then summed over the few features of a site: 3x faster than adding rows of weights.T
        return np.ascontiguousarray(with_none.take(x, axis=1).sum(axis=2).T)

    def counts(
        self, x: np.ndarray, y: np.ndarray, starts: np.ndarray, n_states: int, n_features: int
    ) -> np.ndarray:
        n, width = len(starts) - 1, n_features + 1
        place = (owners_of(starts) * n_states + y) * width
        counts = np.bincount((x + place[:, np.newaxis]).ravel(), minlength=n * n_states * width)
        return counts.reshape(n, n_states, width)[:, :, :n_features].reshape(n, -1).astype(np.float64)

    def entries(self, x: np.ndarray, n_features: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        sites, columns = np.nonzero(x < n_features)
        return sites, x[sites, columns].astype(np.int64), np.ones(len(sites))

    def __repr__(self) -> str:
        return "ACTIVE"


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Features of sites of which most are 0: the compressed rows of a sparse matrix.

    Attributes:
        sites: (m,) int64, the site of each stored value, ascending.
        features: (m,) int64, its feature.
        values: (m,) float64.
        length: T.
    """

    sites: np.ndarray
    features: np.ndarray
    values: np.ndarray
    length: int

    def __len__(self) -> int:
        return self.length


class _Sparse(Encoding):
    """A matrix (T, F) of scipy.sparse, kept as `SparseRows`."""

    def check(self, x: Any, n_features: int, where: str) -> SparseRows:
        if not callable(getattr(x, "tocsr", None)):
            raise ValueError(
                f"The features of {where} are of type {type(x).__name__}; encoding=SPARSE takes a matrix of "
                "scipy.sparse."
            )
        rows = x.tocsr()
        if rows.ndim != 2 or rows.shape[1] != n_features or not rows.shape[0]:
            raise ValueError(
                f"The features of {where} have shape {rows.shape}; needed is (T, {n_features}) with T >= 1."
            )
        if rows.dtype.kind not in "iufb":
            raise ValueError(f"The features of {where} are of type {rows.dtype}; they must be real numbers.")
        sites = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
        values = np.array(rows.data, dtype=np.float64)
        if not np.isfinite(values).all():
            at = int(np.argmin(np.isfinite(values)))
            raise ValueError(
                f"Feature {rows.indices[at]} of {where}, position {sites[at]} is {values[at]}. "
                "Features must be finite numbers."
            )
        return SparseRows(sites, np.array(rows.indices, np.int64), values, rows.shape[0])

    def join(self, inputs: Sequence[SparseRows], n_features: int) -> SparseRows:
        begins = np.concatenate([[0], np.cumsum([len(x) for x in inputs])])
        return SparseRows(
            np.concatenate([x.sites + begin for x, begin in zip(inputs, begins, strict=False)]),
            np.concatenate([x.features for x in inputs]),
            np.concatenate([x.values for x in inputs]),
            int(begins[-1]),
        )

    def scores(self, x: SparseRows, weights: np.ndarray) -> np.ndarray:
        scores = np.empty((len(x), len(weights)))
        for label, w in enumerate(weights):
            scores[:, label] = np.bincount(x.sites, w[x.features] * x.values, minlength=len(x))
        return scores

    def counts(
        self, x: SparseRows, y: np.ndarray, starts: np.ndarray, n_states: int, n_features: int
    ) -> np.ndarray:
        n = len(starts) - 1
        place = ((owners_of(starts) * n_states + y) * n_features)[x.sites] + x.features
        return np.bincount(place, x.values, minlength=n * n_states * n_features).reshape(n, -1)

    def entries(self, x: SparseRows, n_features: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return x.sites, x.features, x.values

    def __repr__(self) -> str:
        return "SPARSE"


DENSE: Encoding = _Dense()
ACTIVE: Encoding = _Active()
SPARSE: Encoding = _Sparse()
ENCODINGS = {repr(encoding): encoding for encoding in (DENSE, ACTIVE, SPARSE)}
