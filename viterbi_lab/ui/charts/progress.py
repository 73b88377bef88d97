"""How runs go on: objective, gap, accuracy and constraints over the passes, one line for each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bokeh.models import ColumnDataSource, Range1d

from viterbi_lab.ui.charts.chart import FONT_SIZE, chart, repaint
from viterbi_lab.ui.palette import Palette

TITLES = {
    "upper": "Objective, primal and dual",
    "gap": "Gap, share of the objective",
    "accuracy": "Right labels, validation",
    "planes": "Constraints",
}
COLUMNS = (*TITLES, "lower")
LOWEST_DUAL = 1e-2  # of the smallest primal: what is below is cut off, the dual begins at 0
POINT = 7  # px; in smaller ones shapes look alike
SMALLEST_GAP = 0.1  # of ε: a log axis has no 0; the table shows the number itself


@dataclass(frozen=True, eq=False)
class Line:
    """One run, as the charts draw it.

    Attributes:
        run: its number, from 0; it decides colour, dash, and shape of points.
        epsilon: the gap at which it stops.
        numbers: the passes.
        values: by name as in `COLUMNS`, one value for each pass.
    """

    run: int
    epsilon: float
    numbers: Sequence[int]
    values: dict[str, Sequence[float]]


class ProgressCharts:
    """Four charts over the passes.

    Attributes:
        figures: from left to right.
    """

    def __init__(self, palette: Palette) -> None:
        self._palette = palette
        self._lines: tuple[Line, ...] = ()
        self._line_source = _empty("number", *COLUMNS, "colour", "dash", "band", "along")
        self._point_source = _empty("number", *COLUMNS, "colour", "marker")
        self._epsilon_source = _empty("epsilon", "text", "number")
        ranges = {
            "upper": (Range1d(0.01, 100), {"y_axis_type": "log"}),
            "gap": (Range1d(0.001, 1), {"y_axis_type": "log"}),
            "accuracy": (Range1d(0.5, 1.01), {}),
            "planes": (Range1d(0, 100), {}),
        }
        charts = {
            name: chart(TITLES[name], palette, Range1d(0.5, 10.5), y_range, **options)
            for name, (y_range, options) in ranges.items()
        }
        charts["upper"].patches(
            "along", "band", fill_color="colour", fill_alpha=0.15, line_color=None, source=self._line_source
        )
        charts["upper"].multi_line(
            "number", "lower", color="colour", line_dash="dash", line_width=1, source=self._line_source
        )
        for name, fig in charts.items():
            fig.xaxis.ticker.min_interval = 1
            fig.multi_line(
                "number", name, color="colour", line_dash="dash", line_width=2, source=self._line_source
            )
            fig.scatter(
                "number", name, color="colour", marker="marker", size=POINT, source=self._point_source
            )
        self._threshold = charts["gap"].hspan(
            "epsilon", line_color=palette.ink, line_dash="dashed", source=self._epsilon_source
        )
        self._threshold_text = charts["gap"].text(
            "number",
            "epsilon",
            "text",
            text_font_size=FONT_SIZE,
            text_color=palette.ink,
            text_baseline="bottom",
            y_offset=-2,
            source=self._epsilon_source,
        )
        self._charts = charts
        self.figures = tuple(charts.values())

    def draw(self, lines: Sequence[Line]) -> None:
        """Show these runs and no others, with the thresholds of all of them."""
        self._lines = tuple(lines)
        looks = [self._palette.run(line.run) for line in lines]
        values = [_drawable(line) for line in lines]
        self._line_source.data = {
            "number": [list(line.numbers) for line in lines],
            **{column: [list(line[column]) for line in values] for column in COLUMNS},
            "along": [[*line.numbers, *reversed(line.numbers)] for line in lines],
            "band": [[*line["upper"], *reversed(line["lower"])] for line in values],
            "colour": [colour for colour, _, _ in looks],
            "dash": [dash for _, dash, _ in looks],
        }
        self._point_source.data = {
            "number": [number for line in lines for number in line.numbers],
            **{column: [value for line in values for value in line[column]] for column in COLUMNS},
            "colour": [look[0] for look, line in zip(looks, lines, strict=True) for _ in line.numbers],
            "marker": [look[2] for look, line in zip(looks, lines, strict=True) for _ in line.numbers],
        }
        thresholds = sorted({line.epsilon for line in lines})
        self._epsilon_source.data = {
            "epsilon": thresholds,
            "text": [f"ε = {100 * epsilon:g} %" for epsilon in thresholds],
            "number": [1] * len(thresholds),
        }
        if lines:
            self._fit()

    def _fit(self) -> None:
        points = self._point_source.data
        for fig in self.figures:
            fig.x_range.update(start=0.5, end=max(points["number"]) + 0.5)
        smallest = min(*points["gap"], *self._epsilon_source.data["epsilon"])
        self._charts["gap"].y_range.update(start=smallest / 1.6, end=1.3)
        self._charts["upper"].y_range.update(start=min(points["lower"]) / 1.2, end=1.2 * max(points["upper"]))
        self._charts["accuracy"].y_range.start = min(0.5, float(np.floor(10 * min(points["accuracy"])) / 10))
        self._charts["planes"].y_range.end = 1.06 * max(points["planes"])

    def repaint(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self._palette = palette
        for fig in self.figures:
            repaint(fig, palette)
        self._threshold.glyph.line_color = self._threshold_text.glyph.text_color = palette.ink
        self.draw(self._lines)


def _drawable(line: Line) -> dict[str, Sequence[float]]:
    """The values of a run with what a log axis cannot show lifted to its edge."""
    floor = LOWEST_DUAL * min(line.values["upper"], default=1.0)
    return {
        **line.values,
        "lower": [max(value, floor) for value in line.values["lower"]],
        "gap": [max(value, SMALLEST_GAP * line.epsilon) for value in line.values["gap"]],
    }


def _empty(*columns: str) -> ColumnDataSource:
    return ColumnDataSource({column: [] for column in columns})
