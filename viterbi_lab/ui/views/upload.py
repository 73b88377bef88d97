"""The part of the side bar that takes a visitor's own file, and says what was made of it."""

from __future__ import annotations

from html import escape

import panel as pn
import panel_material_ui as pmui

from viterbi_lab.data.dataset import CONLL, GENES, LETTERS, TABLE
from viterbi_lab.data.long import REFUSE, SPLIT, WINDOW
from viterbi_lab.data.reading import UPLOAD
from viterbi_lab.ui.own_data import OwnData, read
from viterbi_lab.ui.sessions.training import TrainingSession
from viterbi_lab.ui.views.step import complaint
from viterbi_lab.ui.views.texts import html
from viterbi_lab.ui.views.together import soon

KINDS = {
    "DNA: FASTA + GFF3, GenBank": GENES,
    "Tokens: CoNLL columns": CONLL,
    "Numbers: CSV, TSV, NPZ": TABLE,
    "Letters: CSV, TSV": LETTERS,
}
LONG = {"refuse": REFUSE, "split": SPLIT, "keep windows": WINDOW}
ASK = {"size": "small", "sizing_mode": "stretch_width", "margin": (5, 0), "description": ""}


class Upload:
    """Kind of file, the file, and its notes.

    Args:
        session: trains on it.

    Attributes:
        main: all of it.
    """

    def __init__(self, session: TrainingSession) -> None:
        self._session = session
        self._kind = pmui.Select(label="Kind", options=KINDS, value=GENES, **ASK)
        self._long = pmui.Select(label="Sequences above 5000 sites", options=LONG, value=REFUSE, **ASK)
        self._file = pmui.FileInput(
            label="Choose files",
            multiple=True,
            max_file_size=UPLOAD.packed,
            variant="outlined",
            size="small",
            sizing_mode="stretch_width",
            margin=(5, 0),
        )
        for widget in (self._kind, self._long, self._file):
            widget.param.watch(self._chosen, "value")
        self._notes = html("", visible=False)
        self._error = complaint()
        self.main = pn.Column(
            self._kind,
            self._long,
            self._file,
            self._error,
            self._notes,
            visible=False,
            sizing_mode="stretch_width",
            margin=0,
        )

    def _chosen(self, *_events) -> None:
        """Read what was chosen; the file before stays in force where that is refused."""
        contents, names = self._file.value or [], self._file.filename or []
        if not contents:
            return
        files = tuple(zip(names, contents, strict=True))
        self._told, self._text = "", ""
        try:
            own = OwnData(files, self._kind.value, self._long.value)
            notes = self._session.bring(own)
            self._told = _summary(own, notes)
        except (ValueError, ModuleNotFoundError) as error:
            self._text = str(error)
        soon(self._tell)

    def _tell(self) -> None:
        self._notes.object, self._notes.visible = self._told, bool(self._told)
        self._error.object = f"<div role='alert'>{escape(self._text)}</div>" if self._text else ""
        self._error.visible = bool(self._text)


def _summary(own: OwnData, notes: tuple[str, ...]) -> str:
    """What is in a file, and its notes, as HTML."""
    records = read(own)
    labels = ", ".join(escape(label) for label in records.labels)
    text = f"{len(records.records)} sequences, {records.sites} sites, labels {labels}."
    if notes:
        lines = "".join(f"<li>{escape(note)}</li>" for note in notes)
        text += f"<details open><summary>Notes: {len(notes)}</summary><ul>{lines}</ul></details>"
    return f"<div class='notes'>{text}</div>"
