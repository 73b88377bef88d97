"""Histogram features of real signals, Bauer et al. 2014, Section IV-A."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from viterbi_lab.features.signals import finite_signal


@dataclass(frozen=True, eq=False)
class HistogramBins:
    """Histogram features of Bauer et al., Section IV-A: each real value is replaced by the bin it is in.

    The outer bins are open-ended, and a value equal to an edge belongs to the bin above it. Equal edges are
    allowed and leave the bins between them empty. So a feature that was constant (= v) in training keeps
    meaning: all its edges are v, values below v are in the first bin, v itself and values above in the last.

    Attributes:
        edges: (r, n_bins - 1) float64, the inner edges of each feature, ascending.
    """

    edges: np.ndarray

    def __post_init__(self):
        edges = np.array(self.edges, dtype=np.float64)
        if edges.ndim != 2 or edges.shape[0] == 0:
            raise ValueError(
                f"edges have shape {edges.shape}; needed is (r, n_bins - 1), one row for each feature."
            )
        if not np.isfinite(edges).all():
            f, b = np.argwhere(~np.isfinite(edges))[0]
            raise ValueError(f"edge {b} of feature {f} is {edges[f, b]}; edges must be finite.")
        if (np.diff(edges, axis=1) < 0).any():
            f = np.flatnonzero((np.diff(edges, axis=1) < 0).any(axis=1))[0]
            raise ValueError(f"the edges of feature {f} are not ascending: {edges[f]}.")
        edges.flags.writeable = False
        object.__setattr__(self, "edges", edges)

    @classmethod
    def fit(cls, signals: Sequence[np.ndarray], n_bins: int = 10, method: str = "quantile") -> HistogramBins:
        """Place the edges by the training sequences, and by nothing else.

        Args:
            signals: the training sequences, each (T_i, r) float; T_i may differ, r may not.
            n_bins: bins of each feature, at least 1.
            method: ``"quantile"``: edges at the quantiles 1/n_bins, 2/n_bins, … of all training values of a
                feature (linear interpolation). ``"width"``: bins of equal width between their minimum and
                maximum.

        Returns:
            The bins; ``edges`` is (r, n_bins - 1).

        Raises:
            ValueError: if there is no sequence, a shape is wrong, or a value is NaN or infinite (the message
                names sequence, site and feature).
        """
        if n_bins < 1:
            raise ValueError(f"n_bins={n_bins}; at least 1 is needed.")
        if len(signals) == 0:
            raise ValueError("no sequences were given; bin edges need at least one training sequence.")
        checked = []
        for i, x in enumerate(signals):
            checked.append(finite_signal(x, checked[0].shape[1] if checked else None, f"sequence {i}"))
        pool = np.concatenate(checked)  # (Σ T_i, r)
        shares = np.arange(1, n_bins) / n_bins
        if method == "quantile":
            edges = np.quantile(pool, shares, axis=0).T
        elif method == "width":
            edges = np.linspace(pool.min(axis=0), pool.max(axis=0), n_bins + 1)[1:-1].T
        else:
            raise ValueError(f"method={method!r}; known methods are 'quantile' and 'width'.")
        return cls(edges)

    @property
    def n_bins(self) -> int:
        """Bins of each feature."""
        return self.edges.shape[1] + 1

    @property
    def n_features(self) -> int:
        """Indicator features in all: r * n_bins."""
        return self.edges.shape[0] * self.n_bins

    @property
    def reach(self) -> int:
        """How far from a site its features look."""
        return 0

    def transform(self, x: np.ndarray) -> np.ndarray:
        """The active indicator features of each site.

        Args:
            x: (T, r) float, finite.

        Returns:
            (T, r) int32; entry ``[t, f]`` is ``f * n_bins + b`` where ``x[t, f]`` falls into bin b, in
            ``0..n_bins - 1``. The order is that of equation (1): the bin runs fastest.

        Raises:
            ValueError: if the shape is wrong or a value is NaN or infinite (the message names its place).

        Example:
            >>> bins = HistogramBins(edges=[[0.0, 1.0], [5.0, 6.0]])
            >>> bins.transform([[-2.0, 5.5], [1.0, 9.0]])
            array([[0, 4],
                   [2, 5]], dtype=int32)
        """
        return self._transform(x, "the sequence")

    def transform_all(self, signals: Sequence[np.ndarray]) -> list[np.ndarray]:
        """:meth:`transform` of each sequence; an error names the sequence by its number from 0."""
        return [self._transform(x, f"sequence {i}") for i, x in enumerate(signals)]

    def _transform(self, x: np.ndarray, where: str) -> np.ndarray:
        r = self.edges.shape[0]
        x = finite_signal(x, r, where)
        active = np.empty(x.shape, dtype=np.int32)
        for f in range(r):
            active[:, f] = f * self.n_bins + np.searchsorted(self.edges[f], x[:, f], side="right")
        return active
