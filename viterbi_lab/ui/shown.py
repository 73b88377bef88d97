"""Finished figures on the page: drawn by HoloViews, in the colours of the theme, as JSON.

The models of a figure take longer to make than the rest of a page, and a page that is open gets no new ones.
So the browser embeds the JSON of a figure when it is looked at, see ``figures.js``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import holoviews as hv
from bokeh.embed import json_item
from bokeh.models import DataRange1d, Model
from bokeh.plotting import figure

from viterbi_lab.ui.charts.chart import repaint
from viterbi_lab.ui.finished import BOKEH, Finished
from viterbi_lab.ui.palette import DARK, LIGHT, Palette

COLOURS = ("line_color", "fill_color", "text_color")
PAIRS = {
    **dict(zip(LIGHT.runs, DARK.runs, strict=True)),
    **{
        getattr(LIGHT, role): getattr(DARK, role)
        for role in ("ink", "muted", "edge", "decision", "truth", "surface")
    },
}
"""What stands in the dark for each colour of the light theme, in which figures are drawn."""


def parts(finished: Finished, palette: Palette) -> list[str]:
    """The parts of a figure in the colours of a theme, as JSON that Bokeh embeds."""
    drawn = draw(finished)
    paint(drawn, palette)
    return [json.dumps(json_item(fig)) for fig in drawn]


def draw(finished: Finished) -> tuple[figure, ...]:
    """The parts of a figure as Bokeh figures that fill their places."""
    drawn = tuple(hv.render(part, backend=BOKEH) for part in finished.parts(BOKEH))
    for fig in drawn:
        fig.width = fig.height = fig.frame_width = fig.frame_height = fig.aspect_ratio = None
        fig.sizing_mode = "stretch_both"
        if fig.match_aspect:  # what is round stays round only where Bokeh chooses the ranges
            fig.x_range, fig.y_range = DataRange1d(), DataRange1d()
        fig.grid.visible = fig.xgrid[0].grid_line_color is not None
        fig.title.text_font_style = fig.axis.axis_label_text_font_style = "normal"
        fig.toolbar.tools = []
    return drawn


def paint(shown: Sequence[figure], palette: Palette) -> None:
    """Give figures that were just drawn the colours of a theme."""
    pairs = PAIRS if palette.is_dark else {}
    for fig in shown:
        repaint(fig, palette)
        for bar in (
            model for place in (fig.right, fig.left) for model in place if hasattr(model, "color_mapper")
        ):
            bar.background_fill_alpha = 0
            bar.major_label_text_color = palette.muted
        for renderer in fig.renderers:
            _recolour(renderer.glyph, pairs)
            data = renderer.data_source.data
            changed = {
                name: [pairs.get(value, value) for value in column]
                for name, column in data.items()
                if len(column) and isinstance(column[0], str)
            }
            if changed:
                renderer.data_source.data = {**data, **changed}


def _recolour(glyph: Model, pairs: dict[str, str]) -> None:
    for name in COLOURS:
        colour = getattr(glyph, name, None)
        if isinstance(colour, str) and colour in pairs:
            setattr(glyph, name, pairs[colour])
