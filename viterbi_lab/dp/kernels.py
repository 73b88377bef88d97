"""The recursions of Bauer et al. 2014 as compiled loops: Theorem 1 and Algorithms 1 and 2.

Kernels trust their input: shapes, labels and scores are checked where a problem is built.

Letters: T sites, N labels, ℓ' labels in a state, S = N**ℓ' states numbered with the oldest label
fastest, R = N**(ℓ'-1); state ``v = r + R·j`` is entered with label j from the states ``i + N·r``,
i = 0..N-1. M = T-ℓ' steps; step m enters site m+ℓ'. ``A[m, v, i] + E[m, j]`` is the score of a step
(one row of A or E serves all steps if there is only one), ``cost[m, j]`` what it adds to k,
``reach[m]`` the largest k before step m. L is −inf where undefined.
"""

import numpy as np
from numba import njit

NONE = -1


@njit(cache=True, nogil=True)
def advance(L, reach, A, E, cost, out):
    """One step of Theorem 1, values only: ``out[v, k+c] = max_i L[i+N·r, k] + A[v, i] + E[j]``.

    The two cases of the theorem (label right or wrong) differ only in the cost c of the step.
    ``L`` and ``out`` are (S, ≥ reach+1), k contiguous; columns of ``out`` up to its width are filled.
    """
    S, N = A.shape
    R = S // N
    for j in range(N):
        c = cost[j]
        n = min(reach + 1, out.shape[1] - c)
        for r in range(R):
            v = r + R * j
            out[v, :] = -np.inf
            shifted = out[v, c : c + n]
            for i in range(N):
                score = A[v, i] + E[j]
                row = L[i + N * r, :n]
                for k in range(n):
                    candidate = row[k] + score
                    shifted[k] = candidate if candidate > shifted[k] else shifted[k]


@njit(cache=True, nogil=True)
def forward(initial, initial_cost, A, E, cost, reach, every, checkpoints, first_row, L, spare):
    """Algorithm 1 without back-pointers: fill L up to the last site, keeping every ``every``-th level.

    Level m lies before step m. Level q·every is kept in ``checkpoints`` (flat), row v starting at
    ``first_row[q] + v·(reach+1)``. ``L`` and ``spare`` are (S, K+1); the last level ends in the returned one.
    """
    S = initial.shape[0]
    M = cost.shape[0]
    L[:, : reach[0] + 1] = -np.inf
    for v in range(S):
        L[v, initial_cost[v]] = initial[v]
    for m in range(M):
        width = reach[m] + 1
        if m % every == 0:
            start = first_row[m // every]
            for v in range(S):
                checkpoints[start + v * width : start + (v + 1) * width] = L[v, :width]
        target = spare[:, : reach[m + 1] + 1]
        advance(L, reach[m], A[m % A.shape[0]], E[m % E.shape[0]], cost[m], target)
        L, spare = spare, L
    return L


@njit(cache=True, nogil=True)
def retrace(A, E, cost, reach, every, checkpoints, first_row, band, state, k, labels):
    """Back-tracking of Algorithm 1: recompute the levels between checkpoints near the path, walk back.

    ``labels`` (M,) receives the label that leaves the state at each step, the smallest one that attains
    L (the same sums in the same order give the same bits, so the maximum is met exactly).
    ``band`` is (every, S, B) with B above the largest cost of a block. Returns the first state.
    """
    S, N = A.shape[1], A.shape[2]
    R = S // N
    M = cost.shape[0]
    for block in range((M - 1) // every, -1, -1):
        bottom = block * every
        top = min(bottom + every, M)
        low = max(0, k - band.shape[2] + 1)
        n = k - low + 1
        width = reach[bottom] + 1
        start = first_row[block]
        for v in range(S):
            for q in range(n):
                at = low + q
                band[0, v, q] = checkpoints[start + v * width + at] if at < width else -np.inf
        for m in range(bottom, top - 1):
            advance(
                band[m - bottom, :, :n], n - 1, A[m % A.shape[0]], E[m % E.shape[0]], cost[m],
                band[m - bottom + 1, :, :n],
            )  # fmt: skip
        for m in range(top - 1, bottom - 1, -1):
            j, r = state // R, state % R
            k -= cost[m, j]
            best = -np.inf
            label = 0
            for i in range(N):
                candidate = band[m - bottom, i + N * r, k - low] + (
                    A[m % A.shape[0], state, i] + E[m % E.shape[0], j]
                )
                if candidate > best:  # strict: the smallest predecessor keeps a tie
                    best = candidate
                    label = i
            labels[m] = label
            state = label + N * r
    return state


@njit(cache=True, nogil=True)
def fill_tables(initial, initial_cost, A, E, cost, reach, L, P):
    """All L and S of Algorithm 1, for people to look at.

    ``L`` (M+1, S, K+1) comes filled with −inf, ``P`` (the paper's S) of the same shape with NONE.
    """
    S, N = A.shape[1], A.shape[2]
    R = S // N
    for v in range(S):
        L[0, v, initial_cost[v]] = initial[v]
    for m in range(cost.shape[0]):
        n = reach[m] + 1
        for j in range(N):
            c = cost[m, j]
            for r in range(R):
                v = r + R * j
                for i in range(N):
                    score = A[m % A.shape[0], v, i] + E[m % E.shape[0], j]
                    for k in range(n):
                        candidate = L[m, i + N * r, k] + score
                        if candidate > L[m + 1, v, k + c]:
                            L[m + 1, v, k + c] = candidate
                            P[m + 1, v, k + c] = i


@njit(cache=True, nogil=True)
def viterbi(initial, initial_cost, A, E, cost, slope, P, V, spare_V, K, spare_K, labels):
    """Algorithm 2 on g + slope·cost; among equal sums the one with the smaller cost wins.

    ``V``, ``K`` and their spares are (S,), ``P`` (M, S) receives back-pointers, ``labels`` (M,) the
    label that leaves the state at each step. Returns the first state, the last state and its value.
    """
    S, N = A.shape[1], A.shape[2]
    R = S // N
    M = cost.shape[0]
    for v in range(S):
        K[v] = initial_cost[v]
        V[v] = initial[v] + slope * initial_cost[v]
    for m in range(M):
        for j in range(N):
            penalty = slope * cost[m, j]
            for r in range(R):
                v = r + R * j
                best, errors, label = -np.inf, 0, 0
                for i in range(N):
                    u = i + N * r
                    candidate = V[u] + (A[m % A.shape[0], v, i] + E[m % E.shape[0], j] + penalty)
                    if candidate > best or (candidate == best and K[u] < errors):
                        best, errors, label = candidate, K[u], i
                spare_V[v], spare_K[v], P[m, v] = best, errors + cost[m, j], label
        V, spare_V = spare_V, V
        K, spare_K = spare_K, K
    last = 0
    for v in range(1, S):
        if V[v] > V[last] or (V[v] == V[last] and K[v] < K[last]):
            last = v
    value, state = V[last], last
    for m in range(M - 1, -1, -1):
        labels[m] = P[m, state]
        state = labels[m] + N * (state % R)
    return state, last, value


@njit(cache=True, nogil=True)
def forward_capped(initial, initial_cost, A, E, cost, P, top_from, L, spare, top, spare_top):
    """Algorithm 1 with the counter clipped at K: cell K means "K or more" (h constant from K on).

    ``L`` and ``spare`` are (S, K+1); ``top`` (S,) holds the true count of cell K, the smallest among
    equal sums. ``P`` (M, S, K+1) receives back-pointers, ``top_from`` (M, S) the cell from which
    cell K was entered. Returns the last level of L and of top.
    """
    S, N = A.shape[1], A.shape[2]
    R = S // N
    K = L.shape[1] - 1
    L[:, :] = -np.inf
    for v in range(S):
        L[v, min(initial_cost[v], K)] = initial[v]
        top[v] = initial_cost[v]
    for m in range(cost.shape[0]):
        for j in range(N):
            c = cost[m, j]
            for r in range(R):
                v = r + R * j
                spare[v, :] = -np.inf
                spare_top[v] = 0
                for i in range(N):
                    u = i + N * r
                    score = A[m % A.shape[0], v, i] + E[m % E.shape[0], j]
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


@njit(cache=True, nogil=True)
def retrace_capped(N, cost, P, top_from, state, cell, labels):
    """Back-tracking of :func:`forward_capped`; returns the first state."""
    S, K = P.shape[1], P.shape[2] - 1
    R = S // N
    for m in range(cost.shape[0] - 1, -1, -1):
        labels[m] = P[m, state, cell]
        cell = top_from[m, state] if cell == K else cell - cost[m, state // R]
        state = labels[m] + N * (state % R)
    return state


@njit(cache=True, nogil=True)
def best_cell(L, L_min, h, times, offset, kmin):
    """The last maximum of Algorithm 1: ``(L + offset) ⊙ h(k)`` over k ≥ kmin, then over states.

    Where ⊙ is · and h(k) < 0 the smallest sum wins, taken from ``L_min`` (S, K+1), −inf-free only where
    defined: it holds the maxima of the negated scores, so the sum is ``-L_min``. An undefined cell is
    skipped before it could be multiplied. Returns (found, value, k, state).
    """
    found, best, best_k, best_state = False, -np.inf, 0, 0
    for k in range(kmin, h.shape[0]):
        negative = times and h[k] < 0
        for v in range(L.shape[0]):
            cell = L_min[v, k] if negative else L[v, k]
            if cell == -np.inf:
                continue
            total = (-cell if negative else cell) + offset
            value = total * h[k] if times else total + h[k]
            if not found or value > best:
                found, best, best_k, best_state = True, value, k, v
    return found, best, best_k, best_state
