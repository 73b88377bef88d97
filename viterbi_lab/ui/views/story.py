"""The Story view: beats of a talk on a stage of their own, turned by the arrows."""

import io
from html import escape

import panel as pn
import panel_material_ui as pmui
import param
from panel.viewable import Viewer

from viterbi_lab.limits import Limits
from viterbi_lab.ui import story_page
from viterbi_lab.ui.hidden import STAGE, styles
from viterbi_lab.ui.link import HEARD, Link
from viterbi_lab.ui.sessions.story import StorySession
from viterbi_lab.ui.views.complaint import complain, complaint
from viterbi_lab.ui.views.download import download
from viterbi_lab.ui.views.stage import Stage
from viterbi_lab.ui.views.step import HEADER, LOWEST_STAGE

KEYS = (
    "<b>→ ←</b> next and previous beat, also on a presenter's remote<br>"
    "<b>↓ ↑</b> one step inside a beat, <b>Shift →</b> a column<br><b>F</b> fills the screen"
)


class StoryView(Viewer):
    """What one visitor sees of a `StorySession`.

    Args:
        session: which beat is told, and who decides.
        hidden: names of controls to leave out, of `viterbi_lab.ui.hidden`.
    """

    session = param.ClassSelector(class_=StorySession, doc="Which beat is told.")

    def __init__(self, session: StorySession, *, hidden: frozenset[str] = frozenset(), **params) -> None:
        super().__init__(session=session, **params)
        self._hidden = hidden
        self.stage = Stage(
            sizing_mode="stretch_both",
            min_height=LOWEST_STAGE,
            margin=(5, 12),
            caption=session.caption,
            stylesheets=styles(STAGE, hidden),
        )
        link = Link(session.stepper, lambda news: self.stage.param.update(**news), session.turn)
        self.stage.param.watch(
            lambda *events: link.hear({event.name: event.new for event in events}), list(HEARD)
        )
        self._error = complaint()
        self.sidebar = self._sidebar()
        self.main = pn.Column(
            self.stage,
            sizing_mode="stretch_both",
            margin=0,
            min_height=LOWEST_STAGE,
            styles={"height": f"calc(100vh - {HEADER}px)"},
        )
        self._told = 0
        session.param.watch(self._tell, ["number", "story"])
        session.param.watch(self._complain, ["error"])

    def __panel__(self) -> pn.viewable.Viewable:
        return pn.Row(pn.Column(self.sidebar, width=264), self.main, sizing_mode="stretch_both")

    def _sidebar(self) -> pn.Column:
        wide = {"sizing_mode": "stretch_width", "margin": (6, 10)}
        self._title = pn.pane.HTML(self._heading(), **wide)
        self._beats = pmui.RadioBoxGroup(
            label="Beats", options=self._names(), value=self.session.number, inline=False, **wide
        )
        self._beats.param.watch(self._chosen, "value")
        own = pmui.FileInput(
            label="Open own story (JSON)",
            accept=".json",
            max_file_size=Limits.in_force("story_bytes"),
            variant="outlined",
            **wide,
        )
        own.param.watch(self._opened, "value")
        self._own = own
        self._file = download(
            "This story as JSON", self._as_json, variant="text", filename="story.json", **wide
        )
        self._page = download(
            "As a page without a server", self._as_page, variant="text", filename="story.html", **wide
        )
        keys = pn.pane.HTML(f"<div style='font-size:12.5px;line-height:1.5'>{KEYS}</div>", **wide)
        sections = {
            "beats": [self._beats, keys],
            "story": [own, self._error],
            "export": [self._file, self._page],
        }
        shown = [part for name, parts in sections.items() if name not in self._hidden for part in parts]
        return pn.Column(self._title, *shown, sizing_mode="stretch_width", margin=0)

    def _heading(self) -> str:
        return f"<b style='font-size:15px'>{escape(self.session.story.title)}</b>"

    def _names(self) -> dict[str, int]:
        return {f"{n}  {beat.title}": n for n, beat in enumerate(self.session.story.beats, start=1)}

    def _chosen(self, event: param.parameterized.Event) -> None:
        if event.new is not None and event.new != self.session.number:
            self.session.go(event.new)

    def _opened(self, event: param.parameterized.Event) -> None:
        if event.new:
            self.session.open(event.new, self._own.filename)

    def _tell(self, *_events) -> None:
        self._title.object = self._heading()
        if self._beats.options != self._names():
            self._beats.options = self._names()
        self._beats.value = self.session.number
        self._told += 1  # a beat that is told again is sent again: the page may have lost it while it loaded
        self.stage.caption = self.session.caption | {"serial": self._told}

    def _complain(self, *_events) -> None:
        complain(self._error, self.session.error)

    def _as_json(self) -> io.StringIO:
        return io.StringIO(self.session.story.text)

    def _as_page(self) -> io.StringIO:
        return io.StringIO(story_page.html(self.session.story))
