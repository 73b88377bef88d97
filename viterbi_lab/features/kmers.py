"""Features of DNA: which k-mers stand in windows around a site."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

AMBIGUITY_CODES = "NRYKMSWBDHV"  # IUPAC letters that stand for more than one base
_REFUSED, _AMBIGUOUS = -1, 4
_CODE_OF_LETTER = np.full(256, _REFUSED, dtype=np.int64)
for _letters, _code in [("A", 0), ("C", 1), ("G", 2), ("TU", 3), (AMBIGUITY_CODES, _AMBIGUOUS)]:
    _CODE_OF_LETTER[[ord(letter) for letter in _letters + _letters.lower()]] = _code


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

    @property
    def reach(self) -> int:
        """How far from a site its features look."""
        return max(0, *(max(-window.first, window.last + window.k - 1) for window in self.windows))

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
