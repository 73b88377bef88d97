"""Exact inference for order-ℓ label sequences: Bauer et al. 2014, Algorithms 1 and 2.

:func:`decode` maximises ``(Σ_t g_t + offset) ⊙ h(Δ)`` over all N**T labellings, (14). It picks the
cheapest of three exact methods: plain decoding where h is affine and ⊙ is +, (21); a counter clipped
at K where h is constant from K on; else the full table over (t, k, j). Where ⊙ is · and some h(k) < 0,
the smallest score sum with k errors wins, and the paper's Proposition 1 fails; the full method then
fills a second table with minima.
"""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike

from viterbi_lab.dp import kernels
from viterbi_lab.dp.limits import Limits, require
from viterbi_lab.dp.plan import Plan, workspace
from viterbi_lab.dp.scores import ChainScores


class Combine(Enum):
    """How score and loss are combined: the paper's ⊙."""

    PLUS = "+"
    TIMES = "·"


class NoFeasibleLabelling(ValueError):
    """Every labelling that is asked for contains a forbidden part (score −inf), or there is none."""


@dataclass(frozen=True, eq=False)
class ChainProblem:
    """One loss-augmented inference problem, (14), validated at the door.

    Attributes:
        scores: the local scores g_t.
        y: (T,) int64, the true labels, each in 0..N-1.
        h: (K+1,) float64, the loss wrapper at k = 0..K; K = T, or with ``cost`` the largest total cost.
        op: ⊙.
        offset: constant added to every score sum before ⊙.
        kmin: 0, or 1 to exclude labellings without any cost, i.e. ŷ = y.
        cost: (T, N) int64 ≥ 0, what label j at site t adds to k; by default ``[j ≠ y_t]``, Hamming (13).

    Raises:
        ValueError: if y, h, offset, kmin or cost have the wrong shape, kind or range.
    """

    scores: ChainScores
    y: np.ndarray
    h: np.ndarray
    op: Combine
    offset: float = 0.0
    kmin: int = 0
    cost: np.ndarray = field(default=None)

    def __post_init__(self) -> None:
        T, N = self.scores.length, self.scores.n_states
        object.__setattr__(self, "y", checked_labels(self.y, T, N))
        if self.cost is None:
            cost = (np.arange(N) != self.y[:, np.newaxis]).astype(np.int64)
            largest = T
        else:
            cost = _checked_cost(self.cost, T, N)
            largest = int(cost.max(axis=1).sum())
        object.__setattr__(self, "cost", cost)
        object.__setattr__(self, "h", _checked_wrapper(self.h, largest))
        if not isinstance(self.op, Combine):
            raise ValueError(f"op={self.op!r} is not a way to combine. Use Combine.PLUS or Combine.TIMES.")
        if not np.isfinite(self.offset):
            raise ValueError(f"offset={self.offset} is not a finite number.")
        if self.kmin not in (0, 1) or isinstance(self.kmin, bool):
            raise ValueError(f"kmin={self.kmin!r}; it is 0 (all labellings) or 1 (without the true one).")

    @property
    def largest_cost(self) -> int:
        """The largest cost of any labelling; below T for the Hamming loss only if N = 1."""
        return int(self.cost.max(axis=1).sum())

    @property
    def needs_minima(self) -> bool:
        """True where ⊙ is · and some reachable h(k) is negative, spec of the second table."""
        return self.op is Combine.TIMES and bool((self.h[self.kmin :] < 0).any())

    def objective(self, score: float, k: int) -> float:
        """``(score + offset) ⊙ h(k)``."""
        total = score + self.offset
        # + 0.0 turns the -0.0 of a negative sum times h = 0 into 0.0
        return float(total * self.h[k] if self.op is Combine.TIMES else total + self.h[k]) + 0.0


@dataclass(frozen=True, eq=False)
class Decoding:
    """An exact optimum and how it was found.

    Attributes:
        y: (T,) int64, the optimal labelling.
        value: ``(score + offset) ⊙ h(k)``; for plain decoding the score.
        score: Σ_t g_t(y), summed left to right.
        k: cost of ``y``, the number of errors for the Hamming loss.
        method: ``plain``, ``affine``, ``capped`` or ``full``.
    """

    y: np.ndarray
    value: float
    score: float
    k: int
    method: str


def decode(problem: ChainProblem, method: str = "auto") -> Decoding:
    """The best labelling of a loss-augmented problem, (14): exact for every h and both ⊙.

    Ties: smallest k, then smallest last state, then smallest predecessor (that is
    the co-lexicographically smallest among the optima with fewest errors, where h(k) ≠ 0 or ⊙ is +).

    Args:
        problem: what to maximise.
        method: ``auto``; ``full`` always fills the table over (t, k, j), Algorithm 1.

    Raises:
        NoFeasibleLabelling: if every labelling is forbidden, or kmin=1 leaves none.
        TooBig: if the tables would exceed ``Limits.decode_bytes``; nothing has been allocated.
    """
    if method not in ("auto", "full"):
        raise ValueError(f"method={method!r}; it is 'auto' or 'full'.")
    if method == "auto":
        slope = _affine_slope(problem)
        if slope is not None:
            return _decode_affine(problem, slope)
        cap = _cap(problem)
        if cap is not None:
            return _decode_capped(problem, cap)
    return _decode_full(problem)


def viterbi(scores: ChainScores) -> Decoding:
    """Plain decoding, Algorithm 2: the labelling with the largest score sum, (10).

    Ties: smallest last state, then smallest predecessor. Time O(T·N^(ℓ+1)).

    Raises:
        NoFeasibleLabelling: if every labelling is forbidden.
        TooBig: if back-pointers would exceed ``Limits.decode_bytes``.
    """
    y = _best_path(scores, np.zeros((scores.length, scores.n_states), np.int64), 0.0)
    score = scores.score(y)
    return Decoding(y, score, score, 0, "plain")


def decode_all(problems: Iterable[ChainProblem], *, threads: int = 1) -> list[Decoding]:
    """:func:`decode` for many sequences of any lengths; the same results for every number of threads."""
    if threads < 1:
        raise ValueError(f"threads={threads}; at least one is needed.")
    if threads == 1:
        return [decode(problem) for problem in problems]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(decode, problems))


def checked_labels(y: ArrayLike, length: int, n_states: int) -> np.ndarray:
    """Labels as (T,) int64.

    Raises:
        ValueError: if they are not whole numbers (no booleans, no floats), not T of them, or
            outside 0..N-1; the message names the first bad position.
    """
    labels = np.asarray(y)
    if labels.dtype.kind not in "iu":
        raise ValueError(f"y holds {labels.dtype} values; labels are whole numbers 0..{n_states - 1}.")
    if labels.shape != (length,):
        raise ValueError(
            f"y has shape {labels.shape}, but the scores have T={length} sites: give {length} labels."
        )
    bad = np.flatnonzero((labels < 0) | (labels >= n_states))
    if bad.size:
        raise ValueError(
            f"y[{bad[0]}] = {labels[bad[0]]}, but N={n_states} allows only 0..{n_states - 1}. "
            "Number labels from 0."
        )
    return labels.astype(np.int64)


def _checked_cost(cost: ArrayLike, length: int, n_states: int) -> np.ndarray:
    array = np.asarray(cost)
    if array.dtype.kind not in "iu" or array.shape != (length, n_states) or (array < 0).any():
        raise ValueError(
            f"cost has shape {array.shape} of {array.dtype}; it needs (T, N) = ({length}, {n_states}) "
            "whole numbers ≥ 0."
        )
    return np.ascontiguousarray(array, dtype=np.int64)


def _checked_wrapper(h: ArrayLike, largest: int) -> np.ndarray:
    array = np.asarray(h)
    if array.dtype.kind not in "iuf" or array.ndim != 1:
        raise ValueError(
            f"h has shape {array.shape} of {array.dtype}; it is a vector of real numbers h(0), h(1), …"
        )
    if array.shape[0] != largest + 1:
        raise ValueError(f"h needs {largest + 1} values h(0)..h({largest}), got {array.shape[0]}.")
    array = np.array(array, dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise ValueError(
            f"h({bad[0]}) = {array[bad[0]]} is not a finite number ({bad.size} of {array.size} values)."
        )
    return array


def _affine_slope(problem: ChainProblem) -> float | None:
    """A where ⊙ is + and h(k) = a·k + b exactly, else None."""
    if problem.op is not Combine.PLUS or problem.kmin > 0:
        return None
    h = problem.h
    slope = float(h[1] - h[0]) if h.size > 1 else 0.0
    return slope if np.array_equal(h, h[0] + slope * np.arange(h.size)) else None


def _cap(problem: ChainProblem) -> int | None:
    """The smallest K with h constant from K on, if clipping there is cheaper and keeps the tie rule."""
    h = problem.h
    changes = np.flatnonzero(h[1:] != h[:-1])
    cap = int(changes[-1]) + 1 if changes.size else 0
    if problem.op is Combine.TIMES and h[cap] == 0:
        return None  # all sums tie at value 0: the smallest k wins, which a clipped counter cannot see
    if cap < problem.kmin or 4 * (cap + 1) > h.size:
        return None
    return cap


def initial_cost(scores: ChainScores, cost: np.ndarray) -> np.ndarray:
    """(S,) int64: what the first ℓ' labels of each state cost together; ``cost`` is (T, N)."""
    total = cost[0]
    for t in range(1, scores.window_order):
        total = total[..., np.newaxis] + cost[t]
    return np.ravel(total, order="F").copy()


def _path(scores: ChainScores, leaving: np.ndarray, last_state: int) -> np.ndarray:
    """Labels of a path: those that left the state at each step, then those still in the last one."""
    n, window = scores.n_states, scores.window_order
    y = np.empty(scores.length, np.int64)
    y[: scores.n_steps] = leaving
    for t in range(window):
        y[scores.n_steps + t] = last_state // n**t % n
    return y


def _best_path(scores: ChainScores, cost: np.ndarray, slope: float) -> np.ndarray:
    M, S, N = scores.n_steps, scores.n_tuples, scores.n_states
    pointer = np.min_scalar_type(N - 1)
    require(
        lambda length: pointer.itemsize * max(0, length - scores.window_order) * S + 32 * S,
        limit=Limits.from_environment().decode_bytes,
        purpose="Plain decoding",
        length=scores.length,
        n_states=N,
        order=scores.order,
    )
    leaving = np.empty(M, np.int64)
    last, value = kernels.fewest_errors_path(
        scores.initial,
        initial_cost(scores, cost),
        scores.transitions,
        scores.emissions,
        cost[scores.window_order :],
        slope,
        np.empty((M, S), pointer),
        np.empty(S),
        np.empty(S),
        np.empty(S, np.int64),
        np.empty(S, np.int64),
        leaving,
    )
    if np.isneginf(value):
        raise NoFeasibleLabelling(_NOTHING_FEASIBLE)
    return _path(scores, leaving, last)


_NOTHING_FEASIBLE = "Every labelling contains a forbidden part (score −inf). Allow at least one labelling."


def _decode_affine(problem: ChainProblem, slope: float) -> Decoding:
    """Plain decoding of g + a·cost, (21). The value is recomputed from the path, without a·cost rounding."""
    y = _best_path(problem.scores, problem.cost, slope)
    return _decoding(problem, y, "affine")


def _decoding(problem: ChainProblem, y: np.ndarray, method: str) -> Decoding:
    score = problem.scores.score(y)
    k = int(problem.cost[np.arange(y.size), y].sum())
    return Decoding(y, problem.objective(score, k), score, k, method)


def _decode_capped(problem: ChainProblem, cap: int) -> Decoding:
    scores, negative = problem.scores, problem.op is Combine.TIMES and problem.h[cap] < 0
    M, S, N = scores.n_steps, scores.n_tuples, scores.n_states
    pointer = np.min_scalar_type(N - 1)
    senses = 1 + int(problem.needs_minima)
    require(
        lambda length: senses * (length * S * ((cap + 1) * pointer.itemsize + 8) + 16 * S * (cap + 2)),
        limit=Limits.from_environment().decode_bytes,
        purpose="Decoding with a capped h",
        length=scores.length,
        n_states=N,
        order=scores.order,
    )
    cost, first_cost = problem.cost[scores.window_order :], initial_cost(scores, problem.cost)

    def run(signed: ChainScores):
        P, top_from = np.zeros((M, S, cap + 1), pointer), np.zeros((M, S), np.int64)
        L, top = kernels.forward_capped(
            signed.initial,
            first_cost,
            signed.transitions,
            signed.emissions,
            cost,
            P,
            top_from,
            np.empty((S, cap + 1)),
            np.empty((S, cap + 1)),
            np.empty(S, np.int64),
            np.empty(S, np.int64),
        )
        return L, top, P, top_from

    largest = run(scores)
    smallest = run(scores.negated()) if problem.needs_minima else largest
    found, value, k, state = kernels.best_cell(
        largest[0].reshape(-1),
        smallest[0].reshape(-1),
        cap + 1,
        problem.h[: cap + 1],
        problem.op is Combine.TIMES,
        problem.offset,
        problem.kmin,
    )
    if not found:
        raise NoFeasibleLabelling(_NOTHING_FEASIBLE)
    L, top, P, top_from = smallest if problem.op is Combine.TIMES and problem.h[k] < 0 else largest
    if k == cap:
        # among the states whose cell "cap or more" attains the optimum, the fewest errors win
        totals = (-L[:, cap] if negative else L[:, cap]) + problem.offset
        values = totals * problem.h[cap] if problem.op is Combine.TIMES else totals + problem.h[cap]
        equal = np.flatnonzero((L[:, cap] > -np.inf) & (values == value))
        state = int(equal[np.argmin(top[equal])])
    leaving = np.empty(M, np.int64)
    kernels.retrace_capped(N, cost, P, top_from, state, k, leaving)
    return _decoding(problem, _path(scores, leaving, state), "capped")


def _decode_full(problem: ChainProblem) -> Decoding:
    scores, times, negated = problem.scores, problem.op is Combine.TIMES, problem.needs_minima
    plan = Plan.of(problem)
    minima = scores.negated() if negated else scores
    leaving = np.empty(scores.n_steps, np.int64)
    found, _, _, last = kernels.algorithm_1(
        scores.initial,
        initial_cost(scores, problem.cost),
        scores.transitions,
        scores.emissions,
        problem.cost[scores.window_order :],
        plan.reach,
        problem.h[: int(plan.reach[-1]) + 1],  # the other k are out of reach
        times,
        problem.offset,
        problem.kmin,
        negated,
        minima.initial,
        minima.transitions,
        minima.emissions,
        plan.every,
        plan.first_row,
        plan.width,
        plan.band_width,
        workspace(plan.size),
        leaving,
    )
    if not found:
        raise NoFeasibleLabelling(
            "There is no labelling other than the true one."
            if problem.kmin and problem.largest_cost == 0
            else _NOTHING_FEASIBLE
        )
    return _decoding(problem, _path(scores, leaving, last), "full")
