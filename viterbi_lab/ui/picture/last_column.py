"""The last column under ⊙ and h: values, bars, and the winner."""

import numpy as np

from viterbi_lab.ui.number import fitted
from viterbi_lab.ui.palette import Palette
from viterbi_lab.ui.picture.layout import RIGHT, Layout
from viterbi_lab.ui.picture.marks import italic, text
from viterbi_lab.ui.picture.moment import Moment, as_cells

SIGNS = {"times": "·", "plus": "+", "plain": ""}


def last_column(moment: Moment, at: Layout, palette: Palette) -> str:
    """Return what every cell of the last column is worth, beside it."""
    question, tables, t = moment.question, moment.tables, at.length - 1
    found = []
    for k, s in np.argwhere(np.isfinite(tables.L[t])):
        if k >= question.kmin:
            least = question.op == "times" and question.h[k] < 0
            total = (tables.L_min if least else tables.L)[t, k, s]
            found.append((k, s, tables.problem.objective(total, k)))
    values = [value for _, _, value in found]
    low, high = min(0.0, *values), max(0.0, *values)
    winner = as_cells(tables.path)[-1]
    from_x = at.width - RIGHT + 92
    scale = (at.width - 14 - from_x) / ((high - low) or 1.0)
    sign = SIGNS[question.op]
    formula = f"{italic('L')}({italic('j')})" + (f" {sign} {italic('h')}({italic('k')})" if sign else "")
    parts = [text(at.x(t) + 30, 30, formula, anchor="start", fill=palette.muted)]
    for k, s, value in found:
        best = (t, k, s) == winner
        fill, y = (palette.decision if best else palette.edge), at.y(k, s)
        if at.circles or best:
            ink = palette.decision if best else palette.ink
            parts.append(text(from_x - 8, y, fitted(value, 6), anchor="end", bold=best, fill=ink))
        height = min(10.0, max(1.0, 0.7 * at.row))
        parts.append(
            f'<rect x="{from_x + (min(value, 0.0) - low) * scale:.1f}" y="{y - height / 2:.1f}" '
            f'width="{max(1.0, abs(value) * scale):.1f}" height="{height:.1f}" fill="{fill}"/>'
        )
    return "".join(parts)
