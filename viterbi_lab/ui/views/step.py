"""The Step view: a side bar of controls, and the stage."""

import io
import json
import re
from html import escape

import panel as pn
import panel_material_ui as pmui
import param
from panel.viewable import Viewer

from viterbi_lab.ui import export, film, picture, story_file
from viterbi_lab.ui.hidden import STAGE, styles
from viterbi_lab.ui.link import HEARD, Link
from viterbi_lab.ui.question import CAPPED, OWN
from viterbi_lab.ui.sessions.stepper import StepperSession
from viterbi_lab.ui.views.complaint import complain, complaint
from viterbi_lab.ui.views.download import download
from viterbi_lab.ui.views.own_problem import OwnProblem
from viterbi_lab.ui.views.stage import Stage

OPS = {"· slack": "times", "+ margin": "plus", "plain": "plain"}
RULES = {
    "identity: h(k) = k": "k",
    "root: h(k) = √k": "√k",
    "square: h(k) = k²": "k²",
    "0/1: h(k) = [k > 0]": "0/1",
    "capped: h(k) = min(k, c)": CAPPED,
    "own formula or list": OWN,
}
EXPORTS = {
    "HTML page that steps": (export.html, "html"),
    "SVG picture": (picture.svg, "svg"),
    **(
        {"PNG picture": (film.png, "png"), "GIF of the play-through": (film.gif, "gif")}
        if film.available()
        else {}
    ),
    "CSV of L and S": (export.cells_csv, "csv"),
    "CSV of g": (export.scores_csv, "csv"),
    "JSON, can be read again": (export.json_text, "json"),
    "Python script": (export.python_code, "py"),
}
HEADER = 46  # px of the page above the stage
SIDEBAR = 264  # px, where the view stands alone, without the page around it
LOWEST_STAGE = 560  # px; below that the page scrolls rather than the picture shrinks

# The browser switches ⊙ and h by itself; Python hears of it, but nobody waits for Python.
AT_ONCE = "target.data.{name} = {choices}[source.value] ?? source.value"


class StepView(Viewer):
    """What one visitor sees of a `StepperSession`.

    Args:
        session: what is shown, and who decides.
        hidden: names of controls to leave out, of `viterbi_lab.ui.hidden`.
    """

    session = param.ClassSelector(class_=StepperSession, doc="What is shown, and who decides.")

    def __init__(self, session: StepperSession, *, hidden: frozenset[str] = frozenset(), **params) -> None:
        super().__init__(session=session, **params)
        self._hidden = hidden
        self.stage = Stage(
            sizing_mode="stretch_both",
            min_height=LOWEST_STAGE,
            margin=(8, 12),
            stylesheets=styles(STAGE, hidden),
        )
        link = Link(session, lambda news: self.stage.param.update(**news))
        self.stage.param.watch(
            lambda *events: link.hear({event.name: event.new for event in events}), list(HEARD)
        )
        self._size, self._own_error, self._truth_error = complaint(), complaint(), complaint()
        self._why = pn.pane.HTML("", sizing_mode="stretch_width", margin=(0, 10, 4, 10))
        self.sidebar = self._sidebar()
        self.main = pn.Column(
            self.stage,
            sizing_mode="stretch_both",
            margin=0,
            min_height=LOWEST_STAGE,
            styles={"height": f"calc(100vh - {HEADER}px)"},
        )
        session.param.watch(self._tell_sidebar, ["question", "errors", "rule"])
        self._tell_sidebar()

    def __panel__(self) -> pn.viewable.Viewable:
        return pn.Row(pn.Column(self.sidebar, width=SIDEBAR), self.main, sizing_mode="stretch_both")

    # side bar

    def _sidebar(self) -> pn.Column:
        session, ask = self.session, self.session.param
        wide = {"sizing_mode": "stretch_width", "margin": (6, 10)}
        small = {**wide, "size": "small", "description": ""}
        self._length = pmui.IntSlider(
            label="Length T", start=1, end=ask.length.bounds[1], value=self.session.length, **small
        )
        self._states = pmui.IntSlider(
            label="States N", start=1, end=ask.states.bounds[1], value=self.session.states, **small
        )
        for slider, name in ((self._length, "length"), (self._states, "states")):
            slider.param.watch(self._let_go(name), "value_throttled")
        order = pmui.RadioButtonGroup.from_param(ask.order, label="Order ℓ", **small)
        rule = pmui.Select.from_param(ask.rule, label="Loss wrapper h", options=RULES, **small)
        op = pmui.RadioButtonGroup.from_param(ask.op, label="Combine score ⊙ loss", options=OPS, **small)
        for widget, name, choices in ((rule, "rule", RULES), (op, "op", OPS)):
            widget.jslink(self.stage, code={"value": AT_ONCE.format(name=name, choices=json.dumps(choices))})
        self._cap = pmui.IntInput.from_param(ask.cap, label="c, the largest loss", **small)
        self._own = pmui.TextInput.from_param(ask.own, label="h(k): formula in k, or list", **small)
        again = pmui.Button(label="Randomise g", variant="outlined", **wide)
        again.on_click(self._randomise)
        changes = pn.Row(sizing_mode="stretch_width")
        for label, do in (
            ("Undo", self.session.undo),
            ("Redo", self.session.redo),
            ("Reset", self.session.reset),
        ):
            button = pmui.Button(label=label, variant="text", margin=(6, 4), width=74)
            button.on_click(lambda _event, do=do: do())
            changes.append(button)
        self._kind = pmui.Select(label="Export", options=list(EXPORTS), **small)
        self._save = download("Save", self._exported, variant="outlined", width=100, margin=(6, 10))
        self._kind.param.watch(self._name_file, "value")
        code = pmui.Button(label="Copy as Python", variant="text", margin=(6, 0), width=132)
        code.on_click(lambda _event: self._copy(export.python_code(session.question)))
        beat = pmui.Button(label="Copy as beat of a story", variant="text", margin=(0, 10))
        beat.on_click(lambda _event: self._copy(story_file.beat_text(session.question, session.step)))
        seed = pmui.IntInput.from_param(
            ask.seed, label="Seed", width=90, margin=(6, 10, 6, 0), size="small", description=""
        )
        sections = {
            "example": [pmui.Select.from_param(ask.preset, label="Example", **small), self._why],
            "size": [self._length, self._states, order, self._size],
            "h": [rule, self._cap, self._own, self._own_error],
            "op": [op],
            "y": [pmui.TextInput.from_param(ask.truth, label="True labels y", **small), self._truth_error],
            "random": [pn.Row(again, seed, sizing_mode="stretch_width")],
            "undo": [changes],
            "problem": [OwnProblem(session)],
            "export": [self._kind, pn.Row(self._save, code, sizing_mode="stretch_width"), beat],
        }
        shown = [part for name, parts in sections.items() if name not in self._hidden for part in parts]
        return pn.Column(*shown, sizing_mode="stretch_width", margin=0)

    def _let_go(self, name: str):
        """What happens when a slider is let go; while it is dragged nothing is computed."""

        def ask(event: param.parameterized.Event) -> None:
            setattr(self.session, name, event.new)

        return ask

    def _randomise(self, _event) -> None:
        self.session.randomise()

    def _name_file(self, *_events) -> None:
        """The file is called after the problem, in letters that every system takes."""
        _, ending = EXPORTS[self._kind.value]
        name = re.sub(r"[^a-z0-9]+", "_", self.session.question.title.lower()).strip("_") or "problem"
        self._save.filename = f"{name}.{ending}"

    def _exported(self) -> io.BytesIO:
        write, _ = EXPORTS[self._kind.value]
        content = write(self.session.question)
        return io.BytesIO(content if isinstance(content, bytes) else content.encode())

    def _copy(self, text: str) -> None:
        self.stage.copy = {"serial": self.stage.copy.get("serial", 0) + 1, "text": text}

    def _tell_sidebar(self, *_events) -> None:
        session = self.session
        T, N, _ = session.question.size
        if not session.errors.get("size"):
            self._length.value, self._states.value = T, N
        self._name_file()
        self._cap.visible = session.rule == CAPPED
        self._own.visible = session.rule == OWN
        self._why.object = f"<div style='font-size:12.5px;line-height:1.4'>{escape(session.why)}</div>"
        for pane, control in ((self._size, "size"), (self._own_error, "own"), (self._truth_error, "truth")):
            complain(pane, session.errors.get(control, ""))
