"""Plain decoding as compiled loops: Algorithm 2 on g + λ·cost, forwards, backwards and the walk back.

Letters as in :mod:`viterbi_lab.dp.kernels`. No back-pointers: all levels of V are kept, (M+1)·S numbers, and
the walk back finds the smallest predecessor that attains the maximum. On its way it sees the runner-up at
every step, hence by how much the best labelling leads over all others.
"""

import numpy as np

from viterbi_lab.dp.compile import kernel


def _levels_of(fixed_n: int, penalised: bool):
    """Forward pass for order 1; with ``fixed_n`` > 0 the compiler knows N and keeps V in registers.

    Measured per site at N=4: 7 ns with N known, 11 ns without.
    """

    @kernel
    def levels(initial, first_cost, A, E, cost, slope, V):
        N = fixed_n if fixed_n > 0 else A.shape[1]
        A_step, E_step = 1 if A.shape[0] > 1 else 0, 1 if E.shape[0] > 1 else 0
        for j in range(N):
            V[0, j] = initial[j] + slope * first_cost[j] if penalised else initial[j]
        for m in range(V.shape[0] - 1):
            a, e = m * A_step, m * E_step
            for j in range(N):
                own = E[e, j] + slope * cost[m, j] if penalised else E[e, j]
                best = V[m, 0] + (A[a, 0, j] + own)
                for i in range(1, N):
                    candidate = V[m, i] + (A[a, i, j] + own)
                    best = candidate if candidate > best else best
                V[m + 1, j] = best

    return levels


def _levels_of_many(penalised: bool):
    """Forward pass for order 1 and many labels: vectors over the new label, which lie side by side."""

    @kernel
    def levels(initial, first_cost, A, E, cost, slope, V):
        N = A.shape[1]
        A_step, E_step = 1 if A.shape[0] > 1 else 0, 1 if E.shape[0] > 1 else 0
        own = np.empty(N)
        for j in range(N):
            V[0, j] = initial[j] + slope * first_cost[j] if penalised else initial[j]
        for m in range(V.shape[0] - 1):
            rows, emission = A[m * A_step], E[m * E_step]
            old, new = V[m], V[m + 1]
            for j in range(N):
                own[j] = emission[j] + slope * cost[m, j] if penalised else emission[j]
                new[j] = -np.inf
            for i in range(N):
                start, row = old[i], rows[i]
                for j in range(N):
                    candidate = start + (row[j] + own[j])
                    new[j] = candidate if candidate > new[j] else new[j]

    return levels


def _levels_of_tuples(penalised: bool):
    """Forward pass for any order."""

    @kernel
    def levels(initial, first_cost, A, E, cost, slope, V):
        N, S = A.shape[1], A.shape[2]
        R = S // N
        A_step, E_step = 1 if A.shape[0] > 1 else 0, 1 if E.shape[0] > 1 else 0
        for v in range(S):
            V[0, v] = initial[v] + slope * first_cost[v] if penalised else initial[v]
        for m in range(V.shape[0] - 1):
            a, e = m * A_step, m * E_step
            for v in range(S):
                j, r = v // R, v % R
                own = E[e, j] + slope * cost[m, j] if penalised else E[e, j]
                best = -np.inf
                for i in range(N):
                    candidate = V[m, i + N * r] + (A[a, i, v] + own)
                    best = candidate if candidate > best else best
                V[m + 1, v] = best

    return levels


levels_2, levels_3, levels_4, levels_few = (_levels_of(n, True) for n in (2, 3, 4, 0))
levels_many, levels_of_tuples = _levels_of_many(True), _levels_of_tuples(True)
free_2, free_3, free_4, free_few = (_levels_of(n, False) for n in (2, 3, 4, 0))
free_many, free_of_tuples = _levels_of_many(False), _levels_of_tuples(False)


@kernel
def forward_levels(initial, first_cost, A, E, cost, slope, V):
    """``V[m, v]``: the best of g + slope·cost over prefixes that end in state v at level m; V is (M+1, S)."""
    N, S = A.shape[1], A.shape[2]
    if S != N:
        levels_of_tuples(initial, first_cost, A, E, cost, slope, V)
    elif N == 2:
        levels_2(initial, first_cost, A, E, cost, slope, V)
    elif N == 3:
        levels_3(initial, first_cost, A, E, cost, slope, V)
    elif N == 4:
        levels_4(initial, first_cost, A, E, cost, slope, V)
    elif N <= 10:
        levels_few(initial, first_cost, A, E, cost, slope, V)
    else:
        levels_many(initial, first_cost, A, E, cost, slope, V)


@kernel
def viterbi_path(initial, A, E, window, V, y):
    """Algorithm 2: ``y`` (T,) receives the best labelling, smallest last state and predecessors first.

    Returns its score, the left-to-right sum: the same additions as along the path. V is (M+1, S).
    """
    N, S = A.shape[1], A.shape[2]
    R = S // N
    M = V.shape[0] - 1
    none, free = np.empty(0, np.int64), np.empty((0, 0), np.int64)
    if S != N:
        free_of_tuples(initial, none, A, E, free, 0.0, V)
    elif N == 2:
        free_2(initial, none, A, E, free, 0.0, V)
    elif N == 3:
        free_3(initial, none, A, E, free, 0.0, V)
    elif N == 4:
        free_4(initial, none, A, E, free, 0.0, V)
    elif N <= 10:
        free_few(initial, none, A, E, free, 0.0, V)
    else:
        free_many(initial, none, A, E, free, 0.0, V)
    A_step, E_step = 1 if A.shape[0] > 1 else 0, 1 if E.shape[0] > 1 else 0
    state = 0
    for v in range(1, S):
        state = v if V[M, v] > V[M, state] else state
    score, rest = V[M, state], state
    for t in range(window):
        y[M + t] = rest % N
        rest //= N
    for m in range(M - 1, -1, -1):
        j, r = (state, 0) if R == 1 else (state // R, state % R)
        a, own = m * A_step, E[m * E_step, j]
        best, label = -np.inf, 0
        for i in range(N):
            candidate = V[m, i + N * r] + (A[a, i, state] + own)
            label = i if candidate > best else label
            best = candidate if candidate > best else best
        y[m] = label
        state = label + N * r
    return score


def _walk_of(fixed_n: int):
    """The walk back; with ``fixed_n`` > 0 for order 1 and an N that the compiler knows and unrolls."""

    @kernel
    def walk(first_cost, A, E, cost, slope, V, labels):
        N = fixed_n if fixed_n > 0 else A.shape[1]
        S = fixed_n if fixed_n > 0 else A.shape[2]
        R = S // N
        M = cost.shape[0]
        A_step, E_step = 1 if A.shape[0] > 1 else 0, 1 if E.shape[0] > 1 else 0
        best, second, last = -np.inf, -np.inf, 0
        for v in range(S):
            if V[M, v] > best:
                best, second, last = V[M, v], best, v
            elif V[M, v] > second:
                second = V[M, v]
        value, lead, state = best, best - second, last
        if value == -np.inf:
            return last, value, 0.0, 0
        k = 0
        for m in range(M - 1, -1, -1):
            j, r = (state, 0) if R == 1 else (state // R, state % R)  # a division takes longer than the rest
            a = m * A_step
            k += cost[m, j]
            own = E[m * E_step, j] + slope * cost[m, j]
            best, second, label = V[m, N * r] + (A[a, 0, state] + own), -np.inf, 0
            for i in range(1, N):
                candidate = V[m, i + N * r] + (A[a, i, state] + own)
                # selections, not branches: on long sequences no processor foresees who wins
                lower = candidate if candidate < best else best
                second = lower if lower > second else second
                label = i if candidate > best else label
                best = candidate if candidate > best else best
            lead = lead if lead < best - second else best - second
            labels[m] = label
            state = label + N * r
        return last, value, lead, k + first_cost[state]

    return walk


walk_2, walk_3, walk_4, walk_any = (_walk_of(n) for n in (2, 3, 4, 0))


@kernel
def walk_back(first_cost, A, E, cost, slope, V, labels):
    """The best path through the levels of V: smallest last state, then smallest predecessors.

    ``labels`` (M,) receives the label that leaves the state at each step. Returns (last state, value, lead,
    cost of the path): all other paths are worse by at least ``lead`` (0 where two are equally good).
    """
    N, S = A.shape[1], A.shape[2]
    if S == N == 2:
        return walk_2(first_cost, A, E, cost, slope, V, labels)
    if S == N == 3:
        return walk_3(first_cost, A, E, cost, slope, V, labels)
    if S == N == 4:
        return walk_4(first_cost, A, E, cost, slope, V, labels)
    return walk_any(first_cost, A, E, cost, slope, V, labels)


@kernel
def best_path(initial, first_cost, A, E, cost, slope, V, labels):
    """Algorithm 2 on g + slope·cost. Returns (last state, value, lead, cost) as :func:`walk_back`."""
    forward_levels(initial, first_cost, A, E, cost, slope, V)
    return walk_back(first_cost, A, E, cost, slope, V, labels)


@kernel
def backward_levels(A, E, cost, slope, B):
    """``B[m, v]``: the best of g + slope·cost over what follows state v of level m; B is (M+1, S)."""
    N, S = A.shape[1], A.shape[2]
    R = S // N
    M = cost.shape[0]
    A_step, E_step = 1 if A.shape[0] > 1 else 0, 1 if E.shape[0] > 1 else 0
    B[M, :] = 0.0
    after = np.empty(S)
    for m in range(M - 1, -1, -1):
        a, e = m * A_step, m * E_step
        for v in range(S):
            j = v if R == 1 else v // R
            after[v] = B[m + 1, v] + (E[e, j] + slope * cost[m, j])
        for u in range(S):
            i, r = (u, 0) if R == 1 else (u % N, u // N)
            best = -np.inf
            for j in range(N):
                v = r + R * j
                candidate = after[v] + A[a, i, v]
                best = candidate if candidate > best else best
            B[m, u] = best


@kernel
def fewest_errors_path(initial, first_cost, A, E, cost, slope, P, V, spare_V, K, spare_K, labels):
    """Algorithm 2 on g + slope·cost; among equal sums the one with the smaller cost wins.

    ``V``, ``K`` and their spares are (S,), ``P`` (M, S) receives back-pointers, ``labels`` (M,) the
    label that leaves the state at each step. Returns the last state and its value.
    """
    N, S = A.shape[1], A.shape[2]
    R = S // N
    M = cost.shape[0]
    for v in range(S):
        K[v] = first_cost[v]
        V[v] = initial[v] + slope * first_cost[v]
    for m in range(M):
        for v in range(S):
            j, r = v // R, v % R
            penalty = slope * cost[m, j]
            best, errors, label = -np.inf, 0, 0
            for i in range(N):
                u = i + N * r
                candidate = V[u] + (A[m % A.shape[0], i, v] + E[m % E.shape[0], j] + penalty)
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
    return last, value
