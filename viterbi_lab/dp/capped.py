"""Algorithm 1 for an h that is constant from some K on: the counter is clipped at K.

Time O(T·K·N^(ℓ+1)) instead of O(T²·N^(ℓ+1)); for the 0/1 loss K is 1.
"""

import numpy as np

from viterbi_lab.dp.compile import kernel
from viterbi_lab.dp.kernels import best_cell
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
        L, top = forward_capped(
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
    found, value, k, state = best_cell(
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
    retrace_capped(N, cost, P, top_from, state, k, leaving)
    return Decoding.of(problem, path_labels(scores, leaving, state), Certificate("capped"))


@kernel
def forward_capped(initial, first_cost, A, E, cost, P, top_from, L, spare, top, spare_top):
    """Algorithm 1 with the counter clipped at K: cell K means "K or more" (h constant from K on).

    ``L`` and ``spare`` are (S, K+1); ``top`` (S,) holds the true count of cell K, the smallest among
    equal sums. ``P`` (M, S, K+1) receives back-pointers, ``top_from`` (M, S) the cell from which
    cell K was entered. Returns the last level of L and of top.
    """
    N, S = A.shape[1], A.shape[2]
    R = S // N
    K = L.shape[1] - 1
    L[:, :] = -np.inf
    for v in range(S):
        L[v, min(first_cost[v], K)] = initial[v]
        top[v] = first_cost[v]
    for m in range(cost.shape[0]):
        for v in range(S):
            j, r = v // R, v % R
            c = cost[m, j]
            spare[v, :] = -np.inf
            spare_top[v] = 0
            for i in range(N):
                u = i + N * r
                score = A[m % A.shape[0], i, v] + E[m % E.shape[0], j]
                for k in range(K + 1):
                    candidate = L[u, k] + score
                    if k + c < K:
                        if candidate > spare[v, k + c]:
                            spare[v, k + c] = candidate
                            P[m, v, k + c] = i
                    else:
                        count = (k if k < K else top[u]) + c
                        best = spare[v, K]
                        if candidate > best or (candidate == best and count < spare_top[v]):
                            spare[v, K], spare_top[v] = candidate, count
                            P[m, v, K], top_from[m, v] = i, k
        L, spare = spare, L
        top, spare_top = spare_top, top
    return L, top


@kernel
def retrace_capped(N, cost, P, top_from, state, cell, labels):
    """Back-tracking of :func:`forward_capped`."""
    S, K = P.shape[1], P.shape[2] - 1
    R = S // N
    for m in range(cost.shape[0] - 1, -1, -1):
        labels[m] = P[m, state, cell]
        cell = top_from[m, state] if cell == K else cell - cost[m, state // R]
        state = labels[m] + N * (state % R)
