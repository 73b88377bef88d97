"""The page: header with the views, side bar, main area, and what ends when the tab is closed."""

import logging
import uuid
from urllib.parse import urlencode

import panel as pn
import panel_material_ui as pmui
from panel.io.resources import get_dist_path
from panel.util import edit_readonly

from viterbi_lab.dp import ChainProblem
from viterbi_lab.limits import variable
from viterbi_lab.ui import address, hidden, story_file
from viterbi_lab.ui.palette import DARK, LIGHT, Palette
from viterbi_lab.ui.presets import presets
from viterbi_lab.ui.sessions.runs import VISITORS
from viterbi_lab.ui.sessions.scale import ScaleSession
from viterbi_lab.ui.sessions.stepper import StepperSession
from viterbi_lab.ui.sessions.story import StorySession
from viterbi_lab.ui.sessions.tasks import TasksSession
from viterbi_lab.ui.sessions.training import TrainingSession
from viterbi_lab.ui.story_file import Story
from viterbi_lab.ui.views.access import RETRY_SECONDS, VISITOR
from viterbi_lab.ui.views.compare import CompareView
from viterbi_lab.ui.views.complaint import complain, complaint
from viterbi_lab.ui.views.navigation import Navigation
from viterbi_lab.ui.views.scale import ScaleView
from viterbi_lab.ui.views.step import StepView
from viterbi_lab.ui.views.story import StoryView
from viterbi_lab.ui.views.tasks import TasksView
from viterbi_lab.ui.views.train import TrainView
from viterbi_lab.ui.warmup import KERNELS

log = logging.getLogger(__name__)

pn.extension(notifications=False, reconnect=True)

TITLE = "Viterbi Lab"
VIEWS = tuple(name.capitalize() for name in address.VIEWS)
SIDEBAR_WIDTH = 264  # pixels
HEADER_HEIGHT = 46  # pixels; every bar costs 7 % of a projector's height
RELOAD_SECONDS = 2  # while the kernels are being compiled; a busy browser needs one to draw the page
HEADER_INK = "#16191d"  # dark in both themes: the title stays white on it


def lab(story: Story | None = None) -> pn.viewable.Viewable:
    """Return the page of one visitor; while the kernels are compiled, a page that says so and comes again.

    Args:
        story: what the view Story tells first; by default the story that comes with the lab.
    """
    if pn.state.curdoc is not None:  # a page that is built over the websocket would else ask Panel's own host
        pn.state.curdoc.template_variables["dist_url"] = get_dist_path(cdn=False)
    KERNELS.start_once()
    if not KERNELS.ready:
        return notice_page(
            "Compiling kernels, first time only",
            "The lab appears when they are ready, within a minute.",
            RELOAD_SECONDS,
        )
    if VISITORS.are_full:
        return notice_page(
            "The lab is full",
            f"{VISITORS.pages} pages are open, and {variable('sessions')} allows no more. "
            "This page tries again by itself.",
            RETRY_SECONDS,
        )
    try:
        return Lab(story or story_file.bundled()).page
    except Exception:  # the border to the browser: without this the page would stay blank
        log.exception("The page could not be built, error %s", number := uuid.uuid4().hex[:8])
        return Failure(number).main


def notice_page(title: str, text: str, seconds: int) -> pmui.Page:
    """Return a page in place of the lab, which loads itself again after some seconds."""
    notice = pn.pane.HTML(
        f"<h3 style='margin:0 0 4px'>{title}</h3><p style='margin:0'>{text}</p>",
        styles={"padding": "24px 28px"},
        sizing_mode="stretch_width",
    )
    page = pmui.Page(main=[notice], meta_refresh=str(seconds), **_shell())
    _leave_busy(page)
    return page


class Failure:
    """What stands in place of what could not be built.

    Args:
        number: under which the log has the details.
    """

    def __init__(self, number: str) -> None:
        self.sidebar = pn.Column()
        self.main = pn.pane.HTML(
            "<h2>This part of the lab could not be shown</h2><p>An error in the program stopped it. "
            f"Reload the page to try again. The log of the server has the details under <b>{number}</b>.</p>",
            styles={
                "border": f"2px solid {LIGHT.decision}",
                "border-radius": "8px",
                "padding": "4px 20px",
                "margin": "24px",
            },
            css_classes=["failure"],
        )

    def paint(self, palette: Palette) -> None:
        """Keep the colours: the card is readable in both themes."""


class Lab:
    """One open page. Everything on it is built at once and only shown or hidden afterwards.

    A part added to an open page may be overtaken, on the wire, by a message about it.

    Args:
        story: what the view Story tells first.
    """

    def __init__(self, story: Story) -> None:
        self._stepper = StepperSession()
        self._visitor = _visitor()
        if pn.state.curdoc is not None and pn.state.curdoc.session_context is not None:
            pn.state.on_session_destroyed(self._end)
        self._training = TrainingSession(VISITORS.enter(self._visitor))
        self._tasks = TasksSession(self._visitor)
        self._story = StorySession(story)
        query = _query()
        self._hidden, unknown = hidden.read(dict(query).get("hide", ""))
        self._notice = complaint()
        self._navigation = Navigation(self._stepper, presets(), self._story, self._turn_to, self._tell)
        self._scale = ScaleSession(self._visitor)
        self._tabs = pmui.TabMenu(
            items=list(VIEWS), active=0, margin=(0, 16), color="primary", theme_config=_header_theme()
        )
        views = [self._view(name) for name in VIEWS]
        self._views = dict(zip(VIEWS, views, strict=True))
        self.page = pmui.Page(
            header=self._header(),
            sidebar=[view.sidebar for view in views if "side" not in self._hidden],
            main=[self._notice, *(view.main for view in views), self._navigation.bar],
            sidebar_width=SIDEBAR_WIDTH,
            sidebar_resizable=False,
            **_shell(),
        )
        _leave_busy(self.page)
        self._tabs.param.watch(self._turned, "active")
        self.page.param.watch(self._theme_changed, "dark_theme")
        self._navigation.follow(urlencode(query))
        if unknown:
            self._tell(unknown)
        self._show()
        self._theme_changed()
        if pn.state.curdoc is not None and pn.state.curdoc.session_context is not None:
            self.page.sx = self.page.sx | {
                "pointerEvents": "none"
            }  # a click that nobody hears yet would be lost
            pn.state.onload(self._listen)

    def open_in_stepper(self, problem: ChainProblem, title: str, labels: tuple[str, ...]) -> None:
        """Load a problem into the stepper and turn to it."""
        self._stepper.load(problem, title, labels)
        self._tabs.active = VIEWS.index("Step")

    def _view(
        self, name: str
    ) -> StepView | CompareView | TrainView | TasksView | ScaleView | StoryView | Failure:
        try:
            if name == "Step":
                return StepView(self._stepper, hidden=self._hidden)
            if name == "Compare":
                return CompareView(self._stepper, visible=False, hidden=self._hidden)
            if name == "Story":
                return StoryView(self._story, hidden=self._hidden)
            if name == "Tasks":
                return TasksView(self._tasks, hidden=self._hidden)
            if name == "Scale":
                return ScaleView(self._scale, visible=False, hidden=self._hidden)
            return TrainView(self._training, self.open_in_stepper, hidden=self._hidden)
        except Exception:  # as in lab(): a card in this view, and the other one works
            log.exception("The view %s could not be built, error %s", name, number := uuid.uuid4().hex[:8])
            return Failure(number)

    def _header(self) -> list[pn.viewable.Viewable]:
        link = pmui.Button(
            label="Copy link",
            variant="text",
            color="primary",
            size="small",
            margin=(5, 4),
            theme_config=_header_theme(),
        )
        link.on_click(self._navigation.copy_link)
        parts = {"views": self._tabs, "link": link}
        return [part for name, part in parts.items() if name not in self._hidden]

    def _listen(self) -> None:
        """The page has its connection: what is clicked is heard from now on."""
        self.page.sx = _shell()["sx"]

    def _turn_to(self, view: str) -> None:
        self._tabs.active = address.VIEWS.index(view)

    def _turned(self, *_events) -> None:
        self._show()
        self._navigation.viewed(address.VIEWS[self._tabs.active])

    def _tell(self, sentences: list[str]) -> None:
        """Say above every view what a link asked for in vain."""
        complain(self._notice, *sentences)

    def _show(self, *_events) -> None:
        chosen = VIEWS[self._tabs.active]
        for name, view in self._views.items():
            view.sidebar.visible = view.main.visible = name == chosen

    def _theme_changed(self, *_events) -> None:
        for name in ("Compare", "Train", "Tasks", "Scale"):
            self._views[name].paint(DARK if self.page.dark_theme else LIGHT)

    def _end(self, session_context) -> None:  # the server asks for this very name
        """The tab was closed: with the last one of its visitor, the training ends."""
        VISITORS.leave(self._visitor)
        self._tasks.close()
        self._scale.close()


def _leave_busy(page: pmui.Page) -> None:
    """Let a page not follow whether the server is busy.

    Else every tick of a training sends two messages. And what follows is kept by what it follows, here the
    state of the whole server: no page would ever be forgotten. (A plain value ends the following, but param
    keeps the watcher.)
    """
    with edit_readonly(page):
        page.busy = False
    page.param._update_ref("busy", False)


def _visitor() -> str:
    """Who opened this page: the same after a reload, if the server hands out cookies."""
    return pn.state.cookies.get(VISITOR) or uuid.uuid4().hex


def _query() -> list[tuple[str, str]]:
    """Return what the address of this page asks for, apart from what the server itself adds."""
    return [
        (name, value.decode("utf-8", "replace"))
        for name, values in pn.state.session_args.items()
        for value in values
        if not name.startswith("bokeh-")
    ]


def _shell() -> dict:
    """Return what every page of the lab shares."""
    return {
        "title": TITLE,
        "busy_indicator": None,
        "theme_config": {"light": _theme(LIGHT), "dark": _theme(DARK)},
        "sx": {
            ".MuiAppBar-root": {
                "backgroundColor": HEADER_INK,
                "color": "#ffffff",
                "boxShadow": "none",
                "backgroundImage": "none",
            },
            ".MuiToolbar-root": {"minHeight": f"{HEADER_HEIGHT}px !important"},
            ".MuiLinearProgress-root": {"display": "none"},  # busy_indicator=None does not hide it
            ".title": {"fontSize": "19px"},
        },
    }


def _theme(palette: Palette) -> dict:
    """Return the Material theme of a palette: our colours, small type, no capitals, all chart axes."""
    return {
        "palette": {
            "primary": {"main": palette.ink, "contrastText": palette.background},
            "background": {"default": palette.background, "paper": palette.background},
            "text": {"primary": palette.ink, "secondary": palette.muted},
            "divider": palette.line,
        },
        "typography": {"fontFamily": '"Inter", "Roboto", system-ui, sans-serif', "fontSize": 14},
        "shape": {"borderRadius": 8},
        "chart_style": "classic",
        "components": {
            "MuiToggleButton": {"styleOverrides": {"root": {"textTransform": "none"}}},
            "MuiTab": {"styleOverrides": {"root": {"textTransform": "none"}}},
            "MuiButton": {"defaultProps": {"disableElevation": True}},
        },
    }


def _header_theme() -> dict:
    """Return the theme of what stands on the header, which is dark in both themes."""
    return {
        "palette": {"primary": {"main": "#ffffff"}, "text": {"primary": "#ffffff", "secondary": "#b6bec8"}},
        "components": {
            "MuiTabs": {"styleOverrides": {"root": {"minHeight": HEADER_HEIGHT}}},
            "MuiTab": {
                "styleOverrides": {
                    "root": {
                        "textTransform": "none",
                        "minHeight": HEADER_HEIGHT,
                        "minWidth": 64,
                        "fontSize": "15px",
                        "color": "#b6bec8",
                    }
                }
            },
        },
    }
