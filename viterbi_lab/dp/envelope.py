"""Bounds first: a few plain decodings, then a table over the cells that can still win, as compiled loops.

Let F(k) be the best score with cost k. Decoding g + λ·cost gives V(λ) = max_k F(k) + λk, hence for every k
the bound ``F(k) ≤ V(λ) - λk``, and a labelling, hence one point (k, F(k)) on the upper hull. An objective
φ_k(F(k)) that grows with F is bounded likewise. Slopes λ are chosen until no bound lies above the best
labelling found. Where F runs below its hull or labellings tie, the k that could still win are left; then a
forward pass visits only cells (m, v, k) from which some completion reaches the best value found.

Letters as in :mod:`viterbi_lab.dp.kernels`; φ_k(s) = (s + offset) + h(k), or (s + offset)·h(k) with h(k) ≥ 0.
"""

import numpy as np

from viterbi_lab.dp.compile import kernel
from viterbi_lab.dp.kernels import path_score
from viterbi_lab.dp.plain import backward_levels, best_path

ROUNDING = 2.0**-52

TYPICAL = 0.7
"""Best score of a random problem as a share of Σ_t max |g_t|."""


@kernel
def first_slope(h, times, size, offset):
    """λ near the optimum of a random problem: the mean h', times the objective over h(K)² where ⊙ is ·."""
    K = h.shape[0] - 1
    if K == 0:
        return 0.0
    slope = (h[K] - h[0]) / K
    if not times:
        return slope
    return max(0.0, TYPICAL * size + offset) * slope / h[K] if h[K] > 0 else 0.0


@kernel
def objective(score, h, times, offset):
    """φ_k(score)."""
    return (score + offset) * h if times else (score + offset) + h


@kernel
def needed_score(value, h, times, offset):
    """The score from which φ_k reaches ``value``, a little less to allow for rounding; h ≥ 0 if ``times``."""
    if not times:
        score = value - h - offset
    elif h > 0:
        score = value / h - offset
    else:
        return -np.inf if value <= 0 else np.inf
    return score - 8 * ROUNDING * (abs(value) + abs(h) + abs(offset) + abs(score))


@kernel
def level_slope(value, h, k, times, offset):
    """The λ at which scores falling by λ per k follow the curve φ_k(s) = value near k, or NaN."""
    low, high = max(0, k - 1), min(h.shape[0] - 1, k + 1)
    below = needed_score(value, h[low], times, offset)
    above = needed_score(value, h[high], times, offset)
    return (below - above) / (high - low) if high > low and abs(below) < np.inf > abs(above) else np.nan


@kernel
def labelling(leaving, last, window, N, labels):
    """Write the labelling of a path: the labels that left the state, then those in the last one."""
    M = leaving.shape[0]
    for m in range(M):
        labels[m] = leaving[m]
    for t in range(window):
        labels[M + t] = last % N
        last //= N


@kernel
def lower_bounds(upper, total, slope):
    """``upper[k] = min(upper[k], total - slope·k)``."""
    for k in range(upper.shape[0]):
        bound = total - slope * k
        if bound < upper[k]:
            upper[k] = bound


@kernel
def search_slopes(
    initial, first_cost, A, E, cost, h, allowed, times, offset, window, slope, tolerance, threshold,
    truth_score, truth, upper, other, V, P, leaving, found, labels, slopes, values,
):  # fmt: skip
    """Decode at one slope after another until no bound lies above the incumbent.

    ``allowed`` marks the k that take part. If ``truth_score`` > −inf, ``truth`` (T,) is the only labelling
    without cost, and the first incumbent. Nothing is sought at or below ``threshold``. ``upper`` (K+1,)
    receives the bound of F(k) over all labellings, ``other`` over all but the incumbent, ``labels`` (T,) the
    incumbent, ``slopes`` and ``values``, whose length limits the number of decodings, the pairs λ, V(λ).
    Returns (number of pairs, incumbent value, its k or −1).
    """
    K, N, most = h.shape[0] - 1, A.shape[1], slopes.shape[0]
    upper[:] = np.inf
    other[:] = np.inf
    best, best_k = threshold, -1
    settled = np.zeros(
        K + 1, np.bool_
    )  # F(k) lies on the hull, or on an edge of it where nothing more is found
    # what has been decoded, in order of the slope and so of k: the vertices that bracket every other k
    at_slope, at_k, at_score = np.empty(most + 1), np.empty(most + 1, np.int64), np.empty(most + 1)
    vertices = 0
    if truth_score > -np.inf:
        upper[0], other[0] = truth_score, -np.inf
        at_slope[0], at_k[0], at_score[0], vertices = -np.inf, 0, truth_score, 1
        settled[0] = True
        value = objective(truth_score, h[0], times, offset)
        if allowed[0] and value > best:
            best, best_k = value, 0
            labels[:] = truth
    left = right = -1
    chord = False
    under, under_residual, over, over_residual, side = -np.inf, 0.0, np.inf, 0.0, 0
    for used in range(most):
        last, total, lead, k = best_path(initial, first_cost, A, E, cost, slope, V, P, leaving)
        slopes[used], values[used] = slope, total
        if total == -np.inf:
            return used + 1, best, best_k
        score = total - slope * k
        value = objective(score, h[k], times, offset)
        lower_bounds(upper, total, slope)
        leads = False
        if allowed[k] and objective(score + tolerance, h[k], times, offset) >= best:
            labelling(leaving, last, window, N, found)
            score = path_score(initial, A, E, window, found)  # summed left to right, as the full table does
            value = objective(score, h[k], times, offset)
            if value > best or (value == best and k < best_k):
                best, best_k = value, k
                labels[:] = found
                other[:] = upper
                if truth_score > -np.inf and k > 0:
                    other[0] = truth_score
            leads = k == best_k and np.array_equal(found, labels)
        lower_bounds(other, total - lead if leads else total, slope)
        fresh = not settled[k]
        settled[k] = True
        if chord and total <= at_score[left] + slope * at_k[left] + tolerance:
            settled[at_k[left] : at_k[right] + 1] = True  # an edge of the hull: nothing lies above it
        at = vertices
        while at > 0 and at_slope[at - 1] > slope:
            at_slope[at], at_k[at], at_score[at] = at_slope[at - 1], at_k[at - 1], at_score[at - 1]
            at -= 1
        at_slope[at], at_k[at], at_score[at] = slope, k, score
        vertices += 1
        # the most promising k that is not settled
        top, target = -np.inf, -1
        for q in range(K + 1):
            if allowed[q] and not settled[q]:
                bound = objective(upper[q], h[q], times, offset)
                if bound > top:
                    top, target = bound, q
        if target < 0 or top <= best:
            return used + 1, best, best_k
        left, right = -1, -1
        for p in range(vertices):
            if at_k[p] < target:
                left = p
            elif right < 0:
                right = p
        # the optimum of a smooth hull has the slope of its own level curve: the root between what was tried
        curve = level_slope(max(0.0, value) if times else value, h, k, times, offset)
        residual = curve - slope
        if residual > 0 and slope > under:
            over_residual *= 0.5 if side > 0 else 1.0  # the end that stays put counts less and less
            under, under_residual, side = slope, residual, 1
        elif residual < 0 and slope < over:
            under_residual *= 0.5 if side < 0 else 1.0
            over, over_residual, side = slope, residual, -1
        if under > -np.inf and over < np.inf:
            curve = under + under_residual * (over - under) / (under_residual - over_residual)
        low = at_slope[left] if left >= 0 else -np.inf
        high = at_slope[right] if right >= 0 else np.inf
        chord = False
        if low < curve < high and (fresh or left < 0 or right < 0):
            slope = curve
        elif left >= 0 and right >= 0:
            chord = True
            slope = (at_score[left] - at_score[right]) / (at_k[right] - at_k[left])
        elif left >= 0:
            slope = max(2 * low, 0.0 if low == -np.inf else low + tolerance) + abs(total) / (K + 1)
        else:
            slope = min(2 * high, high - tolerance) - abs(total) / (K + 1)
    return most, best, best_k


@kernel
def sparse_pass(
    initial, first_cost, A, E, cost, h, candidates, times, offset, kmin, window, slope, needed, B,
    cell_v, cell_k, cell_L, cell_from, slot, labels,
):  # fmt: skip
    """Algorithm 1 over the cells from which a completion can reach ``needed`` in g + slope·cost.

    ``B`` (M+1, S) holds the best completions at this slope. ``candidates`` marks the k that may win. The
    ``cell_*`` arrays, one entry a cell, limit how many are kept; ``slot`` (S, K+1) comes filled with −1 and
    is left so. ``labels`` (T,) receives the optimum. Returns (cells kept, value, k): −1 cells where the
    arrays are full, k = −1 where nothing reaches ``needed``.
    """
    N, S = A.shape[1], A.shape[2]
    R = S // N
    M = cost.shape[0]
    A_step, E_step = 1 if A.shape[0] > 1 else 0, 1 if E.shape[0] > 1 else 0
    room = cell_v.shape[0]
    count = 0
    for v in range(S):
        if initial[v] + slope * first_cost[v] + B[0, v] >= needed and initial[v] > -np.inf:
            if count == room:
                return -1, 0.0, -1
            cell_v[count], cell_k[count], cell_L[count], cell_from[count] = v, first_cost[v], initial[v], -1
            count += 1
    start, stop = 0, count
    for m in range(M):
        a, e = m * A_step, m * E_step
        for c in range(start, stop):
            i, r = cell_v[c] % N, cell_v[c] // N
            for j in range(N):
                v, k = r + R * j, cell_k[c] + cost[m, j]
                candidate = cell_L[c] + (A[a, i, v] + E[e, j])
                if not candidate + slope * k + B[m + 1, v] >= needed or candidate == -np.inf:
                    continue
                held = slot[v, k]
                if held < 0:
                    if count == room:
                        for q in range(stop, count):
                            slot[cell_v[q], cell_k[q]] = -1
                        return -1, 0.0, -1
                    slot[v, k] = count
                    cell_v[count], cell_k[count], cell_L[count], cell_from[count] = v, k, candidate, c
                    count += 1
                elif candidate > cell_L[held] or (
                    candidate == cell_L[held] and i < cell_v[cell_from[held]] % N
                ):
                    cell_L[held], cell_from[held] = candidate, c
        for q in range(stop, count):
            slot[cell_v[q], cell_k[q]] = -1
        start, stop = stop, count
    best, best_k, winner = -np.inf, -1, -1
    for c in range(start, stop):
        k = cell_k[c]
        if k < kmin or not candidates[k]:
            continue
        value = objective(cell_L[c], h[k], times, offset)
        if (
            best_k < 0
            or value > best
            or (value == best and (k < best_k or (k == best_k and cell_v[c] < cell_v[winner])))
        ):
            best, best_k, winner = value, k, c
    if best_k >= 0:
        state = cell_v[winner]
        for t in range(window - 1, -1, -1):
            labels[M + t] = state // N**t
            state %= N**t
        c = winner
        for m in range(M - 1, -1, -1):
            c = cell_from[c]
            labels[m] = cell_v[c] % N
    return count, best, best_k


@kernel
def scratch_size(T, N, S, counts, room):
    """Numbers of scratch memory that :func:`bounded` needs to keep ``room`` cells."""
    return T * (S + 2 + N // 8 + 1) + 3 * counts + S * counts // 2 + 5 * room // 2 + 64


@kernel
def bounded(
    initial, first_cost, A, E, cost, h, allowed, times, offset, kmin, window, slope, threshold, truth, size,
    labels, slopes, values, candidates, room, scratch,
):  # fmt: skip
    """Search slopes; if that leaves candidates, make the sparse pass over at most ``room`` cells.

    ``truth`` (T,) is the only labelling without cost, or empty; ``size`` is Σ_t max |g_t|. ``candidates``
    (K+1,) receives the k that the bounds leave. Returns (how, decodings, value, k, cells): ``how`` is 0 if
    the bounds prove the incumbent, 1 if the pass found the optimum, 2 if nothing exceeds ``threshold``, −1 if
    undecided. ``scratch`` has :func:`scratch_size` numbers: memory that is new in every call costs more time
    than a decoding.
    """
    M, N, S, K = cost.shape[0], cost.shape[1], initial.shape[0], h.shape[0] - 1
    T = labels.shape[0]
    at = (M + 1) * S
    V = scratch[:at].reshape(M + 1, S)
    upper, other, cell_L = (
        scratch[at : at + K + 1],
        scratch[at + K + 1 : at + 2 * K + 2],
        scratch[at + 2 * K + 2 : at + 2 * K + 2 + room],
    )
    at += 2 * K + 2 + room
    leaving, found = scratch[at : at + M].view(np.int64), scratch[at + M : at + M + T].view(np.int64)
    at += M + T
    small = scratch[at : at + (3 * room + S * (K + 1) + 1) // 2].view(np.int32)
    cell_v, cell_k, cell_from = small[:room], small[room : 2 * room], small[2 * room : 3 * room]
    slot = small[3 * room : 3 * room + S * (K + 1)].reshape(S, K + 1)
    at += (3 * room + S * (K + 1) + 1) // 2
    P = scratch[at : at + (M * N + 7) // 8].view(np.uint8)
    truth_score = path_score(initial, A, E, window, truth) if truth.shape[0] > 0 else -np.inf
    tolerance = 8 * (labels.shape[0] + 4) * ROUNDING * (size + abs(slope) * K)
    used, best, best_k = search_slopes(
        initial, first_cost, A, E, cost, h, allowed, times, offset, window, slope, tolerance, threshold,
        truth_score, truth, upper, other, V, P, leaving, found, labels, slopes, values,
    )  # fmt: skip
    if values[used - 1] == -np.inf:  # nothing is feasible
        return -1, used, best, best_k, 0
    steepest = 0.0
    for p in range(used):
        steepest = max(steepest, abs(slopes[p]))
    tolerance = 8 * (labels.shape[0] + 4) * ROUNDING * (size + steepest * K)
    margin = 8 * ROUNDING * abs(best)
    left = 0
    for k in range(K + 1):
        candidates[k] = False
        if allowed[k] and other[k] > -np.inf:
            bound = objective(other[k] + tolerance, h[k], times, offset)
            candidates[k] = bound >= best - margin if k <= best_k or best_k < 0 else bound > best
            left += candidates[k]
    if best_k < 0 and threshold > -np.inf:
        exceeds = False
        for k in range(K + 1):
            exceeds = exceeds or (
                allowed[k] and objective(upper[k] + tolerance, h[k], times, offset) > threshold
            )
        if not exceeds:
            return 2, used, threshold, -1, 0
    if best_k < 0:
        return -1, used, best, best_k, 0
    if left == 0:
        return 0, used, best, best_k, 0
    # the truth is alone at k = 0: others need only be compared with it, which also serves h(0) = 0
    truth_leads = best_k == 0 and truth.shape[0] > 0
    if not truth_leads:
        candidates[best_k] = True
    # the slope at which the least lies between V and what is needed
    for k in range(K + 1):
        upper[k] = needed_score(best, h[k], times, offset) if candidates[k] else np.inf
    least, pass_slope, pass_needed = np.inf, 0.0, -np.inf
    for p in range(used):
        needed = np.inf
        for k in range(K + 1):
            needed = min(needed, upper[k] + slopes[p] * k)
        if values[p] - needed < least:
            least, pass_slope, pass_needed = values[p] - needed, slopes[p], needed
    if not pass_needed > -np.inf:
        return -1, used, best, best_k, 0
    pass_needed -= tolerance
    backward_levels(A, E, cost, pass_slope, V)
    slot[:] = -1
    cells, value, k = sparse_pass(
        initial, first_cost, A, E, cost, h, candidates, times, offset, kmin, window, pass_slope, pass_needed,
        V, cell_v, cell_k, cell_L, cell_from, slot, labels,
    )  # fmt: skip
    if cells >= 0 and truth_leads and (k < 0 or value <= best):
        labels[:] = truth
        return 1, used, best, 0, cells
    if cells < 0 or k < 0:
        return -1, used, best, best_k, 0
    return 1, used, value, k, cells
