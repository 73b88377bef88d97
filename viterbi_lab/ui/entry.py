"""Values of a JSON document that came from outside, each with its place, checked when they are taken out."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np


class Entry:
    """A value and where it stands.

    Every method refuses with ValueError what it does not allow; the message names the place.

    Args:
        value: as `json.loads` gives it.
        where: its place, for messages.
    """

    def __init__(self, value: object, where: str) -> None:
        self.value = value
        self.where = where

    def __getitem__(self, name: str) -> Entry:
        """The field of an object."""
        if not isinstance(self.value, dict) or name not in self.value:
            raise ValueError(f"{self.where} has no field {name!r}.")
        return Entry(self.value[name], f"{self.where}, {name}")

    def __iter__(self) -> Iterator[Entry]:
        """The members of a list."""
        if not isinstance(self.value, list):
            raise ValueError(f"{self.where} is no list.")
        return (Entry(member, f"{self.where}, entry {place + 1}") for place, member in enumerate(self.value))

    def only(self, *names: str) -> None:
        """Refuse an object with other fields than these."""
        strange = set(self.value) - set(names) if isinstance(self.value, dict) else set()
        if strange:
            raise ValueError(
                f"{self.where} has the unknown field {min(strange)!r}; known are {', '.join(names)}."
            )

    def whole(self, least: int, most: int) -> int:
        """A whole number in ``least..most``."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            raise ValueError(f"{self.where} is {self.value!r:.40}; it is a whole number.")
        if not least <= self.value <= most:
            raise ValueError(f"{self.where} is {self.value}; it is in {least}..{most}.")
        return self.value

    def number(self, least: float = -math.inf, most: float = math.inf) -> float:
        """A finite number in ``least..most``."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise ValueError(f"{self.where} is {self.value!r:.40}; it is a number.")
        value = float(self.value)
        if not (math.isfinite(value) and least <= value <= most):
            raise ValueError(f"{self.where} is {value}; it is a finite number in {least:g}..{most:g}.")
        return value

    def text(self, longest: int = 200) -> str:
        """A text of at most so many letters."""
        if not isinstance(self.value, str) or len(self.value) > longest:
            raise ValueError(
                f"{self.where} is {self.value!r:.40}; it is a text of at most {longest} letters."
            )
        return self.value

    def one_of(self, *choices: str) -> str:
        """One of these texts."""
        if self.value not in choices:
            raise ValueError(f"{self.where} is {self.value!r:.40}; it is one of {', '.join(choices)}.")
        return self.value

    def scores(self, count: int) -> np.ndarray:
        """(count,) float64: finite numbers, or null for −inf."""
        members = list(self)
        if len(members) != count:
            raise ValueError(f"{self.where} has {len(members)} entries; it has {count}.")
        return np.array([-np.inf if member.value is None else member.number() for member in members])

    def labels(self, length: int | None, count: int, longest: int) -> np.ndarray:
        """(T,) int16 labels in ``0..count-1``, written as pairs of a label and how often it follows.

        Args:
            length: T; None: any in ``1..longest``.
            count: how many labels there are.
            longest: the largest T.
        """
        pairs = [list(pair) for pair in self]
        if any(len(pair) != 2 for pair in pairs):
            raise ValueError(f"{self.where} is a list of pairs: a label, and how often it follows.")
        labels = [label.whole(0, count - 1) for label, _ in pairs]
        repeats = [repeat.whole(1, longest) for _, repeat in pairs]
        total = sum(repeats)
        if not 1 <= total <= longest or total != (length or total):
            raise ValueError(f"{self.where} has {total} labels; it has {length or f'1..{longest}'}.")
        return np.repeat(np.array(labels, np.int16), repeats)


def labels_of(y: np.ndarray) -> list[list[int]]:
    """What `Entry.labels` reads."""
    starts = np.flatnonzero(np.r_[True, np.diff(y) != 0])
    repeats = np.diff(np.r_[starts, y.size])
    return [list(pair) for pair in zip(y[starts].tolist(), repeats.tolist(), strict=True)]
