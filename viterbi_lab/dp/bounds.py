"""Exact decoding by bounds: a few plain decodings instead of the table over (t, k, j).

The search itself is in :mod:`viterbi_lab.dp.envelope`. Here it is run for the k whose objective grows with
the score, and, where ⊙ is · and some h(k) < 0, on −g for the others. What the bounds cannot decide within a
fixed share of the work of the full table is left to the full table.
"""

import numpy as np

from viterbi_lab.dp import envelope
from viterbi_lab.dp.problem import Certificate, ChainProblem, Combine, Decoding, NoFeasibleLabelling
from viterbi_lab.dp.scores import ChainScores

DECODING_SHARE, PASS_SHARE = 0.15, 0.04
"""What the search and the pass may spend of the time of the full table before they give up."""

TYPICAL = 0.7
"""Best score of a random problem as a share of Σ_t max |g_t|."""

MOST_DECODINGS = 64


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


def decode_by_bounds(
    problem: ChainProblem, *, slope: float | None = None, threshold: float = -np.inf
) -> Decoding | None:
    """The optimum, bit for bit that of the full table, or None if the bounds did not decide it.

    Args:
        problem: what to maximise.
        slope: λ to begin with, for instance the last one of a similar problem.
        threshold: value that an optimum must exceed to be of interest.

    Raises:
        NoFeasibleLabelling: if the bounds prove that nothing exceeds ``threshold``.
    """
    times = problem.op is Combine.TIMES
    h = problem.h[: problem.largest_cost + 1]
    k = np.arange(h.size)
    upright = (k >= problem.kmin) & (h >= 0 if times else True)
    found = []
    if upright.any():
        found.append(_search(problem, problem.scores, h, problem.offset, upright, slope, threshold))
    if times and not upright[problem.kmin :].all():
        flipped = ~upright & (k >= problem.kmin)
        start = None if slope is None else -slope
        found.append(
            _search(problem, problem.scores.negated(), -h, -problem.offset, flipped, start, threshold)
        )
    if any(result is None for result in found):
        return None
    answers = [result for result in found if result[0] is not None]
    if not answers:
        raise NoFeasibleLabelling(f"No labelling exceeds {threshold}.")
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
    problem: ChainProblem,
    scores: ChainScores,
    h: np.ndarray,
    offset: float,
    allowed: np.ndarray,
    slope: float | None,
    threshold: float,
) -> tuple[np.ndarray | None, Certificate, float, int] | None:
    """(labelling or None, certificate, value, k) over the allowed k; None if undecided."""
    times, N = problem.op is Combine.TIMES, scores.n_states
    effort = full_nanoseconds(problem)
    most = int(min(max(DECODING_SHARE * effort / plain_nanoseconds(scores), 4), MOST_DECODINGS))
    room = int(
        min(max(PASS_SHARE * effort / (8 * N), 2 * scores.length), 16 * scores.length * scores.n_tuples)
    )
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
        allowed,
        times,
        offset,
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
