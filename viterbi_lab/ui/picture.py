"""The finished trellis as an SVG picture, drawn without a browser: floors, best edges, path and final values.

It is the still picture of what ``trellis.js`` draws step by step, in the light theme, for papers and slides.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import groupby, pairwise

import numpy as np

from viterbi_lab.dp import Trace, trace
from viterbi_lab.ui.number import fitted, shown
from viterbi_lab.ui.palette import LIGHT
from viterbi_lab.ui.question import Question
from viterbi_lab.ui.words import undrawable

LEFT, RIGHT, HEAD, BELOW = 84, 200, 62, 14  # px around the floors
BARE_RIGHT = 6  # px beside the last column where its values are not drawn
CIRCLE_ROW = 15  # px; lower rows become heat cells
GAPLESS_ROW = 4  # px; lower heat cells touch each other
HEAT_LEVELS = 12
MOST_EDGES = 3000  # more would be a grey fog
LETTERS = 9  # px between columns; closer ones have no room for a label
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
    current: str = "#ffe08a"


PAPER = Paint(
    background=LIGHT.background,
    ink=LIGHT.ink,
    muted=LIGHT.muted,
    edge=LIGHT.edge,
    decision=LIGHT.decision,
    on_decision=LIGHT.background,
    truth=LIGHT.truth,
    lanes=("#f6f8fa", "#eff3f6"),
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
    step: int | None = None,
) -> str:
    """Return the picture of a solved problem, or of a step on the way there.

    Args:
        question: what is asked.
        width: in pixels, at least 320.
        height: in pixels, at least 320.
        values: whether to draw what the last column is worth under ⊙ and h.
        paint: its colours.
        step: events done, as the stage counts them: cells, the maximum, the path; by default all.

    Returns:
        An SVG document that refers to nothing outside itself.

    Raises:
        ValueError: if the picture would be too small, or the problem too big to be drawn.
        NoFeasibleLabelling: if every labelling is forbidden.
    """
    if width < LEAST or height < LEAST:
        raise ValueError(f"A picture of {width}×{height} px is too small; it needs at least {LEAST}×{LEAST}.")
    if refusal := undrawable(question):
        raise ValueError(refusal)
    return _Picture(question, trace(question.problem()), width, height, values, paint, step).document()


def events(question: Question) -> tuple[list[int], int]:
    """Return how many events are done at the end of every column, and how many there are in all.

    Raises:
        NoFeasibleLabelling: if every labelling is forbidden.
    """
    tables = trace(question.problem())
    filled = np.isfinite(tables.L).sum(axis=(1, 2))
    ends = np.cumsum(filled)[filled > 0]
    return ends.tolist(), int(ends[-1]) + 1 + len(tables.path)


class _Picture:
    """Where everything stands, and the parts drawn there."""

    def __init__(
        self,
        question: Question,
        tables: Trace,
        width: int,
        height: int,
        values: bool,
        paint: Paint,
        step: int | None,
    ) -> None:
        self.question, self.tables, self.width, self.height = question, tables, width, height
        self.values, self.paint = values, paint
        right = RIGHT if values else BARE_RIGHT
        scores = question.scores
        self.T, self.N, self.start = scores.length, scores.n_states, scores.window_order - 1
        self.floors, self.states = tables.L.shape[1:]
        self.lane = (height - HEAD - BELOW) / self.floors
        self.pad = min(7.0, 0.08 * self.lane) if self.lane > GAPLESS_ROW * self.states else 0.0
        self.row = (self.lane - 2 * self.pad) / self.states
        self.circles = self.row >= CIRCLE_ROW
        self.radius = min(18.0, 0.47 * self.row)
        self.gap = min(0.3 * width, (width - LEFT - right - 40) / max(1, self.T - 1))
        self.cell = 2 * self.radius if self.circles else min(26.0, max(3.0, 0.62 * self.gap))
        cells = _cells(np.argwhere(np.isfinite(tables.L)))
        if step is None:
            step = len(cells) + 1 + len(tables.path)
        self.known = cells[:step]
        self.current = cells[step - 1] if 0 < step <= len(cells) else None
        self.values = values and step > len(cells)
        reached = max(0, step - len(cells) - 1)
        self.path = _cells(tables.path)[::-1][:reached][::-1]
        self.first_known = self.T if not reached else max(0, self.T - self.start - reached)  # label of ŷ
        self.smallest = question.op == "times" and question.h[tables.decoding.k] < 0

    def document(self) -> str:
        answer = self.tables.decoding
        spoken = (
            f"Trellis with T = {self.T} sites, N = {self.N} labels. "
            f"The best value is {shown(answer.value)} with {answer.k} wrong labels."
        )
        parts = [self._floors(), self._head(), self._edges(), self._path(), self._cells(), self._now()]
        if self.values:
            parts.append(self._final())
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}" role="img" aria-label="{escape(spoken)}" '
            f'font-family="{SANS}" font-size="13" text-anchor="middle" fill="{self.paint.ink}">'
            f"<title>{escape(self.question.title)}</title>"
            f'<rect width="100%" height="100%" fill="{self.paint.background}"/>{"".join(parts)}</svg>\n'
        )

    def x(self, t: int) -> float:
        return LEFT + 20 + t * self.gap

    def y(self, k: int, s: int) -> float:
        return HEAD + (self.floors - 1 - k) * self.lane + self.pad + (s + 0.5) * self.row

    def _floors(self) -> str:
        parts, every = [], _every(self.lane, 13)
        band = every if self.lane < 6 else 1  # floors that share a shade where one alone is only a hair
        for k in range(0, self.floors, band):
            height = min(band, self.floors - k) * self.lane
            top = HEAD + (self.floors - k) * self.lane - height
            fill = self.paint.lanes[k // band % 2]
            parts.append(f'<rect y="{top:.1f}" width="{self.width}" height="{height:.1f}" fill="{fill}"/>')
            if k % every == 0:
                middle = min(self.height - BELOW - 7.0, top + height - self.lane / 2)
                parts.append(_text(22, middle, f"{_italic('k')} = {k}", anchor="start", bold=True))
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
        every, letters = _every(self.gap, 26), self.gap >= LETTERS
        if self.gap >= 17:
            every = 1
        for t in range(self.T):
            x, wrong = self.x(t), answer[t] != truth[t]
            if t == 0 or (t + 1) % every == 0:
                parts.append(_text(x, 12, str(t + 1), size=11, fill=self.paint.muted))
            fill = self.paint.decision if wrong else self.paint.truth
            if letters:
                parts.append(_text(x, 30, escape(labels[truth[t]]), bold=True, fill=self.paint.truth))
                if t >= self.first_known:
                    name = escape(labels[answer[t]])
                    parts.append(_text(x, 49, name, bold=True, fill=fill, underlined=wrong))
                continue
            parts.append(self._tick(t, 36, truth[t], self.paint.edge))
            if t >= self.first_known:
                parts.append(self._tick(t, 56, answer[t], self.paint.decision if wrong else self.paint.edge))
        return "".join(parts)

    def _tick(self, t: int, foot: int, label: int, fill: str) -> str:
        """A label where there is no room for a letter: the higher, the later in the alphabet."""
        height, width = 2 + 12 * label / max(1, self.N - 1), max(1.0, self.gap - 0.6)
        return (
            f'<rect x="{self.x(t) - width / 2:.1f}" y="{foot - height:.1f}" width="{width:.1f}" '
            f'height="{height:.1f}" fill="{fill}"/>'
        )

    def _edges(self) -> str:
        L, S, lines = self.tables.L, self.tables.S, []
        if np.isfinite(L).sum() > MOST_EDGES:
            return ""
        for t, k, s in self.known:
            if t > self.start:
                lines.append(self._curve(self._source(t, k, s, S[t, k, s]), (t, k, s)))
        weight = 1.2 if self.circles else 0.6
        opacity = 0.45 if self.circles else 0.4
        return (
            f'<path d="{"".join(lines)}" fill="none" stroke="{self.paint.edge}" '
            f'stroke-width="{weight}" opacity="{opacity}"/>'
        )

    def _path(self) -> str:
        line = "".join(self._curve(a, b) for a, b in pairwise(self.path))
        weight = 4.5 if self.circles else 2.5
        return f'<path d="{line}" fill="none" stroke="{self.paint.decision}" stroke-width="{weight}"/>'

    def _cells(self) -> str:
        L = self.tables.L
        stops = set(self.path)
        others = [cell for cell in self.known if cell not in stops]
        if not self.circles:
            boxes = "".join(self._box(t, self.y(k, s), 1) for t, k, s in self.path)
            return self._heat() + f'<path fill="{self.paint.decision}" d="{boxes}"/>'
        best = L if not self.smallest else self.tables.L_min
        paint = self.paint
        return (
            self._circles(others, paint.background, paint.edge)
            + self._circles(self.path, paint.decision, paint.decision)
            + "".join(self._digits(cell, L[cell]) for cell in others)
            + "".join(self._digits(cell, best[cell], bold=True, fill=paint.on_decision) for cell in self.path)
        )

    def _circles(self, cells: list[tuple[int, int, int]], fill: str, stroke: str) -> str:
        circles = "".join(
            f'<circle cx="{self.x(t):.1f}" cy="{self.y(k, s):.1f}" r="{self.radius:.1f}"/>'
            for t, k, s in cells
        )
        return f'<g fill="{fill}" stroke="{stroke}" stroke-width="1.4">{circles}</g>'

    def _digits(self, cell: tuple[int, int, int], value: float, **more) -> str:
        t, k, s = cell
        size = 12 if self.radius > 11 else 10
        room = 1.9 * self.radius / (0.6 * size)  # a digit is 0.6 em wide
        return _text(self.x(t), self.y(k, s), fitted(value, room), size=size, **more)

    def _heat(self) -> str:
        """All cells in the colours of their places between the extremes of their columns, one path each."""
        boxes: list[list[str]] = [[] for _ in range(HEAT_LEVELS)]
        done = np.zeros(self.tables.L.shape, bool)
        done[tuple(np.array(self.known, int).reshape(-1, 3).T)] = True
        L = self.tables.L
        for t in range(self.start, self.T):
            known = L[t][np.isfinite(L[t])]
            span = (known.max() - known.min()) or 1.0
            share = np.where(done[t], (L[t] - known.min()) / span, np.nan)
            levels = np.where(np.isnan(share), -1, np.nan_to_num(share) * (HEAT_LEVELS - 0.001)).astype(int)
            from_top = levels[::-1].ravel().tolist()
            for n, level, length in _runs(from_top, joined=self.row < GAPLESS_ROW):
                if level >= 0:
                    y = self.y(self.floors - 1 - n // self.states, n % self.states)
                    boxes[level].append(self._box(t, y, length))
        return "".join(
            f'<path fill="{_mixed(*self.paint.heat, level / (HEAT_LEVELS - 1))}" d="{"".join(path)}"/>'
            for level, path in enumerate(boxes)
            if path
        )

    def _box(self, t: int, y: float, rows: int) -> str:
        """The outline of so many cells below each other, the first one around the height y."""
        h = max(1.0, rows * self.row - (0.0 if self.row < GAPLESS_ROW else 1.0))
        top = y - self.row / 2 + (rows * self.row - h) / 2
        return f"M{self.x(t) - self.cell / 2:.1f} {top:.1f}h{self.cell:.1f}v{h:.1f}h-{self.cell:.1f}z"

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
        winner = _cells(self.tables.path)[-1]
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
                parts.append(_text(from_x - 8, y, fitted(value, 6), anchor="end", bold=best, fill=ink))
            height = min(10.0, max(1.0, 0.7 * self.row))
            parts.append(
                f'<rect x="{from_x + (min(value, 0.0) - low) * scale:.1f}" y="{y - height / 2:.1f}" '
                f'width="{max(1.0, abs(value) * scale):.1f}" height="{height:.1f}" fill="{fill}"/>'
            )
        return "".join(parts)

    def _now(self) -> str:
        """The cell of this step: its candidates, and in words why it has its value."""
        if self.current is None:
            return ""
        t, k, s = self.current
        said = f"{_italic('L')} = {fitted(self.tables.L[t, k, s], 8)}, the score of the first labels"
        lines = ""
        if t > self.start:
            step = self.question.scores.tables()[t - self.start]
            sums = []
            for i in range(self.N):
                source = self._source(t, k, s, i)
                labels = (i, *[s // self.N**age % self.N for age in range(self.start + 1)])
                score = step[labels]
                if source[1] >= 0 and np.isfinite(self.tables.L[source]) and np.isfinite(score):
                    best = i == self.tables.S[t, k, s]
                    ink = self.paint.decision if best else self.paint.muted
                    look = 'stroke-width="3.4"' if best else 'stroke-width="1.3" stroke-dasharray="3 3"'
                    line = self._curve(source, self.current)
                    lines += f'<path d="{line}" fill="none" stroke="{ink}" {look}/>'
                    sign = "−" if score < 0 else "+"
                    sums.append(f"{fitted(self.tables.L[source], 8)} {sign} {fitted(abs(score), 8)}")
            said = f"{_italic('L')} = max({', '.join(sums)}) = {fitted(self.tables.L[t, k, s], 8)}"
        wrong = s // self.N**self.start != self.question.y[t]
        case = "wrong label: up" if wrong else "right label: level"
        name = f"{_italic('t')} = {t + 1}, {_italic('k')} = {k}, label {self._name(s)}: {case}"
        x, y, half = self.x(t), self.y(k, s), max(4.0, self.row / 2)
        place = (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{self.radius + 1:.1f}"'
            if self.circles
            else f'<rect x="{x - self.cell / 2:.1f}" y="{y - half:.1f}" width="{self.cell:.1f}" '
            f'height="{2 * half:.1f}"'
        )
        return (
            f'{lines}{place} fill="{self.paint.current}" stroke="{self.paint.ink}" stroke-width="2"/>'
            + (
                self._digits(self.current, self.tables.L[t, k, s], bold=True, fill="#1b1f24")
                if self.circles
                else ""
            )
            + _text(LEFT + 12, HEAD + 22, name, anchor="start", size=15)
            + _text(LEFT + 12, HEAD + 44, said, anchor="start", size=15, bold=True)
        )

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


def _cells(rows: np.ndarray) -> list[tuple[int, int, int]]:
    return [(int(t), int(k), int(s)) for t, k, s in rows]


def _every(pixels: float, needed: float) -> int:
    """How many steps of so many pixels lie between two numbers that need some room."""
    return next((n for n in (1, 5, 10, 20, 50) if n * pixels >= needed), 100)


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
    """A text around the height y; what the whole document says of texts is not said again."""
    said = {
        "text-anchor": anchor if anchor != "middle" else "",
        "font-size": size if size != 13 else "",
        "fill": fill,
        "font-weight": "700" if bold else "",
        "text-decoration": "underline" if underlined else "",
    }
    more = "".join(f' {name}="{value}"' for name, value in said.items() if value)
    return f'<text x="{x:.1f}" y="{y + 0.35 * size:.1f}"{more}>{content}</text>'


def _italic(letter: str) -> str:
    return f'<tspan font-family="{SERIF}" font-style="italic">{letter}</tspan>'


def _mixed(low: str, high: str, share: float) -> str:
    if not low.startswith("#"):
        return f"color-mix(in oklab, {high} {100 * float(share):.0f}%, {low})"
    pairs = [(int(low[n : n + 2], 16), int(high[n : n + 2], 16)) for n in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * float(share)):02x}" for a, b in pairs)
