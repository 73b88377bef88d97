"""The table of a picture: best edges, cells as circles or as heat, and the path of the answer."""

from collections.abc import Iterator
from itertools import groupby, pairwise

import numpy as np

from viterbi_lab.ui.number import fitted
from viterbi_lab.ui.palette import HEAT_LEVELS, Palette
from viterbi_lab.ui.picture.layout import GAPLESS_ROW, Layout
from viterbi_lab.ui.picture.marks import text
from viterbi_lab.ui.picture.moment import Cell, Moment

MOST_EDGES = 3000  # more would be a grey fog


def edges(moment: Moment, at: Layout, palette: Palette) -> str:
    """Return the best edge into every known cell."""
    if np.isfinite(moment.tables.L).sum() > MOST_EDGES:
        return ""
    S = moment.tables.S
    lines = [at.curve(moment.source(cell, S[cell]), cell) for cell in moment.known if cell[0] > moment.start]
    weight = 1.2 if at.circles else 0.6
    opacity = 0.45 if at.circles else 0.4
    return (
        f'<path d="{"".join(lines)}" fill="none" stroke="{palette.edge}" '
        f'stroke-width="{weight}" opacity="{opacity}"/>'
    )


def path(moment: Moment, at: Layout, palette: Palette) -> str:
    """Return the line through the known part of the path."""
    line = "".join(at.curve(a, b) for a, b in pairwise(moment.path))
    weight = 4.5 if at.circles else 2.5
    return f'<path d="{line}" fill="none" stroke="{palette.decision}" stroke-width="{weight}"/>'


def cells(moment: Moment, at: Layout, palette: Palette) -> str:
    """Return the known cells with what they hold, those of the path filled."""
    tables, question = moment.tables, moment.question
    if not at.circles:
        boxes = "".join(at.box(t, at.y(k, s), 1) for t, k, s in moment.path)
        return _heat(moment, at, palette) + f'<path fill="{palette.decision}" d="{boxes}"/>'
    stops = set(moment.path)
    others = [cell for cell in moment.known if cell not in stops]
    smallest = question.op == "times" and question.h[tables.decoding.k] < 0
    best = tables.L_min if smallest else tables.L
    return (
        _circles(others, at, palette.background, palette.edge)
        + _circles(moment.path, at, palette.decision, palette.decision)
        + "".join(digits(cell, tables.L[cell], at) for cell in others)
        + "".join(digits(cell, best[cell], at, bold=True, fill=palette.on_decision) for cell in moment.path)
    )


def digits(cell: Cell, value: float, at: Layout, **more) -> str:
    """Return the value of a cell, as `marks.text` writes it, in the room of its circle."""
    t, k, s = cell
    size = 12 if at.radius > 11 else 10
    room = 1.9 * at.radius / (0.6 * size)  # a digit is 0.6 em wide
    return text(at.x(t), at.y(k, s), fitted(value, room), size=size, **more)


def _circles(some: list[Cell], at: Layout, fill: str, stroke: str) -> str:
    circles = "".join(
        f'<circle cx="{at.x(t):.1f}" cy="{at.y(k, s):.1f}" r="{at.radius:.1f}"/>' for t, k, s in some
    )
    return f'<g fill="{fill}" stroke="{stroke}" stroke-width="1.4">{circles}</g>'


def _heat(moment: Moment, at: Layout, palette: Palette) -> str:
    """All cells in the colours of their places between the extremes of their columns, one path each."""
    boxes: list[list[str]] = [[] for _ in range(HEAT_LEVELS)]
    L = moment.tables.L
    done = np.zeros(L.shape, bool)
    done[tuple(np.array(moment.known, int).reshape(-1, 3).T)] = True
    for t in range(moment.start, at.length):
        known = L[t][np.isfinite(L[t])]
        span = (known.max() - known.min()) or 1.0
        share = np.where(done[t], (L[t] - known.min()) / span, np.nan)
        levels = np.where(np.isnan(share), -1, np.nan_to_num(share) * (HEAT_LEVELS - 0.001)).astype(int)
        from_top = levels[::-1].ravel().tolist()
        for n, level, length in _runs(from_top, joined=at.row < GAPLESS_ROW):
            if level >= 0:
                y = at.y(at.floors - 1 - n // at.states, n % at.states)
                boxes[level].append(at.box(t, y, length))
    return "".join(
        f'<path fill="{palette.level(level)}" d="{"".join(outlines)}"/>'
        for level, outlines in enumerate(boxes)
        if outlines
    )


def _runs(values: list[int], *, joined: bool) -> Iterator[tuple[int, int, int]]:
    """Yield (where it begins, value, length) of every run of equal values, each of length 1 if not joined."""
    if not joined:
        yield from ((n, value, 1) for n, value in enumerate(values))
        return
    at = 0
    for value, run in groupby(values):
        length = len(list(run))
        yield at, value, length
        at += length
