"""The Train view: settings in the side bar; charts, pictures of the last pass and runs beside it."""

from __future__ import annotations

from collections.abc import Callable

import panel as pn
from bokeh.plotting import figure

from viterbi_lab.dp import ChainProblem
from viterbi_lab.ui import status
from viterbi_lab.ui.attack import Attack
from viterbi_lab.ui.charts.chart import BESIDE
from viterbi_lab.ui.charts.progress import Line, ProgressCharts
from viterbi_lab.ui.palette import LIGHT, Palette
from viterbi_lab.ui.preview import picture
from viterbi_lab.ui.sessions.runs import Run
from viterbi_lab.ui.sessions.training import TrainingSession
from viterbi_lab.ui.views.pictures import Pictures
from viterbi_lab.ui.views.runs_table import RunsTable, row
from viterbi_lab.ui.views.texts import html
from viterbi_lab.ui.views.together import soon, together
from viterbi_lab.ui.views.training_sidebar import TrainingSidebar

DRAIN_MS = 120  # often enough to look live, seldom enough to leave the browser alone
GLANCE_MS = 1000
HEADER = 52  # px of the page above, and the margin below
LOWEST = 560  # px; below that the page scrolls rather than the pictures shrink
NOTHING_YET = """
<div class="empty"><h3>Teach a model to label sequences</h3>
<p>{shown}</p>
{picture}
<p>The model learns weights that give the true labels the highest score. In every pass the oracle, which is
Algorithm 1, finds for each sequence the labelling that hurts most: a high score and many wrong labels. It
becomes a constraint, and the next weights respect it.</p>
<p><b>Press Train</b> to watch the gap to the best possible weights fall below ε, or <b>Replay a recorded
run</b> to watch without computing. Nothing trained yet.</p></div>
"""


class TrainView:
    """What a visitor sees of a training session.

    Args:
        session: the state; the view holds none but what is drawn.
        open_in_stepper: called with a problem, where it comes from, and the names of its labels.
        hidden: names of controls to leave out, of `viterbi_lab.ui.hidden`.

    Attributes:
        sidebar: the settings and the buttons.
        main: charts, pictures and runs.
    """

    def __init__(
        self,
        session: TrainingSession,
        open_in_stepper: Callable[[ChainProblem, str, tuple[str, ...]], None],
        *,
        hidden: frozenset[str] = frozenset(),
    ) -> None:
        self._session = session
        self._open_in_stepper = open_in_stepper
        self._palette = LIGHT
        self._ticking = None
        self._charts = ProgressCharts(self._palette)
        self._pictures = Pictures(self._palette, self._open_attack, self._open_example)
        self._controls = TrainingSidebar(session, self._begun, hidden)
        self._controls.train.on_click(self._start)
        self._controls.pause.on_click(self._hold)
        self._controls.cancel.on_click(self._stop)
        self._controls.again.on_click(self._continue)
        self.sidebar = self._controls.main
        self.main = self._lay_out()
        session.param.watch(self._settings_changed, [name for name in status.CHANGED if name != "own"])
        self._redraw()
        if pn.state.curdoc is not None and pn.state.curdoc.session_context is not None:
            pn.state.add_periodic_callback(self._glance, period=GLANCE_MS)

    def _lay_out(self) -> pn.Column:
        self._status = html("", css_classes=["training-status"], margin=(8, 0, 2, 0))
        self._empty = html("")
        self._table = RunsTable(sizing_mode="stretch_width", height=110, margin=(4, 0, 0, 0))
        self._table.param.watch(self._toggle, "press")
        self._shown = pn.Column(
            pn.Row(
                *map(_pane, self._charts.figures),
                sizing_mode="stretch_both",
                styles=BESIDE,
            ),
            *self._pictures.parts,
            self._table,
            sizing_mode="stretch_both",
            margin=0,
        )
        return pn.Column(
            self._status,
            self._empty,
            self._shown,
            sizing_mode="stretch_both",
            margin=(0, 16, 6, 16),
            min_height=LOWEST,
            styles={"height": f"calc(100vh - {HEADER}px)"},
        )

    def paint(self, palette: Palette) -> None:
        """Give charts, pictures and the table the colours of a theme."""
        self._palette = palette
        soon(self._repaint)

    # what the visitor does

    def _start(self, _event) -> None:
        self._session.train()
        self._begun()

    def _continue(self, _event) -> None:
        self._session.continue_training()
        self._begun()

    def _begun(self) -> None:
        """Follow what was started here."""
        self._glance()
        soon(self._refresh)

    def _hold(self, _event) -> None:
        if self._session.is_paused:
            self._session.resume()
        else:
            self._session.pause()
        soon(self._refresh)

    def _stop(self, _event) -> None:
        self._session.cancel()
        soon(self._refresh)

    def _toggle(self, event) -> None:
        self._session.toggle(event.new["run"])
        soon(self._redraw)

    def _open_attack(self) -> None:
        self._open(self._latest(), self._pictures.attack)

    def _open_example(self, number: int, site: int | None) -> None:
        run = self._latest()
        if self._session.can_ask(run):
            self._open(run, self._session.attack(run, number, site))

    def _open(self, run: Run, found: Attack) -> None:
        title = (
            f"Training example {found.example + 1}, most violated labelling after pass "
            f"{run.passes[-1].number}: {found.window.title}"
        )
        states = run.card.names.states
        names = tuple(states[j] for j in found.window.states)
        self._open_in_stepper(found.window.problem, title, names)

    def _settings_changed(self, *_events) -> None:
        soon(self._refresh)

    # what is drawn

    def _glance(self) -> None:
        """Follow a run, wherever it was started: here, on another page, or here before a reload."""
        if (self._session.is_busy or self._session.is_behind) and self._ticking is None:
            self._ticking = pn.state.add_periodic_callback(self._tick, period=DRAIN_MS)

    def _tick(self) -> None:
        """Draw what the worker has sent; the only place where results reach the models."""
        with together():
            if self._session.drain():
                self._draw_lines()
                self._draw_pictures()
            if not self._session.is_busy:
                self._ticking.stop()
                self._ticking = None
            self._refresh()

    def _redraw(self) -> None:
        with together():
            self._draw_lines()
            self._refresh()

    def _repaint(self) -> None:
        with together():
            self._charts.repaint(self._palette)
            self._pictures.repaint(self._palette)
            self._refresh()

    def _draw_lines(self) -> None:
        self._charts.draw([_line(run) for run in self._session.runs if run.visible and run.passes])

    def _draw_pictures(self) -> None:
        run = self._latest()
        if run is not None:
            self._pictures.show(run, self._session.can_ask(run))

    def _refresh(self) -> None:
        """Bring buttons, texts and table in line with the session."""
        with together():
            self._controls.refresh()
            self._empty.visible = not self._session.runs
            if self._empty.visible:
                self._empty.object = self._introduction()
            self._shown.visible = any(run.passes for run in self._session.runs)
            self._table.rows = [row(run, self._palette) for run in self._session.runs]
            self._status.object = status.line(self._session)

    def _introduction(self) -> str:
        session = self._session
        drawn = picture(session.data, session.sigma, session.seed)
        shown = "A training sequence and its true labels:" if drawn else "Choose a file at the left."
        return NOTHING_YET.format(shown=shown, picture=drawn)

    def _latest(self) -> Run | None:
        """The last run that has a pass."""
        return next((run for run in reversed(self._session.runs) if run.passes), None)


def _pane(fig: figure) -> pn.pane.Bokeh:
    return pn.pane.Bokeh(fig, sizing_mode="stretch_both", margin=0)


def _line(run: Run) -> Line:
    passes = run.passes
    return Line(
        run.number,
        run.settings.epsilon,
        [seen.number for seen in passes],
        {
            "upper": [seen.upper for seen in passes],
            "lower": [seen.lower for seen in passes],
            "gap": [seen.gap for seen in passes],
            "accuracy": [seen.accuracy for seen in passes],
            "planes": [seen.planes for seen in passes],
        },
    )
