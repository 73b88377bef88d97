"""The cell of a step: its candidates, and in words why it has its value."""

import numpy as np

from viterbi_lab.ui.number import fitted
from viterbi_lab.ui.palette import Palette
from viterbi_lab.ui.picture.cells import digits
from viterbi_lab.ui.picture.layout import HEAD, LEFT, Layout
from viterbi_lab.ui.picture.marks import italic, text
from viterbi_lab.ui.picture.moment import Moment


def this_step(moment: Moment, at: Layout, palette: Palette) -> str:
    """Return the cell filled last, marked and explained; nothing where all are filled."""
    if moment.current is None:
        return ""
    t, k, s = cell = moment.current
    value = moment.tables.L[cell]
    lines, said = "", f"{italic('L')} = {fitted(value, 8)}, the score of the first labels"
    if t > moment.start:
        lines, sums = _candidates(moment, at, palette)
        said = f"{italic('L')} = max({', '.join(sums)}) = {fitted(value, 8)}"
    keep = at.states // moment.question.scores.n_states
    wrong = s // keep != moment.question.y[t]
    case = "wrong label: up" if wrong else "right label: level"
    name = f"{italic('t')} = {t + 1}, {italic('k')} = {k}, label {moment.name(s)}: {case}"
    x, y, half = at.x(t), at.y(k, s), max(4.0, at.row / 2)
    place = (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{at.radius + 1:.1f}"'
        if at.circles
        else f'<rect x="{x - at.cell / 2:.1f}" y="{y - half:.1f}" width="{at.cell:.1f}" '
        f'height="{2 * half:.1f}"'
    )
    return (
        f'{lines}{place} fill="{palette.current}" stroke="{palette.ink}" stroke-width="2"/>'
        + (digits(cell, value, at, bold=True, fill=palette.on_current) if at.circles else "")
        + text(LEFT + 12, HEAD + 22, name, anchor="start", size=15)
        + text(LEFT + 12, HEAD + 44, said, anchor="start", size=15, bold=True)
    )


def _candidates(moment: Moment, at: Layout, palette: Palette) -> tuple[str, list[str]]:
    """The edges into the cell, the winner thicker, and their sums in words."""
    question, tables, cell = moment.question, moment.tables, moment.current
    t, _, s = cell
    n = question.scores.n_states
    step = question.scores.tables()[t - moment.start]
    lines, sums = "", []
    for i in range(n):
        source = moment.source(cell, i)
        score = step[(i, *[s // n**age % n for age in range(moment.start + 1)])]
        if source[1] >= 0 and np.isfinite(tables.L[source]) and np.isfinite(score):
            best = i == tables.S[cell]
            ink = palette.decision if best else palette.muted
            look = 'stroke-width="3.4"' if best else 'stroke-width="1.3" stroke-dasharray="3 3"'
            lines += f'<path d="{at.curve(source, cell)}" fill="none" stroke="{ink}" {look}/>'
            sign = "−" if score < 0 else "+"
            sums.append(f"{fitted(tables.L[source], 8)} {sign} {fitted(abs(score), 8)}")
    return lines, sums
