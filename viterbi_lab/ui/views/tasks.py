"""The Tasks view: classes in a taxonomy, alignments and parses on one stage, trained by the same trainer."""

from __future__ import annotations

from html import escape
from pathlib import Path

import panel as pn
import panel_material_ui as pmui
import param
from panel.custom import AnyWidgetComponent, ReactComponent

from viterbi_lab.ui import program
from viterbi_lab.ui.applications import APPLICATIONS
from viterbi_lab.ui.charts.chart import BESIDE
from viterbi_lab.ui.charts.progress import Line, ProgressCharts
from viterbi_lab.ui.palette import LIGHT, Palette
from viterbi_lab.ui.sessions.tasks import COSTS, EPSILON, PREDICTION, VIOLATED, TaskRun, TasksSession
from viterbi_lab.ui.views.step import complaint
from viterbi_lab.ui.views.together import soon, together

DRAIN_MS = 120
FOLDER = Path(__file__).resolve().parents[1]
STYLES = (FOLDER / "train.css").read_text(encoding="utf-8")
STAGE_HEIGHT, CHART_HEIGHT = 420, 190  # px, the least they are drawn in
SMALL = {"size": "small", "sizing_mode": "stretch_width", "margin": (5, 0)}
ASK = {**SMALL, "description": ""}
MACHINES = {
    "SVM₁, 0/1 loss": "SVM_1",
    "SVM₂, 0/1 loss": "SVM_2",
    "SVM₁ slack rescaling": "SVM_1_Ds",
    "SVM₂ slack rescaling": "SVM_2_Ds",
    "SVM₁ margin rescaling": "SVM_1_Dm",
    "SVM₂ margin rescaling": "SVM_2_Dm",
}


class SceneStage(AnyWidgetComponent):
    """A scene as a Panel component. What the parameters mean is written in ``scene.js``."""

    scene = param.String(doc="The scene, as JSON.")
    step = param.Integer(default=0, doc="Steps done.")
    dark = param.Boolean(default=False, doc="Whether the page is dark.")

    _esm = FOLDER / "scene.js"
    _stylesheets = [program.scene_css()]  # noqa: RUF012 - Panel wants a list
    _react_version = ReactComponent._react_version  # as the page's; unused, but two would be complained of


class TasksView:
    """What a visitor sees of a `TasksSession`.

    Args:
        session: the state; the view holds none but what is drawn.
        hidden: names of controls to leave out, of `viterbi_lab.ui.hidden`.

    Attributes:
        sidebar: what to look at, the settings of training, and the buttons.
        main: the stage, and the charts of the runs.
    """

    def __init__(self, session: TasksSession, *, hidden: frozenset[str] = frozenset()) -> None:
        self._session = session
        self._palette = LIGHT
        self._ticking = None
        self.stage = SceneStage(
            scene=session.scene, sizing_mode="stretch_both", min_height=STAGE_HEIGHT, margin=(8, 12, 0, 12)
        )
        self._charts = ProgressCharts(self._palette)
        self._error = complaint()
        self._status = pn.pane.HTML(
            "", stylesheets=[STYLES], sizing_mode="stretch_width", margin=(4, 14, 0, 14)
        )
        self.sidebar = self._lay_out_sidebar(hidden)
        self._row = pn.Row(
            *(pn.pane.Bokeh(fig, sizing_mode="stretch_both", margin=0) for fig in self._charts.figures),
            sizing_mode="stretch_both",
            styles={**BESIDE, "flex": "none", "grid-auto-rows": f"{CHART_HEIGHT}px"},
            margin=(0, 12, 6, 12),
        )
        self.main = pn.Column(self.stage, self._status, self._row, sizing_mode="stretch_both", margin=0)
        session.param.watch(self._session_changed, ["scene", "error", "application", "after"])
        self._tell()

    def paint(self, palette: Palette) -> None:
        """Give stage and charts the colours of a theme."""
        self._palette = palette
        soon(self._repaint)

    def _repaint(self) -> None:
        with together():
            self.stage.dark = self._palette.is_dark
            self._charts.repaint(self._palette)

    def _lay_out_sidebar(self, hidden: frozenset[str]) -> pn.Column:
        ask = self._session.param
        names = {application.name: number for number, application in enumerate(APPLICATIONS)}
        titles = list(self._session.current.titles)
        self._shown = pmui.Select(label="Held-out input", options=titles, value=titles[0], **ASK)
        self._shown.param.watch(self._choose, "value")
        self._own = pmui.TextInput.from_param(ask.own, label=self._session.current.own, **ASK)
        self._after = pmui.IntSlider(
            label="Weights after pass", start=0, end=1, value=0, disabled=True, **ASK
        )
        self._after.param.watch(self._look_after, "value")
        self._train = pmui.Button(
            label="Train", color="primary", variant="contained", disable_elevation=True, **SMALL
        )
        self._pause = pmui.Button(label="Pause", variant="outlined", **SMALL)
        self._cancel = pmui.Button(label="Cancel", variant="outlined", **SMALL)
        self._train.on_click(self._start)
        self._pause.on_click(self._hold)
        self._cancel.on_click(self._stop)
        settings = [
            pmui.Select.from_param(ask.application, label="Application", options=names, **ASK),
            self._shown,
            self._own,
            self._error,
            pmui.RadioButtonGroup.from_param(
                ask.asked, label="Infer", options={"Prediction": PREDICTION, "Most violated": VIOLATED}, **ASK
            ),
            pmui.Select.from_param(ask.machine, label="Machine", options=MACHINES, **ASK),
            pmui.Select.from_param(ask.C, label="C", options={f"{C:g}": C for C in COSTS}, **ASK),
        ]
        return pn.Column(
            *([] if "settings" in hidden else settings),
            pn.Row(
                self._train, self._pause, self._cancel,
                sizing_mode="stretch_width", styles={"gap": "8px"}, margin=(8, 0, 0, 0),
            ),
            self._after,
            sizing_mode="stretch_width",
            margin=(10, 14),
        )  # fmt: skip

    # what the visitor does

    def _choose(self, event) -> None:
        titles = self._session.current.titles
        if event.new in titles:  # else the application is just changing
            self._session.param.update(shown=titles.index(event.new), own="")

    def _look_after(self, event) -> None:
        self._session.after = event.new

    def _start(self, _event) -> None:
        if self._session.is_busy:
            return
        self._session.train()
        self._ticking = pn.state.add_periodic_callback(self._tick, period=DRAIN_MS)
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

    # what is drawn

    def _session_changed(self, *events) -> None:
        if any(event.name == "application" for event in events):
            titles = list(self._session.current.titles)
            self._shown.param.update(options=titles, value=titles[0])
            self._own.label = self._session.current.own
        soon(self._refresh)

    def _tick(self) -> None:
        """Draw what the worker has sent; the only place where results reach the models."""
        with together():
            self._session.drain()
            if not self._session.is_busy:
                self._ticking.stop()
            self._tell()

    def _refresh(self) -> None:
        with together():
            self._tell()

    def _tell(self) -> None:
        """Bring everything in line with the session."""
        session, run = self._session, self._session.latest
        self.stage.scene = session.scene
        self._error.object = f"<div role='alert'>{escape(session.error)}</div>" if session.error else ""
        self._error.visible = bool(session.error)
        self._train.disabled = session.is_busy
        self._train.label = "Training…" if session.is_busy else "Train"
        self._pause.disabled = self._cancel.disabled = not session.is_busy
        self._pause.label = "Resume" if session.is_paused else "Pause"
        done = len(run.passes) if run else 0
        self._after.param.update(end=max(done, 1), disabled=not done, value=min(session.after, max(done, 1)))
        shown = [one for one in session.own_runs if one.visible and one.passes]
        self._row.visible = bool(shown)
        self._charts.figures[2].title.text = session.current.score_name
        self._charts.draw([_line(one) for one in shown])
        self._status.object = self._sentence(run)

    def _sentence(self, run: TaskRun | None) -> str:
        session = self._session
        if run is None:
            parts = [
                "<b>Not trained yet: all weights are 0.</b>",
                "Press Train, and the stage follows every pass.",
            ]
        elif session.is_busy and run is session.runs[-1]:
            state = "is paused" if session.is_paused else "is training…"
            parts = [
                f"<b>Run {run.number + 1} {state}</b>",
                f"<span class='phase'>{escape(session.phase)}</span>",
            ]
        else:
            parts = [f"<b>Run {run.number + 1}. {escape(run.status)}</b>", escape(str(run.settings))]
            if run.passes:
                parts.append(f"{run.passes[-1].planes} constraints, {100 * run.passes[-1].score:.0f} % right")
        spans = " ".join(f"<span>{part}</span>" for part in parts)
        return f"<div class='status' role='status' aria-live='polite'>{spans}</div>"


def _line(run: TaskRun) -> Line:
    return Line(
        run.number,
        EPSILON,
        [seen.number for seen in run.passes],
        {
            "upper": [seen.upper for seen in run.passes],
            "lower": [seen.lower for seen in run.passes],
            "gap": [seen.gap for seen in run.passes],
            "accuracy": [seen.score for seen in run.passes],
            "planes": [seen.planes for seen in run.passes],
        },
    )
