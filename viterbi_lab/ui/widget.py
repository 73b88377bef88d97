"""The stage as an anywidget: for JupyterLab, VS Code, Colab and marimo. Needs the extra ``notebook``."""

import anywidget
import numpy as np
import traitlets

from viterbi_lab.ui import program
from viterbi_lab.ui.link import HEARD, Link
from viterbi_lab.ui.sessions.stepper import StepperSession


class TrellisWidget(anywidget.AnyWidget):
    """The stage of one session. What the traits mean is written in ``trellis.js``.

    Args:
        session: what is shown, and who decides.
        height: of the stage, in pixels.
    """

    problem = traitlets.Dict().tag(sync=True)
    h = traitlets.Dict().tag(sync=True)
    rule = traitlets.Unicode("k").tag(sync=True)
    op = traitlets.Unicode("times").tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    edit = traitlets.Dict().tag(sync=True)
    reply = traitlets.Dict().tag(sync=True)
    copy = traitlets.Dict().tag(sync=True)
    editable = traitlets.Bool(True).tag(sync=True)
    controls = traitlets.Bool(True).tag(sync=True)
    height = traitlets.Int(680).tag(sync=True)

    _esm = program.stage_js()
    _css = program.stage_css()

    def __init__(self, session: StepperSession, height: int = 680) -> None:
        super().__init__(height=height)
        self._link = Link(session, self._tell)
        self.observe(self._hear, HEARD)

    def _tell(self, news: dict) -> None:
        with self.hold_sync():  # one message: the problem and its h belong together
            for name, value in news.items():
                setattr(self, name, _sendable(value))

    def _hear(self, change: dict) -> None:
        self._link.hear({change["name"]: change["new"]})


def _sendable(value: object) -> object:
    """Arrays as bytes, which travel as they are; tables of h as lists."""
    if not isinstance(value, dict):
        return value
    if all(isinstance(array, np.ndarray) and array.ndim == 1 for array in value.values()):
        return {rule: table.tolist() for rule, table in value.items()}
    return {
        name: item.astype(item.dtype.newbyteorder("<")).tobytes() if isinstance(item, np.ndarray) else item
        for name, item in value.items()
    }
