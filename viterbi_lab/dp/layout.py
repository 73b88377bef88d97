"""How the memory of Algorithm 1 is laid out: rows in whole vectors, tiles that stay in cache, checkpoints.

Letters as in :mod:`viterbi_lab.dp.kernels`.
"""

import numpy as np

from viterbi_lab.dp.compile import kernel
from viterbi_lab.dp.simd import LANES, TILE_NUMBERS

PAIRED_STATES = 16
"""Up to so many states, two steps are made at once: their tiles fit the first-level cache together."""


@kernel
def padded(n):
    """Length of a row of n numbers: whole vectors, and one more for shifted stores."""
    return (n + LANES - 1) // LANES * LANES + LANES


@kernel
def checkpoint_distance(levels, S):
    """1 where all levels are kept, else a power of two near √levels.

    Checkpoints cost about 100 ns a site. Up to 3.2 MB, half of which is touched, keeping all is faster,
    by 40 % at T=300, N=4.
    """
    if levels * levels * S <= 400_000:
        return 1
    every = 8
    while every * every < levels and every < 1024:
        every *= 2
    return every


@kernel
def tile_width(S):
    """How many k a tile holds for S states, in whole vectors: few enough to stay in cache, not below 128."""
    return max(128, TILE_NUMBERS // S // LANES * LANES)


@kernel
def pair_room(S):
    """Numbers that two steps at once need for the tile between them."""
    return S * (tile_width(S) + 2 * LANES) if S <= PAIRED_STATES else 0


@kernel
def reachable(cost, window):
    """(M+1,) largest k of each level, the largest cost of one site, and the number of cells of one row each.

    ``cost`` is (T, N), all sites; level 0 lies after the first ``window`` of them.
    """
    T, N = cost.shape
    reach = np.empty(T - window + 1, np.int64)
    total, widest, cells = 0, 0, 0
    for t in range(T):
        largest = cost[t, 0]
        for j in range(1, N):
            largest = max(largest, cost[t, j])
        total += largest
        widest = max(widest, largest)
        if t >= window - 1:
            reach[t - window + 1] = total
            cells += total + 1
    return reach, widest, cells


@kernel
def lay_out(reach, widest, S):
    """Checkpoint distance, start of each checkpoint with their total last, row lengths of level and band."""
    every = checkpoint_distance(reach.size, S)
    M = reach.size - 1
    first_row = np.zeros((M + every - 1) // every + 1, np.int64)
    for block in range(first_row.size - 1):
        first_row[block + 1] = first_row[block] + S * (reach[block * every] + 1)
    return every, first_row, padded(reach[M] + 1), padded(min(every * widest, reach[M]) + 1 + widest)
