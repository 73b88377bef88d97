"""Features of sequences over any alphabet, such as proteins: which letter stands where around a site."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class LetterWindows:
    """Indicator features: the letters that stand ``first``, …, ``last`` sites after a site.

    Every offset has a feature for each letter of the alphabet, one for any other letter, and one for no
    letter, beyond the ends. Case does not count.

    Attributes:
        alphabet: the letters that have features of their own, in upper case.
        first: the first offset, negative before the site.
        last: the last offset, not smaller than ``first``.

    Example:
        >>> LetterWindows("AC", first=0, last=1).transform("aX")
        array([[0, 6],
               [2, 7]], dtype=int32)
    """

    alphabet: str
    first: int
    last: int

    def __post_init__(self):
        if not self.alphabet or len(set(self.alphabet)) < len(self.alphabet):
            raise ValueError(f"alphabet={self.alphabet!r}; needed are letters, each once.")
        if self.alphabet != self.alphabet.upper():
            raise ValueError(f"alphabet={self.alphabet!r}; give upper case, since case does not count.")
        if self.last < self.first:
            raise ValueError(f"the window {self.first}..{self.last} is empty; last must not be below first.")

    @classmethod
    def fit(cls, sequences: Sequence[str], first: int, last: int) -> LetterWindows:
        """With the letters that occur in the training sequences, sorted."""
        return cls("".join(sorted({letter for x in sequences for letter in x.upper()})), first, last)

    @property
    def n_features(self) -> int:
        """Indicator features in all."""
        return (self.last - self.first + 1) * (len(self.alphabet) + 2)

    @property
    def reach(self) -> int:
        """How far from a site its features look."""
        return max(0, -self.first, self.last)

    def transform(self, sequence: str) -> np.ndarray:
        """The active features of each site.

        Args:
            sequence: T letters, T >= 1.

        Returns:
            (T, last - first + 1) int32: ``offset * (A + 2) + letter``, A for other letters, A + 1 for none.

        Raises:
            ValueError: if the sequence is empty.
        """
        if not sequence:
            raise ValueError("the sequence is empty; at least one letter is needed.")
        code = {letter: number for number, letter in enumerate(self.alphabet)}
        A, T = len(self.alphabet), len(sequence)
        before, after = max(0, -self.first), max(0, self.last)
        codes = np.full(before + T + after, A + 1)
        codes[before : before + T] = [code.get(letter, A) for letter in sequence.upper()]
        active = np.empty((T, self.last - self.first + 1), dtype=np.int32)
        for column, offset in enumerate(range(self.first, self.last + 1)):
            start = before + offset
            active[:, column] = column * (A + 2) + codes[start : start + T]
        return active
