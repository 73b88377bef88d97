"""Features of numbers, such as a position-specific scoring matrix: those of a site and its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from viterbi_lab.features.signals import finite_signal


@dataclass(frozen=True, eq=False)
class ValueWindows:
    """The standardised values of the sites ``first``, …, ``last`` after a site, and which of them exist.

    Attributes:
        mean: (r,) float64, subtracted from the values.
        scale: (r,) float64, positive; divides them.
        first: the first offset, negative before the site.
        last: the last offset, not smaller than ``first``.

    Example:
        >>> ValueWindows(mean=[1.0], scale=[2.0], first=0, last=1).transform([[3.0], [5.0]])
        array([[1., 1., 2., 1.],
               [2., 1., 0., 0.]])
    """

    mean: np.ndarray
    scale: np.ndarray
    first: int = 0
    last: int = 0

    def __post_init__(self):
        mean, scale = (np.array(values, dtype=np.float64) for values in (self.mean, self.scale))
        if mean.ndim != 1 or mean.shape != scale.shape or not len(mean):
            raise ValueError(f"mean has shape {mean.shape}, scale {scale.shape}; needed is (r,) for both.")
        if not (np.isfinite(mean).all() and np.isfinite(scale).all() and (scale > 0).all()):
            raise ValueError("mean and scale must be finite, and scale positive.")
        if self.last < self.first:
            raise ValueError(f"the window {self.first}..{self.last} is empty; last must not be below first.")
        for name, values in (("mean", mean), ("scale", scale)):
            values.flags.writeable = False
            object.__setattr__(self, name, values)

    @classmethod
    def fit(cls, signals: Sequence[np.ndarray], first: int = 0, last: int = 0) -> ValueWindows:
        """With mean and standard deviation of the training sequences; a constant value is only shifted.

        Args:
            signals: the training sequences, each (T_i, r) float.
            first: the first offset.
            last: the last offset.
        """
        if not len(signals):
            raise ValueError("no sequences were given; at least one training sequence is needed.")
        r = np.shape(signals[0])[-1]
        pool = np.concatenate([finite_signal(x, r, f"sequence {i}") for i, x in enumerate(signals)])
        deviation = pool.std(axis=0)
        return cls(pool.mean(axis=0), np.where(deviation > 0, deviation, 1.0), first, last)

    @property
    def n_features(self) -> int:
        """For each offset r values and whether there is a site."""
        return (self.last - self.first + 1) * (len(self.mean) + 1)

    @property
    def reach(self) -> int:
        """How far from a site its features look."""
        return max(0, -self.first, self.last)

    def transform(self, x: np.ndarray) -> np.ndarray:
        """The features of each site.

        Args:
            x: (T, r) float, finite.

        Returns:
            (T, n_features) float64: for each offset the r values and 1, or zeros beyond the ends.

        Raises:
            ValueError: if the shape is wrong or a value is NaN or infinite (the message names its place).
        """
        x = (finite_signal(x, len(self.mean), "the sequence") - self.mean) / self.scale
        T, r = x.shape
        before, after = max(0, -self.first), max(0, self.last)
        padded = np.zeros((before + T + after, r + 1))
        padded[before : before + T] = np.column_stack([x, np.ones(T)])
        offsets = range(self.first, self.last + 1)
        return np.concatenate([padded[before + offset : before + offset + T] for offset in offsets], axis=1)
