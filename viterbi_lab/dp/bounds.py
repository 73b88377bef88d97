"""Exact decoding by bounds: a few plain decodings instead of the table over (t, k, j).

The search itself is in :mod:`viterbi_lab.dp.envelope`. Here it is run for the k whose objective grows with
the score, and, where ⊙ is · and some h(k) < 0, on −g for the others. What the bounds cannot decide within a
fixed share of the work of the full table is left to the full table.
"""

from dataclasses import dataclass

import numpy as np

from viterbi_lab.dp import envelope, estimates
from viterbi_lab.dp.plan import workspace
from viterbi_lab.dp.problem import Certificate, ChainProblem, Combine, Decoding
from viterbi_lab.dp.scores import ChainScores


class NothingExceeds(Exception):
    """The bounds prove that no labelling has a value above the threshold."""


def worth_bounding(problem: ChainProblem) -> bool:
    """True where a few plain decodings promise to beat the full table."""
    scores = problem.scores
    return estimates.worth_bounding(
        scores.length, scores.n_states, scores.n_tuples, problem.h.size, problem.needs_minima
    )


@dataclass(frozen=True, eq=False)
class _Side:
    """The k whose objective grows with these scores: h ≥ 0 there, or ⊙ is +."""

    scores: ChainScores
    h: np.ndarray
    offset: float
    allowed: np.ndarray


def _sides(problem: ChainProblem) -> list[_Side]:
    """The problem as it stands, for its k with h(k) ≥ 0, and on −g for those with h(k) < 0 where ⊙ is ·."""
    h = problem.h[: problem.largest_cost + 1]
    if problem.kmin == 0 and not problem.needs_minima:
        return [_Side(problem.scores, h, problem.offset, np.ones(h.size, np.bool_))]
    above = np.arange(h.size) >= problem.kmin
    upright = above & (h >= 0) if problem.op is Combine.TIMES else above
    sides = []
    if upright.any():
        sides.append(_Side(problem.scores, h, problem.offset, upright))
    if (above & ~upright).any():
        sides.append(_Side(problem.scores.negated(), -h, -problem.offset, above & ~upright))
    return sides


def decode_by_bounds(
    problem: ChainProblem,
    *,
    slope: float | None = None,
    threshold: float = -np.inf,
    effort: float = 1.0,
) -> Decoding | None:
    """The optimum, bit for bit that of the full table, or None if the bounds did not decide it.

    Args:
        problem: what to maximise.
        slope: λ to begin with, for instance the last one of a similar problem.
        threshold: value that an optimum must exceed to be of interest.
        effort: what may be spent, as a multiple of the usual share of the time of the full table.

    Raises:
        NothingExceeds: if the bounds prove that nothing exceeds ``threshold``.
    """
    sides = _sides(problem)
    found = [_search(problem, side, slope, threshold, effort) for side in sides]
    if not found or any(result is None for result in found):
        return None
    answers = [result for result in found if result[0] is not None]
    if not answers:
        raise NothingExceeds(f"No labelling has a value above {threshold}.")
    y, certificate = max(answers, key=lambda answer: (answer[2], -answer[3]))[:2]
    if len(found) == 2:
        certificate = _merged(found[0][1], found[1][1])
    return Decoding.of(problem, y, certificate)


def _merged(upright: Certificate, flipped: Certificate) -> Certificate:
    method = "pruned" if "pruned" in (upright.method, flipped.method) else "hull"
    return Certificate(
        method,
        upright.slopes,
        upright.totals,
        upright.candidates,
        upright.cells + flipped.cells,
        Certificate(flipped.method, flipped.slopes, flipped.totals, flipped.candidates, flipped.cells),
    )


def _search(
    problem: ChainProblem, side: _Side, slope: float | None, threshold: float, effort: float
) -> tuple[np.ndarray | None, Certificate, float, int] | None:
    """(labelling or None if nothing exceeds, certificate, value, k) of one side; None if undecided."""
    scores, h, times = side.scores, side.h, problem.op is Combine.TIMES
    most, room = estimates.search_budget(
        scores.length, scores.n_states, scores.n_tuples, h.size, problem.needs_minima, effort
    )
    if slope is None:
        slope = envelope.first_slope(h, times, scores.magnitude, side.offset)
    labels = np.empty(scores.length, np.int64)
    size = envelope.scratch_size(scores.length, scores.n_states, scores.n_tuples, h.size, room)
    work = workspace(2 * most + size)
    slopes, totals, scratch = work[:most], work[most : 2 * most], work[2 * most :]
    candidates = np.zeros(h.size, np.bool_)
    how, used, value, k, cells = envelope.bounded(
        scores.initial,
        problem.first_cost,
        scores.transitions,
        scores.emissions,
        problem.step_cost,
        h,
        side.allowed,
        times,
        side.offset,
        problem.kmin,
        scores.window_order,
        slope,
        threshold,
        problem.y if problem.hamming else problem.y[:0],
        scores.magnitude,
        labels,
        slopes,
        totals,
        candidates,
        room,
        scratch,
    )
    if how < 0:
        return None
    certificate = Certificate(
        "pruned" if how == 1 else "hull",
        tuple(slopes[:used].tolist()),
        tuple(totals[:used].tolist()),
        tuple(np.flatnonzero(candidates).tolist()),
        cells,
    )
    return (None if how == 2 else labels), certificate, value, k
