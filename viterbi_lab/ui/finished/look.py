"""How elements look in each backend: the only code that knows how Bokeh and matplotlib differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import holoviews as hv
import numpy as np

from viterbi_lab.ui.palette import LIGHT

BOKEH, MATPLOTLIB = "bokeh", "matplotlib"
WIDTH, HEIGHT = 620, 440  # px of one part; matplotlib takes a hundredth of them as inches
RAMP = ("#e3eef6", "#c4dcec", "#9cc4de", "#6ea8cd", "#468bba", "#276fa5", "#08589e")
PAPER_MARKERS = {
    "circle": "o",
    "square": "s",
    "triangle": "^",
    "diamond": "D",
    "inverted_triangle": "v",
    "hex": "h",
}
"""The shapes of Bokeh, as matplotlib calls them."""


class Look:
    """The options of one backend for every kind of element.

    Args:
        backend: BOKEH or MATPLOTLIB.

    Raises:
        ValueError: if it is neither.
    """

    def __init__(self, backend: str) -> None:
        if backend not in (BOKEH, MATPLOTLIB):
            raise ValueError(f"backend={backend!r}; it is {BOKEH!r} or {MATPLOTLIB!r}.")
        if backend == BOKEH:
            import holoviews.plotting.bokeh
        else:
            import holoviews.plotting.mpl  # noqa: F401 - registers the backend
        self._backend, self._on_page = backend, backend == BOKEH

    def curve(self, element: hv.Curve, colour: str, dash: str) -> hv.Curve:
        """Return a line."""
        return self._with(
            element,
            {"color": colour, "line_width": 2, "line_dash": dash},
            {"color": colour, "linewidth": 1.6, "linestyle": dash},
        )

    def segments(self, lines: list[tuple[float, float, float, float, str]], dash: str) -> hv.Segments:
        """Return lines (x0, y0, x1, y1, colour)."""
        return self._with(
            hv.Segments(lines, ["x0", "y0", "x1", "y1"], "colour"),
            {"color": "colour", "line_width": 2, "line_dash": dash},
            {"color": "colour", "linewidth": 1.6, "linestyle": dash},
        )

    def dots(self, element: hv.Scatter, colour: str, marker: str = "circle", size: int = 6) -> hv.Scatter:
        """Return points of one shape."""
        return self._with(
            element,
            {"color": colour, "size": size, "marker": marker, "line_width": 2},
            {
                "color": colour,
                "s": size**2,
                "marker": PAPER_MARKERS.get(marker, marker),
                **({} if marker == "x" else {"edgecolors": "none"}),
            },
        )

    def area(self, element: hv.Area, colour: str) -> hv.Area:
        """Return a band, paler than its line."""
        return self._with(
            element,
            {"color": colour, "line_alpha": 0, "fill_alpha": 0.35},
            {"facecolor": colour, "alpha": 0.35, "linewidth": 0},
        )

    def image(self, element: hv.Image) -> hv.Image:
        """Return a map, strong where values are large."""
        return self._with(
            element,
            {"cmap": list(RAMP), "colorbar": True, "clabel": ""},
            {"cmap": list(RAMP), "colorbar": True, "clabel": ""},
        )

    def words(self, placed: Iterable[tuple], align: str, colour: str = LIGHT.ink) -> hv.Labels:
        """Return texts (x, y, text) or (x, y, text, colour)."""
        placed = list(placed)
        columns = ["text", "colour"] if placed and len(placed[0]) == 4 else ["text"]
        return self._with(
            hv.Labels(placed, ["x", "y"], columns),
            {"text_font_size": "12px", "text_align": align, "text_baseline": "middle",
             "text_color": colour, "xoffset": 0},
            {"size": 10, "horizontalalignment": align, "color": colour},
        )  # fmt: skip

    def path(self, lines: Sequence[np.ndarray]) -> hv.Path:
        """Lines through (n, 2) points."""
        return self._with(
            hv.Path(list(lines)),
            {"color": LIGHT.edge, "line_width": 2},
            {"color": LIGHT.edge, "linewidth": 1.6},
        )

    def polygons(self, outlines: Sequence[np.ndarray], fill: str, line: str) -> hv.Polygons:
        """Filled outlines through (n, 2) points."""
        return self._with(
            hv.Polygons(list(outlines)),
            {"color": fill, "line_color": line, "line_width": 2},
            {"facecolor": fill, "edgecolor": line, "linewidth": 1.6},
        )

    def chart(self, elements: Sequence[Any], **options: Any) -> hv.Overlay:
        """Return elements on one pair of axes."""
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
