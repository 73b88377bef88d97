"""What all charts share: an empty figure without tools, and the colours of a theme."""

from __future__ import annotations

from bokeh.models import Range1d
from bokeh.plotting import figure

from viterbi_lab.ui.palette import Palette

BESIDE = {
    "display": "grid",
    "grid-template-columns": "repeat(auto-fit, minmax(200px, 1fr))",
    "grid-auto-rows": "minmax(165px, 1fr)",
    "min-height": "min-content",
}
"""How charts stand: beside each other, and below each other where there is no room."""
FONT_SIZE = "12px"
TITLE_SIZE = "13px"


def chart(title: str, palette: Palette, x_range: Range1d, y_range: Range1d, **options) -> figure:
    """Return an empty figure that fills its place.

    Args:
        title: what it shows.
        palette: the theme.
        x_range: fixed; whoever draws fits it, because the browser would report every step of doing so.
        y_range: the same.
        options: of `bokeh.plotting.figure`.
    """
    fig = figure(
        title=title,
        x_range=x_range,
        y_range=y_range,
        sizing_mode="stretch_both",
        toolbar_location=None,
        tools="",
        **options,
    )
    fig.title.text_font_size = TITLE_SIZE
    fig.title.text_font_style = "normal"
    fig.axis.major_label_text_font_size = FONT_SIZE
    fig.axis.axis_label_text_font_size = FONT_SIZE
    fig.axis.axis_label_text_font_style = "normal"
    fig.axis.axis_label_standoff = 2
    fig.xaxis.minor_tick_line_color = None
    repaint(fig, palette)
    return fig


def repaint(fig: figure, palette: Palette) -> None:
    """Give a figure, its axes and its grid the colours of a theme."""
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
