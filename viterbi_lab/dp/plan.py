"""How the full method lays out its memory: rows in whole vectors, a checkpoint every so many levels.

Keeping every level of L costs 8 bytes a cell and keeps the walk back trivial. Keeping every B-th one costs
8/B bytes a cell, and recomputing the levels between two checkpoints near the path a few per cent of the time.
"""

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from viterbi_lab.dp.limits import Limits, require
from viterbi_lab.dp.simd import LANES

if TYPE_CHECKING:
    from viterbi_lab.dp.chain import ChainProblem

CACHED = 2 << 20
"""Checkpoints that stay below so many bytes stay in the second-level cache."""

STEPS = (1, 8, 16, 32, 64)
LONG_STEPS = (128, 256, 512, 1024)
"""Checkpoint distances: the first that stays in cache, else 64; the long ones where memory is short."""

_own = threading.local()


@dataclass(frozen=True, eq=False)
class Plan:
    """Sizes and offsets of one run of Algorithm 1.

    Attributes:
        reach: (M+1,) int64, the largest k of each level.
        every: B, the distance of checkpoints in levels.
        first_row: (⌈M/B⌉+1,) int64, where each checkpoint starts; the last entry is their total size.
        width: row length of a level, in numbers.
        band_width: row length of a recomputed level.
        size: numbers of workspace in all.
    """

    reach: np.ndarray
    every: int
    first_row: np.ndarray
    width: int
    band_width: int
    size: int

    @classmethod
    def of(cls, problem: "ChainProblem") -> "Plan":
        """Lay out a problem.

        Raises:
            TooBig: if no checkpoint distance keeps it within ``Limits.decode_bytes``.
        """
        scores = problem.scores
        S = scores.n_tuples
        largest = problem.cost.max(axis=1)
        widest = int(largest.max())
        reach = np.cumsum(largest)[scores.window_order - 1 :]
        senses = 1 + int(problem.needs_minima)
        width = _padded(int(reach[-1]) + 1)

        def size(every: int) -> int:
            kept = S * int((reach[:-1:every] + 1).sum())
            return senses * (2 * S * width + kept) + every * S * _band(every, widest, int(reach[-1]))

        limit = Limits.from_environment().decode_bytes // 8
        in_cache = (every for every in STEPS if 8 * size(every) <= CACHED)
        every = next(in_cache, STEPS[-1])
        if size(every) > limit:
            every = min((*STEPS, *LONG_STEPS), key=size)
            require(
                lambda length: 8 * _smallest_size(length, reach, widest, S, senses),
                limit=8 * limit,
                purpose="Algorithm 1",
                length=scores.length,
                n_states=scores.n_states,
                order=scores.order,
            )
        first_row = np.zeros(len(range(0, scores.n_steps, every)) + 1, np.int64)
        np.cumsum(S * (reach[:-1:every] + 1), out=first_row[1:])
        return cls(reach, every, first_row, width, _band(every, widest, int(reach[-1])), size(every))


def workspace(size: int) -> np.ndarray:
    """(≥ size,) float64 scratch memory of this thread, kept between calls; its content is arbitrary."""
    held = getattr(_own, "work", None)
    if held is None or held.size < size:
        held = np.empty(size)
        _own.work = held
    return held


def _padded(n: int) -> int:
    return (n + LANES - 1) // LANES * LANES + LANES


def _band(every: int, widest: int, largest: int) -> int:
    """Row length that holds the k which a path can pass within a block, and a shift beyond."""
    return _padded(min(every * widest, largest) + 1 + widest)


def _smallest_size(length: int, reach: np.ndarray, widest: int, S: int, senses: int) -> int:
    """Numbers needed at another length, if costs grow as they do in this problem."""
    shorter = reach[: max(1, length)]
    width = _padded(int(shorter[-1]) + 1)
    return min(
        senses * (2 * S * width + S * int((shorter[:-1:every] + 1).sum()))
        + every * S * _band(every, widest, int(shorter[-1]))
        for every in (*STEPS, *LONG_STEPS)
    )
