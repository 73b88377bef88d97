"""The (score, Hamming) plane of one example: what the oracle chooses from, and what it chooses.

For every number of errors k stands the best lead of a labelling over the truth. Plain decoding takes the
highest point. Under ⊙ the constraints that are violated equally much lie on a line (margin) or a hyperbola
(slack); the oracle takes the point on the outermost one. Only points of the upper hull can win under margin
rescaling with a loss that grows evenly.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from bokeh.events import Tap
from bokeh.models import ColumnDataSource, Range1d

from viterbi_lab.ui.charts.chart import FONT_SIZE, chart, repaint
from viterbi_lab.ui.comparison import hull
from viterbi_lab.ui.palette import Palette

MARGIN = 0.12  # of the height, left free above and below the points
LATE = 0.65  # of the width: texts at points further right stand at their left


class PlaneChart:
    """The plane.

    Args:
        palette: the theme.
        clicked: called when the chart is clicked.

    Attributes:
        figure: the chart.
    """

    def __init__(self, palette: Palette, clicked: Callable[[], None]) -> None:
        self._clicked = clicked
        self._points, self._hull, self._level = (ColumnDataSource({"k": [], "lead": []}) for _ in range(3))
        self._chosen = ColumnDataSource(
            {key: [] for key in ("k", "lead", "text", "colour", "marker", "align", "place", "shift")}
        )
        self.figure = chart("Errors and score", palette, Range1d(-1, 100), Range1d(-1, 1))
        self.figure.xaxis.axis_label = "wrong labels k"
        self.figure.yaxis.axis_label = "lead over the truth"
        self._level_line = self.figure.line(
            "k", "lead", source=self._level, line_dash="dashed", line_width=1.5
        )
        self._hull_line = self.figure.line("k", "lead", source=self._hull, line_width=1.5)
        self._dots = self.figure.scatter("k", "lead", source=self._points, size=4, line_color=None)
        self.figure.scatter("k", "lead", source=self._chosen, size=11, color="colour", marker="marker")
        self._words = self.figure.text(
            "k", "lead", "text", source=self._chosen, text_font_size=FONT_SIZE, text_align="align",
            text_baseline="place", y_offset="shift",
        )  # fmt: skip
        self.figure.on_event(Tap, self._tapped)
        self.repaint(palette)

    def draw(
        self, title: str, leads: np.ndarray, k: int, value: float, level: np.ndarray, palette: Palette
    ) -> None:
        """Show the plane of one example.

        Args:
            title: which one.
            leads: (K+1,) float64, the best lead for each k; −inf where there is none.
            k: what the oracle chose.
            value: H of it.
            level: (K+1,) float64, the lead that k errors need for the same H; inf where none is enough.
            palette: the theme.
        """
        finite = np.flatnonzero(np.isfinite(leads))
        corners = hull(leads)
        low, high = float(leads[finite].min()), float(leads[finite].max())
        room = MARGIN * ((high - low) or 1.0)
        shown = np.flatnonzero(np.isfinite(level) & (level <= high + 2 * room) & (level >= low - 2 * room))
        plain = int(finite[np.argmax(leads[finite])])
        self._points.data = {"k": finite.tolist(), "lead": leads[finite].tolist()}
        self._hull.data = {"k": corners, "lead": leads[corners].tolist()}
        self._level.data = {"k": shown.tolist(), "lead": level[shown].tolist()}
        chosen = {0: ("truth", palette.truth, "square")}
        chosen[plain] = ("prediction" if plain else "truth = prediction", palette.ink, "diamond")
        also = "truth, " * (k == 0) + "prediction, " * (k == plain)
        chosen[k] = (f"{also}most violated: k = {k}, H = {value:.3g}", palette.decision, "circle")
        late = [place > LATE * leads.size for place in chosen]  # no room at the right; leads fall, so below
        self._chosen.data = {
            "k": list(chosen),
            "lead": [float(leads[place]) for place in chosen],
            "text": [text for text, _, _ in chosen.values()],
            "colour": [colour for _, colour, _ in chosen.values()],
            "marker": [marker for _, _, marker in chosen.values()],
            "align": ["right" if low else "left" for low in late],
            "place": ["top" if low else "bottom" for low in late],
            "shift": [8 if low else -8 for low in late],
        }
        self.figure.title.text = title
        self.figure.x_range.update(start=-0.02 * leads.size, end=1.02 * leads.size)
        self.figure.y_range.update(start=low - room, end=high + 2 * room)

    def repaint(self, palette: Palette) -> None:
        """Take the colours of a theme; what is drawn must be drawn again."""
        repaint(self.figure, palette)
        self._level_line.glyph.line_color = palette.decision
        self._hull_line.glyph.line_color = palette.edge
        self._dots.glyph.fill_color = palette.muted
        self._words.glyph.text_color = palette.ink

    def _tapped(self, _event: Tap) -> None:
        self._clicked()
