"""The weights as squares (after Hinton): area says how large, filled is positive, hollow negative."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from bokeh.events import Tap
from bokeh.models import ColumnDataSource, FixedTicker, HoverTool, Range1d
from bokeh.plotting import figure

from viterbi_lab.ui.charts.chart import chart, repaint
from viterbi_lab.ui.palette import Palette
from viterbi_lab.ui.weights import Inputs, Weights

LARGEST = 0.96  # side of the largest square, in cells
SMALLEST = 0.02  # weights below this share of the largest of their chart are not drawn
CROWDED = 16  # more columns than this have no names below


class WeightCharts:
    """Transitions on the left, features of the sites on the right.

    Args:
        palette: the theme.
        step_clicked: called with the states before and after, from 0; N stands for the border.
        feature_clicked: called with a state and a shown feature, from 0.

    Attributes:
        steps: the chart of transitions.
        features: that of features.
    """

    def __init__(
        self,
        palette: Palette,
        step_clicked: Callable[[int, int], None],
        feature_clicked: Callable[[int, int], None],
    ) -> None:
        self._step_clicked, self._feature_clicked = step_clicked, feature_clicked
        self._sources = tuple(
            ColumnDataSource({key: [] for key in ("x", "y", "side", "fill", "line", "what")})
            for _ in range(2)
        )
        self._crosses = ColumnDataSource({"x": [], "y": []})
        self.steps = chart("Transitions, from row to column", palette, Range1d(-0.5, 2.5), Range1d(2.5, -0.5))
        self.features = chart("Features of a site", palette, Range1d(-0.5, 9.5), Range1d(2.5, -0.5))
        for fig, source in zip((self.steps, self.features), self._sources, strict=True):
            fig.rect(
                "x", "y", "side", "side", source=source, fill_color="fill", line_color="line", name="squares"
            )
            fig.add_tools(HoverTool(tooltips=[("", "@what")], mode="mouse", renderers=list(fig.renderers)))
            fig.grid.visible = False
            fig.xaxis.ticker, fig.yaxis.ticker = FixedTicker(), FixedTicker()
            fig.axis.major_tick_line_color = None
            fig.xaxis.major_label_text_font_size = fig.yaxis.major_label_text_font_size = "11px"
        self._forbidden = self.steps.scatter("x", "y", source=self._crosses, marker="x", size=5)
        self.steps.on_event(Tap, self._step_tapped)
        self.features.on_event(Tap, self._feature_tapped)
        self.repaint(palette)

    def draw(self, weights: Weights, states: tuple[str, ...], inputs: Inputs, palette: Palette) -> None:
        """Show weights.

        Args:
            weights: those of one pass.
            states: (N,) names.
            inputs: names of the features.
            palette: the theme.
        """
        N = len(states)
        before, after = (*states, "begin"), (*states, "end")
        steps = [
            (i, j, float(weights.steps[i, j]), f"{before[i]} → {after[j]}")
            for i in range(N + 1)
            for j in range(N + 1)
            if (i, j) != (N, N)
        ]
        named = [(group, name) for group, names in inputs.groups for name in names]
        features = [
            (j, m, float(weights.features[j, m]), f"{group}, {name} in {states[j]}")
            for j in range(N)
            for m, (group, name) in enumerate(named)
        ]
        for source, cells in zip(self._sources, (steps, features), strict=True):
            source.data = _squares(cells, palette)
        forbidden = [(j, i) for i, j, value, _ in steps if value == -np.inf]
        self._crosses.data = {"x": [x for x, _ in forbidden], "y": [y for _, y in forbidden]}
        _name(self.steps.yaxis[0], self.steps.y_range, before, reverse=True)
        _name(self.steps.xaxis[0], self.steps.x_range, after)
        _name(self.features.yaxis[0], self.features.y_range, states, reverse=True)
        self._name_groups(inputs, len(named))

    def _name_groups(self, inputs: Inputs, count: int) -> None:
        sizes = [len(names) for _, names in inputs.groups]
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        every = -(-len(sizes) // CROWDED)
        chosen = range(0, len(sizes), every)
        ticks = [float(starts[g] + (sizes[g] - 1) / 2) for g in chosen]
        axis = self.features.xaxis[0]
        axis.ticker.ticks = ticks
        axis.major_label_overrides = {
            tick: inputs.groups[g][0] for tick, g in zip(ticks, chosen, strict=True)
        }
        self.features.x_range.update(start=-0.5, end=count - 0.5)

    def repaint(self, palette: Palette) -> None:
        """Take the colours of a theme; what is drawn must be drawn again."""
        for fig in (self.steps, self.features):
            repaint(fig, palette)
        self._forbidden.glyph.line_color = palette.muted

    def _step_tapped(self, event: Tap) -> None:
        _tell(event, self.steps, self._step_clicked)

    def _feature_tapped(self, event: Tap) -> None:
        _tell(event, self.features, self._feature_clicked)


def _tell(event: Tap, fig: figure, clicked: Callable[[int, int], None]) -> None:
    """Call with row and column of the cell, if there is one."""
    row, column = round(event.y), round(event.x)
    if 0 <= row < fig.y_range.start and 0 <= column < fig.x_range.end:
        clicked(row, column)


def _squares(cells: list[tuple[int, int, float, str]], palette: Palette) -> dict[str, list]:
    scale = max((abs(value) for _, _, value, _ in cells if value > -np.inf), default=0.0) or 1.0
    shown = [cell for cell in cells if SMALLEST * scale <= abs(cell[2]) < np.inf]
    return {
        "x": [column for _, column, _, _ in shown],
        "y": [row for row, _, _, _ in shown],
        "side": [LARGEST * (abs(value) / scale) ** 0.5 for _, _, value, _ in shown],
        "fill": [palette.ink if value > 0 else palette.background for _, _, value, _ in shown],
        "line": [palette.ink if value > 0 else palette.decision for _, _, value, _ in shown],
        "what": [f"{what}: {value:.3g}" for _, _, value, what in shown],
    }


def _name(axis, axis_range: Range1d, names: tuple[str, ...], *, reverse: bool = False) -> None:
    axis.ticker.ticks = list(range(len(names)))
    axis.major_label_overrides = dict(enumerate(names))
    start, end = -0.5, len(names) - 0.5
    axis_range.update(start=end if reverse else start, end=start if reverse else end)
