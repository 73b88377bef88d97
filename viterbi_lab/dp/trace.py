"""All tables L and S of one problem, for people to look at (Bauer et al. 2014, Fig. 2)."""

from dataclasses import dataclass

import numpy as np

from viterbi_lab.dp.chain import decode
from viterbi_lab.dp.compile import kernel
from viterbi_lab.dp.limits import Limits, require
from viterbi_lab.dp.problem import ChainProblem, Decoding
from viterbi_lab.dp.scores import ChainScores

NONE = -1
"""Where there is no predecessor."""


@dataclass(frozen=True, eq=False)
class Trace:
    """Tables of Algorithm 1, whole.

    Axes are (site t, count k, state s) with t from 0; sites before ℓ'-1 have no state yet and are
    wholly undefined. State ``s = j_1 + N·j_2 + …`` holds the labels of the last ℓ' sites, oldest first.

    Attributes:
        problem: what was solved.
        L: (T, K+1, S) float64, L_{t,k}(s), (15); −inf where undefined.
        S: (T, K+1, S) int8 or int16, the smallest predecessor label that attains L, the label of
            site t-ℓ'; −1 where there is none.
        L_min: (T, K+1, S) float64, the smallest sums instead; +inf where undefined.
        S_min: predecessors for ``L_min``.
        best: (K+1,) float64, the largest L_{T,k}, −inf where no labelling has cost k.
        decoding: the optimum.
        path: (T-ℓ'+1, 3) int64, rows (t, k, s): the cells of the optimum from left to right.
    """

    problem: ChainProblem
    L: np.ndarray
    S: np.ndarray
    L_min: np.ndarray
    S_min: np.ndarray
    best: np.ndarray
    decoding: Decoding
    path: np.ndarray


def trace(problem: ChainProblem) -> Trace:
    """Fill and keep every table of a problem.

    Raises:
        NoFeasibleLabelling: as :func:`decode`.
        TooBig: if the tables would exceed ``Limits.trace_bytes``; nothing has been allocated.
    """
    scores = problem.scores
    pointer = np.dtype(np.int8 if scores.n_states <= 127 else np.int16)
    widest = int(problem.cost.max(initial=0))
    require(
        lambda length: (
            2
            * (8 + pointer.itemsize)
            * length
            * (min(length * widest, problem.h.size - 1) + 1)
            * scores.n_tuples
        ),
        limit=Limits.in_force("trace_bytes"),
        purpose="A trace of all tables",
        length=scores.length,
        n_states=scores.n_states,
        order=scores.order,
    )
    L, S = _filled(problem, scores, pointer)
    negated, S_min = _filled(problem, scores.negated(), pointer)
    decoding = decode(problem)
    return Trace(
        problem=problem,
        L=L,
        S=S,
        L_min=-negated,
        S_min=S_min,
        best=L[-1].max(axis=1),
        decoding=decoding,
        path=_cells(problem, decoding.y),
    )


def _filled(problem: ChainProblem, scores: ChainScores, pointer: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    window = scores.window_order
    shape = (scores.length, scores.n_tuples, problem.h.size)
    L, S = np.full(shape, -np.inf), np.full(shape, NONE, pointer)
    reach = np.cumsum(problem.cost.max(axis=1))[window - 1 :]
    fill_tables(
        scores.initial,
        problem.first_cost,
        scores.transitions,
        scores.emissions,
        problem.step_cost,
        reach,
        L[window - 1 :],
        S[window - 1 :],
    )
    return np.ascontiguousarray(L.transpose(0, 2, 1)), np.ascontiguousarray(S.transpose(0, 2, 1))


def _cells(problem: ChainProblem, y: np.ndarray) -> np.ndarray:
    """Rows (t, k, s) of the cells which the labelling ``y`` passes."""
    n, window = problem.scores.n_states, problem.scores.window_order
    counts = np.cumsum(problem.cost[np.arange(y.size), y])
    sites = np.arange(window - 1, y.size)
    states = sum(y[sites - window + 1 + age] * n**age for age in range(window))
    return np.stack([sites, counts[sites], states], axis=1)


@kernel
def fill_tables(initial, first_cost, A, E, cost, reach, L, P):
    """All L and S of Algorithm 1, for people to look at.

    ``L`` (M+1, S, K+1) comes filled with −inf, ``P`` (the paper's S) of the same shape with NONE.
    """
    N, S = A.shape[1], A.shape[2]
    R = S // N
    for v in range(S):
        L[0, v, first_cost[v]] = initial[v]
    for m in range(cost.shape[0]):
        for v in range(S):
            j, r = v // R, v % R
            c = cost[m, j]
            for i in range(N):
                score = A[m % A.shape[0], i, v] + E[m % E.shape[0], j]
                for k in range(reach[m] + 1):
                    candidate = L[m, i + N * r, k] + score
                    if candidate > L[m + 1, v, k + c]:
                        L[m + 1, v, k + c] = candidate
                        P[m + 1, v, k + c] = i
