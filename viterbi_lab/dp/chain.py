"""Exact inference for order-ℓ label sequences: Bauer et al. 2014, Algorithms 1 and 2.

:func:`decode` maximises ``(Σ_t g_t + offset) ⊙ h(Δ)`` over all N**T labellings, (14). It picks the cheapest
of the exact methods: plain decoding where h is affine and ⊙ is +, (21); a counter clipped at K where h is
constant from K on; bounds from a few plain decodings; else the full table over (t, k, j). Where ⊙ is · and
some h(k) < 0, the smallest score sum with k errors wins, and the paper's Proposition 1 fails; a second table
with minima decides those k.
"""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from viterbi_lab.dp import kernels, plain
from viterbi_lab.dp.bounds import NothingExceeds, decode_by_bounds, worth_bounding
from viterbi_lab.dp.capped import clipping_point, decode_capped
from viterbi_lab.dp.limits import Limits, require
from viterbi_lab.dp.plan import Plan, workspace
from viterbi_lab.dp.problem import (
    NOTHING_FEASIBLE,
    Certificate,
    ChainProblem,
    Combine,
    Decoding,
    NoFeasibleLabelling,
    path_labels,
)
from viterbi_lab.dp.scores import ChainScores

PATIENT = 50.0
"""How much more may be spent on bounds where they are asked for by name."""


def decode(problem: ChainProblem, method: str = "auto", *, slope: float | None = None) -> Decoding:
    """The best labelling of a loss-augmented problem, (14): exact for every h and both ⊙.

    Ties: smallest k, then smallest last state, then smallest predecessor (that is the
    co-lexicographically smallest among the optima with fewest errors, where h(k) ≠ 0 or ⊙ is +).

    Args:
        problem: what to maximise.
        method: ``auto``; ``full`` always fills the table over (t, k, j), Algorithm 1; ``bounds`` tries
            bounds before it.
        slope: λ at which the bounds begin, e.g. the last of ``certificate.slopes`` of a similar problem.

    Raises:
        NoFeasibleLabelling: if every labelling is forbidden, or kmin=1 leaves none.
        TooBig: if the tables would exceed ``Limits.decode_bytes``; nothing has been allocated.
    """
    if method not in ("auto", "full", "bounds"):
        raise ValueError(f"method={method!r}; it is 'auto', 'full' or 'bounds'.")
    if method == "auto":
        affine = _affine_slope(problem)
        if affine is not None:
            return _decode_affine(problem, affine)
        cap = clipping_point(problem)
        if cap is not None:
            return decode_capped(problem, cap)
    if method == "bounds" or (method == "auto" and worth_bounding(problem)):
        effort = PATIENT if method == "bounds" else 1.0
        decoding = decode_by_bounds(problem, slope=slope, effort=effort)
        if decoding is not None:
            return decoding
    return _decode_full(problem)


def exceeds(problem: ChainProblem, threshold: float, *, slope: float | None = None) -> Decoding | None:
    """The optimum if its value is above ``threshold``, else None: often known from the bounds alone.

    A separation oracle asks this: is there a constraint violated by more than ξ + ε?

    Args:
        problem: what to maximise.
        threshold: value to exceed.
        slope: λ at which the bounds begin.

    Raises:
        NoFeasibleLabelling: if every labelling is forbidden, or kmin=1 leaves none.
        TooBig: as :func:`decode`.
    """
    try:
        decoding = decode_by_bounds(problem, slope=slope, threshold=threshold)
    except NothingExceeds:
        return None
    if decoding is None:
        decoding = decode(problem, slope=slope)
    return decoding if decoding.value > threshold else None


def viterbi(scores: ChainScores) -> Decoding:
    """Plain decoding, Algorithm 2: the labelling with the largest score sum, (10).

    Ties: smallest last state, then smallest predecessor. Time O(T·N^(ℓ+1)).

    Raises:
        NoFeasibleLabelling: if every labelling is forbidden.
        TooBig: if its table would exceed ``Limits.decode_bytes``.
    """
    S = scores.n_tuples
    _require_levels(scores)
    levels = workspace((scores.n_steps + 1) * S)[: (scores.n_steps + 1) * S].reshape(-1, S)
    y = np.empty(scores.length, np.int64)
    score = plain.viterbi_path(
        scores.initial,
        scores.transitions,
        scores.emissions,
        scores.window_order,
        levels,
        _pointers(scores),
        y,
    )
    if score == -np.inf:
        raise NoFeasibleLabelling(NOTHING_FEASIBLE)
    return Decoding(y, score, score, 0, _PLAIN)


_PLAIN = Certificate("plain")


def decode_all(problems: Iterable[ChainProblem], *, threads: int = 1) -> list[Decoding]:
    """:func:`decode` for many sequences of any lengths; the same results for every number of threads.

    Args:
        problems: any number of problems.
        threads: how many are decoded at once; the kernels do not hold the Python lock.
    """
    if threads < 1:
        raise ValueError(f"threads={threads}; at least one is needed.")
    if threads == 1:
        return [decode(problem) for problem in problems]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(decode, problems))


def _affine_slope(problem: ChainProblem) -> float | None:
    """A where ⊙ is + and h(k) = a·k + b exactly, else None."""
    if problem.op is not Combine.PLUS or problem.kmin > 0:
        return None
    h = problem.h
    slope = float(h[1] - h[0]) if h.size > 1 else 0.0
    return slope if np.array_equal(h, h[0] + slope * np.arange(h.size)) else None


def _pointers(scores: ChainScores) -> np.ndarray:
    return np.empty(plain.pointer_room(scores.n_steps, scores.n_states, scores.n_tuples), np.uint8)


def _require_levels(scores: ChainScores) -> None:
    """Refuse scores whose levels of V would not fit."""
    S = scores.n_tuples
    require(
        lambda length: 8 * S * (max(0, length - scores.window_order) + 1) + 8 * length,
        limit=Limits.in_force("decode_bytes"),
        purpose="Plain decoding",
        length=scores.length,
        n_states=scores.n_states,
        order=scores.order,
    )


def _best_path(
    scores: ChainScores, first_cost: np.ndarray, cost: np.ndarray, slope: float
) -> tuple[np.ndarray, float]:
    """(T,) labels of the best path of g + slope·cost, and its lead over all others."""
    S = scores.n_tuples
    _require_levels(scores)
    levels = workspace((scores.n_steps + 1) * S)[: (scores.n_steps + 1) * S].reshape(-1, S)
    leaving = np.empty(scores.n_steps, np.int64)
    last, value, lead, _ = plain.best_path(
        scores.initial, first_cost, scores.transitions, scores.emissions, cost, slope, levels,
        _pointers(scores), leaving,
    )  # fmt: skip
    if np.isneginf(value):
        raise NoFeasibleLabelling(NOTHING_FEASIBLE)
    return path_labels(scores, leaving, last), lead


def _decode_affine(problem: ChainProblem, slope: float) -> Decoding:
    """Plain decoding of g + a·cost, (21); the value is recomputed from the path, without rounding of a·cost.

    If the best path does not lead all others by more than rounding, the one with fewest errors is looked for.
    """
    scores = problem.scores
    y, lead = _best_path(scores, problem.first_cost, problem.step_cost, slope)
    rounding = np.finfo(float).eps * (scores.magnitude + abs(slope) * problem.largest_cost)
    if lead <= 8 * (scores.length + 4) * rounding:
        y = _fewest_errors(problem, slope)
    return Decoding.of(problem, y, Certificate("affine", (slope,)))


def _fewest_errors(problem: ChainProblem, slope: float) -> np.ndarray:
    scores = problem.scores
    M, S = scores.n_steps, scores.n_tuples
    pointer = np.min_scalar_type(scores.n_states - 1)
    leaving = np.empty(M, np.int64)
    last, _ = plain.fewest_errors_path(
        scores.initial,
        problem.first_cost,
        scores.transitions,
        scores.emissions,
        problem.step_cost,
        slope,
        np.empty((M, S), pointer),
        np.empty(S),
        np.empty(S),
        np.empty(S, np.int64),
        np.empty(S, np.int64),
        leaving,
    )
    return path_labels(scores, leaving, last)


def _decode_full(problem: ChainProblem) -> Decoding:
    scores, times, negated = problem.scores, problem.op is Combine.TIMES, problem.needs_minima
    plan = Plan.of(problem)
    minima = scores.negated() if negated else scores
    leaving = np.empty(scores.n_steps, np.int64)
    found, _, _, last = kernels.algorithm_1(
        scores.initial,
        problem.first_cost,
        scores.transitions,
        scores.emissions,
        problem.step_cost,
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
            else NOTHING_FEASIBLE
        )
    return Decoding.of(problem, path_labels(scores, leaving, last), Certificate("full", cells=plan.cells))
