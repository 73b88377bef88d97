"""The stage: hosts the ES module that draws and steps the trellis, inside Panel."""

import param
from panel.custom import AnyWidgetComponent

from viterbi_lab.ui import program


class Stage(AnyWidgetComponent):
    """The trellis as a Panel component. What the parameters mean is written in ``trellis.js``."""

    problem = param.Dict(default={}, doc="One consistent problem: typed arrays and small scalars.")
    h = param.Dict(default={}, doc="Values h(0..K) by rule.")
    rule = param.String(default="k", doc="Which rule of h is meant.")
    op = param.String(default="times", doc="⊙: plain, plus or times.")
    step = param.Integer(default=0, doc="Events done; reported by the page every 150 ms at most.")
    edit = param.Dict(default={}, doc="What the reader wants changed.")
    reply = param.Dict(default={}, doc="What became of it.")
    copy = param.Dict(default={}, doc="A text to be put on the clipboard, with a serial number.")
    caption = param.Dict(default={}, doc="The beat of a story, told above the stage.")
    editable = param.Boolean(default=True, doc="Whether g and y can be edited.")
    controls = param.Boolean(default=False, doc="Whether ⊙ and h are shown inside the stage.")

    _esm = program.stage_js()
    _stylesheets = [program.stage_css()]  # noqa: RUF012 (Panel reads it so)

    @classmethod
    def _process_importmap(cls) -> dict:
        """The module imports nothing; Panel would name a React on a remote host."""
        return {"imports": {}, "scopes": {}}
