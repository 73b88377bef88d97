"""The Scale view: Figures 4 to 7 of the paper, two of them measured on request, each with its exports."""

from __future__ import annotations

import io
from functools import cache, lru_cache
from html import escape

import panel as pn
import panel_material_ui as pmui

from viterbi_lab.experiments.concentration import heat
from viterbi_lab.experiments.example import example
from viterbi_lab.experiments.gathered import shipped
from viterbi_lab.experiments.trends import statements
from viterbi_lab.ui import finished, shown
from viterbi_lab.ui.charts.times import TimeChart
from viterbi_lab.ui.finished import Finished
from viterbi_lab.ui.palette import LIGHT, Palette
from viterbi_lab.ui.sessions.scale import FIGURES, MEASURED, ScaleSession
from viterbi_lab.ui.views.download import download
from viterbi_lab.ui.views.figures import Figures
from viterbi_lab.ui.views.together import soon, together

DRAIN_MS = 120
FIRST_LENGTH, FIRST_SETS = 300, 2  # of Fig. 5 before it is measured: some milliseconds
SMALL = {"size": "small", "sizing_mode": "stretch_width", "margin": (5, 0)}
LITTLE = {"variant": "outlined", "size": "small", "margin": (0, 6)}
SAVE = """
const views = live ? [Bokeh.index.find_one(live)] : [...globalThis.viterbiLabFigures]
for (const [place, view] of views.entries()) {
  const blob = await view.export(kind, true).to_blob()
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name + (views.length > 1 ? 'ab'[place] : '') + '.' + kind
  link.click()
  URL.revokeObjectURL(link.href)
}
"""
"""The browser draws its own figures once more, into a file: no program on the server is needed for that."""
NOT_MEASURED = {
    "4": "Nothing is measured yet: crosses are the times in the paper. Press Measure; it takes some seconds.",
    "5": f"A small one to begin with: T = {FIRST_LENGTH}. Press Measure for longer sequences.",
}


class ScaleView:
    """What a visitor sees of a scale session.

    Args:
        session: the state; the view holds none but what is drawn.
        visible: False where something else shows it later.
        hidden: names of controls to leave out, of `viterbi_lab.ui.hidden`.

    Attributes:
        sidebar: which figure, how large, and the buttons.
        main: the figures, of which one is shown.
    """

    def __init__(
        self, session: ScaleSession, *, visible: bool = True, hidden: frozenset[str] = frozenset()
    ) -> None:
        self._session = session
        self._palette = LIGHT
        self._ticking = None
        self._sent: tuple[Finished, Palette] | None = None
        self._times = TimeChart(LIGHT)
        self._finished = {"4": finished.figure4(session.timings), **_finished_before()}
        self._figures = Figures(sizing_mode="stretch_both", margin=0)
        self._build_buttons()
        self.sidebar = self._lay_out_sidebar()
        self.main = self._lay_out_main(visible, hidden)
        session.param.watch(self._turn, ["figure"])
        self._turn()

    def paint(self, palette: Palette) -> None:
        """Give the figures the colours of a theme."""
        self._palette = palette
        soon(self._repaint)

    def _repaint(self) -> None:
        with together():
            self._times.repaint(self._palette)
            self._show_parts()

    def _build_buttons(self) -> None:
        self._measure = pmui.Button(
            label="Measure", color="primary", variant="contained", disable_elevation=True, **SMALL
        )
        self._cancel = pmui.Button(label="Cancel", variant="outlined", **SMALL)
        self._measure.on_click(self._start)
        self._cancel.on_click(self._stop)
        self._exports = {number: self._export_row(number) for number in FIGURES}

    def _export_row(self, number: str) -> pn.Row:
        name = self._finished[number].name
        buttons = []
        for kind in ("png", "svg"):
            button = pmui.Button(
                label=kind.upper(), variant="outlined", size="small", width=72, margin=(0, 6)
            )
            button.js_on_click(
                args={"live": self._times.figure if number == "4" else None, "kind": kind, "name": name},
                code=f"(async () => {{{SAVE}}})()",
            )
            buttons.append(button)
        table = download(
            "CSV",
            lambda: io.BytesIO(self._finished[number].csv.encode("utf-8")),
            filename=f"{name}.csv",
            width=92,
            **LITTLE,
        )
        return pn.Row(*buttons, table, margin=(6, 0, 0, 0))

    def _lay_out_sidebar(self) -> pn.Column:
        ask = self._session.param
        choose = {"description": "", **SMALL}
        self._longest = pmui.Select.from_param(
            ask.longest,
            label="Algorithm 1 up to T",
            options={f"{T:,}": T for T in ask.longest.objects},
            **choose,
        )
        self._length = pmui.Select.from_param(
            ask.length, label="Sites T", options={f"{T:,}": T for T in ask.length.objects}, **choose
        )
        return pn.Column(
            pmui.RadioBoxGroup.from_param(
                ask.figure,
                label="",
                options={text: number for number, text in FIGURES.items()},
                sizing_mode="stretch_width",
                margin=(5, 0),
            ),
            self._longest,
            self._length,
            pn.Row(self._measure, self._cancel, sizing_mode="stretch_width", styles={"gap": "8px"}),
            sizing_mode="stretch_width",
            margin=(10, 14),
        )

    def _lay_out_main(self, visible: bool, hidden: frozenset[str]) -> pn.Column:
        self._title = _html("", margin=(10, 0, 0, 0))
        self._status = _html("", margin=(2, 0, 4, 0))
        self._live = pn.pane.Bokeh(self._times.figure, sizing_mode="stretch_both", margin=0)
        self._verdicts = _html(_list(statements(shipped())), margin=(6, 0, 0, 0))
        main = pn.Column(
            self._title,
            self._status,
            self._live,
            self._figures,
            *(() if "export" in hidden else self._exports.values()),
            self._verdicts,
            sizing_mode="stretch_both",
            margin=(0, 16, 10, 16),
            visible=visible,
        )
        main.param.watch(self._turn, "visible")
        return main

    # what the visitor does

    def _start(self, _event) -> None:
        self._session.measure()
        if self._session.is_busy and self._ticking is None:
            self._ticking = pn.state.add_periodic_callback(self._tick, period=DRAIN_MS)
        soon(self._refresh)

    def _stop(self, _event) -> None:
        self._session.cancel()

    def _turn(self, *_events) -> None:
        soon(self._refresh)

    # what is drawn

    def _tick(self) -> None:
        """Draw what the worker has sent; the only place where results reach the models."""
        with together():
            if self._session.drain():
                self._redraw()
            if not self._session.is_busy:
                self._ticking.stop()
                self._ticking = None
            self._refresh()

    def _redraw(self) -> None:
        session = self._session
        self._finished["4"] = finished.figure4(list(session.timings))
        self._times.draw(session.timings)
        if session.heat is not None:
            self._finished["5"] = finished.figure5(session.heat)

    def _show_parts(self) -> None:
        """Send the figure that is looked at, once; the browser keeps it."""
        number = self._session.figure
        wanted = (self._finished[number], self._palette)
        if self.main.visible and number != "4" and wanted != self._sent:
            self._sent = wanted
            self._figures.parts = _parts(*wanted)

    def _refresh(self) -> None:
        session, number = self._session, self._session.figure
        with together():
            figure = self._finished[number]
            self._title.object = (
                f"<h3 style='margin:0;font-size:16px'>{escape(figure.title)}</h3>"
                f"<p style='margin:2px 0'>{escape(figure.note)}</p>"
            )
            self._live.visible, self._figures.visible = number == "4", number != "4"
            for name, row in self._exports.items():
                row.visible = name == number
            self._show_parts()
            self._verdicts.visible = number == "7"
            self._longest.visible, self._length.visible = number == "4", number == "5"
            self._measure.visible = self._cancel.visible = number in MEASURED
            self._measure.disabled = session.is_busy
            self._measure.label = "Measuring…" if session.is_busy else "Measure"
            self._cancel.disabled = not session.is_busy
            self._status.object = f"<div role='status' aria-live='polite'>{escape(self._said())}</div>"

    def _said(self) -> str:
        session = self._session
        if session.is_busy:
            return session.phase
        measured = {"4": bool(session.timings), "5": session.heat is not None}
        return session.status or ("" if measured.get(session.figure, True) else NOT_MEASURED[session.figure])


@cache
def _finished_before() -> dict[str, Finished]:
    """Figures that every visitor sees first, by number."""
    return {
        "5": finished.figure5(heat(FIRST_LENGTH, sets=FIRST_SETS)),
        "6": finished.figure6(example()),
        "7": finished.figure7(shipped()),
    }


@lru_cache(maxsize=12)
def _parts(figure: Finished, palette: Palette) -> list[str]:
    """What the browser embeds; drawn once for all visitors."""
    return shown.parts(figure, palette)


def _list(sentences: list[str]) -> str:
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return (
        "<details><summary style='cursor:pointer'>What holds of the paper's statements</summary>"
        f"<ul style='margin:4px 0'>{items}</ul></details>"
    )


def _html(text: str, **options) -> pn.pane.HTML:
    return pn.pane.HTML(text, sizing_mode="stretch_width", styles={"font-size": "13px"}, **options)
