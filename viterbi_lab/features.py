"""What a site is described by: indicator features, given as the indices of those that are 1.

Bauer et al. 2014 describe a site t by a vector φ(x_t) of zeros and ones (Section IV-A: histogram bins).
Such vectors are long and almost empty, so they are never written out. A *feature matrix* here is ``(T, a)``
int32: row t lists the a features that are 1 at site t, each in ``0..n_features - 1``. An index that occurs
twice in a row counts twice. Then ⟨w, φ(x_t)⟩ is the sum of ``w`` at these indices.

Two families: :class:`HistogramBins` for real signals and :class:`KmerWindows` for DNA.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

AMBIGUITY_CODES = "NRYKMSWBDHV"  # IUPAC letters that stand for more than one base
_REFUSED, _AMBIGUOUS = -1, 4
_CODE_OF_LETTER = np.full(256, _REFUSED, dtype=np.int64)
for _letters, _code in [("A", 0), ("C", 1), ("G", 2), ("TU", 3), (AMBIGUITY_CODES, _AMBIGUOUS)]:
    _CODE_OF_LETTER[[ord(letter) for letter in _letters + _letters.lower()]] = _code


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
            checked.append(_finite_signal(x, checked[0].shape[1] if checked else None, f"sequence {i}"))
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
        x = _finite_signal(x, r, where)
        active = np.empty(x.shape, dtype=np.int32)
        for f in range(r):
            active[:, f] = f * self.n_bins + np.searchsorted(self.edges[f], x[:, f], side="right")
        return active


@dataclass(frozen=True)
class KmerWindow:
    """The k-mers that start ``first``, …, ``last`` sites after a site (negative: before it).

    Each (block, k-mer) pair is one indicator feature. By default every offset is a block of its own: the
    features say which k-mer stands exactly where. With a ``period``, offsets that are equal modulo it share a
    block: the features then count the k-mers of the window, ``period=1`` regardless of place, ``period=3`` by
    their place in the codon relative to the site.

    Attributes:
        k: letters of a k-mer, 1..12.
        first: the first offset.
        last: the last offset, not smaller than ``first``.
        period: offsets equal modulo ``period`` share their features; None: none do.
    """

    k: int
    first: int
    last: int
    period: int | None = None

    def __post_init__(self):
        if not 1 <= self.k <= 12:
            raise ValueError(f"k={self.k}; k-mers of 1 to 12 letters are allowed (4**12 is 17 million).")
        if self.last < self.first:
            raise ValueError(f"the window {self.first}..{self.last} is empty; last must not be below first.")
        if self.period is not None and not 1 <= self.period <= self.n_active:
            raise ValueError(
                f"period={self.period} on {self.n_active} offsets; allowed are 1..{self.n_active}, or None."
            )

    @property
    def n_active(self) -> int:
        """Active features of each site: one k-mer for each offset."""
        return self.last - self.first + 1

    @property
    def n_blocks(self) -> int:
        """Groups of offsets which do not share features."""
        return self.n_active if self.period is None else self.period

    @property
    def n_features(self) -> int:
        """Every block has 4**k k-mers and one feature for a k-mer that cannot be read."""
        return self.n_blocks * (4**self.k + 1)

    def _active(self, bases: np.ndarray) -> np.ndarray:
        """(T, n_active) int64 from (T,) base codes; _AMBIGUOUS also stands beyond the ends."""
        n = len(bases)
        before, after = max(0, -self.first), max(0, self.last + self.k - 1)
        padded = np.concatenate([np.full(before, _AMBIGUOUS), bases, np.full(after, _AMBIGUOUS)])
        letters = np.lib.stride_tricks.sliding_window_view(padded, self.k)
        unreadable = 4**self.k
        kmer = letters @ (4 ** np.arange(self.k - 1, -1, -1))
        kmer[(letters == _AMBIGUOUS).any(axis=1)] = unreadable
        active = np.empty((n, self.n_active), dtype=np.int64)
        for column, offset in enumerate(range(self.first, self.last + 1)):
            block = column if self.period is None else offset % self.period
            start = before + offset
            active[:, column] = block * (unreadable + 1) + kmer[start : start + n]
        return active


@dataclass(frozen=True)
class KmerWindows:
    """Indicator features of DNA: which k-mers stand in windows around a site.

    A k-mer that reaches over either end of the sequence, or holds an ambiguous letter (N and the other IUPAC
    codes), is unreadable and has one feature of its own in its block; so every site has the same number of
    active features. Upper and lower case are the same; U is T.

    Attributes:
        windows: the windows; the features of the second follow those of the first, and so on.

    Example:
        >>> KmerWindows((KmerWindow(k=1, first=0, last=1),)).transform("ACN")
        array([[0, 6],
               [1, 9],
               [4, 9]], dtype=int32)
    """

    windows: tuple[KmerWindow, ...]

    def __post_init__(self):
        object.__setattr__(self, "windows", tuple(self.windows))
        if not self.windows:
            raise ValueError("no windows were given; at least one KmerWindow is needed.")
        if self.n_features > np.iinfo(np.int32).max:
            raise ValueError(
                f"these windows have {self.n_features} features, more than the 2**31 - 1 that an index can "
                "hold. Use a smaller k, fewer offsets, or a period."
            )

    @property
    def n_features(self) -> int:
        """Indicator features in all."""
        return sum(window.n_features for window in self.windows)

    @property
    def n_active(self) -> int:
        """Active features of each site."""
        return sum(window.n_active for window in self.windows)

    def transform(self, sequence: str) -> np.ndarray:
        """The active indicator features of each site.

        Within a window the index is ``block * (4**k + 1) + m``, where m is the number of the k-mer in
        alphabetical order (the last letter runs fastest), or ``4**k`` if it is unreadable.

        Args:
            sequence: T letters, T >= 1: A C G T U and the IUPAC ambiguity codes, upper or lower case.

        Returns:
            (T, n_active) int32, one column for each offset of each window, in order.

        Raises:
            ValueError: if the sequence is empty or holds any other letter (the message names the first).
        """
        bases = base_codes(sequence)
        columns, first_feature = [], 0
        for window in self.windows:
            columns.append(first_feature + window._active(bases))
            first_feature += window.n_features
        return np.concatenate(columns, axis=1).astype(np.int32)


def base_codes(sequence: str) -> np.ndarray:
    """(T,) int64: A, C, G, T (or U) = 0..3, ambiguity codes = 4; refuses anything else, and T = 0."""
    if not sequence:
        raise ValueError("the sequence is empty; at least one letter is needed.")
    letters = np.frombuffer(sequence.encode("latin-1", errors="replace"), dtype=np.uint8)
    codes = _CODE_OF_LETTER[letters]
    if (codes == _REFUSED).any():
        t = int(np.flatnonzero(codes == _REFUSED)[0])
        raise ValueError(
            f"letter {sequence[t]!r} at site {t} is no base. Allowed are A C G T U and the ambiguity codes "
            f"{' '.join(AMBIGUITY_CODES)}, in either case; gaps and stops must be removed first."
        )
    return codes


def _finite_signal(x: np.ndarray, n_signals: int | None, where: str) -> np.ndarray:
    """``x`` as (T, r) float64, T and r at least 1, every value finite."""
    x = np.asarray(x, dtype=np.float64)
    if x.ndim != 2 or 0 in x.shape:
        raise ValueError(
            f"{where} has shape {x.shape}; needed is (T, r) with T >= 1 sites and r >= 1 features. "
            "A single feature is x[:, np.newaxis]."
        )
    if n_signals is not None and x.shape[1] != n_signals:
        raise ValueError(f"{where} has {x.shape[1]} features at each site, but {n_signals} are needed.")
    if not np.isfinite(x).all():
        t, f = np.argwhere(~np.isfinite(x))[0]
        raise ValueError(
            f"{where} holds {x[t, f]} at site {t}, feature {f} (numbered from 0); values must be finite."
        )
    return x
