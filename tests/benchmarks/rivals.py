"""Other ways to the same numbers: what the engine is timed against."""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic


@njit
def naive_algorithm_1(g0, g, y, h, times):
    """Algorithm 1 as printed in the paper: two cases, back-pointers, one table of all L; order 1."""
    T, N = g.shape[0] + 1, g0.shape[0]
    L = np.full((T, T + 1, N), -np.inf)
    S = np.zeros((T, T + 1, N), np.int8)
    for j in range(N):
        L[0, 1 if j != y[0] else 0, j] = g0[j]
    for t in range(1, T):
        for k in range(t + 2):
            for j in range(N):
                for i in range(N):
                    if j != y[t]:
                        if k > 0 and L[t - 1, k - 1, i] + g[t - 1, i, j] > L[t, k, j]:
                            L[t, k, j] = L[t - 1, k - 1, i] + g[t - 1, i, j]
                            S[t, k, j] = i
                    elif L[t - 1, k, i] + g[t - 1, i, j] > L[t, k, j]:
                        L[t, k, j] = L[t - 1, k, i] + g[t - 1, i, j]
                        S[t, k, j] = i
    best, best_k, best_j = -np.inf, 0, 0
    for k in range(T + 1):
        for j in range(N):
            if L[T - 1, k, j] > -np.inf:
                value = L[T - 1, k, j] * h[k] if times else L[T - 1, k, j] + h[k]
                if value > best:
                    best, best_k, best_j = value, k, j
    labels = np.empty(T, np.int64)
    labels[T - 1] = best_j
    k = best_k
    for t in range(T - 1, 0, -1):
        labels[t - 1] = S[t, k, labels[t]]
        k -= labels[t] != y[t]
    return best, labels


def numpy_algorithm_1(g0, g, y, h, times):
    """Algorithm 1 with NumPy, vectorised over k and both labels; back-pointers."""
    T, N = g.shape[0] + 1, g0.shape[0]
    L = np.full((N, T + 1), -np.inf)
    L[np.arange(N), (np.arange(N) != y[0]).astype(int)] = g0
    pointers = np.empty((T, N, T + 1), np.int8)
    for t in range(1, T):
        candidates = L[:, None, :] + g[t - 1][:, :, None]
        pointer = candidates.argmax(axis=0)
        best = candidates.max(axis=0)
        wrong = np.arange(N) != y[t]
        best[wrong, 1:], pointer[wrong, 1:] = best[wrong, :-1], pointer[wrong, :-1]
        best[wrong, 0] = -np.inf
        L, pointers[t] = best, pointer
    with np.errstate(invalid="ignore"):
        values = np.where(-np.inf < L, L * h if times else L + h, -np.inf)
    k = int(values.max(axis=0).argmax())
    labels = np.empty(T, np.int64)
    labels[-1] = values[:, k].argmax()
    best = values.max()
    for t in range(T - 1, 0, -1):
        labels[t - 1] = pointers[t, labels[t], k]
        k -= int(labels[t] != y[t])
    return best, labels


def exhaustive(g0, g, y, h, times):
    """All N**T labellings in plain Python."""
    import itertools

    best = -np.inf
    for labels in itertools.product(range(g0.shape[0]), repeat=g.shape[0] + 1):
        total = g0[labels[0]]
        for t in range(1, len(labels)):
            total += g[t - 1, labels[t - 1], labels[t]]
        k = sum(a != b for a, b in zip(labels, y, strict=True))
        best = max(best, total * h[k] if times else total + h[k])
    return best


def numpy_viterbi(emissions, transitions):
    """Plain decoding with NumPy, vectorised over pairs of labels."""
    T, N = emissions.shape
    pointers = np.empty((T, N), np.int64)
    V = emissions[0]
    for t in range(1, T):
        candidates = V[:, None] + transitions
        pointers[t] = candidates.argmax(axis=0)
        V = candidates.max(axis=0) + emissions[t]
    labels = np.empty(T, np.int64)
    labels[-1] = V.argmax()
    for t in range(T - 1, 0, -1):
        labels[t - 1] = pointers[t, labels[t]]
    return V.max(), labels


LANES, CHAINS = 8, 16


@intrinsic
def _add_and_maximum(typingctx, data, repeats):
    """``repeats`` rounds of one addition and one maximum on 16 independent vectors in registers."""
    signature = types.float64(data, types.intp)

    def generate(context, builder, signature, args):
        number, integer, lane = ir.DoubleType(), ir.IntType(64), ir.IntType(32)
        vector = ir.VectorType(number, LANES)
        base = context.make_array(signature.args[0])(context, builder, args[0]).data

        def load(offset):
            pointer = builder.gep(base, [ir.Constant(integer, offset)])
            loaded = builder.load(builder.bitcast(pointer, vector.as_pointer()))
            loaded.align = 8
            return loaded

        step = load(0)
        cells = [cgutils.alloca_once_value(builder, load(LANES * (1 + c))) for c in range(CHAINS)]
        floors = [load(LANES * (1 + c)) for c in range(2)]
        with cgutils.for_range(builder, args[1]):
            for c, cell in enumerate(cells):
                moved = builder.fadd(builder.load(cell), step)
                higher = builder.fcmp_ordered(">", moved, floors[c % 2])
                builder.store(builder.select(higher, moved, floors[c % 2]), cell)
        total = builder.load(cells[0])
        for cell in cells[1:]:
            total = builder.fadd(total, builder.load(cell))
        return builder.extract_element(total, ir.Constant(lane, 0))

    return signature, generate


@njit
def ceiling_rounds(data, repeats):
    """The core's ceiling: LANES·CHAINS edges (one addition, one maximum) a round, nothing from memory."""
    return _add_and_maximum(data, repeats)


EDGES_PER_ROUND = LANES * CHAINS
