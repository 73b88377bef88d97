"""The place in the side bar where a problem of one's own is pasted or uploaded."""

import io
from functools import partial

import panel as pn
import panel_material_ui as pmui
import param
from panel.viewable import Viewer

from viterbi_lab.ui import own_problem
from viterbi_lab.ui.own_problem import MOST_BYTES
from viterbi_lab.ui.sessions.stepper import StepperSession
from viterbi_lab.ui.views.complaint import complain, complaint
from viterbi_lab.ui.views.download import download

HINT = (
    "CSV: a line <code>t,y,from,a,b</code> that ends with your labels, then a row per site and label before. "
    "JSON and NPZ: see the examples."
)


class OwnProblem(Viewer):
    """Takes a problem as JSON, CSV or NPZ onto the stage of a session, or says what is wrong with it.

    Args:
        session: where the problem goes.
    """

    session = param.ClassSelector(class_=StepperSession, doc="Where the problem goes.")

    def __init__(self, session: StepperSession, **params) -> None:
        super().__init__(session=session, **params)
        wide = {"sizing_mode": "stretch_width", "margin": (4, 0)}
        self._text = pmui.TextAreaInput(
            label="Paste JSON or CSV", rows=4, max_length=MOST_BYTES, size="small", **wide
        )
        take = pmui.Button(label="Show pasted problem", variant="outlined", **wide)
        take.on_click(self._pasted)
        self._file = pmui.FileInput(
            label="Open JSON, CSV or NPZ",
            accept=".json,.csv,.tsv,.txt,.npz",
            max_file_size=MOST_BYTES,
            variant="outlined",
            **wide,
        )
        self._file.param.watch(self._opened, "value")
        self._error, self._note = complaint(), pn.pane.HTML("", visible=False, **wide)
        self._examples = own_problem.examples()
        examples = [
            download(
                name.removeprefix("example").upper(),
                partial(self._example, name),
                variant="text",
                filename=name,
                width=74,
                margin=0,
            )
            for name in self._examples
        ]
        inside = pn.Column(
            pn.pane.HTML(f"<div style='font-size:12.5px;line-height:1.4'>{HINT}</div>", **wide),
            self._text,
            take,
            self._file,
            self._error,
            self._note,
            pn.pane.HTML("<div style='font-size:12.5px'>Examples that open again:</div>", **wide),
            pn.Row(*examples, margin=0),
            visible=False,
            sizing_mode="stretch_width",
            margin=0,
        )
        opener = pmui.Toggle(label="Own problem", variant="outlined", **wide)
        opener.link(inside, value="visible")
        self._panel = pn.Column(opener, inside, sizing_mode="stretch_width", margin=(6, 10))

    def __panel__(self) -> pn.viewable.Viewable:
        return self._panel

    def _pasted(self, _event) -> None:
        self._take(self._text.value.encode(), "Pasted text")

    def _opened(self, event: param.parameterized.Event) -> None:
        if event.new:
            self._take(event.new, self._file.filename)

    def _take(self, raw: bytes, name: str) -> None:
        try:
            brought = own_problem.read(raw, name)
            self.session.open(brought.question)
        except ValueError as error:
            complain(self._error, str(error))
            self._note.visible = False
            return
        complain(self._error)
        self._note.object = f"<div role='status' style='font-size:13px'>{' '.join(brought.notes)}</div>"
        self._note.visible = bool(brought.notes)

    def _example(self, name: str) -> io.BytesIO:
        return io.BytesIO(self._examples[name])
