"""Label ribbons: what a sequence is labelled, site by site, under each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from bokeh.events import Tap
from bokeh.models import ColumnDataSource, FixedTicker, HoverTool, Range1d

from viterbi_lab.ui.charts.chart import chart, repaint
from viterbi_lab.ui.palette import Palette

HEIGHT = 0.72  # of the distance between two ribbons


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


class Ribbons:
    """The chart of label ribbons.

    Args:
        palette: the theme.
        clicked: called with the number of the ribbon from above and of the site, both from 0.

    Attributes:
        figure: the chart.
    """

    def __init__(self, palette: Palette, clicked: Callable[[int, int], None]) -> None:
        self._clicked = clicked
        self._rows: Sequence[Ribbon] = ()
        self._source = ColumnDataSource(
            {key: [] for key in ("left", "right", "bottom", "top", "fill", "hatch", "what")}
        )
        self.figure = chart("", palette, Range1d(0.5, 100.5), Range1d(-0.2, 4), title_location=None)
        self._sites = self.figure.quad(
            left="left",
            right="right",
            bottom="bottom",
            top="top",
            source=self._source,
            fill_color="fill",
            line_color=None,
            hatch_pattern="hatch",
            hatch_weight=1.5,
            hatch_scale=7,
        )
        self.figure.add_tools(HoverTool(tooltips=[("", "@what")], mode="mouse"))
        self.figure.grid.visible = False
        self.figure.yaxis.ticker = FixedTicker()
        self.figure.yaxis.major_tick_line_color = None
        self.figure.yaxis.axis_line_color = None
        self.figure.on_event(Tap, self._tapped)
        self.repaint(palette)

    def draw(
        self, rows: Sequence[Ribbon], names: Sequence[str], heights: Sequence[float], palette: Palette
    ) -> None:
        """Show these ribbons and no others. The arguments are those of `ribbon_data`."""
        self._rows = rows
        self._source.data = ribbon_data(rows, names, heights, palette)
        ticks = [place + HEIGHT / 2 for place in range(len(rows))]
        self.figure.yaxis[0].ticker.ticks = ticks
        self.figure.yaxis.major_label_overrides = dict(
            zip(ticks, [row.name for row in reversed(rows)], strict=True)
        )
        self.figure.x_range.end = max(row.labels.size for row in rows) + 0.5
        self.figure.y_range.end = len(rows) - 1 + HEIGHT + 0.1

    def repaint(self, palette: Palette) -> None:
        """Take the colours of a theme; what is drawn must be drawn again."""
        repaint(self.figure, palette)
        self._sites.glyph.hatch_color = palette.background

    def _tapped(self, event: Tap) -> None:
        row = len(self._rows) - 1 - int(np.floor(event.y))
        site = int(np.floor(event.x - 0.5))
        if 0 <= row < len(self._rows) and 0 <= site < self._rows[row].labels.size:
            self._clicked(row, site)


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
            data["top"].append(place + HEIGHT * heights[label])
            data["fill"].append(palette.decision if is_wrong else palette.edge if label == 0 else palette.ink)
            data["hatch"].append("right_diagonal_line" if is_wrong else "blank")
            where = f"site {start + 1}" if stop == start + 1 else f"sites {start + 1}–{stop}"
            truth = f", truth: {names[int(row.truth[start])]}" if is_wrong else ""
            data["what"].append(f"{row.name}: {names[label]}{truth} ({where})")
    return data
