"""A few sites of a long inference problem as a problem of their own, exact given the labels of the rest.

Hold the labels outside a window fixed. Every part of the score that touches the window becomes a score of
its sites; the rest is a constant and joins the offset. The errors outside are a constant count, so h is read
from there on: ``h_window(k) = h(k + k_outside)``. Hence every labelling of the window has exactly the value
that it has, together with the fixed rest, in the whole problem.
"""

from dataclasses import dataclass

import numpy as np

from viterbi_lab.dp import ChainProblem, ChainScores

READABLE_ROWS = 26  # floors times states: more, and the stepper draws a heat map without numbers
SHORTEST = 4  # sites; a shorter window shows no recursion


@dataclass(frozen=True, eq=False)
class Window:
    """A window of a problem.

    Attributes:
        problem: the inference problem of the window's sites.
        title: which sites these are, numbered from 1, and what was held fixed.
        first: the first site, numbered from 0.
    """

    problem: ChainProblem
    title: str
    first: int


def readable(problem: ChainProblem, labelling: np.ndarray) -> Window:
    """Return the window which shows best how ``labelling`` goes wrong, or the whole problem if it is short.

    Args:
        problem: any problem.
        labelling: (T,) int, the labels ŷ to hold outside the window.
    """
    T, N = problem.scores.length, problem.scores.n_states
    states = N**problem.scores.window_order
    width = max(SHORTEST, problem.scores.window_order + 2, READABLE_ROWS // states - 1)
    if width >= T:
        return Window(problem, f"all {T} sites", 0)
    first = _most_telling(problem.y, labelling, width)
    return Window(
        cut(problem, labelling, first, first + width),
        f"sites {first + 1}–{first + width} of {T}, rest held fixed at ŷ",
        first,
    )


def cut(problem: ChainProblem, labelling: np.ndarray, first: int, stop: int) -> ChainProblem:
    """Return the problem of the sites ``first..stop-1``, the others held at ``labelling``.

    Args:
        problem: any problem.
        labelling: (T,) int, feasible outside the window.
        first: first site of the window, from 0.
        stop: one after its last site.

    Raises:
        ValueError: if the window is empty or reaches beyond the sequence, or the rest is forbidden.
    """
    T = problem.scores.length
    if not 0 <= first < stop <= T:
        raise ValueError(f"The window {first}..{stop} is not inside the sites 0..{T}.")
    order, N = problem.scores.order, problem.scores.n_states
    tables = [np.zeros((N,) * (min(t, order) + 1)) for t in range(stop - first)]
    constant = 0.0
    for start, table in _parts(problem.scores):
        sites = range(start, start + table.ndim)
        given = table[tuple(slice(None) if first <= t < stop else labelling[t] for t in sites)]
        if given.ndim == 0:
            constant += float(given)
        else:  # trailing axes agree, the earlier sites of the part are fixed: numpy repeats it over them
            last = min(start + table.ndim, stop) - 1 - first
            tables[last] = tables[last] + given
    outside = np.r_[0:first, stop:T]
    k_outside = int(problem.cost[outside, labelling[outside]].sum())
    cost = problem.cost[first:stop]
    largest = int(cost.max(axis=1).sum())
    return ChainProblem(
        scores=ChainScores.from_tables(tables, order=order),
        y=problem.y[first:stop],
        h=problem.h[k_outside : k_outside + largest + 1],
        op=problem.op,
        offset=problem.offset + constant,
        kmin=max(0, problem.kmin - k_outside),
        cost=cost,
    )


def _parts(scores: ChainScores) -> list[tuple[int, np.ndarray]]:
    """The score as tables over neighbouring sites: pairs (first site, table with one axis per site)."""
    first, *others = scores.tables()
    if scores.order == 0:  # the tables repeat themselves over the earlier label
        return [(0, first)] + [(t, table[0]) for t, table in enumerate(others, start=1)]
    return [(0, first), *enumerate(others)]


def _most_telling(y: np.ndarray, labelling: np.ndarray, width: int) -> int:
    """First site of the window with right and wrong sites side by side, then with most changes of label."""
    wrong = (labelling != y).astype(np.int64)
    changes = np.zeros(y.size, np.int64)
    changes[1:] = (np.diff(y) != 0).astype(np.int64) + (np.diff(labelling) != 0)
    best, best_first = (-1, -1, -np.inf), 0
    for first in range(y.size - width + 1):
        part = wrong[first : first + width]
        n_wrong = int(part.sum())
        centre = float(np.flatnonzero(part).mean()) if n_wrong else 0.0
        rank = (
            min(n_wrong, width - n_wrong),
            int(changes[first + 1 : first + width].sum()),
            -abs(centre - (width - 1) / 2),
        )
        if rank > best:
            best, best_first = rank, first
    return best_first
