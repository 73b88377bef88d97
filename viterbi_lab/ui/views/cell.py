"""The stage in a notebook cell through Panel, where anywidget is not installed."""

import panel as pn

from viterbi_lab.ui.link import HEARD, Link
from viterbi_lab.ui.sessions.stepper import StepperSession
from viterbi_lab.ui.views.stage import Stage


def cell(session: StepperSession, height: int) -> pn.viewable.Viewable:
    """Return the stage of a session, for the output of a notebook cell.

    Args:
        session: what is shown, and who decides.
        height: of the stage, in pixels.
    """
    pn.extension(inline=True)  # else the cell stays blank without internet, and says nothing
    stage = Stage(controls=True, sizing_mode="stretch_width", height=height)
    link = Link(session, lambda news: stage.param.update(**news))
    stage.param.watch(lambda *events: link.hear({event.name: event.new for event in events}), list(HEARD))
    return stage
