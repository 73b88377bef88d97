"""Fig. 4 while it is measured: a Bokeh chart that is built once, empty, and then only changes its data.

The finished figure, for files, is that of `viterbi_lab.ui.finished`.
"""

from collections.abc import Sequence

from bokeh.models import ColumnDataSource, HoverTool, Range1d
from bokeh.plotting import figure

from viterbi_lab.experiments.scaling import PAPER_SECONDS, PROGRAMS, Timing
from viterbi_lab.ui.charts.chart import FONT_SIZE, repaint
from viterbi_lab.ui.finished import growth
from viterbi_lab.ui.palette import Palette


class TimeChart:
    """Time of one inference against T, both logarithmic; a line for each program, its growth at its end.

    Attributes:
        figure: the chart.
    """

    def __init__(self, palette: Palette) -> None:
        self._palette, self._timings = palette, ()
        self._lines = ColumnDataSource({key: [] for key in ("T", "seconds", "colour")})
        self._points = ColumnDataSource({key: [] for key in ("T", "seconds", "colour", "what")})
        self._words = ColumnDataSource({key: [] for key in ("T", "seconds", "text")})
        self.figure = figure(
            title="Time of one inference, seconds",
            x_axis_type="log",
            y_axis_type="log",
            x_range=Range1d(1.5, 1_500_000),
            y_range=Range1d(3e-6, 1e3),
            x_axis_label="sites T",
            sizing_mode="stretch_both",
            toolbar_location=None,
            tools="",
        )
        self.figure.title.text_font_size = "13px"
        self.figure.title.text_font_style = "normal"
        self.figure.axis.major_label_text_font_size = self.figure.axis.axis_label_text_font_size = FONT_SIZE
        self.figure.axis.axis_label_text_font_style = "normal"
        self.figure.multi_line("T", "seconds", color="colour", line_width=2, source=self._lines)
        dots = self.figure.scatter("T", "seconds", color="colour", size=7, source=self._points)
        printed = list(PAPER_SECONDS.items())
        self._paper = self.figure.scatter(
            [T for (_, T), _ in printed], [s for _, s in printed], marker="x", size=10, line_width=2
        )
        text = {"text_font_size": FONT_SIZE, "text_baseline": "middle"}
        self._growth = self.figure.text("T", "seconds", "text", x_offset=10, source=self._words, **text)
        self._printed = self.figure.text(
            [T for (_, T), _ in printed],
            [2.5 * s for _, s in printed],
            [f"paper: {s:g} s" for _, s in printed],
            text_align="center",
            **text,
        )
        self.figure.add_tools(HoverTool(renderers=[dots], tooltips=[("", "@what")]))
        self.repaint(palette)

    def draw(self, timings: Sequence[Timing]) -> None:
        """Show these timings and no others."""
        self._timings = tuple(timings)
        by_program = {
            program: sorted((t.T, t.seconds) for t in timings if t.program == program) for program in PROGRAMS
        }
        looks = {program: self._palette.run(place)[0] for place, program in enumerate(PROGRAMS)}
        drawn = {program: points for program, points in by_program.items() if points}
        self._lines.data = {
            "T": [[T for T, _ in points] for points in drawn.values()],
            "seconds": [[seconds for _, seconds in points] for points in drawn.values()],
            "colour": [looks[program] for program in drawn],
        }
        self._points.data = {
            "T": [t.T for t in timings],
            "seconds": [t.seconds for t in timings],
            "colour": [looks[t.program] for t in timings],
            "what": [f"{t.program}, T = {t.T:,}: {t.seconds:.3g} s" for t in timings],
        }
        self._words.data = {
            "T": [points[-1][0] for points in drawn.values()],
            "seconds": [points[-1][1] for points in drawn.values()],
            "text": [growth(program, timings) for program in drawn],
        }

    def repaint(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self._palette = palette
        repaint(self.figure, palette)
        self._paper.glyph.line_color = palette.ink
        for words in (self._growth, self._printed):
            words.glyph.text_color = palette.ink
        self.draw(self._timings)
