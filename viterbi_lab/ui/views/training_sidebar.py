"""The side bar of the Train view: what to train, and the buttons that start and stop it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import panel as pn
import panel_material_ui as pmui

from viterbi_lab.data.genes import SIGMAS
from viterbi_lab.ui.sessions.training import DECADES, EPSILONS, TrainingSession
from viterbi_lab.ui.settings import CELEGANS, GENES, OWN, TRAINERS
from viterbi_lab.ui.views.records import Records
from viterbi_lab.ui.views.upload import Upload

DATA = {"Synthetic genes": GENES, "C. elegans genes": CELEGANS, "Own file": OWN}
SMALL = {"size": "small", "sizing_mode": "stretch_width", "margin": (5, 0)}
ASK = {**SMALL, "description": ""}
PAIR = {"sizing_mode": "stretch_width", "styles": {"gap": "8px"}}


class TrainingSidebar:
    """Settings and buttons.

    Args:
        session: whose settings they are.
        replayed: called when a replay has begun.
        hidden: names of controls to leave out, of `viterbi_lab.ui.hidden`.

    Attributes:
        main: all of it.
        train, pause, cancel, again: the buttons; the view gives them their meaning.
        records: what concerns recorded runs.
    """

    def __init__(
        self,
        session: TrainingSession,
        replayed: Callable[[], None],
        hidden: frozenset[str] = frozenset(),
    ) -> None:
        self._session = session
        self.records = Records(session, replayed)
        self._upload = Upload(session)
        self.train = pmui.Button(
            label="Train", color="primary", variant="contained", disable_elevation=True, **SMALL
        )
        self.pause, self.cancel, self.again = (
            pmui.Button(label=label, variant="outlined", **SMALL)
            for label in ("Pause", "Cancel", "Continue with these settings")
        )
        ask = session.param
        self._sigma = pmui.Select.from_param(ask.sigma, label="Noise σ", options=_options(SIGMAS), **ASK)
        settings = [
            pmui.Select.from_param(
                ask.data,
                label="Data",
                options=DATA,
                **ASK,
            ),
            self._upload.main,
            pmui.RadioButtonGroup.from_param(
                ask.rescaling, label="Rescaling", options={"Slack ·": "slack", "Margin +": "margin"}, **ASK
            ),
            self._sigma,
            pmui.IntSlider.from_param(ask.n, label="Training examples n", **ASK),
            pn.Row(
                pmui.Select.from_param(ask.C, label="C", options=_options(DECADES), **ASK),
                pmui.Select.from_param(ask.epsilon, label="Stop at gap ε", options=_shares(EPSILONS), **ASK),
                **PAIR,
            ),
            pn.Row(
                pmui.Select.from_param(ask.wrapper, label="Loss wrapper h", **ASK),
                pmui.IntInput.from_param(
                    ask.seed, label="Seed", sx={"& .MuiInputBase-root": {"height": 32}}, **ASK
                ),
                **PAIR,
            ),
            pmui.Select.from_param(ask.trainer, label="Trainer", options=list(TRAINERS), **ASK),
        ]
        self.main = pn.Column(
            *([] if "settings" in hidden else settings),
            pn.Row(self.train, self.pause, self.cancel, margin=(8, 0, 0, 0), **PAIR),
            self.again,
            *([] if "records" in hidden else [self.records.main]),
            sizing_mode="stretch_width",
            margin=(10, 14),
        )

    def refresh(self) -> None:
        """Bring the buttons in line with the session."""
        session = self._session
        self._sigma.visible = session.data == GENES
        self._upload.main.visible = session.data == OWN
        self.train.disabled = not session.can_train
        self.train.label = "Training…" if session.is_busy else "Train"
        self.pause.disabled = self.cancel.disabled = not session.is_busy
        self.pause.label = "Resume" if session.is_paused else "Pause"
        self.again.disabled = not session.can_continue
        self.records.refresh()


def _options(values: Sequence[float]) -> dict[str, float]:
    """Return choices of numbers by how they are written."""
    return {f"{value:g}": value for value in values}


def _shares(values: Sequence[float]) -> dict[str, float]:
    """Return choices of shares, written in per cent."""
    return {f"{100 * value:g} %": value for value in values}
