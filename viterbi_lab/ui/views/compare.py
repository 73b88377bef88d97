"""The Compare view: plain, margin and slack side by side over one problem."""

from html import escape

import panel as pn
import panel_material_ui as pmui
import param
from panel.viewable import Viewer

from viterbi_lab.ui import picture
from viterbi_lab.ui.comparison import SHORT, SIGNS, Column, chart, columns, winner
from viterbi_lab.ui.g_strip import g_strip
from viterbi_lab.ui.number import shown
from viterbi_lab.ui.question import CAPPED, OWN, Question
from viterbi_lab.ui.sessions.stepper import StepperSession
from viterbi_lab.ui.views.complaint import complain, complaint
from viterbi_lab.ui.views.step import RULES
from viterbi_lab.ui.words import undrawable

WIDTH, HEIGHT, CHART = 320, 350, 120  # px of one picture and of the chart below it, at 1280×720
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
        hidden: names of controls to leave out, of `viterbi_lab.ui.hidden`.
    """

    session = param.ClassSelector(class_=StepperSession, doc="What is shown, and who decides.")

    def __init__(
        self,
        session: StepperSession,
        *,
        visible: bool = True,
        hidden: frozenset[str] = frozenset(),
        **params,
    ) -> None:
        super().__init__(session=session, **params)
        self._hidden = hidden
        self._own_error = complaint()
        self._why = pn.pane.HTML("", sizing_mode="stretch_width", margin=(0, 10, 4, 10))
        self.sidebar = self._sidebar()
        self._picture = pn.pane.HTML(
            "", sizing_mode="stretch_width", margin=(8, 12), stylesheets=["svg { width: 100%; height: auto }"]
        )
        self.main = pn.Column(
            self._transport(), self._picture, sizing_mode="stretch_width", margin=0, visible=visible
        )
        self.main.param.watch(self._show, "visible")
        session.param.watch(self._show, ["question", "errors"])
        session.param.watch(self._fit, ["question"])
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
        rule = pmui.Select.from_param(ask.rule, label="Loss wrapper h", options=RULES, **wide)
        sections = {
            "example": [pmui.Select.from_param(ask.preset, label="Example", **wide), self._why],
            "h": [rule, self._cap, self._own, self._own_error],
            "y": [pmui.TextInput.from_param(ask.truth, label="True labels y", **wide)],
            "random": [again],
        }
        shown = [part for name, parts in sections.items() if name not in self._hidden for part in parts]
        return pn.Column(*shown, sizing_mode="stretch_width", margin=0)

    def _transport(self) -> pn.Row:
        """Steps all three pictures together, column by column; behind the last column stand the answers."""
        T = self.session.question.y.size
        self._filled = pmui.IntSlider(
            label="Columns filled, then the answers",
            start=0,
            end=T + 1,
            value=T + 1,
            size="small",
            description="",
            sizing_mode="stretch_width",
            margin=(2, 16),
        )
        self._filled.param.watch(self._show, "value")
        buttons = []
        for label, by in (("Previous column", -1), ("Next column", 1)):
            button = pmui.Button(label=label, variant="outlined", size="small", margin=(10, 4), width=128)
            button.on_click(lambda _event, by=by: self._step(by))
            buttons.append(button)
        return pn.Row(*buttons, self._filled, sizing_mode="stretch_width", margin=(6, 12, 0, 8))

    def _step(self, by: int) -> None:
        self._filled.value = max(0, min(self._filled.end, self._filled.value + by))

    def _fit(self, *_events) -> None:
        """Another length has another end; the answers stay the answers."""
        end = self.session.question.y.size + 1
        if end != self._filled.end:
            at_end = self._filled.value == self._filled.end
            self._filled.param.update(end=end, value=end if at_end else min(self._filled.value, end))

    def _show(self, *_events) -> None:
        session = self.session
        self._cap.visible, self._own.visible = session.rule == CAPPED, session.rule == OWN
        self._why.object = f"<div style='font-size:12.5px;line-height:1.4'>{escape(session.why)}</div>"
        complain(self._own_error, session.errors.get("own", ""))
        if self.main.visible:  # three pictures are not drawn for nobody
            too_big = undrawable(session.question)
            filled = self._filled.value if self._filled.value <= session.question.y.size else None
            self._picture.object = (
                f"<p>{too_big}</p>" if too_big else _page(columns(session.question), filled)
            )


def _page(found: list[Column], columns: int | None) -> str:
    """Three pictures of so many columns, with charts and the answers once all are filled, over one g."""
    signs: dict[int, str] = {}
    for column in found:
        floor = winner(column)
        signs[floor] = " ".join([*signs.get(floor, "").split(), SHORT[column.question.op]])
    parts = "".join(_section(column, columns, signs) for column in found)
    strip = g_strip(found, columns, HOST)
    note = (
        "Charts: the best value on each floor <i>k</i>; the first is max <i>L</i> and names the floors where "
        "P, M and S win. Dashed is the upper hull: with + and a loss λ<i>k</i> only floors on it can win."
    )
    return (
        f'<div style="display:flex;flex-wrap:wrap;gap:12px;color:{INK};font-size:14px">{parts}</div>'
        f"{strip}"
        f'<p style="margin:8px 2px;font-size:13px;color:{HOST.muted}">{note}</p>'
    )


def _section(column: Column, columns: int | None, signs: dict[int, str]) -> str:
    question, answer = column.question, column.answer
    step = None if columns is None else _events(question, columns)
    drawing = picture.svg(question, width=WIDTH, height=HEIGHT, values=False, step=step, paint=HOST)
    if columns is not None:
        value, told, curve = "", f"column {columns} of {question.y.size}: the same tables for all three", ""
    else:
        value, told = shown(answer.value), _answer(column)
        curve = chart(
            column,
            width=WIDTH,
            height=CHART,
            paint=HOST,
            signs=signs if question.op == "plain" else None,
        )
    return (
        f'<section style="flex:1 1 {WIDTH}px;max-width:{WIDEST}px" aria-label="{SIGNS[question.op]}">'
        f'<h3 style="margin:0;font-size:16px;white-space:pre">{SIGNS[question.op]}'
        f'<b style="color:{HOST.decision};float:right">{value}</b></h3>'
        f'<p style="margin:2px 0 6px">{told}</p>{drawing}{curve}</section>'
    )


def _events(question: Question, columns: int) -> int:
    """How many events fill so many columns; the first ℓ' sites are one column."""
    ends, _ = picture.events(question)
    filled = columns - (question.scores.window_order - 1)
    return ends[filled - 1] if filled > 0 else 0


def _answer(column: Column) -> str:
    question, answer = column.question, column.answer
    labels = ", ".join(
        escape(question.labels[j])
        if j == y
        else f'<u style="color:{HOST.decision}">{escape(question.labels[j])}</u>'
        for j, y in zip(answer.y, question.y, strict=True)
    )
    written = f"<i>ŷ</i> = ({labels}) " if question.y.size <= MOST_WRITTEN else ""
    wrong = int((answer.y != question.y).sum())
    return f'{written}<span style="color:{HOST.muted}">score {shown(answer.score)}, {wrong} wrong</span>'
