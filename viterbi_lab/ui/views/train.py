"""The Train view: settings and buttons in the side bar; charts, label ribbons and runs in the main area."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

import panel as pn
import panel_material_ui as pmui
import param
from bokeh.models import ColumnDataSource
from panel.custom import AnyWidgetComponent, ReactComponent

from viterbi_lab.data.genes import SIGMAS
from viterbi_lab.dp import ChainProblem
from viterbi_lab.ui import figures
from viterbi_lab.ui.attack import Attack
from viterbi_lab.ui.figures import Ribbon
from viterbi_lab.ui.palette import LIGHT, Palette
from viterbi_lab.ui.passes import Card, Pass
from viterbi_lab.ui.sessions.training import DECADES, EPSILONS, Run, TrainingSession
from viterbi_lab.ui.settings import CELEGANS, GENES, TRAINERS
from viterbi_lab.ui.views.together import soon, together

DRAIN_MS = 120  # often enough to look live, seldom enough to leave the browser alone
GLANCE_MS = 1000
WORST, FOLLOWED = "most violated", "the same"
LABELS = {
    "data": "data",
    "rescaling": "rescaling",
    "sigma": "σ",
    "n": "n",
    "C": "C",
    "epsilon": "ε",
    "wrapper": "h",
    "seed": "seed",
    "trainer": "trainer",
}
SMALL = {"size": "small", "sizing_mode": "stretch_width", "margin": (5, 0)}
ASK = {**SMALL, "description": ""}
NOTHING_YET = """
<div class="empty"><h3>Nothing trained yet</h3>
<p>Press Train: the gap to the optimum falls pass by pass below the dashed ε line, while the ribbons show
which labelling the oracle attacks and what the model predicts for a sequence it has never seen.</p></div>
"""
FOLDER = Path(__file__).resolve().parents[1]
STYLES = (FOLDER / "train.css").read_text(encoding="utf-8")


class RunsTable(AnyWidgetComponent):
    """The table of runs. A click on the chip of a run sets ``press`` to a new serial number and the run."""

    rows = param.List(doc="One dict for each run, in the order of starting.")
    press = param.Dict(default={}, doc="The last click: serial and run.")

    _esm = FOLDER / "runs.js"
    _stylesheets = [(FOLDER / "runs.css").read_text(encoding="utf-8")]  # noqa: RUF012 - Panel wants a list
    _react_version = ReactComponent._react_version  # as the page's; unused, but two would be complained of


class TrainView:
    """What a visitor sees of a training session.

    Args:
        session: the state; the view holds none but what is drawn.
        open_in_stepper: called with a problem, where it comes from, and the names of its labels.

    Attributes:
        sidebar: the settings and the buttons.
        main: charts, ribbons and runs.
    """

    def __init__(
        self,
        session: TrainingSession,
        open_in_stepper: Callable[[ChainProblem, str, tuple[str, ...]], None],
    ) -> None:
        self._session = session
        self._open_in_stepper = open_in_stepper
        self._palette = LIGHT
        self._ticking = None
        self._build_buttons()
        self._build_charts()
        self.sidebar = self._lay_out_sidebar()
        self.main = self._lay_out_main()
        session.param.watch(self._settings_changed, list(LABELS))
        self._settings_changed()
        self._redraw()
        if pn.state.curdoc is not None and pn.state.curdoc.session_context is not None:
            pn.state.add_periodic_callback(self._glance, period=GLANCE_MS)

    def paint(self, palette: Palette) -> None:
        """Give charts, ribbons and the table the colours of a theme."""
        self._palette = palette
        soon(self._repaint)

    def _repaint(self) -> None:
        with together():
            self._charts.repaint(self._palette)
            figures.repaint(self._ribbons, self._palette)
            self._draw_ribbons()
            self._refresh()

    def _build_buttons(self) -> None:
        self._train = pmui.Button(
            label="Train", color="primary", variant="contained", disable_elevation=True, **SMALL
        )
        self._pause = pmui.Button(label="Pause", variant="outlined", **SMALL)
        self._cancel = pmui.Button(label="Cancel", variant="outlined", **SMALL)
        self._train.on_click(self._start)
        self._pause.on_click(self._hold)
        self._cancel.on_click(self._stop)
        self._opener = pmui.Button(
            label="Open in stepper", variant="outlined", size="small", width=140, margin=(0, 0, 0, 12)
        )
        self._opener.on_click(self._open)
        self._choice = pmui.RadioButtonGroup(
            options=[WORST, FOLLOWED], value=WORST, size="small", width=200, margin=0
        )
        self._choice.param.watch(self._ribbons_changed, "value")

    def _build_charts(self) -> None:
        self._charts = figures.ProgressCharts(self._palette)
        self._ribbon_source = ColumnDataSource(
            {key: [] for key in ("left", "right", "bottom", "top", "fill", "hatch", "what")}
        )
        self._ribbons = figures.ribbons(self._palette, self._ribbon_source)

    def _lay_out_sidebar(self) -> pn.Column:
        ask = self._session.param
        self._sigma = pmui.Select.from_param(ask.sigma, label="Noise σ", options=_options(SIGMAS), **ASK)
        return pn.Column(
            pmui.Select.from_param(
                ask.data,
                label="Data",
                options={"Synthetic genes": GENES, "C. elegans genes": CELEGANS},
                **ASK,
            ),
            pmui.RadioButtonGroup.from_param(
                ask.rescaling, label="Rescaling", options={"Slack ·": "slack", "Margin +": "margin"}, **ASK
            ),
            self._sigma,
            pmui.IntSlider.from_param(ask.n, label="Training examples n", **ASK),
            pn.Row(
                pmui.Select.from_param(ask.C, label="C", options=_options(DECADES), **ASK),
                pmui.Select.from_param(ask.epsilon, label="Stop at gap ε", options=_shares(EPSILONS), **ASK),
                sizing_mode="stretch_width",
                styles={"gap": "8px"},
            ),
            pn.Row(
                pmui.Select.from_param(ask.wrapper, label="Loss wrapper h", **ASK),
                pmui.IntInput.from_param(
                    ask.seed, label="Seed", sx={"& .MuiInputBase-root": {"height": 32}}, **ASK
                ),
                sizing_mode="stretch_width",
                styles={"gap": "8px"},
            ),
            pmui.Select.from_param(ask.trainer, label="Trainer", options=list(TRAINERS), **ASK),
            pn.Row(
                self._train,
                self._pause,
                self._cancel,
                sizing_mode="stretch_width",
                styles={"gap": "8px"},
                margin=(8, 0, 0, 0),
            ),
            sizing_mode="stretch_width",
            margin=(10, 14),
        )

    def _lay_out_main(self) -> pn.Column:
        self._status = _html("", css_classes=["training-status"], margin=(8, 0, 2, 0))
        self._empty = _html(NOTHING_YET)
        self._legend = _html("", margin=(8, 0, 0, 0))
        self._table = RunsTable(sizing_mode="stretch_width", height=124, margin=(4, 0, 0, 0))
        self._table.param.watch(self._toggle, "press")
        self._shown = pn.Column(
            pn.Row(*map(_pane, self._charts.figures), sizing_mode="stretch_both", min_height=180),
            pn.Row(
                self._legend,
                _html(
                    "<div class='legend'>Training example:</div>",
                    sizing_mode=None,
                    width=112,
                    margin=(8, 0, 0, 0),
                ),
                self._choice,
                self._opener,
                sizing_mode="stretch_width",
                margin=(4, 0, 0, 0),
            ),
            pn.Row(_pane(self._ribbons), sizing_mode="stretch_both", min_height=170),
            self._table,
            sizing_mode="stretch_both",
            margin=0,
        )
        return pn.Column(
            self._status, self._empty, self._shown, sizing_mode="stretch_both", margin=(0, 16, 6, 16)
        )

    # what the visitor does

    def _start(self, _event) -> None:
        if self._session.is_busy:
            return
        self._session.train()
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

    def _open(self, _event) -> None:
        run = self._latest()
        found, number = self._attack(run.passes[-1]), run.passes[-1].number
        title = (
            f"Training example {found.example + 1}, most violated labelling after pass {number}: "
            f"{found.window.title}"
        )
        states = run.card.names.states
        names = tuple(states[j] for j in found.window.states)
        self._open_in_stepper(found.window.problem, title, names)

    def _settings_changed(self, *_events) -> None:
        self._sigma.disabled = self._session.data != GENES
        self._tell()

    def _ribbons_changed(self, *_events) -> None:
        soon(self._draw_ribbons)

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
                self._draw_ribbons()
            if not self._session.is_busy:
                self._ticking.stop()
                self._ticking = None
            self._refresh()

    def _redraw(self) -> None:
        with together():
            self._draw_lines()
            self._refresh()

    def _draw_lines(self) -> None:
        self._charts.draw([_line(run) for run in self._session.runs if run.visible and run.passes])

    def _refresh(self) -> None:
        """Bring buttons, texts and table in line with the session."""
        with together():
            self._refresh_held()

    def _refresh_held(self) -> None:
        session = self._session
        self._train.disabled = session.is_busy
        self._train.label = "Training…" if session.is_busy else "Train"
        self._pause.disabled = self._cancel.disabled = not session.is_busy
        self._pause.label = "Resume" if session.is_paused else "Pause"
        self._empty.visible = not session.runs
        self._shown.visible = any(run.passes for run in session.runs)
        self._table.rows = [self._row(run) for run in session.runs]
        self._tell()

    def _row(self, run: Run) -> dict:
        colour, dash = self._palette.run(run.number)
        seen = run.passes[-1] if run.passes else None
        return {
            "number": run.number,
            "colour": colour,
            "dash": dash,
            "visible": run.visible,
            "settings": str(run.settings),
            "passes": str(seen.number) if seen else "–",
            "constraints": str(seen.planes) if seen else "–",
            "gap": f"{100 * max(seen.gap, 0.0):.3g} %" if seen else "–",
            "accuracy": f"{seen.accuracy:.4f}" if seen else "–",
            "status": run.word,
        }

    def _tell(self) -> None:
        session, run = self._session, self._session.current
        if run is None:
            self._status.object = ""
            return
        if not session.is_busy:
            parts = [f"<b>Run {run.number + 1}. {escape(run.status)}</b>"]
        elif session.is_paused:
            parts = [
                f"<b>Run {run.number + 1} is paused</b>",
                f"<span class='phase'>{escape(session.phase)}</span>",
            ]
        else:
            parts = [
                f"<b>Training run {run.number + 1}…</b>",
                f"<span class='phase'>{escape(session.phase)}</span>",
            ]
        if session.changed:
            names = ", ".join(LABELS[name] for name in session.changed)
            parts.append(f"<span class='chip'>settings changed since this run: {names}</span>")
        self._status.object = f"<div class='status' role='status' aria-live='polite'>{''.join(parts)}</div>"

    def _latest(self) -> Run | None:
        """The last run that has a pass."""
        return next((run for run in reversed(self._session.runs) if run.passes), None)

    def _attack(self, seen: Pass) -> Attack:
        return seen.worst if self._choice.value == WORST else seen.followed

    def _draw_ribbons(self) -> None:
        run = self._latest()
        if run is None:
            return
        seen, names, truth = run.passes[-1], run.card.names, run.card.truth
        found = self._attack(seen)
        y = names.labelled(found.y)
        rows = [
            Ribbon(f"example {found.example + 1}, truth y", y, y),
            Ribbon("most violating ŷ", names.labelled(found.y_hat), y),
            Ribbon("validation, truth", truth, truth),
            Ribbon("validation, predicted", seen.prediction, truth),
        ]
        self._ribbon_source.data = figures.ribbon_data(rows, names.labels, names.heights, self._palette)
        figures.name_ribbons(self._ribbons, rows)
        self._legend.object = _legend(run.card, self._palette)


def _line(run: Run) -> figures.Line:
    floor = run.settings.epsilon / 10  # a log axis has no 0; the table shows the number itself
    return figures.Line(
        run.number,
        run.settings.epsilon,
        [seen.number for seen in run.passes],
        {
            "gap": [max(seen.gap, floor) for seen in run.passes],
            "accuracy": [seen.accuracy for seen in run.passes],
            "constraints": [seen.planes for seen in run.passes],
        },
    )


def _pane(fig: figures.figure) -> pn.pane.Bokeh:
    return pn.pane.Bokeh(fig, sizing_mode="stretch_both", margin=0)


def _html(text: str, **options) -> pn.pane.HTML:
    options = {"sizing_mode": "stretch_width", "margin": 0, **options}
    return pn.pane.HTML(text, stylesheets=[STYLES], **options)


def _legend(card: Card, palette: Palette) -> str:
    """Return the legend of the ribbons: height says the label, hatching that it is wrong."""
    entries = [
        f"<span>{_swatch(height, palette.edge if number == 0 else palette.ink, '')}{escape(name)}</span>"
        for number, (name, height) in enumerate(zip(card.names.labels, card.names.heights, strict=True))
    ]
    stripes = "".join(
        f"<path d='M{x} 14 l14 -14' stroke='{palette.background}' stroke-width='1.5'/>"
        for x in (-7, 0, 7, 14)
    )
    entries.append(f"<span>{_swatch(1.0, palette.decision, stripes)}hatched: differs from the truth</span>")
    return f"<div class='legend'>{''.join(entries)}</div>"


def _swatch(height: float, colour: str, stripes: str) -> str:
    top = 14 * (1 - height)
    return (
        f"<svg width='22' height='14' aria-hidden='true'>"
        f"<rect y='{top:.1f}' width='22' height='{14 - top:.1f}' fill='{colour}'/>{stripes}</svg>"
    )


def _options(values: Sequence[float]) -> dict[str, float]:
    """Return choices of numbers by how they are written."""
    return {f"{value:g}": value for value in values}


def _shares(values: Sequence[float]) -> dict[str, float]:
    """Return choices of shares, written in per cent."""
    return {f"{100 * value:g} %": value for value in values}
