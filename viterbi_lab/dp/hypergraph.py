"""Exact max-plus inference with a cost axis over any graph of parts: alignments, parses, classes, sequences.

An output is a derivation: an edge into the last node, and a derivation of each of its tails. Its score and
its cost are sums over its edges, and `GraphProblem` asks for the derivation with the largest
(score + offset) ⊙ h(cost), as (14) of Bauer et al. does for sequences. For a graph that is a trellis the
recurrence is their Theorem 1 and the answer that of `viterbi_lab.dp.decode`; with edges of two tails it is
the parser of Cocke, Kasami and Younger with a cost axis.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from viterbi_lab.dp import hypergraph_kernels as kernels
from viterbi_lab.dp.kernels import best_cell
from viterbi_lab.dp.limits import Limits, TooBig
from viterbi_lab.dp.problem import Combine, NoFeasibleLabelling

LARGEST_DERIVATION = 1e8
NO_CAP = 2**62


@dataclass(frozen=True, eq=False)
class Hypergraph:
    """Nodes 0..V-1 and the edges into them; the last node is the root.

    Attributes:
        first: (V+1,) int64; the edges into node v are ``first[v] .. first[v+1] - 1``.
        tails: (E, 2) int32, the tails of each edge, all numbered below its head; -1 where there is none, the
            second first.

    Raises:
        ValueError: if the arrays do not describe a graph without cycles.
    """

    first: np.ndarray
    tails: np.ndarray

    def __post_init__(self):
        first, tails = np.asarray(self.first), np.asarray(self.tails)
        if first.ndim != 1 or first.dtype.kind not in "iu" or first.size < 2:
            raise ValueError(f"first has shape {first.shape} of {first.dtype}; it is (V+1,) ints, V >= 1.")
        if tails.ndim != 2 or tails.shape[1] != 2 or tails.dtype.kind not in "iu":
            raise ValueError(f"tails has shape {tails.shape} of {tails.dtype}; it is (E, 2) ints.")
        first, counts = first.astype(np.int64), np.diff(first)
        if first[0] != 0 or first[-1] != len(tails) or (counts < 0).any():
            raise ValueError(f"first must rise from 0 to the number of edges, {len(tails)}.")
        heads = np.repeat(np.arange(len(counts)), counts)
        bad = (tails >= heads[:, np.newaxis]) | (tails < -1)
        bad[:, 1] |= (tails[:, 1] >= 0) & (tails[:, 0] < 0)
        if bad.any():
            e = int(np.argmax(bad.any(axis=1)))
            raise ValueError(
                f"Edge {e} into node {heads[e]} has the tails {tails[e].tolist()}. A tail is a node with a "
                "smaller number, or -1 for none, the second first; a graph with a cycle has no such numbers."
            )
        object.__setattr__(self, "first", first)
        object.__setattr__(self, "tails", np.ascontiguousarray(tails, dtype=np.int32))

    @property
    def n_nodes(self) -> int:
        """V."""
        return len(self.first) - 1

    @property
    def n_edges(self) -> int:
        """E."""
        return len(self.tails)

    @cached_property
    def branches(self) -> bool:
        """Whether an edge has two tails."""
        return bool((self.tails[:, 1] >= 0).any())

    @cached_property
    def heads(self) -> np.ndarray:
        """(E,) int64, the head of each edge."""
        return np.repeat(np.arange(self.n_nodes), np.diff(self.first))


@dataclass(frozen=True, eq=False)
class GraphProblem:
    """Loss-augmented inference over a graph, validated at the door.

    Attributes:
        graph: the parts.
        scores: (E,) float64, the score of each edge; −inf forbids it.
        h: (K+1,) float64, the loss wrapper at k = 0..K.
        op: ⊙.
        offset: constant added to every score sum before ⊙.
        kmin: 0, or 1 to exclude derivations without any cost.
        cost: (E,) int64 >= 0, what each edge adds to k; by default nothing.
        capped: whether K stands for "K or more". If not, h must have a value for every cost there is.

    Raises:
        ValueError: if an array has the wrong shape, kind or range.
        TooBig: if the table would exceed ``Limits.decode_bytes``; nothing has been allocated.
    """

    graph: Hypergraph
    scores: np.ndarray
    h: np.ndarray
    op: Combine
    offset: float = 0.0
    kmin: int = 0
    cost: np.ndarray | None = None
    capped: bool = False
    reach: np.ndarray = field(init=False, repr=False)
    starts: np.ndarray = field(init=False, repr=False)
    longest: int = field(init=False, repr=False)

    def __post_init__(self):
        graph, E = self.graph, self.graph.n_edges
        object.__setattr__(self, "scores", checked_scores(self.scores, E))
        cost = np.zeros(E, np.int64) if self.cost is None else np.asarray(self.cost)
        if cost.shape != (E,) or cost.dtype.kind not in "iu" or (cost < 0).any():
            raise ValueError(
                f"cost has shape {cost.shape} of {cost.dtype}; it needs ({E},) whole numbers >= 0, one for "
                "each edge."
            )
        object.__setattr__(self, "cost", np.ascontiguousarray(cost, dtype=np.int64))
        h = np.asarray(self.h)
        if h.ndim != 1 or h.dtype.kind not in "iuf" or not h.size or not np.isfinite(h).all():
            raise ValueError(f"h has shape {h.shape} of {h.dtype}; it is h(0)..h(K), finite numbers.")
        object.__setattr__(self, "h", np.array(h, dtype=np.float64))
        if not isinstance(self.op, Combine):
            raise ValueError(f"op={self.op!r} is not a way to combine. Use Combine.PLUS or Combine.TIMES.")
        if not np.isfinite(self.offset):
            raise ValueError(f"offset={self.offset} is not a finite number.")
        if self.kmin not in (0, 1) or isinstance(self.kmin, bool):
            raise ValueError(
                f"kmin={self.kmin!r}; it is 0 (all) or 1 (only derivations that cost something)."
            )
        K = h.size - 1
        reach, sizes = np.zeros(graph.n_nodes, np.int64), np.zeros(graph.n_nodes)
        kernels.find_reach(graph.first, graph.tails, self.cost, K if self.capped else NO_CAP, reach, sizes)
        if reach[-1] > K:
            raise ValueError(
                f"The costs add up to {reach[-1]}, but h has values for 0..{K} only. Give {reach[-1] + 1} "
                "values, or say capped=True if the last one holds for all larger costs."
            )
        if sizes[-1] > LARGEST_DERIVATION:
            raise TooBig(
                f"A derivation may have {sizes[-1]:.3g} edges; at most {LARGEST_DERIVATION:.0e} are allowed."
            )
        starts = np.concatenate([[0], np.cumsum(np.minimum(reach, K) + 1)])
        needed = (8 + 4 * int(graph.branches) + 8 * int(self.needs_minima)) * int(starts[-1])
        limit = Limits.in_force("decode_bytes")
        if needed > limit:
            raise TooBig(
                f"The table of {graph.n_nodes} nodes with costs up to {reach[-1]} needs {needed:,} bytes, "
                f"but the limit is {limit:,}. Give a smaller input, or a loss with fewer different costs."
            )
        object.__setattr__(self, "reach", reach)
        object.__setattr__(self, "starts", starts)
        object.__setattr__(self, "longest", int(sizes[-1]))

    @property
    def needs_minima(self) -> bool:
        """True where ⊙ is · and some h(k) is negative, so that a table of minima decides them."""
        return self.op is Combine.TIMES and bool((self.h[self.kmin :] < 0).any())

    @property
    def largest(self) -> int:
        """K, the last k of h."""
        return self.h.size - 1


@dataclass(frozen=True, eq=False)
class Derivation:
    """An exact optimum.

    Attributes:
        edges: (m,) int64, the edges of the derivation, heads before tails, the first tail before the second.
        value: (score + offset) ⊙ h(k).
        score: the sum of the scores of the edges.
        k: the sum of their costs; K where that is capped.
    """

    edges: np.ndarray
    value: float
    score: float
    k: int


def solve(problem: GraphProblem) -> Derivation:
    """The best derivation, exact for every h and both ⊙.

    Ties: smallest k, then at every node the first edge, then the smallest cost of its first tail.

    Raises:
        NoFeasibleLabelling: if every derivation is forbidden, or there is none, or kmin=1 leaves none.
    """
    if problem.reach[-1] < 0:
        raise NoFeasibleLabelling(
            "The root has no derivation: none of its edges leads to edges without tails."
        )
    L = table(problem, problem.scores)
    negated = np.where(np.isneginf(problem.scores), -np.inf, -problem.scores)
    minima = table(problem, negated) if problem.needs_minima else L
    root, times = problem.starts[-2], problem.op is Combine.TIMES
    W = int(problem.reach[-1]) + 1
    found, value, k, _ = best_cell(
        L[root:], minima[root:], W, problem.h[:W], times, float(problem.offset), problem.kmin
    )
    if not found:
        raise NoFeasibleLabelling(
            "There is no derivation, every one contains a forbidden part (score −inf), or all that are "
            "allowed cost nothing. Allow at least one."
        )
    smallest = times and problem.h[k] < 0
    edges = _derivation(problem, negated if smallest else problem.scores, minima if smallest else L, k)
    score = float(minima[root + k] * -1.0 if smallest else L[root + k])
    return Derivation(edges, float(value) + 0.0, score, int(k))


def best_derivation(graph: Hypergraph, scores: ArrayLike) -> Derivation:
    """The derivation with the largest score, without any loss: value = score, k = 0.

    Raises:
        NoFeasibleLabelling: if every derivation has a forbidden edge, or there is none.
    """
    return solve(GraphProblem(graph, scores, np.zeros(1), Combine.PLUS))


def table(problem: GraphProblem, scores: np.ndarray) -> np.ndarray:
    """All L[v, k] of a problem under other scores, flat: the row of node v begins at ``starts[v]``."""
    graph = problem.graph
    L = np.full(int(problem.starts[-1]), -np.inf)
    kernels.fill(
        graph.first, graph.tails, scores, problem.cost, problem.largest, problem.reach, problem.starts, L,
        np.empty(L.size if graph.branches else 0, np.int32),
        np.empty(graph.n_nodes if graph.branches else 0, np.int64),
    )  # fmt: skip
    return L


def total(graph: Hypergraph, values: np.ndarray, edges: np.ndarray) -> float:
    """The sum of ``values`` (E,) over the edges of a derivation, in the order in which the engine adds."""
    return float(kernels.sum_up(graph.tails, values, edges, np.empty(len(edges))))


def most_of(graph: Hypergraph, cost: np.ndarray) -> int:
    """The largest sum of ``cost`` (E,) over the edges of a derivation; -1 if there is none."""
    reach, sizes = np.zeros(graph.n_nodes, np.int64), np.zeros(graph.n_nodes)
    kernels.find_reach(graph.first, graph.tails, cost, NO_CAP, reach, sizes)
    return int(reach[-1])


def checked_scores(scores: ArrayLike, n_edges: int) -> np.ndarray:
    """Scores of edges as (E,) float64: finite, or −inf for what is forbidden.

    Raises:
        ValueError: if they are not E numbers, or one is NaN or +inf.
    """
    array = np.asarray(scores)
    if array.shape != (n_edges,) or array.dtype.kind not in "iuf":
        raise ValueError(
            f"scores has shape {array.shape} of {array.dtype}; it needs ({n_edges},) numbers, one an edge."
        )
    array = np.ascontiguousarray(array, dtype=np.float64)
    bad = np.isnan(array) | np.isposinf(array)
    if bad.any():
        e = int(np.argmax(bad))
        raise ValueError(
            f"The score of edge {e} is {array[e]}; it must be a finite number, or −inf to forbid."
        )
    return array


def _derivation(problem: GraphProblem, scores: np.ndarray, L: np.ndarray, k: int) -> np.ndarray:
    graph, room = problem.graph, problem.longest
    edges, nodes, counts = (np.empty(room + 1, np.int64) for _ in range(3))
    found = kernels.derive(
        graph.first, graph.tails, scores, problem.cost, problem.largest, problem.reach, problem.starts, L,
        k, edges, nodes, counts,
    )  # fmt: skip
    return edges[:found].copy()
