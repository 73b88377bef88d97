"""Plain decoding as compiled loops: Algorithm 2 on g + λ·cost, forwards, backwards and the walk back.

Letters as in :mod:`viterbi_lab.dp.kernels`. All levels of V are kept, (M+1)·S numbers: along the best path
the runner-up at every step says by how much it leads over all others. At order 1 with few labels the
forward pass writes back-pointers beside them, for a walk back that only looks up; else the walk finds the
smallest predecessor that attains the maximum.
"""

import numpy as np

from viterbi_lab.dp.compile import kernel
from viterbi_lab.dp.simd import MOST_LANES, levels_with_pointers


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


levels_of_many, levels_of_tuples = _levels_of_many(True), _levels_of_tuples(True)
free_of_many, free_of_tuples = _levels_of_many(False), _levels_of_tuples(False)


@kernel
def in_vectors(N, S):
    """Whether a level fits one vector: order 1 and few labels."""
    return S == N and 2 <= N <= MOST_LANES


@kernel
def pointer_room(M, N, S):
    """Bytes of pointers of M steps."""
    return M * N if in_vectors(N, S) else 0


@kernel
def fill_with_pointers(initial, first_cost, A, E, cost, slope, V, P):
    """All levels of V (M+1, N) and the predecessors P (M·N,) where :func:`in_vectors`; no ``cost``: of g."""
    N = A.shape[1]
    A_step, E_step = N * N if A.shape[0] > 1 else 0, N if E.shape[0] > 1 else 0
    for j in range(N):
        V[0, j] = initial[j] + slope * first_cost[j] if cost.shape[0] > 0 else initial[j]
    levels_with_pointers(
        V.reshape(-1), P, A.reshape(-1), A_step, E.reshape(-1), E_step, cost.reshape(-1), slope,
        V.shape[0] - 1, N,
    )  # fmt: skip


@kernel
def follow(P, N, state, labels):
    """Walk back along pointers: ``labels[m]`` is the label that leaves the state at step m."""
    for m in range(labels.shape[0] - 1, -1, -1):
        state = int(P[m * N + state])
        labels[m] = state


@kernel
def viterbi_path(initial, A, E, window, V, P, y):
    """Algorithm 2: ``y`` (T,) receives the best labelling, smallest last state and predecessors first.

    Returns its score, the left-to-right sum: the same additions as along the path. V is (M+1, S), P has
    :func:`pointer_room` bytes.
    """
    N, S = A.shape[1], A.shape[2]
    R = S // N
    M = V.shape[0] - 1
    none, free = np.empty(0, np.int64), np.empty((0, 0), np.int64)
    if in_vectors(N, S):
        fill_with_pointers(initial, none, A, E, free, 0.0, V, P)
    elif S == N:
        free_of_many(initial, none, A, E, free, 0.0, V)
    else:
        free_of_tuples(initial, none, A, E, free, 0.0, V)
    A_step, E_step = 1 if A.shape[0] > 1 else 0, 1 if E.shape[0] > 1 else 0
    state = 0
    for v in range(1, S):
        state = v if V[M, v] > V[M, state] else state
    score, rest = V[M, state], state
    for t in range(window):
        y[M + t] = rest % N
        rest //= N
    if in_vectors(N, S):
        follow(P, N, state, y[:M])
        return score
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


def _survey_of(fixed_n: int):
    """The walk back along pointers; with ``fixed_n`` > 0 for an N that the compiler unrolls."""

    @kernel
    def survey(A, E, cost, slope, V, P, labels, last, lead):
        N = fixed_n if fixed_n > 0 else A.shape[1]
        M = cost.shape[0]
        A_step, E_step = 1 if A.shape[0] > 1 else 0, 1 if E.shape[0] > 1 else 0
        k, j = 0, last
        for m in range(M - 1, -1, -1):
            c = cost[m, j]
            k += c
            a, own = m * A_step, E[m * E_step, j] + slope * c
            best, second = V[m, 0] + (A[a, 0, j] + own), -np.inf
            for i in range(1, N):
                candidate = V[m, i] + (A[a, i, j] + own)
                # selections, not branches: on long sequences no processor foresees who wins
                lower = candidate if candidate < best else best
                second = lower if lower > second else second
                best = candidate if candidate > best else best
            lead = lead if lead < best - second else best - second
            j = int(P[m * N + j])  # the loads above wait for this one only, and overlap
            labels[m] = j
        return lead, k, j

    return survey


survey_2, survey_3, survey_4, survey_any = (_survey_of(n) for n in (2, 3, 4, 0))


@kernel
def survey(A, E, cost, slope, V, P, labels, last, lead):
    """The path back from ``last`` along the pointers of order 1: writes ``labels``.

    Returns the smallest of ``lead`` and the leads of all steps over their runners-up, their cost, and
    the first label.
    """
    N = A.shape[1]
    if N == 2:
        return survey_2(A, E, cost, slope, V, P, labels, last, lead)
    if N == 3:
        return survey_3(A, E, cost, slope, V, P, labels, last, lead)
    if N == 4:
        return survey_4(A, E, cost, slope, V, P, labels, last, lead)
    return survey_any(A, E, cost, slope, V, P, labels, last, lead)


@kernel
def walk_back(A, E, cost, slope, V, labels, state, lead):
    """The path back from ``state`` through the levels of V, smallest predecessors first, without pointers.

    Returns the smallest of ``lead`` and the leads of all steps, their cost, and the first state.
    """
    N, S = A.shape[1], A.shape[2]
    R = S // N
    A_step, E_step = 1 if A.shape[0] > 1 else 0, 1 if E.shape[0] > 1 else 0
    k = 0
    for m in range(cost.shape[0] - 1, -1, -1):
        j, r = (state, 0) if R == 1 else (state // R, state % R)  # a division takes longer than the rest
        k += cost[m, j]
        a, own = m * A_step, E[m * E_step, j] + slope * cost[m, j]
        best, second, label = V[m, N * r] + (A[a, 0, state] + own), -np.inf, 0
        for i in range(1, N):
            candidate = V[m, i + N * r] + (A[a, i, state] + own)
            lower = candidate if candidate < best else best
            second = lower if lower > second else second
            label = i if candidate > best else label
            best = candidate if candidate > best else best
        lead = lead if lead < best - second else best - second
        labels[m] = label
        state = label + N * r
    return lead, k, state


@kernel
def best_path(initial, first_cost, A, E, cost, slope, V, P, labels):
    """Algorithm 2 on g + slope·cost: smallest last state, then smallest predecessors.

    V is (M+1, S), P has :func:`pointer_room` bytes; ``labels`` (M,) receives the label that leaves the state
    at each step. Returns (last state, value, lead, cost of the path): all other paths are worse by at least
    ``lead`` (0 where two are equal).
    """
    N, S = A.shape[1], A.shape[2]
    M = cost.shape[0]
    if M > 0 and in_vectors(N, S):
        fill_with_pointers(initial, first_cost, A, E, cost, slope, V, P)
    elif S == N:
        levels_of_many(initial, first_cost, A, E, cost, slope, V)
    else:
        levels_of_tuples(initial, first_cost, A, E, cost, slope, V)
    best, second, last = -np.inf, -np.inf, 0
    for v in range(S):
        if V[M, v] > best:
            best, second, last = V[M, v], best, v
        elif V[M, v] > second:
            second = V[M, v]
    if best == -np.inf:
        return last, best, 0.0, 0
    if M > 0 and in_vectors(N, S):
        lead, k, first = survey(A, E, cost, slope, V, P, labels, last, best - second)
    else:
        lead, k, first = walk_back(A, E, cost, slope, V, labels, last, best - second)
    return last, best, lead, k + first_cost[first]


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
