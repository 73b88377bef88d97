"""Pictures of a training, as Bokeh figures: pure functions of core objects and a palette.

A figure and everything on it is built once, empty; afterwards only data and colours change. New models in a
page that is already shown could overtake, on the wire, the message which describes them.

Colour never stands alone: runs differ by dash from the seventh on, the labels of a ribbon by height, and
wrong sites are hatched.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bokeh.models import ColumnDataSource, FixedTicker, HoverTool, Range1d
from bokeh.plotting import figure

from viterbi_lab.ui.palette import Palette

FONT_SIZE = "12px"
RIBBON_HEIGHT = 0.72  # of the distance between two ribbons


@dataclass(frozen=True, eq=False)
class Ribbon:
    """The labels of one sequence beside the truth.

    Attributes:
        name: what stands at its left.
        labels: (T,) int.
        truth: (T,) int, the true labels; the same array for a true ribbon.
    """

    name: str
    labels: np.ndarray
    truth: np.ndarray


@dataclass(frozen=True, eq=False)
class Line:
    """One run, as the charts draw it.

    Attributes:
        run: its number, from 0; it decides colour and dash.
        epsilon: where it stops.
        numbers: the passes.
        values: by chart, one value for each pass.
    """

    run: int
    epsilon: float
    numbers: Sequence[int]
    values: dict[str, Sequence[float]]


class ProgressCharts:
    """Three charts over the passes: the gap, the accuracy, the constraints; one line for each run.

    Attributes:
        figures: from left to right.
    """

    def __init__(self, palette: Palette) -> None:
        self._palette = palette
        self._lines: tuple[Line, ...] = ()
        self._line_source = ColumnDataSource(
            {key: [] for key in ("number", "gap", "accuracy", "constraints", "colour", "dash")}
        )
        self._point_source = ColumnDataSource(
            {key: [] for key in ("number", "gap", "accuracy", "constraints", "colour")}
        )
        self._epsilon_source = ColumnDataSource({"epsilon": [], "text": [], "number": []})
        gap = _chart("Gap, share of the objective, by pass", palette, Range1d(0.001, 1), y_axis_type="log")
        accuracy = _chart("Right sites of validation sequences, by pass", palette, Range1d(0.5, 1.01))
        constraints = _chart("Constraints in the working set, by pass", palette, Range1d(0, 100))
        for fig, column in (
            (gap, "gap"),
            (accuracy, "accuracy"),
            (constraints, "constraints"),
        ):
            fig.multi_line(
                "number", column, color="colour", line_dash="dash", line_width=2, source=self._line_source
            )
            fig.scatter("number", column, color="colour", size=5, source=self._point_source)
        self._threshold = gap.hspan(
            "epsilon", line_color=palette.ink, line_dash="dashed", source=self._epsilon_source
        )
        self._threshold_text = gap.text(
            "number",
            "epsilon",
            "text",
            text_font_size=FONT_SIZE,
            text_color=palette.ink,
            text_baseline="bottom",
            y_offset=-2,
            source=self._epsilon_source,
        )
        self.figures = (gap, accuracy, constraints)

    def draw(self, lines: Sequence[Line]) -> None:
        """Show these runs and no others, with the thresholds of all of them."""
        self._lines = tuple(lines)
        looks = [self._palette.run(line.run) for line in lines]
        columns = ("gap", "accuracy", "constraints")
        self._line_source.data = {
            "number": [list(line.numbers) for line in lines],
            **{column: [list(line.values[column]) for line in lines] for column in columns},
            "colour": [colour for colour, _ in looks],
            "dash": [dash for _, dash in looks],
        }
        self._point_source.data = {
            "number": [number for line in lines for number in line.numbers],
            **{column: [value for line in lines for value in line.values[column]] for column in columns},
            "colour": [colour for (colour, _), line in zip(looks, lines, strict=True) for _ in line.numbers],
        }
        thresholds = sorted({line.epsilon for line in lines})
        self._epsilon_source.data = {
            "epsilon": thresholds,
            "text": [f"ε = {100 * epsilon:g} %" for epsilon in thresholds],
            "number": [1] * len(thresholds),
        }
        self._fit()

    def _fit(self) -> None:
        """Fit the axes to what is drawn: the browser would do so too, but report every step of it."""
        points = self._point_source.data
        if not points["number"]:
            return
        gap, accuracy, constraints = self.figures
        for fig in self.figures:
            fig.x_range.update(start=0.5, end=max(points["number"]) + 0.5)
        lowest = min(min(points["gap"]), *self._epsilon_source.data["epsilon"])
        gap.y_range.update(start=lowest / 1.6, end=max(points["gap"]) * 1.6)
        accuracy.y_range.start = min(0.5, float(np.floor(10 * min(points["accuracy"])) / 10))
        constraints.y_range.end = 1.06 * max(points["constraints"])

    def repaint(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self._palette = palette
        for fig in self.figures:
            repaint(fig, palette)
        self._threshold.glyph.line_color = self._threshold_text.glyph.text_color = palette.ink
        self.draw(self._lines)


def ribbons(palette: Palette, source: ColumnDataSource) -> figure:
    """Return the chart of label ribbons; its data come from :func:`ribbon_data`."""
    fig = figure(
        sizing_mode="stretch_both",
        min_height=150,
        toolbar_location=None,
        tools="",
        x_range=Range1d(0.5, 100.5),
        y_range=Range1d(-0.2, 4),
    )
    fig.quad(
        left="left",
        right="right",
        bottom="bottom",
        top="top",
        source=source,
        fill_color="fill",
        line_color=None,
        hatch_pattern="hatch",
        hatch_color=palette.background,
        hatch_weight=1.5,
        hatch_scale=7,
        name="sites",
    )
    fig.add_tools(HoverTool(tooltips=[("", "@what")], mode="mouse"))
    fig.ygrid.visible = False
    fig.xgrid.visible = False
    fig.yaxis.ticker = FixedTicker()
    fig.yaxis.major_tick_line_color = None
    fig.yaxis.axis_line_color = None
    repaint(fig, palette)
    return fig


def ribbon_data(
    rows: Sequence[Ribbon], names: Sequence[str], heights: Sequence[float], palette: Palette
) -> dict[str, list]:
    """Return ribbons as rectangles, one for each stretch of equal label and equal rightness.

    Args:
        rows: from top to bottom.
        names: of the labels, in the order of their numbers.
        heights: of the labels, as a share of the height of the ribbon.
        palette: the theme.
    """
    data: dict[str, list] = {key: [] for key in ("left", "right", "bottom", "top", "fill", "hatch", "what")}
    for place, row in enumerate(reversed(rows)):
        wrong = row.labels != row.truth
        starts = np.flatnonzero(np.r_[True, (np.diff(row.labels) != 0) | (np.diff(wrong.astype(int)) != 0)])
        stops = np.r_[starts[1:], row.labels.size]
        for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
            label, is_wrong = int(row.labels[start]), bool(wrong[start])
            data["left"].append(start + 0.5)  # site t, numbered from 1, covers t - ½ .. t + ½
            data["right"].append(stop + 0.5)
            data["bottom"].append(place)
            data["top"].append(place + RIBBON_HEIGHT * heights[label])
            data["fill"].append(palette.decision if is_wrong else palette.edge if label == 0 else palette.ink)
            data["hatch"].append("right_diagonal_line" if is_wrong else "blank")
            where = f"site {start + 1}" if stop == start + 1 else f"sites {start + 1}–{stop}"
            truth = f", truth: {names[int(row.truth[start])]}" if is_wrong else ""
            data["what"].append(f"{row.name}: {names[label]}{truth} ({where})")
    return data


def name_ribbons(fig: figure, rows: Sequence[Ribbon]) -> None:
    """Write the names of the ribbons beside them and fit the axes to their length."""
    ticks = [place + RIBBON_HEIGHT / 2 for place in range(len(rows))]
    fig.yaxis[0].ticker.ticks = ticks
    fig.yaxis.major_label_overrides = dict(zip(ticks, [row.name for row in reversed(rows)], strict=True))
    fig.x_range.end = max(row.labels.size for row in rows) + 0.5
    fig.y_range.end = len(rows) - 1 + RIBBON_HEIGHT + 0.1


def repaint(fig: figure, palette: Palette) -> None:
    """Give a figure and everything on it the colours of a theme."""
    fig.background_fill_color = fig.border_fill_color = palette.background
    fig.background_fill_alpha = fig.border_fill_alpha = 0  # the page shows through: no seams between charts
    fig.outline_line_color = None
    fig.title.text_color = palette.ink
    for axis in fig.axis:
        axis.axis_label_text_color = palette.muted
        axis.major_label_text_color = palette.muted
        if axis.axis_line_color is not None:
            axis.axis_line_color = axis.minor_tick_line_color = axis.major_tick_line_color = palette.line
    fig.grid.grid_line_color = palette.line
    fig.grid.grid_line_alpha = 0.6
    for renderer in fig.renderers:
        if renderer.name == "sites":
            renderer.glyph.hatch_color = palette.background


def _chart(title: str, palette: Palette, y_range: Range1d, **options) -> figure:
    fig = figure(
        title=title,
        x_range=Range1d(0.5, 10.5),
        y_range=y_range,
        sizing_mode="stretch_both",
        min_height=150,
        toolbar_location=None,
        tools="",
        **options,
    )
    fig.title.text_font_size = "13px"
    fig.title.text_font_style = "normal"
    fig.axis.major_label_text_font_size = FONT_SIZE
    fig.xaxis.ticker.min_interval = 1
    fig.xaxis.minor_tick_line_color = None
    repaint(fig, palette)
    return fig
