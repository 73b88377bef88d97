"""Figures 4 to 7 of Bauer et al. 2014 as HoloViews elements: pure functions of results.

HoloViews draws the same elements by Bokeh, for the page and for HTML, and by matplotlib, for PNG and SVG.
Colour never stands alone: curves carry their names at their ends, and margin rescaling is dashed.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import holoviews as hv
import numpy as np

from viterbi_lab.data.genes import SignalSequence
from viterbi_lab.experiments.concentration import Heat
from viterbi_lab.experiments.example import STATES, TRANSITIONS
from viterbi_lab.experiments.gathered import Gathered, Row
from viterbi_lab.experiments.scaling import (
    EXHAUSTIVE,
    PAPER_SECONDS,
    PROGRAMS,
    Timing,
    slope,
)
from viterbi_lab.experiments.trends import curve, points
from viterbi_lab.rescaling import RESCALINGS
from viterbi_lab.ui.palette import LIGHT

BOKEH, MATPLOTLIB = "bokeh", "matplotlib"
WIDTH, HEIGHT = 620, 440  # px of one part; matplotlib takes a hundredth of them as inches
RAMP = ("#e3eef6", "#c4dcec", "#9cc4de", "#6ea8cd", "#468bba", "#276fa5", "#08589e")
PROGRAM_COLOURS = dict(zip(PROGRAMS, LIGHT.runs, strict=False))
DASH = {"slack": "solid", "margin": "dashed"}
NODES = {"start": (0.0, 0.5), "−": (1.0, 0.0), "+": (1.0, 1.0), "end": (2.0, 0.5)}
RADIUS = 0.16


@dataclass(frozen=True, eq=False)
class Finished:
    """One figure.

    Attributes:
        name: as in the paper, and of its files.
        title: what it shows.
        note: how its numbers came about; one or two sentences.
        parts: draws its parts for a backend, from left to right.
        csv: its numbers.
    """

    name: str
    title: str
    note: str
    parts: Callable[[str], tuple[Any, ...]]
    csv: str


def figure4(timings: Sequence[Timing]) -> Finished:
    """Time of one inference against T, both logarithmic, with fitted slopes and the times in the paper."""

    def parts(backend: str) -> tuple[Any, ...]:
        look = _Look(backend)
        elements = []
        for program, colour in PROGRAM_COLOURS.items():
            measured = sorted((t.T, t.seconds) for t in timings if t.program == program)
            if measured:
                elements += [
                    look.curve(hv.Curve(measured, "T", "seconds"), colour, "solid"),
                    look.dots(hv.Scatter(measured, "T", "seconds"), colour),
                    look.words([(*measured[-1], f"   {growth(program, timings)}")], "left"),
                ]
        printed = [
            (T, seconds, 2.5 * seconds, f"paper: {seconds:g} s") for (_, T), seconds in PAPER_SECONDS.items()
        ]
        elements += [
            look.dots(hv.Scatter([p[:2] for p in printed], "T", "seconds"), LIGHT.ink, marker="x", size=10),
            look.words([(T, above, text) for T, _, above, text in printed], "center"),
        ]
        return (
            look.chart(
                elements,
                title="Time of one inference, seconds",
                xlabel="sites T",
                ylabel="",
                logx=True,
                logy=True,
                xlim=(1.5, 1_500_000),
                ylim=(3e-6, 1e3),
            ),
        )

    return Finished(
        "figure4",
        "Fig. 4 · What inference costs as sequences grow",
        "Processor time of one call on this machine, the least of several; random scores, N = 4. "
        "Crosses: the paper, on a Core 2 Duo of 3 GHz.",
        parts,
        _csv(("program", "T", "seconds"), ((t.program, t.T, t.seconds) for t in timings)),
    )


def figure5(heat: Heat) -> Finished:
    """Two maps over t and k: max_j L_{t,k}(j) + k and max_j L_{t,k}(j) · k."""

    def parts(backend: str) -> tuple[Any, ...]:
        look = _Look(backend)
        length = int(heat.t[-1])
        return tuple(
            look.chart(
                [
                    look.image(hv.Image((heat.t, heat.k, getattr(heat, name).T), ["t", "k"], "value")),
                    look.dots(
                        hv.Scatter([(length, heat.best_k[name])], "t", "k"),
                        LIGHT.decision,
                        marker="o",
                        size=9,
                    ),
                ],
                title=f"{sign}, largest at k = {heat.best_k[name]:,}",
                xlabel="sites t",
                ylabel="errors k",
                xlim=(0, length * 1.02),
                ylim=(0, length * 1.02),
            )
            for name, sign in (("margin", "Margin, max L + k"), ("slack", "Slack, max L · k"))
        )

    t, k = np.meshgrid(heat.t, heat.k, indexing="ij")
    inside = k <= t
    return Finished(
        "figure5",
        "Fig. 5 · Where the loss-augmented scores are large",
        f"Mean over {heat.sets} random problems, N = 4, T = {int(heat.t[-1]):,}. "
        "Above half of the largest value: "
        f"{heat.share_above_half('margin'):.0%} of the triangle for margin, "
        f"{heat.share_above_half('slack'):.0%} for slack.",
        parts,
        _csv(
            ("t", "k", "margin", "slack"),
            zip(
                t[inside].tolist(),
                k[inside].tolist(),
                heat.margin[inside].tolist(),
                heat.slack[inside].tolist(),
                strict=True,
            ),
        ),
    )


def figure6(example: SignalSequence) -> Finished:
    """One sequence: its labels, its signals, and the diagram of its states."""
    x, y = example
    T, r = x.shape
    names = [f"signal {f + 1}" for f in range(r)] + ["labels"]

    def parts(backend: str) -> tuple[Any, ...]:
        look = _Look(backend)
        reach = float(np.abs(x).max())
        heights = [-1.1 * f for f in range(r)] + [1.1]
        sites = np.arange(1, T + 1)
        elements = [
            look.curve(hv.Curve((sites, heights[f] + 0.5 * x[:, f] / reach), "t", "row"), LIGHT.edge, "solid")
            for f in range(r)
        ]
        corners = np.repeat(np.arange(T + 1) + 0.5, 2)[1:-1]
        labels = hv.Area((corners, np.full(2 * T, 0.8), 0.8 + 0.6 * np.repeat(y, 2)), "t", ["base", "row"])
        elements += [
            look.area(labels, LIGHT.decision),
            look.curve(hv.Curve((corners, 0.8 + 0.6 * np.repeat(y, 2)), "t", "row"), LIGHT.decision, "solid"),
        ]
        sequence = look.chart(
            elements,
            title="One sequence: labels and four signals",
            xlabel="site t",
            ylabel="",
            yticks=list(zip(heights, names, strict=True)),
            xlim=(0.5, T + 0.5),
            ylim=(min(heights) - 0.7, 1.7),
            **look.on_paper(aspect=1.4),
        )
        return sequence, look.diagram(
            [_arrow(NODES[a], NODES[b]) for a, b in TRANSITIONS], [(*NODES[s], s) for s in STATES]
        )

    columns = ("site", "label", *(f"signal_{f + 1}" for f in range(r)))
    rows = ((t + 1, "+" if y[t] else "-", *x[t].tolist()) for t in range(T))
    return Finished(
        "figure6",
        "Fig. 6 · A synthetic gene sequence and its states",
        "Blocks of + on a ground of −; each signal is ±1 with noise of σ = 2. "
        "Start and end have no signal and never count as errors.",
        parts,
        _csv(columns, rows),
    )


def figure7(gathered: Gathered) -> Finished:
    """Accuracy and iterations against n for every σ, slack and margin: means and standard errors."""
    sets = len({row.data_set for row in gathered.rows})

    def parts(backend: str) -> tuple[Any, ...]:
        return (
            _against_n(
                _Look(backend), gathered.rows, lambda row: row.accuracy, "Right sites of test sequences"
            ),
            _against_n(
                _Look(backend),
                gathered.rows,
                lambda row: row.passes,
                "Passes of training at the chosen C",
            ),
        )

    p = gathered.protocol
    return Finished(
        "figure7",
        "Fig. 7 · Accuracy and iterations against the number of training sequences",
        f"Mean and standard error over {sets} data {'set' if sets == 1 else 'sets'} of "
        f"{p.pool:,} + {p.n_validation:,} + {p.n_test:,} sequences; C of {len(p.Cs)} chosen on validation; "
        f"ε = {p.epsilon:g}. Passes are those of cutting planes. Solid: slack, dashed: margin.",
        parts,
        gathered.csv(),
    )


def _against_n(
    look: _Look, rows: Sequence[Row], value: Callable[[Row], float | None], title: str
) -> hv.Overlay:
    found = points(rows, value)
    sigmas = sorted({point.sigma for point in found})
    colours = dict(zip(sigmas, LIGHT.runs * len(sigmas), strict=False))
    lines = {
        rescaling: [
            (a.n, a.mean, b.n, b.mean, colours[sigma])
            for sigma in sigmas
            for a, b in pairwise(curve(found, sigma, rescaling))
        ]
        for rescaling in RESCALINGS
    }
    bars = [(p.n, p.mean - p.error, p.n, p.mean + p.error, colours[p.sigma]) for p in found]
    dots = hv.Scatter([(p.n, p.mean, colours[p.sigma]) for p in found], "n", ["mean", "colour"])
    ends = [
        (last.n * 1.06, last.mean, f"  σ={sigma:g}", colours[sigma])
        for sigma in sigmas
        for last in curve(found, sigma, "slack")[-1:]
    ]
    sizes = sorted({point.n for point in found})
    low, high = min(p.mean - p.error for p in found), max(p.mean + p.error for p in found)
    room = 0.06 * (high - low)
    placed = _apart(ends, 0.045 * (high - low))
    return look.chart(
        [
            *(look.segments(lines[rescaling], DASH[rescaling]) for rescaling in RESCALINGS),
            look.segments(bars, "solid"),
            look.dots(dots, "colour", size=5),
            look.words(placed, "left", "colour"),
        ],
        title=title,
        xlabel="training sequences n",
        ylabel="",
        logx=True,
        xlim=(sizes[0] * 0.85, sizes[-1] * (sizes[-1] / sizes[0]) ** 0.22),
        ylim=(low - room, high + room),
        xticks=[(n, str(n)) for n in sizes],
    )


def _apart(
    words: Sequence[tuple[float, float, str, str]], least: float
) -> list[tuple[float, float, str, str]]:
    """The same words with heights that differ by at least so much."""
    placed: list[tuple[float, float, str, str]] = []
    for x, y, *rest in sorted(words, key=lambda word: word[1]):
        placed.append((x, max(y, placed[-1][1] + least) if placed else y, *rest))
    return placed


class _Look:
    """The options of one backend for every kind of element: the only code that knows how they differ."""

    def __init__(self, backend: str) -> None:
        if backend not in (BOKEH, MATPLOTLIB):
            raise ValueError(f"backend={backend!r}; it is {BOKEH!r} or {MATPLOTLIB!r}.")
        if backend == BOKEH:
            import holoviews.plotting.bokeh
        else:
            import holoviews.plotting.mpl  # noqa: F401 - registers the backend
        self._backend, self._on_page = backend, backend == BOKEH

    def curve(self, element: hv.Curve, colour: str, dash: str) -> hv.Curve:
        return self._with(
            element,
            {"color": colour, "line_width": 2, "line_dash": dash},
            {"color": colour, "linewidth": 1.6, "linestyle": dash},
        )

    def segments(self, lines: list[tuple[float, float, float, float, str]], dash: str) -> hv.Segments:
        return self._with(
            hv.Segments(lines, ["x0", "y0", "x1", "y1"], "colour"),
            {"color": "colour", "line_width": 2, "line_dash": dash},
            {"color": "colour", "linewidth": 1.6, "linestyle": dash},
        )

    def dots(self, element: hv.Scatter, colour: str, marker: str = "o", size: int = 6) -> hv.Scatter:
        return self._with(
            element,
            {"color": colour, "size": size, "marker": {"o": "circle"}.get(marker, marker), "line_width": 2},
            {
                "color": colour,
                "s": size**2,
                "marker": marker,
                **({} if marker == "x" else {"edgecolors": "none"}),
            },
        )

    def area(self, element: hv.Area, colour: str) -> hv.Area:
        return self._with(
            element,
            {"color": colour, "line_alpha": 0, "fill_alpha": 0.35},
            {"facecolor": colour, "alpha": 0.35, "linewidth": 0},
        )

    def image(self, element: hv.Image) -> hv.Image:
        return self._with(
            element,
            {"cmap": list(RAMP), "colorbar": True, "clabel": ""},
            {"cmap": list(RAMP), "colorbar": True, "clabel": ""},
        )

    def words(self, placed: Iterable[tuple], align: str, colour: str = LIGHT.ink) -> hv.Labels:
        placed = list(placed)
        columns = ["text", "colour"] if placed and len(placed[0]) == 4 else ["text"]
        return self._with(
            hv.Labels(placed, ["x", "y"], columns),
            {"text_font_size": "12px", "text_align": align, "text_baseline": "middle",
             "text_color": colour, "xoffset": 0},
            {"size": 10, "horizontalalignment": align, "color": colour},
        )  # fmt: skip

    def diagram(self, arrows: Sequence[np.ndarray], nodes: Sequence[tuple[float, float, str]]) -> hv.Overlay:
        lines = self._with(
            hv.Path([arrow[:-3] for arrow in arrows]),
            {"color": LIGHT.edge, "line_width": 2},
            {"color": LIGHT.edge, "linewidth": 1.6},
        )
        heads = self._with(
            hv.Polygons([arrow[-3:] for arrow in arrows]),
            {"color": LIGHT.edge, "line_color": LIGHT.edge},
            {"facecolor": LIGHT.edge, "edgecolor": LIGHT.edge},
        )
        angle = np.linspace(0, 2 * np.pi, 60)
        round_ = np.column_stack([np.cos(angle), np.sin(angle)]) * RADIUS
        circles = self._with(
            hv.Polygons([round_ + np.array([x, y]) for x, y, _ in nodes]),
            {"color": LIGHT.surface, "line_color": LIGHT.ink, "line_width": 2},
            {"facecolor": LIGHT.surface, "edgecolor": LIGHT.ink, "linewidth": 1.6},
        )
        return self.chart(
            [lines, heads, circles, self.words(nodes, "center")],
            title="What may follow what",
            xlabel="",
            ylabel="",
            xaxis=None,
            yaxis=None,
            xlim=(-0.35, 2.35),
            ylim=(-0.65, 1.65),
            aspect="equal",
            show_grid=False,
        )

    def chart(self, elements: Sequence[Any], **options: Any) -> hv.Overlay:
        both = {"show_grid": True, "show_legend": False}
        on_page = {
            "width": WIDTH, "height": HEIGHT, "toolbar": None,
            "fontsize": {"title": "13px", "labels": "12px", "ticks": "12px"},
        }  # fmt: skip
        on_paper = {
            "fig_inches": (WIDTH / 100, HEIGHT / 100),
            "fontsize": {"title": 11, "labels": 10, "ticks": 9},
        }  # fmt: skip
        return self._with(
            hv.Overlay(list(elements)), {**both, **on_page, **options}, {**both, **on_paper, **options}
        )

    def on_paper(self, **options: Any) -> dict[str, Any]:
        """Options that the page does not need."""
        return {} if self._on_page else options

    def _with(self, element: Any, on_page: dict, on_paper: dict) -> Any:
        return element.opts(**(on_page if self._on_page else on_paper), backend=self._backend)


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> np.ndarray:
    """The points of an arrow between two nodes, or around one; the last three are its head."""
    if start == end:
        away = 1.0 if start[1] > 0.5 else -1.0
        angle = np.linspace(-0.35, 1.35, 40) * np.pi
        line = np.column_stack([0.13 * np.cos(angle), away * (RADIUS + 0.1 + 0.13 * np.sin(angle))])
        line = line + np.array(start)
    else:
        a, b = np.array(start), np.array(end)
        along = (b - a) / np.linalg.norm(b - a)
        side = np.array([-along[1], along[0]]) * (0.07 if a[0] == b[0] else 0.0)  # there and back lie apart
        line = np.array([a + side + along * RADIUS, b + side - along * (RADIUS + 0.02)])
    direction = (line[-1] - line[-2]) / np.linalg.norm(line[-1] - line[-2])
    across = np.array([-direction[1], direction[0]])
    back = line[-1] - 0.09 * direction
    return np.vstack([line, line[-1], back + 0.045 * across, back - 0.045 * across])


def growth(program: str, timings: Sequence[Timing]) -> str:
    """The name of a program and, once it can be fitted, how its time grows."""
    grows = slope(timings, program)
    if grows is None:
        return program
    return f"{program}: " + (f"×{grows:.1f} per site" if program == EXHAUSTIVE else f"T^{grows:.2f}")


def _csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return stream.getvalue()
