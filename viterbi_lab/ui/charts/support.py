"""Which training examples carry dual weight: the support sequences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from bokeh.events import Tap
from bokeh.models import ColumnDataSource, HoverTool, Range1d

from viterbi_lab.ui.charts.chart import chart, repaint
from viterbi_lab.ui.palette import Palette

FULL = 1 - 1e-3  # of C/n: all that an example can have


class SupportChart:
    """The dual weight of every example as a bar.

    Args:
        palette: the theme.
        clicked: called with the number of an example, from 0.

    Attributes:
        figure: the chart.
    """

    def __init__(self, palette: Palette, clicked: Callable[[int], None]) -> None:
        self._clicked = clicked
        self._n = 0
        self._source = ColumnDataSource({key: [] for key in ("number", "share")})
        self.figure = chart("Support sequences", palette, Range1d(0.5, 10.5), Range1d(0, 1.04))
        self.figure.xaxis.axis_label = "training example"
        self.figure.yaxis.axis_label = "dual weight · n/C"
        self.figure.xgrid.visible = False
        self._bars = self.figure.vbar(
            x="number",
            top="share",
            width=0.8,
            source=self._source,
            line_color=None,
        )
        self.figure.add_tools(
            HoverTool(tooltips=[("example", "@number"), ("dual weight", "@share{0.000} C/n")], mode="vline")
        )
        self.figure.on_event(Tap, self._tapped)
        self.repaint(palette)

    def draw(self, shares: np.ndarray) -> None:
        """Show the dual weights (n,) of all examples, each as a share of C/n."""
        self._n = shares.size
        self._source.data = {
            "number": list(range(1, self._n + 1)),
            "share": shares.tolist(),
        }
        self.figure.x_range.update(start=0.5, end=self._n + 0.5)
        self.figure.title.text = (
            f"{np.count_nonzero(shares)} of {self._n} examples carry weight, the support sequences; "
            f"{np.count_nonzero(shares >= FULL)} carry all that C allows"
        )

    def repaint(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        repaint(self.figure, palette)
        self._bars.glyph.fill_color = palette.ink

    def _tapped(self, event: Tap) -> None:
        number = round(event.x) - 1
        if 0 <= number < self._n:
            self._clicked(number)
