"""Many sequences in one call: the separation oracle of a whole training set, or of a part of it.

All sequences share the transitions (order 1) and ⊙; lengths, emissions, true labels, h and offsets are their
own. Everything per sequence happens in compiled code, so that short sequences cost microseconds; threads
divide the sequences among themselves. Results are those of :func:`viterbi_lab.dp.decode`, one by one.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from viterbi_lab.dp.compile import kernel
from viterbi_lab.dp.envelope import bounded, first_slope, scratch_size
from viterbi_lab.dp.estimates import search_budget, worth_bounding
from viterbi_lab.dp.kernels import algorithm_1, magnitude, path_cost, path_score
from viterbi_lab.dp.layout import checkpoint_distance, padded, pair_room
from viterbi_lab.dp.limits import Limits, require
from viterbi_lab.dp.plain import best_path, fewest_errors_path, pointer_room
from viterbi_lab.dp.plan import workspace
from viterbi_lab.dp.problem import NOTHING_FEASIBLE, ChainProblem, Combine, NoFeasibleLabelling
from viterbi_lab.dp.scores import ChainScores


@dataclass(frozen=True, eq=False)
class ChainBatch:
    """Loss-augmented problems (14) with the Hamming loss, laid end to end. Trusted: nothing is checked here.

    Attributes:
        starts: (n+1,) int64, where each sequence begins in the arrays over sites; ``starts[0] = 0``.
        emissions: (ΣT, N) float64 scores of label j at each site, all start and end scores included.
        transitions: (N, N) float64 scores of label i followed by j.
        y: (ΣT,) int64 true labels.
        h: (ΣT + n,) float64, h(0..T) of each sequence, end to end; sequence i begins at ``starts[i] + i``.
        op: ⊙.
        offsets: (n,) float64 constants added to the score sums.
        slopes: (n,) float64, λ at which the bounds of each sequence begin; NaN for none. Each is replaced
            by the last one of the search.
    """

    starts: np.ndarray
    emissions: np.ndarray
    transitions: np.ndarray
    y: np.ndarray
    h: np.ndarray
    op: Combine
    offsets: np.ndarray
    slopes: np.ndarray = field(default=None)

    def __len__(self) -> int:
        return self.starts.size - 1

    def problem(self, i: int) -> ChainProblem:
        """One of the problems by itself."""
        low, high = self.starts[i], self.starts[i + 1]
        scores = ChainScores.trusted_homogeneous(self.emissions[low:high], self.transitions)
        h = self.h[low + i : high + i + 1]
        return ChainProblem(scores, self.y[low:high], h, self.op, self.offsets[i])


@dataclass(frozen=True, eq=False)
class BatchDecoding:
    """Optima of a batch.

    Attributes:
        y: (ΣT,) int64 optimal labels, end to end.
        value: (n,) float64.
        score: (n,) float64.
        k: (n,) int64.
    """

    y: np.ndarray
    value: np.ndarray
    score: np.ndarray
    k: np.ndarray


def decode_batch(batch: ChainBatch, *, threads: int = 1) -> BatchDecoding:
    """The optimum of every problem of a batch; the same for every number of threads.

    Raises:
        NoFeasibleLabelling: if a sequence has no feasible labelling; the message names the first.
        TooBig: if the workspace of the longest sequence would exceed ``Limits.decode_bytes``.
    """
    n, N = len(batch), batch.transitions.shape[0]
    lengths = np.diff(batch.starts)
    longest = int(lengths.max())
    require(
        lambda length: 8 * _work_size(np.minimum(lengths, length), N),
        limit=Limits.in_force("decode_bytes"),
        purpose="A batch with a sequence of this length",
        length=longest,
        n_states=N,
        order=1,
    )
    size = _work_size(lengths, N)
    result = BatchDecoding(np.empty(batch.y.size, np.int64), np.empty(n), np.empty(n), np.empty(n, np.int64))
    slopes = np.full(n, np.nan) if batch.slopes is None else batch.slopes
    # each thread takes sequences of about the same total work
    work = np.cumsum(lengths.astype(float) ** 2 + 100.0 * lengths)
    cuts = np.searchsorted(work, np.linspace(0, work[-1], threads + 1)[1:-1]) if threads > 1 else []
    edges = np.unique(np.concatenate([[0], np.asarray(cuts, np.int64) + 1, [n]])).astype(int)
    edges = edges[edges <= n]

    def run(low: int, high: int) -> None:
        decode_range(
            low, high, batch.starts, batch.emissions, batch.transitions.reshape(1, N, N), batch.y, batch.h,
            batch.op is Combine.TIMES, batch.offsets, slopes, workspace(size),
            result.y, result.value, result.score, result.k,
        )  # fmt: skip

    parts = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
    if len(parts) == 1:
        run(*parts[0])
    else:
        with ThreadPoolExecutor(len(parts)) as pool:
            for _ in pool.map(run, *zip(*parts, strict=True)):
                pass
    infeasible = np.flatnonzero(result.k < 0)
    if infeasible.size:
        raise NoFeasibleLabelling(f"Sequence {infeasible[0]}: {NOTHING_FEASIBLE}")
    return result


def _work_size(lengths: np.ndarray, N: int) -> int:
    """Numbers of workspace that serve every one of the sequences: two tables with checkpoints, and a band."""
    most = 0
    for length in np.unique(lengths).tolist():
        every = checkpoint_distance(length, N)
        width = padded(length + 1)
        checkpoints = N * int(np.arange(2, length + 1, every).sum())
        kept = length * N * width if every == 1 else checkpoints + 2 * N * width + pair_room(N)
        most = max(most, 2 * kept + every * N * padded(every + 2))
    return most


@kernel
def decode_range(
    low, high, starts, emissions, A, y, h, times, offsets, slopes, work,
    all_labels, values, scores, ks,
):  # fmt: skip
    """Decode sequences low..high-1 of a batch; ``ks`` is −1 where nothing is feasible."""
    N = A.shape[1]
    longest = 0
    for i in range(low, high):
        longest = max(longest, starts[i + 1] - starts[i])
    cost_of = np.empty((longest, N), np.int64)
    reach_of = np.empty(longest, np.int64)
    first_row_of = np.empty(longest + 2, np.int64)
    levels_of = np.empty((longest, N))
    leaving_of = np.empty(longest, np.int64)
    pointers = np.empty(pointer_room(longest, N, N), np.uint8)
    for i in range(low, high):
        a, b = starts[i], starts[i + 1]
        T = b - a
        E, truth, labels = emissions[a + 1 : b], y[a:b], all_labels[a:b]
        if T == 1:
            E = emissions[a:b]
        initial, wrapper = emissions[a], h[a + i : b + i + 1]
        cost, reach, leaving = cost_of[:T], reach_of[:T], leaving_of[: T - 1]
        for t in range(T):
            reach[t] = t + 1 if N > 1 else 0
            for j in range(N):
                cost[t, j] = 0 if j == truth[t] else 1
        first_cost, steps = cost[0], cost[1:]
        last = -1
        slope = np.nan if times else affine_slope(wrapper)
        if slope == slope:
            last = by_plain_decoding(
                initial, first_cost, A, E, steps, slope, levels_of[:T], pointers, leaving
            )
        else:
            two_sided = False
            if times:
                for k in range(reach[T - 1] + 1):
                    two_sided = two_sided or wrapper[k] < 0
            if not two_sided and worth_bounding(T, N, N, T + 1, False):
                last = by_bounds(
                    initial, first_cost, A, E, steps, wrapper[: reach[T - 1] + 1], times, offsets[i], truth,
                    slopes, i, labels, leaving, work,
                )  # fmt: skip
            if last < 0:
                last = by_full_table(
                    initial, first_cost, A, E, steps, reach, wrapper[: reach[T - 1] + 1], times, offsets[i],
                    two_sided, first_row_of, work, leaving,
                )  # fmt: skip
        if last < 0:
            ks[i] = -1
            continue
        labels[: T - 1] = leaving
        labels[T - 1] = last
        k = path_cost(cost, labels)
        score = path_score(initial, A, E, 1, labels)
        scores[i], ks[i] = score, k
        total = score + offsets[i]
        values[i] = (total * wrapper[k] if times else total + wrapper[k]) + 0.0


@kernel
def affine_slope(h):
    """A where h(k) = a·k + b exactly, else NaN."""
    slope = h[1] - h[0]
    for k in range(h.shape[0]):
        if h[k] != h[0] + slope * k:
            return np.nan
    return slope


@kernel
def by_plain_decoding(initial, first_cost, A, E, cost, slope, levels, pointers, leaving):
    """The last label of the best path of g + slope·cost, fewest errors first, or −1."""
    last, value, lead, _ = best_path(initial, first_cost, A, E, cost, slope, levels, pointers, leaving)
    if value == -np.inf:
        return -1
    M, N = cost.shape
    size = magnitude(initial, A, E, M) + abs(slope) * (M + 1)
    if lead <= 8 * (M + 5) * 2.0**-52 * size:
        last, _ = fewest_errors_path(
            initial, first_cost, A, E, cost, slope, np.empty((M, N), np.int64), np.empty(N), np.empty(N),
            np.empty(N, np.int64), np.empty(N, np.int64), leaving,
        )  # fmt: skip
    return last


@kernel
def by_bounds(
    initial, first_cost, A, E, cost, h, times, offset, truth, slopes, i, labels, leaving, work
):  # fmt: skip
    """The last label of the optimum, or −1 if undecided; ``slopes[i]`` is used and replaced."""
    M, N = cost.shape
    most, room = search_budget(M + 1, N, N, h.shape[0], False, 1.0)
    size = magnitude(initial, A, E, M)
    slope = slopes[i] if slopes[i] == slopes[i] else first_slope(h, times, size, offset)
    needed = scratch_size(M + 1, N, N, h.shape[0], room) + 2 * most
    scratch = work if work.shape[0] >= needed else np.empty(needed)
    tried, totals = scratch[:most], scratch[most : 2 * most]
    how, used, _, _, _ = bounded(
        initial, first_cost, A, E, cost, h, np.ones(h.shape[0], np.bool_), times, offset, 0, 1, slope,
        -np.inf, truth, size, labels, tried, totals, np.empty(h.shape[0], np.bool_), room,
        scratch[2 * most :],
    )  # fmt: skip
    slopes[i] = tried[used - 1]
    if how < 0:
        return -1
    leaving[:] = labels[:M]
    return labels[M]


@kernel
def by_full_table(
    initial, first_cost, A, E, cost, reach, h, times, offset, two_sided, first_row, work, leaving
):  # fmt: skip
    """The last label of the optimum by Algorithm 1, or −1."""
    M, N = cost.shape
    every = checkpoint_distance(M + 1, N)
    rows = 0
    first_row[0] = 0
    for m in range(0, M, every):
        first_row[rows + 1] = first_row[rows] + N * (reach[m] + 1)
        rows += 1
    width, band = padded(reach[M] + 1), padded(min(every, reach[M]) + 2)
    initial_min, A_min, E_min = initial, A, E
    if two_sided:
        initial_min = np.where(initial == -np.inf, initial, -initial)
        A_min, E_min = np.where(-np.inf == A, A, -A), np.where(-np.inf == E, E, -E)
    found, _, _, last = algorithm_1(
        initial, first_cost, A, E, cost, reach, h, times, offset, 0, two_sided, initial_min, A_min, E_min,
        every, first_row[: rows + 1], width, band, work, leaving,
    )  # fmt: skip
    return last if found else -1
