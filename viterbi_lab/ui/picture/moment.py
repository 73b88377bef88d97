"""What of a solved problem is known after so many steps: cells, the maximum, the path followed back."""

from dataclasses import dataclass
from html import escape

import numpy as np

from viterbi_lab.dp import Trace
from viterbi_lab.ui.question import Question

Cell = tuple[int, int, int]
"""(t, k, s): site, errors so far, and state, all from 0."""


@dataclass(frozen=True, eq=False)
class Moment:
    """One step of Algorithm 1.

    Attributes:
        question: what is asked.
        tables: all of L and S.
        known: the cells filled so far.
        current: the cell filled last, while there are others to come; else None.
        judged: whether the last column has been weighed.
        path: as much of the optimal path as has been followed back, from left to right.
        first_known: the first site whose optimal label is known; T if none is.
    """

    question: Question
    tables: Trace
    known: list[Cell]
    current: Cell | None
    judged: bool
    path: list[Cell]
    first_known: int

    @classmethod
    def of(cls, question: Question, tables: Trace, step: int | None) -> "Moment":
        """Return the moment after so many events: cells, the maximum, the path; None: after all."""
        cells = as_cells(np.argwhere(np.isfinite(tables.L)))
        if step is None:
            step = len(cells) + 1 + len(tables.path)
        reached = max(0, step - len(cells) - 1)
        T, start = question.scores.length, question.scores.window_order - 1
        return cls(
            question,
            tables,
            known=cells[:step],
            current=cells[step - 1] if 0 < step <= len(cells) else None,
            judged=step > len(cells),
            path=as_cells(tables.path)[::-1][:reached][::-1],
            first_known=max(0, T - start - reached) if reached else T,
        )

    @property
    def start(self) -> int:
        """The first site with cells of its own, from 0."""
        return self.question.scores.window_order - 1

    def source(self, cell: Cell, i: int) -> Cell:
        """The cell that a cell is reached from over the label i, perhaps on a floor below 0."""
        t, k, s = cell
        n, states = self.question.scores.n_states, self.tables.L.shape[2]
        keep = states // n
        return t - 1, k - int(self.tables.problem.cost[t, s // keep]), int(i) + n * (s % keep)

    def name(self, s: int) -> str:
        """The labels of a state, as HTML."""
        labels, n = self.question.labels, self.question.scores.n_states
        names = [labels[s // n**age % n] for age in range(self.question.scores.window_order)]
        return escape(("," if any(len(label) > 1 for label in labels) else "").join(names))


def as_cells(rows: np.ndarray) -> list[Cell]:
    """Return an (n, 3) array of cells as plain numbers."""
    return [(int(t), int(k), int(s)) for t, k, s in rows]
