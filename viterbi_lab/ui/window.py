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
MOST_STATES = 6  # of a window; where there are more, only those that y and ŷ use are kept


@dataclass(frozen=True, eq=False)
class Window:
    """A window of a problem.

    Attributes:
        problem: the inference problem of the window's sites.
        title: which sites these are, numbered from 1, and what was held fixed.
        first: the first site, numbered from 0.
        states: which states of the whole problem these are, in order.
    """

    problem: ChainProblem
    title: str
    first: int
    states: tuple[int, ...]


def readable(problem: ChainProblem, labelling: np.ndarray, site: int | None = None) -> Window:
    """Return the window which shows best how ``labelling`` goes wrong, or the whole problem if it is short.

    Where there are more states than can be drawn, those that neither y nor ŷ uses there are left out: ŷ stays
    the optimum, and its value the same.

    Args:
        problem: any problem.
        labelling: (T,) int, the optimum ŷ, whose labels are held outside the window.
        site: a site that the window must hold, from 0; None: whichever shows most.
    """
    T, N = problem.scores.length, problem.scores.n_states
    if N > MOST_STATES:
        return _of_few_states(problem, labelling, site)
    states = N**problem.scores.window_order
    width = max(SHORTEST, problem.scores.window_order + 2, READABLE_ROWS // states - 1)
    if width >= T:
        return Window(problem, f"all {T} sites", 0, tuple(range(N)))
    first = _first_site(problem.y, labelling, width, site)
    return Window(
        cut(problem, labelling, first, first + width),
        f"sites {first + 1}–{first + width} of {T}, rest held fixed at ŷ",
        first,
        tuple(range(N)),
    )


def _of_few_states(problem: ChainProblem, labelling: np.ndarray, site: int | None) -> Window:
    """The longest readable window of the states that y and ŷ use in it."""
    T, N = problem.scores.length, problem.scores.n_states
    for width in range(min(T, READABLE_ROWS // 2 - 1), 0, -1):
        first = _first_site(problem.y, labelling, width, site)
        stop = first + width
        used = np.union1d(problem.y[first:stop], labelling[first:stop])
        if used.size == 1:  # a choice needs two
            used = np.union1d(used, [0 if used[0] else 1])
        if used.size <= MOST_STATES and (used.size * (width + 1) <= READABLE_ROWS or width <= SHORTEST):
            break
    title = (
        f"sites {first + 1}–{stop} of {T}, rest held fixed at ŷ; {used.size} of {N} states, those of y and ŷ"
    )
    return Window(cut(problem, labelling, first, stop, used), title, first, tuple(used.tolist()))


def cut(
    problem: ChainProblem, labelling: np.ndarray, first: int, stop: int, states: np.ndarray | None = None
) -> ChainProblem:
    """Return the problem of the sites ``first..stop-1``, the others held at ``labelling``.

    Args:
        problem: any problem.
        labelling: (T,) int, feasible outside the window.
        first: first site of the window, from 0.
        stop: one after its last site.
        states: (M,) int, ascending: the only states that the window may use, among them its true ones; None:
            all.

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
    kept = np.arange(N) if states is None else states
    tables = [table[np.ix_(*[kept] * table.ndim)] for table in tables]
    cost = problem.cost[first:stop, kept]
    largest = int(cost.max(axis=1).sum())
    return ChainProblem(
        scores=ChainScores.from_tables(tables, order=order),
        y=np.searchsorted(kept, problem.y[first:stop]),
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


def _first_site(y: np.ndarray, labelling: np.ndarray, width: int, site: int | None) -> int:
    """Where the window begins: around the site, or where there is most to see."""
    if site is None:
        return _most_telling(y, labelling, width)
    return min(max(0, site - width // 2), y.size - width)


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
