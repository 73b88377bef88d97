"""The three objectives over one problem: plain, margin and slack side by side, floor by floor.

Algorithm 1 fills the same tables for all of them; only the choice of the floor differs, (16).
"""

from dataclasses import dataclass, replace

import numpy as np

from viterbi_lab.dp import Decoding, trace
from viterbi_lab.ui.number import shown
from viterbi_lab.ui.palette import LIGHT, Palette
from viterbi_lab.ui.question import Question

SHORT = {"plain": "P", "plus": "M", "times": "S"}
SIGNS = {"plain": "Plain", "plus": "Margin  +", "times": "Slack  ·"}


@dataclass(frozen=True, eq=False)
class Column:
    """One objective.

    Attributes:
        question: the problem under this ⊙.
        answer: its optimum.
        values: (K+1,) float64, the best objective of each floor; −inf where there is none or it is excluded.
    """

    question: Question
    answer: Decoding
    values: np.ndarray


def columns(question: Question) -> list[Column]:
    """Return plain, margin and slack for one problem.

    Raises:
        NoFeasibleLabelling: if every labelling is forbidden.
        TooBig: if the tables would not fit into memory.
    """
    found = []
    for op in SIGNS:
        asked = replace(question, op=op)
        problem = asked.problem()
        tables = trace(problem)
        largest, smallest = tables.L[-1].max(axis=1), tables.L_min[-1].min(axis=1)
        values = np.full(largest.size, -np.inf)
        for k in np.flatnonzero(np.isfinite(largest)):
            if k >= problem.kmin:
                least = op == "times" and problem.h[k] < 0  # a negative factor wants the smallest sum
                values[k] = problem.objective(smallest[k] if least else largest[k], int(k))
        found.append(Column(asked, tables.decoding, values))
    return found


def hull(values: np.ndarray) -> list[int]:
    """Return the floors on the upper concave hull of the points (k, values[k]), from left to right.

    Only these can win under + with h(k) = λk, whatever λ is: maximising L + λk finds tangents.
    """
    corners: list[int] = []
    for k in np.flatnonzero(np.isfinite(values)).tolist():
        while len(corners) > 1 and _below(values, corners[-2], corners[-1], k):
            corners.pop()
        corners.append(k)
    return corners


def _below(values: np.ndarray, a: int, b: int, c: int) -> bool:
    """Whether the point at b lies on or below the line from a to c."""
    return (values[b] - values[a]) * (c - a) <= (values[c] - values[a]) * (b - a)


def winner(column: Column) -> int:
    """Return the floor of an answer; plain decoding counts nothing, so there it is that of its value."""
    if column.question.op == "plain":
        return int(np.flatnonzero(column.values == column.answer.value)[0])
    return column.answer.k


def chart(
    column: Column,
    *,
    width: int = 330,
    height: int = 150,
    palette: Palette = LIGHT,
    signs: dict[int, str] | None = None,
) -> str:
    """Return the objective against k as an SVG picture: its points, its hull, and the winner.

    Args:
        column: what to draw.
        width: in pixels.
        height: in pixels.
        palette: its colours.
        signs: what to write below the points of some floors.
    """
    values, chosen = column.values, winner(column)
    finite = np.flatnonzero(np.isfinite(values))
    low, high = float(values[finite].min()), float(values[finite].max())
    left, right, top, bottom = 26, 26, 26, 30
    step = (width - left - right) / max(1, values.size - 1)
    scale = (height - top - bottom) / ((high - low) or 1.0)
    every = max(1, round(26 / max(step, 1)))

    def at(k: int) -> tuple[float, float]:
        return left + k * step, height - bottom - (float(values[k]) - low) * scale

    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(at, hull(values)))
    parts = [
        f'<line x1="{left - 12}" x2="{width - right + 12}" y1="{height - bottom + 8}" '
        f'y2="{height - bottom + 8}" stroke="{palette.edge}"/>',
        f'<polyline points="{line}" fill="none" stroke="{palette.edge}" stroke-dasharray="4 3"/>',
    ]
    for k in finite.tolist():
        x, y = at(k)
        best = k == chosen
        fill = palette.decision if best else palette.edge
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{6 if best else 3.5}" fill="{fill}"/>')
        if best or step >= 30:
            weight = ' font-weight="700"' if best else ""
            ink = palette.decision if best else palette.muted
            parts.append(f'<text x="{x:.1f}" y="{y - 11:.1f}" fill="{ink}"{weight}>{shown(values[k])}</text>')
    parts += [
        f'<text x="{x + 9:.1f}" y="{y + 4:.1f}" fill="{palette.ink}" text-anchor="start">{sign}</text>'
        for (x, y), sign in ((at(k), sign) for k, sign in (signs or {}).items())
    ]
    parts += [
        f'<text x="{left + k * step:.1f}" y="{height - 8}" fill="{palette.muted}">{k}</text>'
        for k in range(0, values.size, every)
    ]
    parts.append(
        f'<text x="8" y="{height - 8}" fill="{palette.muted}" font-style="italic" '
        'text-anchor="start">k</text>'
    )
    spoken = f"Best value of each floor; k = {chosen} wins with {shown(column.answer.value)}."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{spoken}" '
        f'font-size="12.5" text-anchor="middle">{"".join(parts)}</svg>'
    )
