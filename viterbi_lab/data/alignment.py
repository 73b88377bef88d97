"""Synthetic homologues among random decoys, with known local alignments, as far as T04 tells how.

A native sequence is random. Its homologue keeps a region of it, hidden in random letters: a letter of the
region stays, or becomes its partner letter (a permutation drawn once), or a random one; some letters are left
out, and random ones come in. Decoys are random.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"


@dataclass(frozen=True)
class HomologueExample:
    """One native sequence with its homologue and decoys.

    Attributes:
        x: the native sequence.
        candidates: the homologue first, then the decoys.
        operations: the known local alignment with the homologue: M, D (a letter left out), I (one come in).
        begin: where it begins in x and in the homologue.
    """

    x: str
    candidates: tuple[str, ...]
    operations: str
    begin: tuple[int, int]


@dataclass(frozen=True, eq=False)
class HomologueGenerator:
    """Draws examples which all have the same way of mutating.

    Attributes:
        partner: (20,) int, the letter that each letter tends to become.
        length: of all sequences.
        region: letters of the native sequence that have a trace in the homologue.
        gaps: how many of them are left out, and how many letters come in.
        kept: probability that a letter stays as it is.
        partnered: probability that it becomes its partner; else it becomes any letter.
        decoys: how many.
    """

    partner: np.ndarray
    length: int = 50
    region: int = 30
    gaps: int = 4
    kept: float = 0.3
    partnered: float = 0.42
    decoys: int = 20

    @classmethod
    def draw(cls, rng: np.random.Generator, **settings: float) -> HomologueGenerator:
        """A generator with a random permutation as partners; ``settings`` are its other attributes."""
        return cls(rng.permutation(len(AMINO_ACIDS)), **settings)

    def __post_init__(self):
        if not 0 < 2 * self.gaps < self.region <= self.length:
            raise ValueError(
                f"length={self.length}, region={self.region}, gaps={self.gaps}; needed is "
                "0 < 2·gaps < region <= length."
            )

    def sample(self, rng: np.random.Generator, n: int) -> list[HomologueExample]:
        """Draw n examples."""
        return [self._one(rng) for _ in range(n)]

    def _one(self, rng: np.random.Generator) -> HomologueExample:
        A = len(AMINO_ACIDS)
        native = rng.integers(A, size=self.length)
        begin = int(rng.integers(self.length - self.region + 1))
        # gaps lie within the region, so that its ends are pairs of letters
        inside = np.arange(1, self.region - 1)
        left_out = set(rng.choice(inside, self.gaps, replace=False).tolist())
        comes_in = rng.choice(inside, self.gaps, replace=False).tolist()
        letters, operations = [], []
        for place in range(self.region):
            if place in left_out:
                operations.append("D")
            else:
                letters.append(self._mutated(rng, native[begin + place]))
                operations.append("M")
            if place in comes_in:
                letters.append(int(rng.integers(A)))
                operations.append("I")
        spare = self.length - len(letters)
        before = int(rng.integers(spare + 1))
        homologue = np.concatenate(
            [rng.integers(A, size=before), letters, rng.integers(A, size=spare - before)]
        )
        decoys = rng.integers(A, size=(self.decoys, self.length))
        return HomologueExample(
            _text(native),
            (_text(homologue), *map(_text, decoys)),
            "".join(operations),
            (begin, before),
        )

    def _mutated(self, rng: np.random.Generator, letter: int) -> int:
        chance = rng.random()
        if chance < self.kept:
            return int(letter)
        return int(
            self.partner[letter] if chance < self.kept + self.partnered else rng.integers(len(AMINO_ACIDS))
        )


def _text(letters: np.ndarray) -> str:
    return "".join(AMINO_ACIDS[int(letter)] for letter in letters)
