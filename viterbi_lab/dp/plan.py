"""How the full method lays out its memory: rows in whole vectors, a checkpoint every √T levels or so.

Keeping every level of L costs 8 bytes a cell; that is done only where it stays in cache. Keeping every B-th
one costs 8/B, and the levels between two checkpoints are recomputed on the way back, near the path only. With
B ≈ √T both parts are small: memory O(S·T^1.5), and the walk back takes a few per cent of the time. Measured
at N=4: B from 32 (T=500) over 64 (T=2000) to 128 (T=5000) is within 3 % of the best; keeping all levels is
six times slower at T=2000, because they leave the cache.
"""

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from viterbi_lab.dp import layout
from viterbi_lab.dp.limits import Limits, require
from viterbi_lab.dp.simd import LANES

if TYPE_CHECKING:
    from viterbi_lab.dp.chain import ChainProblem

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
        cells: how many cells (t, k, state) are filled, in both tables where there are two.
    """

    reach: np.ndarray
    every: int
    first_row: np.ndarray
    width: int
    band_width: int
    size: int
    cells: int

    @classmethod
    def of(cls, problem: "ChainProblem") -> "Plan":
        """Lay out a problem.

        Raises:
            TooBig: if it would exceed ``Limits.decode_bytes``.
        """
        scores = problem.scores
        reach, widest, cells = layout.reachable(problem.cost, scores.window_order)
        senses, S = 1 + problem.needs_minima, scores.n_tuples
        plan = cls._of(reach, widest, cells, S, senses)
        limit = Limits.in_force("decode_bytes")
        if 8 * plan.size > limit:
            spare = scores.window_order - 1
            require(
                lambda length: (
                    8 * cls._of(reach[: length - spare], widest, cells, S, senses).size
                    if length > spare
                    else 0
                ),
                limit=limit,
                purpose="Algorithm 1",
                length=scores.length,
                n_states=scores.n_states,
                order=scores.order,
            )
        return plan

    @classmethod
    def _of(cls, reach: np.ndarray, widest: int, cells: int, S: int, senses: int) -> "Plan":
        every, first_row, width, band_width = layout.lay_out(reach, widest, S)
        kept = reach.size * S * width if every == 1 else first_row[-1] + 2 * S * width + layout.pair_room(S)
        size = int(senses * kept + every * S * band_width)
        return cls(reach, every, first_row, width, band_width, size, senses * S * cells)


def workspace(size: int) -> np.ndarray:
    """(≥ size,) float64 scratch memory of this thread, kept between calls; its content is arbitrary.

    It starts at a cache line: a vector load that straddles two lines costs twice.
    """
    held = getattr(_own, "work", None)
    if held is None or held.size < size:
        raw = np.empty(size + LANES)
        held = raw[-raw.ctypes.data % (8 * LANES) // 8 :]
        _own.work = held
    return held
