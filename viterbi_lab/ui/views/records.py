"""Recorded runs in the side bar: replay the one that comes with the lab or one from a file; save the last."""

from __future__ import annotations

import io
from collections.abc import Callable
from html import escape

import panel as pn
import panel_material_ui as pmui

from viterbi_lab.assets import asset
from viterbi_lab.ui import recording
from viterbi_lab.ui.sessions.runs import Run
from viterbi_lab.ui.sessions.training import TrainingSession
from viterbi_lab.ui.views.complaint import complaint
from viterbi_lab.ui.views.download import download
from viterbi_lab.ui.views.texts import html
from viterbi_lab.ui.views.together import soon

SHIPPED = ("runs", "celegans-margin.json.gz")
MOST_BYTES = 8 * 2**20  # of a file; the one that is shipped has a thirtieth
BUTTON = {"variant": "outlined", "size": "small", "sizing_mode": "stretch_width", "margin": (5, 0)}


class Records:
    """Buttons for recorded runs, and what is wrong with a file.

    Args:
        session: shows them.
        replayed: called when a replay has begun.

    Attributes:
        main: all of it.
    """

    def __init__(self, session: TrainingSession, replayed: Callable[[], None]) -> None:
        self._session, self._replayed = session, replayed
        self._shipped = pmui.Button(label="Replay a recorded run", **BUTTON)
        self._shipped.on_click(self._replay_shipped)
        self._file = pmui.FileInput(
            label="Open run",
            uploaded_label="Open run",
            accept=".gz",
            multiple=False,
            max_file_size=MOST_BYTES,
            **BUTTON,
        )
        self._file.param.watch(self._opened, "value")
        self._save = download("Save run", self._content, **BUTTON)
        self._error = complaint()
        self.main = pn.Column(
            html("<div class='rule'></div>", margin=(8, 0, 2, 0)),
            self._shipped,
            pn.Row(self._file, self._save, sizing_mode="stretch_width", styles={"gap": "8px"}),
            self._error,
            sizing_mode="stretch_width",
            margin=0,
        )

    def refresh(self) -> None:
        """Bring the buttons in line with the session."""
        run = self._latest()
        self._shipped.disabled = self._file.disabled = self._session.is_busy
        self._save.disabled = run is None
        if run is not None:
            self._save.filename = f"run-{run.number + 1}.json.gz"

    def _latest(self) -> Run | None:
        """The last run that can be saved."""
        return next((run for run in reversed(self._session.runs) if run.recording is not None), None)

    def _content(self) -> io.BytesIO:
        return io.BytesIO(recording.write(self._latest().recording))

    def _replay_shipped(self, _event) -> None:
        path = asset(*SHIPPED)
        self._replay(path.read_bytes(), path.name)

    def _opened(self, event) -> None:
        if event.new:
            self._replay(event.new, self._file.filename or "the file")

    def _replay(self, content: bytes, name: str) -> None:
        self._text = ""
        try:
            if len(content) > MOST_BYTES:
                raise ValueError(f"{name} has {len(content)} bytes; a recorded run has at most {MOST_BYTES}.")
            self._session.replay(recording.read(content, name))
        except ValueError as error:
            self._text = str(error)
        soon(self._tell)
        self._replayed()

    def _tell(self) -> None:
        self._error.object = f"<div role='alert'>{escape(self._text)}</div>" if self._text else ""
        self._error.visible = bool(self._text)
