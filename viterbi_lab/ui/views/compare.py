"""The Compare view: plain, margin and slack side by side over one problem."""

from html import escape
from pathlib import Path

import panel as pn
import panel_material_ui as pmui
import param
from panel.viewable import Viewer

from viterbi_lab.ui import picture
from viterbi_lab.ui.comparison import SHORT, SIGNS, Column, chart, columns, winner
from viterbi_lab.ui.g_strip import g_strip
from viterbi_lab.ui.hidden import COMPARE, styles
from viterbi_lab.ui.number import shown
from viterbi_lab.ui.palette import LIGHT, Palette
from viterbi_lab.ui.question import CAPPED, OWN, Question
from viterbi_lab.ui.sessions.stepper import StepperSession
from viterbi_lab.ui.views.complaint import complain, complaint
from viterbi_lab.ui.views.step import RULES
from viterbi_lab.ui.views.together import soon
from viterbi_lab.ui.words import undrawable

WIDTH, HEIGHT, CHART = 320, 350, 120  # px of one picture and of the chart below it, at 1280×720
STYLES = (Path(__file__).resolve().parents[1] / "compare.css").read_text(encoding="utf-8")


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
        self._hidden, self._palette = hidden, LIGHT
        self._own_error = complaint()
        self._why = pn.pane.HTML("", sizing_mode="stretch_width", margin=(0, 10, 4, 10))
        self.sidebar = self._sidebar()
        self._picture = pn.pane.HTML(
            "",
            sizing_mode="stretch_width",
            margin=(4, 12, 6, 12),
            stylesheets=[STYLES, *styles(COMPARE, hidden)],
        )
        transport = self._transport()
        self.main = pn.Column(
            *([] if "steps" in hidden else [transport]),
            self._picture,
            sizing_mode="stretch_width",
            margin=0,
            visible=visible,
        )
        self.main.param.watch(self._show, "visible")
        session.param.watch(self._show, ["question", "errors"])
        session.param.watch(self._fit, ["question"])
        self._show()

    def __panel__(self) -> pn.viewable.Viewable:
        return pn.Row(pn.Column(self.sidebar, width=264), self.main, sizing_mode="stretch_both")

    def paint(self, palette: Palette) -> None:
        """Give the pictures the colours of a theme."""
        self._palette = palette
        soon(self._show)

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
            margin=(0, 16),
        )
        self._filled.param.watch(self._show, "value")
        buttons = []
        for label, by in (("Previous column", -1), ("Next column", 1)):
            button = pmui.Button(label=label, variant="outlined", size="small", margin=(6, 4), width=128)
            button.on_click(lambda _event, by=by: self._step(by))
            buttons.append(button)
        return pn.Row(*buttons, self._filled, sizing_mode="stretch_width", margin=(4, 12, 0, 8))

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
                f"<p>{too_big}</p>" if too_big else _page(columns(session.question), filled, self._palette)
            )


def _page(found: list[Column], columns: int | None, palette: Palette) -> str:
    """Three pictures of so many columns, with charts and the answers once all are filled, over one g."""
    signs: dict[int, str] = {}
    for column in found:
        floor = winner(column)
        signs[floor] = " ".join([*signs.get(floor, "").split(), SHORT[column.question.op]])
    parts = "".join(_section(column, columns, signs, palette) for column in found)
    return f'<div class="compare" style="color:{palette.ink}">{parts}{g_strip(found, columns, palette)}</div>'


def _section(column: Column, columns: int | None, signs: dict[int, str], palette: Palette) -> str:
    question, answer = column.question, column.answer
    step = None if columns is None else _events(question, columns)
    drawing = picture.svg(question, width=WIDTH, height=HEIGHT, values=False, step=step, palette=palette)
    if columns is not None:
        value, told, curve = "", f"column {columns} of {question.y.size}, the same for all", ""
    else:
        wrong = int((answer.y != question.y).sum())
        value, told = shown(answer.value), f"score {shown(answer.score)}, {wrong} wrong"
        curve = chart(
            column,
            width=WIDTH,
            height=CHART,
            palette=palette,
            signs=signs if question.op == "plain" else None,
        )
    return (
        f'<section aria-label="{SIGNS[question.op]}"><h3>{SIGNS[question.op]}'
        f'<span style="color:{palette.muted}">{told}</span>'
        f'<b style="color:{palette.decision}">{value}</b></h3>{drawing}{curve}</section>'
    )


def _events(question: Question, columns: int) -> int:
    """How many events fill so many columns; the first ℓ' sites are one column."""
    ends, _ = picture.events(question)
    filled = columns - (question.scores.window_order - 1)
    return ends[filled - 1] if filled > 0 else 0
