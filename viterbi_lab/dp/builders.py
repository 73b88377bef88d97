"""Graphs of parts: one choice, a trellis, a grid of alignments, several graphs side by side.

Charts of parses are in `viterbi_lab.dp.chart`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from viterbi_lab.dp.hypergraph import GraphProblem, Hypergraph
from viterbi_lab.dp.limits import Limits, TooBig
from viterbi_lab.dp.problem import ChainProblem

SUBSTITUTE, DELETE, INSERT, FREE = 0, 1, 2, 3
"""What an edge of a grid does: align two letters, skip one of x, skip one of z, or nothing."""


def choice(n: int) -> Hypergraph:
    """One node with n edges: choose one of n classes."""
    if n < 1:
        raise ValueError(f"n={n}; there must be something to choose.")
    return Hypergraph(np.array([0, n]), np.full((n, 2), -1))


def trellis(problem: ChainProblem) -> GraphProblem:
    """The same problem over a graph: a node for every level and state, an edge for every predecessor.

    Edge order: predecessors ascending, last states ascending; so ties are broken as in `decode`.
    """
    scores = problem.scores
    N, S, M = scores.n_states, scores.n_tuples, scores.n_steps
    states, labels = np.arange(S), np.arange(N)
    predecessors = labels + N * (states % (S // N))[:, np.newaxis]  # (S, N): i + N·r
    first = np.concatenate([np.arange(S), S + N * np.arange(M * S), [S + N * M * S, S + N * M * S + S]])
    tails = np.full((first[-1], 2), -1)
    levels = np.arange(M)[:, np.newaxis, np.newaxis]
    tails[S : S + N * M * S, 0] = (S * levels + predecessors).ravel()
    tails[S + N * M * S :, 0] = S * M + states
    entered = states // (S // N)  # (S,) the label with which each state is entered
    costs = np.repeat(problem.step_cost[:, entered], N)
    return GraphProblem(
        Hypergraph(first, tails),
        np.concatenate([scores.initial, scores.dense().transpose(0, 2, 1).ravel(), np.zeros(S)]),
        problem.h,
        problem.op,
        problem.offset,
        problem.kmin,
        np.concatenate([problem.first_cost, costs, np.zeros(S, np.int64)]),
    )


@dataclass(frozen=True, eq=False)
class Grid:
    """All alignments of two sequences.

    Attributes:
        graph: its derivations are the alignments, last operation first.
        op: (E,) int8, SUBSTITUTE, DELETE, INSERT or FREE.
        row: (E,) int32, how many letters of x are behind the edge: SUBSTITUTE and DELETE use letter row - 1.
        column: (E,) int32, the same for z: SUBSTITUTE and INSERT use letter column - 1. Where an alignment
            begins and ends, its FREE edges tell.
        opens: (E,) bool, whether a DELETE or INSERT begins a gap; all of them where gaps have no states.
    """

    graph: Hypergraph
    op: np.ndarray
    row: np.ndarray
    column: np.ndarray
    opens: np.ndarray


def grid(m: int, n: int, *, local: bool = False, affine: bool = False) -> Grid:
    """All alignments of a sequence of m with one of n letters.

    Edges into a cell come in the order: begin here, substitute, delete, insert, from the states aligned, in a
    deletion, in an insertion; the ends of local alignments row by row. Ties are broken in this order.

    Args:
        m: letters of x, at least 1.
        n: letters of z, at least 1.
        local: alignments of any stretch of x with any stretch of z, also of nothing with nothing; else of all
            of x with all of z.
        affine: three states a cell (aligned, in a deletion, in an insertion), so that opening a gap may be
            scored otherwise than extending it.
    """
    if m < 1 or n < 1:
        raise ValueError(f"The sequences have {m} and {n} letters. Both need at least one.")
    cells, states = (m + 1) * (n + 1), 3 if affine else 1
    needed = 40 * cells * (states * states + 2)
    limit = Limits.in_force("decode_bytes")
    if needed > limit:
        raise TooBig(
            f"Aligning {m} with {n} letters needs about {needed:,} bytes, but the limit is {limit:,}. "
            "Give shorter sequences."
        )
    cell = np.arange(cells)
    row, column = cell // (n + 1), cell % (n + 1)
    # candidates (node order, edge order): head node, tail node, op, whether the gap opens, where it exists
    begins = np.ones(cells, bool) if local else cell == 0
    candidates = [(0, -1, FREE, False, begins, 0)]
    for op, back, there in (
        (SUBSTITUTE, n + 2, (row > 0) & (column > 0)),
        (DELETE, n + 1, row > 0),
        (INSERT, 1, column > 0),
    ):
        for state in range(states):
            into = op if affine else 0
            candidates.append(
                (into, state, op, op != SUBSTITUTE and (not affine or state != op), there, back)
            )
    heads, tails, kinds, opens, at = [], [], [], [], []
    for into, state, op, opening, there, back in candidates:
        here = cell[there]
        heads.append(here * states + into)
        tails.append(np.full(here.size, -1) if state < 0 else (here - back) * states + state)
        kinds.append(np.full(here.size, op, np.int8))
        opens.append(np.full(here.size, opening))
        at.append(here)
    ends = np.arange(cells * states) if local else (cells - 1) * states + np.arange(states)
    heads.append(np.full(ends.size, cells * states))
    tails.append(ends)
    kinds.append(np.full(ends.size, FREE, np.int8))
    opens.append(np.zeros(ends.size, bool))
    at.append(ends // states)
    head, op, here = (np.concatenate(parts) for parts in (heads, kinds, at))
    order = np.argsort(head, kind="stable")  # keeps the order of the candidates within a node
    op, here = op[order], here[order]
    both = np.full((head.size, 2), -1)
    both[:, 0] = np.concatenate(tails)[order]
    first = np.concatenate([[0], np.cumsum(np.bincount(head, minlength=cells * states + 1))])
    return Grid(
        Hypergraph(first, both),
        op,
        row[here].astype(np.int32),
        column[here].astype(np.int32),
        np.concatenate(opens)[order],
    )


def known(operations: Sequence[int], begin: tuple[int, int]) -> Grid:
    """One alignment alone, as a grid that has no other.

    Args:
        operations: SUBSTITUTE, DELETE or INSERT, from left to right.
        begin: how many letters of x and of z lie before.
    """
    op = np.array([FREE, *operations, FREE], dtype=np.int8)
    tails = np.full((op.size, 2), -1)
    tails[1:, 0] = np.arange(op.size - 1)
    row = begin[0] + np.cumsum((op == SUBSTITUTE) | (op == DELETE))
    column = begin[1] + np.cumsum((op == SUBSTITUTE) | (op == INSERT))
    opens = ((op == DELETE) | (op == INSERT)) & (op != np.concatenate([[FREE], op[:-1]]))
    graph = Hypergraph(np.arange(op.size + 1), tails)
    return Grid(graph, op, row.astype(np.int32), column.astype(np.int32), opens)


def either(graphs: Sequence[Hypergraph]) -> Hypergraph:
    """A derivation of one of the graphs: their nodes and edges one after another, and an edge for each root.

    The edge that chooses graph g is edge Σ E + g.
    """
    if not graphs:
        raise ValueError("There is no graph to choose.")
    nodes = np.concatenate([[0], np.cumsum([graph.n_nodes for graph in graphs])])
    edges = np.concatenate([[0], np.cumsum([graph.n_edges for graph in graphs])])
    tails = [np.where(graph.tails < 0, -1, graph.tails + nodes[g]) for g, graph in enumerate(graphs)]
    choose = np.full((len(graphs), 2), -1)
    choose[:, 0] = nodes[1:] - 1
    first = [graph.first[:-1] + edges[g] for g, graph in enumerate(graphs)]
    return Hypergraph(
        np.concatenate([*first, [edges[-1], edges[-1] + len(graphs)]]), np.concatenate([*tails, choose])
    )
