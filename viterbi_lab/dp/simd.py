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


NUMBER, INTEGER, BYTE, LANE = ir.DoubleType(), ir.IntType(64), ir.IntType(8), ir.IntType(32)


class _Vectors:
    """Writes the machine code of one intrinsic: vectors of ``width`` numbers over flat arrays of doubles."""

    def __init__(self, context, builder, signature, args, width: int) -> None:
        self.builder, self.width = builder, width
        self.kind = ir.VectorType(NUMBER, width)
        self._context, self._types, self._args = context, signature.args, args

    def data(self, position: int):
        """Address of the first number of the array that is the argument at this position."""
        return self._context.make_array(self._types[position])(
            self._context, self.builder, self._args[position]
        ).data

    def number(self, base, offset):
        """One number."""
        return self.builder.load(self.builder.gep(base, [offset]))

    def at(self, base, offset, kind=None):
        """Address of a vector that may begin at any number."""
        return self.builder.bitcast(self.builder.gep(base, [offset]), (kind or self.kind).as_pointer())

    def load(self, base, offset, kind=None):
        loaded = self.builder.load(self.at(base, offset, kind))
        loaded.align = 8
        return loaded

    def store(self, vector, base, offset) -> None:
        self.builder.store(vector, self.at(base, offset)).align = 8

    def splat(self, value):
        """A number in every lane."""
        undefined = ir.Constant(self.kind, ir.Undefined)
        return self.spread(self.builder.insert_element(undefined, value, ir.Constant(LANE, 0)), 0)

    def spread(self, vector, i: int):
        """Lane i in every lane."""
        lanes = ir.Constant(ir.VectorType(LANE, self.width), [i] * self.width)
        return self.builder.shuffle_vector(vector, ir.Constant(self.kind, ir.Undefined), lanes)

    def larger(self, left, right):
        """The larger one in each lane, in the form that becomes one instruction."""
        return self.builder.select(self.builder.fcmp_ordered(">", left, right), left, right)


def _constant(value: int):
    return ir.Constant(INTEGER, value)


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
            _, o0, o1, _, i0, width, _, a0, a1, a_stride, e0, e1, n = args
            write = _Vectors(context, builder, signature, args, LANES)
            out, src, A = write.data(0), write.data(3), write.data(6)

            def step(a, p):
                return builder.add(a, builder.mul(a_stride, _constant(p)))

            scores = [
                [write.splat(builder.fadd(write.number(A, step(a, p)), e)) for p in range(predecessors)]
                for a, e in ((a0, e0), (a1, e1))[:successors]
            ]
            rows = [builder.add(i0, builder.mul(width, _constant(p))) for p in range(predecessors)]
            with cgutils.for_range_slice(builder, _constant(0), n, _constant(LANES), intp=INTEGER) as (k, _):
                loaded = [write.load(src, builder.add(row, k)) for row in rows]
                results = []
                for o, row_scores in zip((o0, o1), scores, strict=False):
                    target = builder.add(o, k)
                    best = [builder.fadd(x, score) for x, score in zip(loaded, row_scores, strict=True)]
                    if not fresh:
                        best.append(write.load(out, target))
                    while len(best) > 1:
                        pairs = [write.larger(*best[p : p + 2]) for p in range(0, len(best) - 1, 2)]
                        best = pairs + best[len(pairs) * 2 :]
                    results.append((target, best[0]))
                for target, best in results:
                    write.store(best, out, target)
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
            _, _, _, a_step, _, e_step, _, slope, M = args
            write = _Vectors(context, builder, signature, args, n)
            whole, bytes_ = ir.VectorType(INTEGER, n), ir.VectorType(BYTE, n)
            V, P, A, E, cost = (write.data(position) for position in (0, 1, 2, 4, 6))
            weight = write.splat(slope)
            level = builder.alloca(write.kind)
            builder.store(write.load(V, _constant(0)), level)
            with cgutils.for_range(builder, M, intp=INTEGER) as loop:
                row = builder.mul(loop.index, _constant(n))
                own = write.load(E, builder.mul(loop.index, e_step))
                if penalised:
                    counts = builder.sitofp(write.load(cost, row, whole), write.kind)
                    own = builder.fadd(own, builder.fmul(weight, counts))
                a, before = builder.mul(loop.index, a_step), builder.load(level)
                rivals = []
                for i in range(n):
                    score = builder.fadd(write.load(A, builder.add(a, _constant(i * n))), own)
                    rivals.append((builder.fadd(write.spread(before, i), score), ir.Constant(whole, [i] * n)))
                while len(rivals) > 1:  # neighbours meet; the left one, with the smaller label, keeps a tie
                    winners = []
                    for (left, i), (right, j) in zip(rivals[::2], rivals[1::2], strict=False):
                        better = builder.fcmp_ordered(">", right, left)
                        winners.append((builder.select(better, right, left), builder.select(better, j, i)))
                    rivals = winners + rivals[2 * len(winners) :]
                best, label = rivals[0]
                builder.store(best, level)
                write.store(best, V, builder.add(row, _constant(n)))
                builder.store(builder.trunc(label, bytes_), write.at(P, row, bytes_)).align = 1
            return context.get_dummy_value()

        return signature, generate

    return levels


def _for_each_n(penalised: bool):
    """One function for all numbers of labels that have vectors of their own."""
    two, three, four, five, six, seven, eight = (_pointed(n, penalised) for n in range(2, MOST_LANES + 1))

    @fused
    def levels(V, P, A, a_step, E, e_step, cost, slope, M, N):
        if N == 2:
            two(V, P, A, a_step, E, e_step, cost, slope, M)
        elif N == 3:
            three(V, P, A, a_step, E, e_step, cost, slope, M)
        elif N == 4:
            four(V, P, A, a_step, E, e_step, cost, slope, M)
        elif N == 5:
            five(V, P, A, a_step, E, e_step, cost, slope, M)
        elif N == 6:
            six(V, P, A, a_step, E, e_step, cost, slope, M)
        elif N == 7:
            seven(V, P, A, a_step, E, e_step, cost, slope, M)
        else:
            eight(V, P, A, a_step, E, e_step, cost, slope, M)

    return levels


_of_g_alone, _of_g_and_cost = _for_each_n(False), _for_each_n(True)


@kernel
def _levels_in_vectors(V, P, A, a_step, E, e_step, cost, slope, M, N):
    if cost.shape[0] == 0:
        _of_g_alone(V, P, A, a_step, E, e_step, cost, slope, M, N)
    else:
        _of_g_and_cost(V, P, A, a_step, E, e_step, cost, slope, M, N)


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
