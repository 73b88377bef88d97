"""The page: header with the views, side bar, main area, and what ends when the tab is closed."""

import logging
import uuid

import panel as pn
import panel_material_ui as pmui

from viterbi_lab.dp import ChainProblem
from viterbi_lab.ui.palette import DARK, LIGHT, Palette
from viterbi_lab.ui.sessions.stepper import StepperSession
from viterbi_lab.ui.sessions.training import TrainingSession
from viterbi_lab.ui.views.compare import CompareView
from viterbi_lab.ui.views.step import StepView
from viterbi_lab.ui.views.train import TrainView
from viterbi_lab.ui.warmup import KERNELS

log = logging.getLogger(__name__)

pn.extension(notifications=False, reconnect=True)

TITLE = "Viterbi Lab"
VIEWS = ("Step", "Compare", "Train")
SIDEBAR_WIDTH = 264  # pixels
HEADER_HEIGHT = 46  # pixels; every bar costs 7 % of a projector's height
LOOK_AGAIN_MS = 200  # while the kernels are being compiled
HEADER_INK = "#16191d"  # dark in both themes: the title stays white on it


def lab() -> pn.viewable.Viewable:
    """Return the page of one visitor; if it cannot be built, a page that says so."""
    try:
        return Lab().page
    except Exception:  # the border to the browser: without this the page would stay blank
        number = uuid.uuid4().hex[:8]
        log.exception("The page could not be built, error %s", number)
        return Failure(number).main


class Failure:
    """What stands in place of a view that could not be built."""

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


class Lab:
    """One open page."""

    def __init__(self) -> None:
        self._tabs = pmui.TabMenu(
            items=list(VIEWS), active=0, margin=(0, 16), color="primary", theme_config=_header_theme()
        )
        self._tabs.param.watch(self._show, "active")
        self._sidebar = pn.Column(sizing_mode="stretch_width", margin=0)
        self._main = pn.Column(sizing_mode="stretch_both", margin=0)
        self.page = pmui.Page(
            title=TITLE,
            header=[self._tabs],
            sidebar=[self._sidebar],
            main=[self._main],
            sidebar_width=SIDEBAR_WIDTH,
            sidebar_resizable=False,
            busy_indicator=None,
            theme_config={"light": _theme(LIGHT), "dark": _theme(DARK)},
            sx={
                ".MuiAppBar-root": {
                    "backgroundColor": HEADER_INK,
                    "color": "#ffffff",
                    "boxShadow": "none",
                    "backgroundImage": "none",
                },
                ".MuiToolbar-root": {"minHeight": f"{HEADER_HEIGHT}px !important"},
                ".title": {"fontSize": "19px"},
            },
        )
        self._views: dict[str, StepView | CompareView | TrainView | Failure] = {}
        self._stepper = StepperSession()
        self._training = TrainingSession()
        self._waiting = None
        if pn.state.curdoc is not None and pn.state.curdoc.session_context is not None:
            pn.state.on_session_destroyed(self._end)
        KERNELS.start_once()
        if KERNELS.ready:
            self._show()
        else:
            self._main.append(
                _notice(
                    "Compiling kernels, first time only",
                    "The page appears when they are ready, within a minute.",
                )
            )
            self._waiting = pn.state.add_periodic_callback(self._look_again, period=LOOK_AGAIN_MS)

    def open_in_stepper(self, problem: ChainProblem, title: str, labels: tuple[str, ...]) -> None:
        """Load a problem into the stepper and turn to it."""
        self._stepper.load(problem, title, labels)
        self._tabs.active = VIEWS.index("Step")

    def _look_again(self) -> None:
        if KERNELS.ready:
            self._waiting.stop()
            self._main.clear()
            self._show()

    def _show(self, *_events) -> None:
        """Show the chosen view. It is built when first chosen and keeps its state afterwards."""
        if not KERNELS.ready:
            return
        chosen = VIEWS[self._tabs.active]
        if chosen not in self._views:
            try:
                view = self._build(chosen)
            except Exception:  # as in lab(): a card instead of an empty area
                number = uuid.uuid4().hex[:8]
                log.exception("The view %s could not be built, error %s", chosen, number)
                view = Failure(number)
            self._views[chosen] = view
            self._sidebar.append(view.sidebar)
            self._main.append(view.main)
        for name, view in self._views.items():
            view.sidebar.visible = view.main.visible = name == chosen

    def _build(self, name: str) -> StepView | CompareView | TrainView:
        if name == "Step":
            return StepView(self._stepper)
        if name == "Compare":
            return CompareView(self._stepper, visible=False)
        view = TrainView(self._training, self.open_in_stepper)
        view.follow_theme(self.page)
        return view

    def _end(self, session_context) -> None:  # the server asks for this very name
        """The tab was closed: nobody waits for the training any more."""
        self._training.close()


def _notice(headline: str, detail: str) -> pn.pane.HTML:
    return pn.pane.HTML(
        f"<h3 style='margin:0 0 4px'>{headline}</h3><p style='margin:0'>{detail}</p>",
        styles={"padding": "24px 28px"},
        css_classes=["notice"],
        sizing_mode="stretch_width",
    )


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
