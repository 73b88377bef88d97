"""The Compare view: plain, margin and slack side by side over one problem."""

from html import escape

import panel as pn
import panel_material_ui as pmui
import param
from panel.viewable import Viewer

from viterbi_lab.ui import picture
from viterbi_lab.ui.comparison import SIGNS, Column, chart, columns
from viterbi_lab.ui.number import shown
from viterbi_lab.ui.question import CAPPED, OWN
from viterbi_lab.ui.sessions.stepper import StepperSession
from viterbi_lab.ui.views.step import RULES, complaint
from viterbi_lab.ui.words import undrawable

WIDTH, HEIGHT, CHART = 320, 400, 150  # px of one picture and of the chart below it, at 1280×720
WIDEST = 520  # px; they grow with the page up to this
MOST_WRITTEN = 8  # longer labellings are read off the picture
INK, BACKGROUND = "var(--panel-on-background-color, #1b1f24)", "var(--panel-background-color, #ffffff)"


def _tinted(colour: str, share: int) -> str:
    """A colour moved towards the ink of the theme: darker on light, lighter on dark."""
    return f"color-mix(in oklab, {colour} {share}%, {INK})"


HOST = picture.Paint(
    background=BACKGROUND,
    ink=INK,
    muted=f"color-mix(in oklab, {INK} 68%, {BACKGROUND})",
    edge=f"color-mix(in oklab, {INK} 48%, {BACKGROUND})",
    decision=_tinted("#e06500", 72),
    on_decision=BACKGROUND,
    truth=_tinted("#00a37c", 62),
    lanes=(f"color-mix(in oklab, {INK} 3%, {BACKGROUND})", f"color-mix(in oklab, {INK} 7%, {BACKGROUND})"),
    heat=(f"color-mix(in oklab, #2b7fbf 22%, {BACKGROUND})", _tinted("#2b8fe0", 70)),
)
"""The colours of the page around, light or dark."""


class CompareView(Viewer):
    """What one visitor sees of a `StepperSession` under all three objectives at once.

    Args:
        session: what is shown, and who decides.
        visible: False where something else shows it later; nothing is drawn before.
    """

    session = param.ClassSelector(class_=StepperSession, doc="What is shown, and who decides.")

    def __init__(self, session: StepperSession, *, visible: bool = True, **params) -> None:
        super().__init__(session=session, **params)
        self._own_error = complaint()
        self._why = pn.pane.HTML("", sizing_mode="stretch_width", margin=(0, 10, 4, 10))
        self.sidebar = self._sidebar()
        self._picture = pn.pane.HTML(
            "", sizing_mode="stretch_width", margin=(8, 12), stylesheets=["svg { width: 100%; height: auto }"]
        )
        self.main = pn.Column(self._picture, sizing_mode="stretch_width", margin=0, visible=visible)
        self.main.param.watch(self._show, "visible")
        session.param.watch(self._show, ["question", "errors"])
        self._show()

    def __panel__(self) -> pn.viewable.Viewable:
        return pn.Row(pn.Column(self.sidebar, width=264), self.main, sizing_mode="stretch_both")

    def _sidebar(self) -> pn.Column:
        ask = self.session.param
        wide = {"sizing_mode": "stretch_width", "margin": (6, 10), "size": "small", "description": ""}
        self._cap = pmui.IntInput.from_param(ask.cap, label="c, the largest loss", **wide)
        self._own = pmui.TextInput.from_param(ask.own, label="h(k): formula in k, or list", **wide)
        again = pmui.Button(
            label="Randomise g", variant="outlined", sizing_mode="stretch_width", margin=(6, 10)
        )
        again.on_click(lambda _event: self.session.randomise())
        return pn.Column(
            pmui.Select.from_param(ask.preset, label="Example", **wide),
            self._why,
            pmui.Select.from_param(ask.rule, label="Loss wrapper h", options=RULES, **wide),
            self._cap,
            self._own,
            self._own_error,
            pmui.TextInput.from_param(ask.truth, label="True labels y", **wide),
            again,
            sizing_mode="stretch_width",
            margin=0,
        )

    def _show(self, *_events) -> None:
        session = self.session
        self._cap.visible, self._own.visible = session.rule == CAPPED, session.rule == OWN
        self._why.object = f"<div style='font-size:12.5px;line-height:1.4'>{escape(session.why)}</div>"
        text = session.errors.get("own", "")
        self._own_error.object = f"<div role='alert'>{escape(text)}</div>" if text else ""
        self._own_error.visible = bool(text)
        if self.main.visible:  # three pictures are not drawn for nobody
            too_big = undrawable(session.question)
            self._picture.object = f"<p>{too_big}</p>" if too_big else _page(columns(session.question))


def _page(found: list[Column]) -> str:
    parts = "".join(_section(column) for column in found)
    note = (
        "Below each picture: the best value on each floor <i>k</i>. The dashed line is the upper hull: "
        "with + and a loss that grows evenly, λ<i>k</i>, only floors on the hull of the first chart can win."
    )
    return (
        f'<div style="display:flex;flex-wrap:wrap;gap:12px;color:{INK};font-size:14px">{parts}</div>'
        f'<p style="margin:8px 2px;font-size:13px;color:{HOST.muted}">{note}</p>'
    )


def _section(column: Column) -> str:
    question, answer = column.question, column.answer
    labels = ", ".join(
        escape(question.labels[j])
        if j == y
        else f'<u style="color:{HOST.decision}">{escape(question.labels[j])}</u>'
        for j, y in zip(answer.y, question.y, strict=True)
    )
    written = f"<i>ŷ</i> = ({labels}) " if question.y.size <= MOST_WRITTEN else ""
    wrong = int((answer.y != question.y).sum())
    drawing = picture.svg(question, width=WIDTH, height=HEIGHT, values=False, paint=HOST)
    return (
        f'<section style="flex:1 1 {WIDTH}px;max-width:{WIDEST}px" aria-label="{SIGNS[question.op]}">'
        f'<h3 style="margin:0;font-size:16px;white-space:pre">{SIGNS[question.op]}'
        f'<b style="color:{HOST.decision};float:right">{shown(answer.value)}</b></h3>'
        f'<p style="margin:2px 0 6px">{written}<span style="color:{HOST.muted}">'
        f"score {shown(answer.score)}, {wrong} wrong</span></p>"
        f"{drawing}{chart(column, width=WIDTH, height=CHART, paint=HOST)}</section>"
    )
