"""The finished trellis as an SVG picture, drawn without a browser: floors, best edges, path and final values.

It is the still picture of what ``trellis.js`` draws step by step, in the light theme, for papers and slides.
"""

from dataclasses import dataclass
from html import escape
from itertools import pairwise

import numpy as np

from viterbi_lab.dp import Trace, trace
from viterbi_lab.ui.palette import LIGHT
from viterbi_lab.ui.question import Question

LEFT, RIGHT, HEAD, BELOW = 84, 200, 62, 14  # px around the floors
BARE_RIGHT = 6  # px beside the last column where its values are not drawn
CIRCLE_ROW = 15  # px; lower rows become heat cells
LEAST = 320  # px of width and height
SERIF = "STIX Two Text, Georgia, Times New Roman, serif"
SANS = "Inter, Roboto, Helvetica Neue, Arial, sans-serif"


@dataclass(frozen=True)
class Paint:
    """The colours of a picture, as CSS writes them."""

    background: str
    ink: str
    muted: str
    edge: str
    decision: str
    on_decision: str
    truth: str
    lanes: tuple[str, str]
    heat: tuple[str, str]


PAPER = Paint(
    background=LIGHT.background,
    ink=LIGHT.ink,
    muted=LIGHT.muted,
    edge=LIGHT.edge,
    decision=LIGHT.decision,
    on_decision=LIGHT.background,
    truth=LIGHT.truth,
    lanes=("#f6f8fa", "#edf1f5"),
    heat=("#d3e5f2", "#08589e"),
)
"""The light theme, for files."""


def svg(
    question: Question,
    *,
    width: int = 1000,
    height: int = 600,
    values: bool = True,
    paint: Paint = PAPER,
) -> str:
    """Return the picture of a solved problem.

    Args:
        question: what is asked.
        width: in pixels, at least 320.
        height: in pixels, at least 320.
        values: whether to draw what the last column is worth under ⊙ and h.
        paint: its colours.

    Returns:
        An SVG document that refers to nothing outside itself.

    Raises:
        ValueError: if the picture would be too small.
        NoFeasibleLabelling: if every labelling is forbidden.
        TooBig: if the tables would not fit into memory.
    """
    if width < LEAST or height < LEAST:
        raise ValueError(f"A picture of {width}×{height} px is too small; it needs at least {LEAST}×{LEAST}.")
    return _Picture(question, trace(question.problem()), width, height, values, paint).document()


class _Picture:
    """Where everything stands, and the parts drawn there."""

    def __init__(
        self, question: Question, tables: Trace, width: int, height: int, values: bool, paint: Paint
    ) -> None:
        self.question, self.tables, self.width, self.height = question, tables, width, height
        self.values, self.paint = values, paint
        right = RIGHT if values else BARE_RIGHT
        scores = question.scores
        self.T, self.N, self.start = scores.length, scores.n_states, scores.window_order - 1
        self.floors, self.states = tables.L.shape[1:]
        self.lane = (height - HEAD - BELOW) / self.floors
        self.pad = min(7.0, 0.08 * self.lane)
        self.row = (self.lane - 2 * self.pad) / self.states
        self.circles = self.row >= CIRCLE_ROW
        self.radius = min(18.0, 0.47 * self.row)
        self.gap = min(0.3 * width, (width - LEFT - right - 40) / max(1, self.T - 1))
        self.cell = 2 * self.radius if self.circles else min(26.0, max(3.0, 0.62 * self.gap))
        self.path = {(int(t), int(k), int(s)) for t, k, s in tables.path}
        self.smallest = question.op == "times" and question.h[tables.decoding.k] < 0

    def document(self) -> str:
        answer = self.tables.decoding
        spoken = (
            f"Trellis with T = {self.T} sites, N = {self.N} labels. "
            f"The best value is {_number(answer.value)} with {answer.k} wrong labels."
        )
        parts = [self._floors(), self._head(), self._edges(), self._path(), self._cells()]
        if self.values:
            parts.append(self._final())
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}" role="img" aria-label="{escape(spoken)}" '
            f'font-family="{SANS}" font-size="13" fill="{self.paint.ink}">'
            f"<title>{escape(self.question.title)}</title>"
            f'<rect width="100%" height="100%" fill="{self.paint.background}"/>{"".join(parts)}</svg>\n'
        )

    def x(self, t: int) -> float:
        return LEFT + 20 + t * self.gap

    def y(self, k: int, s: int) -> float:
        return HEAD + (self.floors - 1 - k) * self.lane + self.pad + (s + 0.5) * self.row

    def _floors(self) -> str:
        parts, every = [], 1 if self.lane >= 13 else 5
        for k in range(self.floors):
            top = HEAD + (self.floors - 1 - k) * self.lane
            fill = self.paint.lanes[k % 2]
            parts.append(f'<rect y="{top:.1f}" width="{self.width}" height="{self.lane:.1f}" fill="{fill}"/>')
            if k % every == 0:
                parts.append(
                    _text(22, top + self.lane / 2, f"{_italic('k')} = {k}", anchor="start", bold=True)
                )
            if self.row >= 11:
                parts += [
                    _text(LEFT - 6, self.y(k, s), self._name(s), anchor="end", size=11, fill=self.paint.muted)
                    for s in range(self.states)
                ]
        middle = HEAD + (self.height - HEAD - BELOW) / 2
        label = _text(0, 0, "wrong labels so far", size=11, fill=self.paint.muted)
        parts.append(f'<g transform="translate(10 {middle:.1f}) rotate(-90)">{label}</g>')
        return "".join(parts)

    def _head(self) -> str:
        labels, truth, answer = self.question.labels, self.question.y, self.tables.decoding.y
        parts = [
            _text(12, 12, _italic("t"), anchor="start", size=11, fill=self.paint.muted),
            _text(12, 30, f"true {_italic('y')}", anchor="start", size=12, fill=self.paint.muted),
            _text(12, 49, f"best {_italic('ŷ')}", anchor="start", size=12, fill=self.paint.muted),
        ]
        for t in range(self.T):
            x, wrong = self.x(t), answer[t] != truth[t]
            if self.gap >= 17 or t == 0 or (t + 1) % 5 == 0:
                parts.append(_text(x, 12, str(t + 1), size=11, fill=self.paint.muted))
            parts.append(_text(x, 30, escape(labels[truth[t]]), bold=True, fill=self.paint.truth))
            fill = self.paint.decision if wrong else self.paint.truth
            parts.append(_text(x, 49, escape(labels[answer[t]]), bold=True, fill=fill, underlined=wrong))
        return "".join(parts)

    def _edges(self) -> str:
        L, S, lines = self.tables.L, self.tables.S, []
        for t, k, s in np.argwhere(np.isfinite(L)):
            if t > self.start:
                lines.append(self._curve(self._source(t, k, s, S[t, k, s]), (t, k, s)))
        weight = 1.2 if self.circles else 0.6
        opacity = 0.45 if self.circles else 0.4
        return (
            f'<path d="{"".join(lines)}" fill="none" stroke="{self.paint.edge}" '
            f'stroke-width="{weight}" opacity="{opacity}"/>'
        )

    def _path(self) -> str:
        cells = [tuple(int(n) for n in cell) for cell in self.tables.path]
        line = "".join(self._curve(a, b) for a, b in pairwise(cells))
        weight = 4.5 if self.circles else 2.5
        return f'<path d="{line}" fill="none" stroke="{self.paint.decision}" stroke-width="{weight}"/>'

    def _cells(self) -> str:
        L, parts = self.tables.L, []
        for t, k, s in np.argwhere(np.isfinite(L)):
            best = (t, k, s) in self.path
            table = self.tables.L_min if best and self.smallest else L
            if self.circles:
                parts.append(self._circle(t, k, s, table[t, k, s], best))
            else:
                column = L[t][np.isfinite(L[t])]
                low, high = column.min(), column.max()
                share = (L[t, k, s] - low) / (high - low) if high > low else 1.0
                fill = self.paint.decision if best else _mixed(*self.paint.heat, share)
                h = max(1.0, self.row - (1 if self.row > 4 else 0.3))
                parts.append(
                    f'<rect x="{self.x(t) - self.cell / 2:.1f}" y="{self.y(k, s) - h / 2:.1f}" '
                    f'width="{self.cell:.1f}" height="{h:.1f}" fill="{fill}"/>'
                )
        return "".join(parts)

    def _circle(self, t: int, k: int, s: int, value: float, best: bool) -> str:
        fill, stroke = (
            (self.paint.decision, self.paint.decision) if best else (self.paint.background, self.paint.edge)
        )
        ink = self.paint.on_decision if best else self.paint.ink
        x, y = self.x(t), self.y(k, s)
        digits = _text(x, y, _number(value, 1), bold=best, fill=ink, size=12 if self.radius > 11 else 10)
        return (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{self.radius:.1f}" fill="{fill}" stroke="{stroke}" '
            f'stroke-width="1.4"/>{digits}'
        )

    def _final(self) -> str:
        """The last column under ⊙ and h: values, bars, the winner."""
        question, problem, t = self.question, self.tables.problem, self.T - 1
        found = []
        for k, s in np.argwhere(np.isfinite(self.tables.L[t])):
            if k >= question.kmin:
                least = question.op == "times" and question.h[k] < 0
                total = (self.tables.L_min if least else self.tables.L)[t, k, s]
                found.append((k, s, problem.objective(total, k)))
        values = [value for _, _, value in found]
        low, high = min(0.0, *values), max(0.0, *values)
        winner = (t, *next((k, s) for k, s, value in found if (t, k, s) in self.path))
        from_x = self.width - RIGHT + 92
        scale = (self.width - 14 - from_x) / ((high - low) or 1.0)
        sign = {"times": "·", "plus": "+", "plain": ""}[question.op]
        formula = f"{_italic('L')}({_italic('j')})" + (
            f" {sign} {_italic('h')}({_italic('k')})" if sign else ""
        )
        parts = [_text(self.x(t) + 30, 30, formula, anchor="start", fill=self.paint.muted)]
        for k, s, value in found:
            best = (t, k, s) == winner
            fill, y = (self.paint.decision if best else self.paint.edge), self.y(k, s)
            if self.circles or best:
                ink = self.paint.decision if best else self.paint.ink
                parts.append(_text(from_x - 8, y, _number(value), anchor="end", bold=best, fill=ink))
            height = min(10.0, max(1.0, 0.7 * self.row))
            parts.append(
                f'<rect x="{from_x + (min(value, 0.0) - low) * scale:.1f}" y="{y - height / 2:.1f}" '
                f'width="{max(1.0, abs(value) * scale):.1f}" height="{height:.1f}" fill="{fill}"/>'
            )
        return "".join(parts)

    def _source(self, t: int, k: int, s: int, i: int) -> tuple[int, int, int]:
        keep = self.states // self.N
        return t - 1, k - int(self.tables.problem.cost[t, s // keep]), int(i) + self.N * (s % keep)

    def _curve(self, a: tuple[int, int, int], b: tuple[int, int, int]) -> str:
        x1, x2 = self.x(a[0]) + self.cell / 2, self.x(b[0]) - self.cell / 2
        y1, y2, half = self.y(*a[1:]), self.y(*b[1:]), (x1 + x2) / 2
        return f"M{x1:.1f} {y1:.1f}C{half:.1f} {y1:.1f} {half:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"

    def _name(self, s: int) -> str:
        labels = self.question.labels
        names = [labels[s // self.N**age % self.N] for age in range(self.question.scores.window_order)]
        return escape(("," if any(len(label) > 1 for label in labels) else "").join(names))


def _text(
    x: float,
    y: float,
    content: str,
    *,
    anchor: str = "middle",
    size: float = 13,
    fill: str = "",
    bold: bool = False,
    underlined: bool = False,
) -> str:
    colour = f' fill="{fill}"' if fill else ""
    weight = ' font-weight="700"' if bold else ""
    line = ' text-decoration="underline"' if underlined else ""
    return (
        f'<text x="{x:.1f}" y="{y + 0.35 * size:.1f}" text-anchor="{anchor}" font-size="{size}" '
        f"{colour.lstrip()}{weight}{line}>{content}</text>"
    )


def _italic(letter: str) -> str:
    return f'<tspan font-family="{SERIF}" font-style="italic">{letter}</tspan>'


def _number(value: float, decimals: int = 2) -> str:
    text = f"{round(float(value), decimals):.{decimals}f}".rstrip("0").rstrip(".")
    return text.replace("-0", "0") if text == "-0" else text.replace("-", "−")


def _mixed(low: str, high: str, share: float) -> str:
    if not low.startswith("#"):
        return f"color-mix(in oklab, {high} {100 * float(share):.0f}%, {low})"
    pairs = [(int(low[n : n + 2], 16), int(high[n : n + 2], 16)) for n in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * float(share)):02x}" for a, b in pairs)
