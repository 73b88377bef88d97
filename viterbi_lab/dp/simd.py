"""The inner block of Theorem 1 with explicit vectors, and its twin with ordinary indexing.

Why by hand: the block does one addition and one maximum for each edge and k. On one core of an AVX-512
machine (T=2000, N=4, one maximum for the two cases of the theorem) plain loops reach 3 billion edges per
second, plain loops unrolled over four predecessors 17, this module 29; the addition and maximum units end
at about 33. It keeps four predecessors and two successors in registers, so that one load serves two edges
and one store four. The vectors are eight doubles of portable LLVM code; narrower machines get two or four
instructions for each. Long rows are worked through in tiles that stay in the first-level cache, two steps
at once where their tiles fit (N=32: 22 without tiles, 29 with them).

Rows are read in whole vectors. Whoever calls keeps rows eight entries wider than what they hold, with
−inf behind the last reachable k (uninitialised is enough where only smaller k are used later).
"""

import os

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.extending import intrinsic

from viterbi_lab.dp.compile import fused, kernel

LANES = 8
TILE_NUMBERS = 2048
"""Numbers of a tile, all rows together: 16 kB, so that two tiles stay in a first-level cache of 32 kB."""

PLAIN = bool(config.DISABLE_JIT) or os.environ.get("VITERBI_LAB_PLAIN_LOOPS") == "1"
"""True where the twin runs: interpreted, or asked for by the environment to run with bounds checks."""


def _relax(predecessors: int, successors: int, fresh: bool):
    """``out_q[k] = max_p src_p[k] + (A[a_q + p·a_stride] + e_q)`` for k = 0..n-1 in steps of LANES.

    With ``fresh`` the old content of ``out`` is ignored, else it takes part in the maximum.
    """

    @intrinsic
    def relax(typingctx, out, o0, o1, src, i0, width, A, a0, a1, a_stride, e0, e1, n):
        index = types.intp
        signature = types.void(
            out, index, index, src, index, index, A, index, index, index, types.float64, types.float64, index
        )

        def generate(context, builder, signature, args):
            out, o0, o1, src, i0, width, A, a0, a1, a_stride, e0, e1, n = args
            number, integer, lane = ir.DoubleType(), ir.IntType(64), ir.IntType(32)
            vector = ir.VectorType(number, LANES)
            undefined = ir.Constant(vector, ir.Undefined)

            def data(position, value):
                return context.make_array(signature.args[position])(context, builder, value).data

            def constant(value):
                return ir.Constant(integer, value)

            def splat(value):
                first = builder.insert_element(undefined, value, ir.Constant(lane, 0))
                return builder.shuffle_vector(
                    first, undefined, ir.Constant(ir.VectorType(lane, LANES), [0] * LANES)
                )

            def at(base, offset):
                return builder.bitcast(builder.gep(base, [offset]), vector.as_pointer())

            def load(base, offset):
                loaded = builder.load(at(base, offset))
                loaded.align = 8
                return loaded

            def larger(left, right):  # the form that becomes one maximum instruction
                return builder.select(builder.fcmp_ordered(">", left, right), left, right)

            out_data, src_data, A_data = data(0, out), data(3, src), data(6, A)
            scores = [
                [
                    splat(
                        builder.fadd(
                            builder.load(
                                builder.gep(A_data, [builder.add(a, builder.mul(a_stride, constant(p)))])
                            ),
                            e,
                        )
                    )
                    for p in range(predecessors)
                ]
                for a, e in ((a0, e0), (a1, e1))[:successors]
            ]
            rows = [builder.add(i0, builder.mul(width, constant(p))) for p in range(predecessors)]
            with cgutils.for_range_slice(builder, constant(0), n, constant(LANES), intp=integer) as (k, _):
                loaded = [load(src_data, builder.add(row, k)) for row in rows]
                results = []
                for o, row_scores in zip((o0, o1), scores, strict=False):
                    target = builder.add(o, k)
                    best = [builder.fadd(x, score) for x, score in zip(loaded, row_scores, strict=True)]
                    if not fresh:
                        best.append(load(out_data, target))
                    while len(best) > 1:
                        pairs = [larger(*best[p : p + 2]) for p in range(0, len(best) - 1, 2)]
                        best = pairs + best[len(pairs) * 2 :]
                    results.append((target, best[0]))
                for target, best in results:
                    builder.store(best, at(out_data, target)).align = 8
            return context.get_dummy_value()

        return signature, generate

    return relax


fresh_1x1, fresh_2x1, fresh_3x1, fresh_4x1 = (_relax(p, 1, True) for p in (1, 2, 3, 4))
fresh_1x2, fresh_2x2, fresh_3x2, fresh_4x2 = (_relax(p, 2, True) for p in (1, 2, 3, 4))
more_1x1, more_2x1, more_3x1, more_4x1 = (_relax(p, 1, False) for p in (1, 2, 3, 4))
more_1x2, more_2x2, more_3x2, more_4x2 = (_relax(p, 2, False) for p in (1, 2, 3, 4))


@fused
def _two_rows(src, i0, W, A, a, b, stride, e, f, out, o, q, N, n):
    """Two successors from all N predecessors: scores at ``A[a + i·stride]`` and ``A[b + i·stride]``."""
    if N == 1:
        fresh_1x2(out, o, q, src, i0, W, A, a, b, stride, e, f, n)
        return
    if N == 2:
        fresh_2x2(out, o, q, src, i0, W, A, a, b, stride, e, f, n)
        return
    if N == 3:
        fresh_3x2(out, o, q, src, i0, W, A, a, b, stride, e, f, n)
        return
    fresh_4x2(out, o, q, src, i0, W, A, a, b, stride, e, f, n)
    i = 4
    while i + 4 <= N:
        more_4x2(out, o, q, src, i0 + i * W, W, A, a + i * stride, b + i * stride, stride, e, f, n)
        i += 4
    if N - i == 3:
        more_3x2(out, o, q, src, i0 + i * W, W, A, a + i * stride, b + i * stride, stride, e, f, n)
    elif N - i == 2:
        more_2x2(out, o, q, src, i0 + i * W, W, A, a + i * stride, b + i * stride, stride, e, f, n)
    elif N - i == 1:
        more_1x2(out, o, q, src, i0 + i * W, W, A, a + i * stride, b + i * stride, stride, e, f, n)


@fused
def _one_row(src, i0, W, A, a, stride, e, out, o, N, n):
    """One successor from all N predecessors."""
    if N == 1:
        fresh_1x1(out, o, o, src, i0, W, A, a, a, stride, e, e, n)
        return
    if N == 2:
        fresh_2x1(out, o, o, src, i0, W, A, a, a, stride, e, e, n)
        return
    if N == 3:
        fresh_3x1(out, o, o, src, i0, W, A, a, a, stride, e, e, n)
        return
    fresh_4x1(out, o, o, src, i0, W, A, a, a, stride, e, e, n)
    i = 4
    while i + 4 <= N:
        more_4x1(out, o, o, src, i0 + i * W, W, A, a + i * stride, a + i * stride, stride, e, e, n)
        i += 4
    if N - i == 3:
        more_3x1(out, o, o, src, i0 + i * W, W, A, a + i * stride, a + i * stride, stride, e, e, n)
    elif N - i == 2:
        more_2x1(out, o, o, src, i0 + i * W, W, A, a + i * stride, a + i * stride, stride, e, e, n)
    elif N - i == 1:
        more_1x1(out, o, o, src, i0 + i * W, W, A, a + i * stride, a + i * stride, stride, e, e, n)


@fused
def _tile_in_vectors(L, l0, W, A, a, E, e, cost, c, N, R, out, o0, X, n):
    S = N * R
    for r in range(R):
        source = l0 + N * r * W
        j = 0
        while j + 1 < N:
            v = r + R * j
            o = o0 + v * X + cost[c + j]
            q = o0 + (v + R) * X + cost[c + j + 1]
            _two_rows(L, source, W, A, a + v, a + v + R, S, E[e + j], E[e + j + 1], out, o, q, N, n)
            j += 2
        if j < N:
            v = r + R * j
            _one_row(L, source, W, A, a + v, S, E[e + j], out, o0 + v * X + cost[c + j], N, n)


@kernel
def _tile_in_plain_loops(L, l0, W, A, a, E, e, cost, c, N, R, out, o0, X, n):
    S = N * R
    for v in range(S):
        j, r = v // R, v % R
        o = o0 + v * X + cost[c + j]
        for k in range(n):
            best = -np.inf
            for i in range(N):
                candidate = L[l0 + (i + N * r) * W + k] + (A[a + i * S + v] + E[e + j])
                best = candidate if candidate > best else best
            out[o + k] = best


tile = _tile_in_plain_loops if PLAIN else _tile_in_vectors
"""``tile(L, l0, W, A, a, E, e, cost, c, N, R, out, o0, X, n)``: n entries of k (whole vectors) of one step.

``out[v, k + cost_j] = max_i L[i + N·r, k] + A[i, v] + E[j]`` for all states v = r + R·j: the two cases of the
theorem (label right or wrong) differ only in the cost of the step. Row u of ``L`` starts at ``l0 + u·W``, row
v of ``out`` at ``o0 + v·X``. The step's scores start at ``A[a]`` and ``E[e]``, its costs at ``cost[c]``; all
arrays are flat.
"""


MOST_LANES = 8
"""Up to so many labels, plain decoding keeps a level in one vector."""


def _pointed(n: int, penalised: bool):
    """Algorithm 2 for order 1 and n labels, a level in a vector of n numbers, with back-pointers."""

    @intrinsic
    def levels(typingctx, V, P, A, a_step, E, e_step, cost, slope, M):
        signature = types.void(V, P, A, types.intp, E, types.intp, cost, types.float64, types.intp)

        def generate(context, builder, signature, args):
            V, P, A, a_step, E, e_step, cost, slope, M = args
            number, integer, byte, lane = ir.DoubleType(), ir.IntType(64), ir.IntType(8), ir.IntType(32)
            vector, whole, bytes_ = (ir.VectorType(kind, n) for kind in (number, integer, byte))
            undefined = ir.Constant(vector, ir.Undefined)

            def data(position, value):
                return context.make_array(signature.args[position])(context, builder, value).data

            def constant(value):
                return ir.Constant(integer, value)

            def at(base, offset, kind):
                return builder.bitcast(builder.gep(base, [offset]), kind.as_pointer())

            def load(base, offset, kind=vector):
                loaded = builder.load(at(base, offset, kind))
                loaded.align = 8
                return loaded

            def spread(value, i):
                indices = ir.Constant(ir.VectorType(lane, n), [i] * n)
                return builder.shuffle_vector(value, undefined, indices)

            V_data, P_data, A_data = data(0, V), data(1, P), data(2, A)
            E_data, cost_data = data(4, E), data(6, cost)
            weight = spread(builder.insert_element(undefined, slope, ir.Constant(lane, 0)), 0)
            level = builder.alloca(vector)
            builder.store(load(V_data, constant(0)), level)
            with cgutils.for_range(builder, M, intp=integer) as loop:
                m = loop.index
                row = builder.mul(m, constant(n))
                own = load(E_data, builder.mul(m, e_step))
                if penalised:
                    counts = builder.sitofp(load(cost_data, row, whole), vector)
                    own = builder.fadd(own, builder.fmul(weight, counts))
                a, before = builder.mul(m, a_step), builder.load(level)
                rivals = []
                for i in range(n):
                    score = builder.fadd(load(A_data, builder.add(a, constant(i * n))), own)
                    rivals.append((builder.fadd(spread(before, i), score), ir.Constant(whole, [i] * n)))
                while len(rivals) > 1:  # neighbours meet; the left one, with the smaller label, keeps a tie
                    winners = []
                    for (left, i), (right, j) in zip(rivals[::2], rivals[1::2], strict=False):
                        better = builder.fcmp_ordered(">", right, left)
                        winners.append((builder.select(better, right, left), builder.select(better, j, i)))
                    rivals = winners + rivals[2 * len(winners) :]
                best, label = rivals[0]
                builder.store(best, level)
                after = builder.add(row, constant(n))
                builder.store(best, at(V_data, after, vector)).align = 8
                builder.store(builder.trunc(label, bytes_), at(P_data, row, bytes_)).align = 1
            return context.get_dummy_value()

        return signature, generate

    return levels


pointed_2, pointed_3, pointed_4, pointed_5, pointed_6, pointed_7, pointed_8 = (
    _pointed(n, True) for n in range(2, 9)
)
free_2, free_3, free_4, free_5, free_6, free_7, free_8 = (_pointed(n, False) for n in range(2, 9))


@kernel
def _levels_in_vectors(V, P, A, a_step, E, e_step, cost, slope, M, N):
    if cost.shape[0] == 0:
        if N == 2:
            free_2(V, P, A, a_step, E, e_step, cost, slope, M)
        elif N == 3:
            free_3(V, P, A, a_step, E, e_step, cost, slope, M)
        elif N == 4:
            free_4(V, P, A, a_step, E, e_step, cost, slope, M)
        elif N == 5:
            free_5(V, P, A, a_step, E, e_step, cost, slope, M)
        elif N == 6:
            free_6(V, P, A, a_step, E, e_step, cost, slope, M)
        elif N == 7:
            free_7(V, P, A, a_step, E, e_step, cost, slope, M)
        else:
            free_8(V, P, A, a_step, E, e_step, cost, slope, M)
    elif N == 2:
        pointed_2(V, P, A, a_step, E, e_step, cost, slope, M)
    elif N == 3:
        pointed_3(V, P, A, a_step, E, e_step, cost, slope, M)
    elif N == 4:
        pointed_4(V, P, A, a_step, E, e_step, cost, slope, M)
    elif N == 5:
        pointed_5(V, P, A, a_step, E, e_step, cost, slope, M)
    elif N == 6:
        pointed_6(V, P, A, a_step, E, e_step, cost, slope, M)
    elif N == 7:
        pointed_7(V, P, A, a_step, E, e_step, cost, slope, M)
    else:
        pointed_8(V, P, A, a_step, E, e_step, cost, slope, M)


@kernel
def _levels_in_plain_loops(V, P, A, a_step, E, e_step, cost, slope, M, N):
    for m in range(M):
        for j in range(N):
            own = E[m * e_step + j]
            if cost.shape[0] > 0:
                own += slope * cost[m * N + j]
            best, label = V[m * N] + (A[m * a_step + j] + own), 0
            for i in range(1, N):
                candidate = V[m * N + i] + (A[m * a_step + i * N + j] + own)
                label = i if candidate > best else label
                best = candidate if candidate > best else best
            V[(m + 1) * N + j], P[m * N + j] = best, label


levels_with_pointers = _levels_in_plain_loops if PLAIN else _levels_in_vectors
"""``levels_with_pointers(V, P, A, a_step, E, e_step, cost, slope, M, N)``: Algorithm 2 on g + slope·cost.

For order 1 and 2 ≤ N ≤ MOST_LANES labels. ``V[0..N-1]`` is level 0; the others are filled, N numbers each,
and ``P[m·N + j]`` (bytes) with the smallest label from which step m best enters j. Without any ``cost`` it is
g alone. At N=4 a site takes 3 ns, with plain loops and without pointers 7. All arrays are flat; step m's
scores start at ``A[m·a_step]`` and ``E[m·e_step]``.
"""
