"""The recursions of Bauer et al. 2014 as compiled loops: Theorem 1 and Algorithms 1 and 2.

Kernels trust their input: shapes, labels and scores are checked where a problem is built.

Letters: T sites, N labels, ℓ' labels in a state, S = N**ℓ' states numbered with the oldest label
fastest, R = N**(ℓ'-1). State ``v = r + R·j`` is entered with label j from the states ``i + N·r``, i = 0..N-1.
Level 0 lies after the first ℓ' sites; step m leads from level m to level m+1; there are M = T-ℓ' steps.
A step scores ``A[m, i, v] + E[m, j]`` and adds ``cost[m, j]`` to k; one row of A or E serves all steps
if there is only one. ``reach[m]`` is the largest k of level m. L is −inf where undefined.
"""

import numpy as np

from viterbi_lab.dp.compile import fused, kernel
from viterbi_lab.dp.layout import PAIRED_STATES, pair_room, tile_width
from viterbi_lab.dp.simd import LANES, tile


@fused
def undefined_below(cost, c, N, R, out, o0, X):
    """Cells of a step's target below the cost of their row are −inf."""
    for j in range(N):
        for k in range(cost[c + j]):
            for v in range(R * j, R * (j + 1)):
                out[o0 + v * X + k] = -np.inf


@fused
def advance(levels, before, after, W, n, A, a, E, e, cost, c, N, R, most):
    """One step of Theorem 1 from the cells k = 0..n-1 of the level at ``before`` to the one at ``after``."""
    undefined_below(cost, c, N, R, levels, after, W)
    whole = (n + LANES - 1) // LANES * LANES
    for low in range(0, whole, most):
        tile(
            levels, before + low, W, A, a, E, e, cost, c, N, R, levels, after + low, W, min(most, whole - low)
        )  # fmt: skip


@fused
def advance_twice(levels, before, after, W, n, A, a, a_step, E, e, e_step, cost, c, N, R, between, X):
    """Two steps of Theorem 1, tile by tile, so that the level between them stays in the first-level cache.

    A cell needs only cells of the same or a smaller k, so tiles in order of k can do both steps; what the
    first step shifts beyond a tile is carried to the next one. ``between`` is flat, row v at v·X with
    X = tile width + 2·LANES; costs of both steps are at most LANES; ``n`` cells are defined between them.
    """
    undefined_below(cost, c, N, R, between, 0, X)
    undefined_below(cost, c + N, N, R, levels, after, W)
    whole, most = (n + LANES - 1) // LANES * LANES, X - 2 * LANES
    for low in range(0, whole, most):
        width = min(most, whole - low)
        if low > 0:
            for v in range(N * R):
                for q in range(LANES):
                    between[v * X + q] = between[v * X + most + q]
        tile(levels, before + low, W, A, a, E, e, cost, c, N, R, between, 0, X, width)
        tile(
            between, 0, X, A, a + a_step, E, e + e_step, cost, c + N, N, R, levels, after + low, W, width
        )  # fmt: skip


@kernel
def forward(initial, first_cost, A, E, cost, reach, every, checkpoints, first_row, levels, between, W):
    """Algorithm 1 without back-pointers: the last level of L, keeping every ``every``-th one on the way.

    Level q·every is kept in ``checkpoints`` (flat), row v at ``first_row[q] + v·(reach+1)``.
    ``levels`` is flat (2·S·W,); half of it holds the last level in the end and is returned.
    ``between`` has room for :func:`pair_room` numbers.
    """
    N, S = A.shape[1], A.shape[2]
    R, before, after = S // N, 0, S * W
    levels[:] = -np.inf
    for v in range(S):
        levels[v * W + first_cost[v]] = initial[v]
    flat_A, flat_E, flat_cost = A.reshape(-1), E.reshape(-1), cost.reshape(-1)
    A_step, E_step = N * S if A.shape[0] > 1 else 0, N if E.shape[0] > 1 else 0
    X = tile_width(S) + 2 * LANES
    until_checkpoint, block, m, M = 0, 0, 0, cost.shape[0]
    while m < M:
        n = reach[m] + 1
        if until_checkpoint == 0:
            at = first_row[block]
            for v in range(S):
                for k in range(n):
                    checkpoints[at + k] = levels[before + v * W + k]
                at += n
            until_checkpoint, block = every, block + 1
        until_checkpoint -= 1
        a, e, c = m * A_step, m * E_step, m * N
        if (
            S <= PAIRED_STATES
            and until_checkpoint > 0
            and m + 1 < M
            and reach[m + 1] - reach[m] <= LANES
            and reach[m + 2] - reach[m + 1] <= LANES
        ):
            advance_twice(
                levels, before, after, W, reach[m + 1] + 1, flat_A, a, A_step, flat_E, e, E_step,
                flat_cost, c, N, R, between, X,
            )  # fmt: skip
            until_checkpoint -= 1
            m += 2
        else:
            advance(levels, before, after, W, n, flat_A, a, flat_E, e, flat_cost, c, N, R, X - 2 * LANES)
            m += 1
        before, after = after, before
    return levels[before : before + S * W]


@kernel
def retrace(A, E, cost, reach, every, checkpoints, first_row, band, W, state, k, labels):
    """Back-tracking of Algorithm 1: recompute the levels between checkpoints near the path, walk back.

    Step m writes the label that leaves the state to ``labels[m]``, the smallest one that attains L: the same
    sums in the same order give the same bits, so the maximum is met exactly. ``band`` is flat, ``every``
    levels of S·W with W for the largest cost of a block.
    """
    N, S = A.shape[1], A.shape[2]
    R, size, most = S // N, S * W, tile_width(S)
    M = cost.shape[0]
    flat_A, flat_E, flat_cost = A.reshape(-1), E.reshape(-1), cost.reshape(-1)
    A_step, E_step = N * S if A.shape[0] > 1 else 0, N if E.shape[0] > 1 else 0
    for block in range((M - 1) // every, -1, -1):
        bottom = block * every
        top = min(bottom + every, M)
        low = max(0, k - (reach[top] - reach[bottom]))
        n = k - low + 1
        width, kept = reach[bottom] + 1, first_row[block]
        if top - bottom > 1:
            inside = min(n, width - low)
            for v in range(S):
                at, start = v * W, kept + v * width + low
                for q in range(inside):
                    band[at + q] = checkpoints[start + q]
                for q in range(max(0, inside), min(W, n + LANES)):
                    band[at + q] = -np.inf
        for m in range(bottom, top - 1):
            before = (m - bottom) * size
            advance(
                band, before, before + size, W, n, flat_A, m * A_step, flat_E, m * E_step, flat_cost, m * N,
                N, R, most,
            )  # fmt: skip
        for m in range(top - 1, bottom - 1, -1):
            j, r = (state, 0) if R == 1 else (state // R, state % R)
            k -= flat_cost[m * N + j]
            best, label = -np.inf, 0
            emission = flat_E[m * E_step + j]
            for i in range(N):
                score = flat_A[m * A_step + i * S + state] + emission
                u = i + N * r
                if m == bottom:
                    before = checkpoints[kept + u * width + k] if k < width else -np.inf
                else:
                    before = band[(m - bottom) * size + u * W + k - low]
                candidate = before + score
                label = i if candidate > best else label  # strict: the smallest predecessor keeps a tie
                best = candidate if candidate > best else best
            labels[m] = label
            state = label + N * r


@kernel
def forward_all(initial, first_cost, A, E, cost, reach, levels, W):
    """Algorithm 1 with every level kept: level m at ``levels[m·S·W]``. Returns the last one."""
    N, S = A.shape[1], A.shape[2]
    R, M, size, most = S // N, cost.shape[0], S * W, tile_width(S)
    levels[:size] = -np.inf
    for v in range(S):
        levels[v * W + first_cost[v]] = initial[v]
    flat_A, flat_E, flat_cost = A.reshape(-1), E.reshape(-1), cost.reshape(-1)
    A_step, E_step = N * S if A.shape[0] > 1 else 0, N if E.shape[0] > 1 else 0
    for m in range(M):
        c, after = m * N, (m + 1) * size
        advance(
            levels, m * size, after, W, reach[m] + 1, flat_A, m * A_step, flat_E, m * E_step, flat_cost, c,
            N, R, most,
        )  # fmt: skip
        written = (reach[m] + LANES) // LANES * LANES
        read = (reach[m + 1] + LANES) // LANES * LANES
        if read > written:  # cells which the next step reads beyond those of this one
            for j in range(N):
                for v in range(R * j, R * (j + 1)):
                    for k in range(written + flat_cost[c + j], read):
                        levels[after + v * W + k] = -np.inf
    return levels[M * size :]


@kernel
def retrace_all(A, E, cost, levels, W, state, k, labels):
    """Back-tracking over the levels of :func:`forward_all`; ``labels`` as in :func:`retrace`."""
    N, S = A.shape[1], A.shape[2]
    R, size = S // N, S * W
    A_step, E_step = 1 if A.shape[0] > 1 else 0, 1 if E.shape[0] > 1 else 0
    for m in range(cost.shape[0] - 1, -1, -1):
        j, r = (state, 0) if R == 1 else (state // R, state % R)
        k -= cost[m, j]
        best, label = -np.inf, 0
        for i in range(N):
            before = levels[m * size + (i + N * r) * W + k]
            candidate = before + (A[m * A_step, i, state] + E[m * E_step, j])
            label = i if candidate > best else label  # strict: the smallest predecessor keeps a tie
            best = candidate if candidate > best else best
        labels[m] = label
        state = label + N * r


@kernel
def best_cell(L, L_min, W, h, times, offset, kmin):
    """The last maximum of Algorithm 1: ``(L + offset) ⊙ h(k)`` over k ≥ kmin, then over states.

    Where ⊙ is · and h(k) < 0 the smallest sum wins; ``L_min`` holds the maxima of the negated scores,
    so that sum is ``-L_min``. An undefined cell is skipped before it is multiplied: −inf·0 is no number.
    Returns (found, value, k, state).
    """
    found, best, best_k, best_state = False, -np.inf, 0, 0
    for k in range(kmin, h.shape[0]):
        negative = times and h[k] < 0
        for v in range(L.shape[0] // W):
            cell = L_min[v * W + k] if negative else L[v * W + k]
            if cell == -np.inf:
                continue
            total = (-cell if negative else cell) + offset
            value = total * h[k] if times else total + h[k]
            if not found or value > best:
                found, best, best_k, best_state = True, value, k, v
    return found, best, best_k, best_state


@kernel
def algorithm_1(
    initial, first_cost, A, E, cost, reach, h, times, offset, kmin, negated, initial_min, A_min, E_min,
    every, first_row, W, band_width, work, labels,
):  # fmt: skip
    """Algorithm 1 as one call: fill L (and, where ``negated``, the table of minima), choose, walk back.

    ``work`` is the whole memory it uses; ``labels`` (M,) receives the labels that leave the state.
    Returns (found, value, k, last state).
    """
    S = initial.shape[0]
    if every == 1:
        used = (cost.shape[0] + 1) * S * W
        L = forward_all(initial, first_cost, A, E, cost, reach, work[:used], W)
        L_min = L
        if negated:
            L_min = forward_all(
                initial_min, first_cost, A_min, E_min, cost, reach, work[used : 2 * used], W
            )  # fmt: skip
        found, value, k, last = best_cell(L, L_min, W, h, times, offset, kmin)
        if found:
            minimum = negated and times and h[k] < 0
            retrace_all(
                A_min if minimum else A, E_min if minimum else E, cost,
                work[used : 2 * used] if minimum else work[:used], W, last, k, labels,
            )  # fmt: skip
        return found, value, k, last
    row = S * W
    levels = 2 * row + pair_room(S)  # two levels and the tile between them, at cache lines; then checkpoints
    used = levels + first_row[-1]
    L = forward(
        initial, first_cost, A, E, cost, reach, every, work[levels:used], first_row,
        work[: 2 * row], work[2 * row : levels], W,
    )  # fmt: skip
    L_min = L
    if negated:
        own = work[used : 2 * used]
        L_min = forward(
            initial_min, first_cost, A_min, E_min, cost, reach, every, own[levels:], first_row,
            own[: 2 * row], own[2 * row : levels], W,
        )  # fmt: skip
    found, value, k, last = best_cell(L, L_min, W, h, times, offset, kmin)
    if found and cost.shape[0] > 0:
        minimum = negated and times and h[k] < 0
        checkpoints = work[used + levels : 2 * used] if minimum else work[levels:used]
        start = used * (2 if negated else 1)
        band = work[start : start + every * S * band_width]
        retrace(
            A_min if minimum else A, E_min if minimum else E, cost, reach, every, checkpoints, first_row,
            band, band_width, last, k, labels,
        )  # fmt: skip
    return found, value, k, last


@kernel
def path_score(initial, A, E, window, y):
    """Σ_t g_t of a labelling (T,), left to right; ``window`` is ℓ'."""
    N, S = A.shape[1], A.shape[2]
    R = S // N
    state = 0
    for t in range(window - 1, -1, -1):
        state = state * N + y[t]
    total = initial[state]
    A_step, E_step = 1 if A.shape[0] > 1 else 0, 1 if E.shape[0] > 1 else 0
    for m in range(y.shape[0] - window):
        oldest, j = y[m], y[window + m]
        state = j if R == 1 else state // N + R * j
        total += A[m * A_step, oldest, state] + E[m * E_step, j]
    return total


@kernel
def path_cost(cost, y):
    """Σ_t cost[t, y_t] of a labelling (T,)."""
    k = 0
    for t in range(y.shape[0]):
        k += cost[t, y[t]]
    return k


@kernel
def magnitude(initial, A, E, M):
    """Σ_t max |g_t| over what is not forbidden."""
    total = largest = 0.0
    for v in range(initial.shape[0]):
        if initial[v] > -np.inf:
            largest = max(largest, abs(initial[v]))
    total += largest
    for part in (A.reshape(A.shape[0], -1), E):
        for m in range(part.shape[0]):
            largest = 0.0
            for q in range(part.shape[1]):
                x = abs(part[m, q])
                if largest < x < np.inf:
                    largest = x
            total += largest * (M if part.shape[0] == 1 else 1)
    return total
