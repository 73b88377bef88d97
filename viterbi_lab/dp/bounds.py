"""Exact decoding by bounds: a few plain decodings instead of the table over (t, k, j).

The search itself is in :mod:`viterbi_lab.dp.envelope`. Here it is run for the k whose objective grows with
the score, and, where ⊙ is · and some h(k) < 0, on −g for the others. What the bounds cannot decide within a
fixed share of the work of the full table is left to the full table.
"""

from dataclasses import dataclass

import numpy as np

from viterbi_lab.dp import envelope
from viterbi_lab.dp.problem import Certificate, ChainProblem, Combine, Decoding
from viterbi_lab.dp.scores import ChainScores

DECODING_SHARE, PASS_SHARE = 0.15, 0.04
"""What the search and the pass may spend of the time of the full table before they give up."""

TYPICAL = 0.7
"""Best score of a random problem as a share of Σ_t max |g_t|."""

MOST_DECODINGS = 64


class NothingExceeds(Exception):
    """The bounds prove that no labelling has a value above the threshold."""


def full_nanoseconds(problem: ChainProblem) -> float:
    """What the full table is expected to cost."""
    scores = problem.scores
    edges = scores.n_tuples * scores.n_states * scores.n_steps * (problem.h.size + 1) / 2
    rate = 10.0 if scores.n_states < 4 else 18.0  # edges per nanosecond of one core
    return (edges / rate + 60.0 * scores.n_steps) * (1 + int(problem.needs_minima))


def plain_nanoseconds(scores: ChainScores) -> float:
    """What one plain decoding is expected to cost: forwards, the walk back, the bounds of all k."""
    edges = scores.n_tuples * scores.n_states
    return (edges * (0.5 if scores.n_states < 10 else 0.2) + 3 * scores.n_states + 8) * scores.length


def worth_bounding(problem: ChainProblem) -> bool:
    """True where five plain decodings and the overhead of the search promise to beat the full table."""
    return full_nanoseconds(problem) > 20_000 + 5 * plain_nanoseconds(problem.scores)


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


def _first_slope(h: np.ndarray, times: bool, size: float) -> float:
    """λ near the optimum of a random problem: h'(K), times the score over h(K) where ⊙ is ·."""
    if h.size == 1:
        return 0.0
    slope = float(h[-1] - h[0]) / (h.size - 1)
    if not times:
        return slope
    return TYPICAL * size * slope / float(h[-1]) if h[-1] > 0 else 0.0


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
    time = effort * full_nanoseconds(problem)
    most = int(min(max(DECODING_SHARE * time / plain_nanoseconds(scores), 4), MOST_DECODINGS))
    cells = 16 * scores.length * scores.n_tuples
    room = int(min(max(PASS_SHARE * time / (8 * scores.n_states), 2 * scores.length), cells))
    if slope is None:
        slope = _first_slope(h, times, scores.magnitude)
    labels = np.empty(scores.length, np.int64)
    slopes, totals = np.empty(most), np.empty(most)
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
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room),
        np.empty(room, np.int32),
        candidates,
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
