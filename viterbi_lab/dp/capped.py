"""Algorithm 1 for an h that is constant from some K on: the counter is clipped at K.

Time O(T·K·N^(ℓ+1)) instead of O(T²·N^(ℓ+1)); for the 0/1 loss K is 1.
"""

import numpy as np

from viterbi_lab.dp import kernels
from viterbi_lab.dp.limits import Limits, require
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


def clipping_point(problem: ChainProblem) -> int | None:
    """The smallest K with h constant from K on, if clipping there is cheaper and keeps the tie rule."""
    h = problem.h
    changes = np.flatnonzero(h[1:] != h[:-1])
    cap = int(changes[-1]) + 1 if changes.size else 0
    if problem.op is Combine.TIMES and h[cap] == 0:
        return None  # all sums tie at value 0: the smallest k wins, which a clipped counter cannot see
    if cap < problem.kmin or 4 * (cap + 1) > h.size:
        return None
    return cap


def decode_capped(problem: ChainProblem, cap: int) -> Decoding:
    """The optimum of a problem whose h is constant from ``cap`` on; certificate ``capped``."""
    scores, negative = problem.scores, problem.op is Combine.TIMES and problem.h[cap] < 0
    M, S, N = scores.n_steps, scores.n_tuples, scores.n_states
    pointer = np.min_scalar_type(N - 1)
    senses = 1 + int(problem.needs_minima)
    require(
        lambda length: senses * (length * S * ((cap + 1) * pointer.itemsize + 8) + 16 * S * (cap + 2)),
        limit=Limits.in_force("decode_bytes"),
        purpose="Decoding with a capped h",
        length=scores.length,
        n_states=N,
        order=scores.order,
    )
    cost, first_cost = problem.step_cost, problem.first_cost

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
        raise NoFeasibleLabelling(NOTHING_FEASIBLE)
    L, top, P, top_from = smallest if problem.op is Combine.TIMES and problem.h[k] < 0 else largest
    if k == cap:
        # among the states whose cell "cap or more" attains the optimum, the fewest errors win
        totals = (-L[:, cap] if negative else L[:, cap]) + problem.offset
        values = totals * problem.h[cap] if problem.op is Combine.TIMES else totals + problem.h[cap]
        equal = np.flatnonzero((L[:, cap] > -np.inf) & (values == value))
        state = int(equal[np.argmin(top[equal])])
    leaving = np.empty(M, np.int64)
    kernels.retrace_capped(N, cost, P, top_from, state, k, leaving)
    return Decoding.of(problem, path_labels(scores, leaving, state), Certificate("capped"))
