"""What else could have won: the m best labellings, the lead of the best, the price of a label at a site.

The m best are enumerated from the tables of a trace. For a fixed final k the objective is monotone in the
score, and L holds the best prefix of every cell exactly; so walking back from the most promising cell first,
and keeping the other predecessors for later, meets labellings in order of their value without detours.
"""

import heapq
import itertools

import numpy as np

from viterbi_lab.dp import plain
from viterbi_lab.dp.chain import decode
from viterbi_lab.dp.problem import Certificate, ChainProblem, Combine, Decoding, NoFeasibleLabelling
from viterbi_lab.dp.scores import ChainScores
from viterbi_lab.dp.trace import Trace, trace


def k_best(problem: ChainProblem, count: int) -> list[Decoding]:
    """The ``count`` best labellings in order of value, fewer if there are fewer.

    Equal values come in order of k, then of the labelling read backwards. The first is that of
    :func:`viterbi_lab.dp.decode`, except that where ⊙ is · and h(k) = 0 the decoder keeps the best score.

    Args:
        problem: what to maximise.
        count: how many, at least 1.

    Raises:
        NoFeasibleLabelling: as :func:`viterbi_lab.dp.decode`.
        TooBig: if the tables would exceed ``Limits.trace_bytes``.
    """
    if count < 1:
        raise ValueError(f"count={count}; at least one labelling must be asked for.")
    seen = trace(problem)
    found: list[Decoding] = []
    for y in _in_order_of_value(seen):
        decoding = Decoding.of(problem, y, Certificate("full"))
        # sums from the right differ in the last bits: wait until nothing that follows can be equal
        if len(found) >= count and decoding.value < found[count - 1].value - _rounding(problem):
            break
        found.append(decoding)
        found.sort(key=lambda each: (-each.value, each.k, each.y[::-1].tolist()))
    return found[:count]


def _rounding(problem: ChainProblem) -> float:
    largest = float(np.abs(problem.h).max()) if problem.op is Combine.TIMES else 1.0
    scale = problem.scores.magnitude + abs(problem.offset)
    return 8 * (problem.y.size + 4) * np.finfo(float).eps * scale * max(1.0, largest)


def _in_order_of_value(seen: Trace):
    """Labellings in order of value, up to rounding."""
    problem, scores = seen.problem, seen.problem.scores
    N, window, steps = scores.n_states, scores.window_order, scores.dense()
    R = N ** (window - 1)
    ticket = itertools.count()
    queue = []

    def push(m: int, state: int, k: int, final_k: int, suffix: float, labels: tuple) -> None:
        table = seen.L_min if problem.op is Combine.TIMES and problem.h[final_k] < 0 else seen.L
        prefix = float(table[m + window - 1, k, state])
        if np.isfinite(prefix):
            value = problem.objective(prefix + suffix, final_k)
            heapq.heappush(queue, (-value, final_k, next(ticket), m, state, k, suffix, labels))

    last = scores.n_steps
    for k in range(problem.kmin, problem.h.size):
        for state in range(scores.n_tuples):
            push(last, state, k, k, 0.0, ())
    while queue:
        _, final_k, _, m, state, k, suffix, labels = heapq.heappop(queue)
        if m == 0:
            first = [state // N**age % N for age in range(window)]
            yield np.array([*first, *labels], np.int64)
            continue
        j, r = state // R, state % R
        before = k - int(problem.step_cost[m - 1, j])
        if before < 0:
            continue
        for i in range(N):
            score = float(steps[m - 1, i, state])
            if score > -np.inf:
                push(m - 1, i + N * r, before, final_k, score + suffix, (j, *labels))


def lead(scores: ChainScores) -> float:
    """By how much the best labelling leads over all others; 0 for a tie, inf if there is no other.

    Time O(T·N^(ℓ+1)), like plain decoding.

    Raises:
        NoFeasibleLabelling: if every labelling is forbidden.
    """
    _, _, value, margin = _plain_levels(scores)
    if np.isneginf(value):
        raise NoFeasibleLabelling("Every labelling contains a forbidden part (score −inf).")
    return float(margin)


def _plain_levels(scores: ChainScores) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Forward and backward levels of plain decoding, its value and its lead."""
    forward = np.empty((scores.n_steps + 1, scores.n_tuples))
    backward = np.empty_like(forward)
    free = np.zeros((scores.n_steps, scores.n_states), np.int64)
    no_cost = np.zeros(scores.n_tuples, np.int64)
    _, value, margin, _ = plain.best_path(
        scores.initial, no_cost, scores.transitions, scores.emissions, free, 0.0, forward,
        np.empty(plain.pointer_room(scores.n_steps, scores.n_states, scores.n_tuples), np.uint8),
        np.empty(scores.n_steps, np.int64),
    )  # fmt: skip
    plain.backward_levels(scores.transitions, scores.emissions, free, 0.0, backward)
    return forward, backward, value, margin


def max_marginals(scores: ChainScores) -> np.ndarray:
    """The best score of a labelling that has label j at site t, for every t and j.

    ``max_marginals(g).max(axis=1)`` is the same at every site: the best score of all. What it would cost to
    label site t as j is the difference.

    Args:
        scores: the local scores.

    Returns:
        (T, N) float64; −inf where no feasible labelling has label j at site t.
    """
    forward, backward, _, _ = _plain_levels(scores)
    through = forward + backward
    N, window = scores.n_states, scores.window_order
    by_label = through.reshape((-1,) + (N,) * window)  # axes (m, j_ℓ', …, j_1): the newest label first
    marginals = np.empty((scores.length, N))
    newest = by_label.max(axis=tuple(range(2, window + 1))) if window > 1 else by_label
    marginals[window - 1 :] = newest
    for t in range(window - 1):  # the first sites are inside the first state
        axis = window - t
        others = tuple(a for a in range(1, window + 1) if a != axis)
        marginals[t] = by_label[0].max(axis=tuple(a - 1 for a in others))
    return marginals


def forced(problem: ChainProblem, site: int, label: int) -> Decoding:
    """The best labelling that has ``label`` at ``site``: the loss-augmented counterpart of a max-marginal.

    Args:
        problem: what to maximise.
        site: t, from 0.
        label: j.

    Raises:
        ValueError: if there is no such site or label.
        NoFeasibleLabelling: if no feasible labelling has it.
    """
    T, N = problem.scores.length, problem.scores.n_states
    if not 0 <= site < T or not 0 <= label < N:
        raise ValueError(f"There is no label {label} at site {site}: T={T} and N={N} number from 0.")
    barred = np.zeros((T, N))
    barred[site] = -np.inf
    barred[site, label] = 0.0
    scores = problem.scores.plus(ChainScores.homogeneous(barred))
    return decode(
        ChainProblem(
            scores,
            problem.y,
            problem.h,
            problem.op,
            problem.offset,
            problem.kmin,
            None if problem.hamming else problem.cost,
        )
    )
