"""The table of runs, and what it says of each."""

from __future__ import annotations

from pathlib import Path

import param
from panel.custom import AnyWidgetComponent, ReactComponent

from viterbi_lab.ui.palette import Palette
from viterbi_lab.ui.sessions.runs import Run

FOLDER = Path(__file__).resolve().parents[1]


class RunsTable(AnyWidgetComponent):
    """The table of runs. A click on the chip of a run sets ``press`` to a new serial number and the run."""

    rows = param.List(doc="One dict for each run, in the order of starting.")
    press = param.Dict(default={}, doc="The last click: serial and run.")

    _esm = FOLDER / "runs.js"
    _stylesheets = [(FOLDER / "runs.css").read_text(encoding="utf-8")]  # noqa: RUF012 - Panel wants a list
    _react_version = ReactComponent._react_version  # as the page's; unused, but two would be complained of


def row(run: Run, palette: Palette) -> dict:
    """Return what the table shows of a run."""
    colour, dash, marker = palette.run(run.number)
    seen = run.passes[-1] if run.passes else None
    origin = "" if run.continues is None else f" · continues run {run.continues + 1}"
    return {
        "number": run.number,
        "colour": colour,
        "dash": dash,
        "marker": marker,
        "visible": run.visible,
        "settings": f"{'recorded · ' * run.recorded}{run.settings}{origin}",
        "passes": str(seen.number) if seen else "–",
        "constraints": str(seen.planes) if seen else "–",
        "objective": f"{seen.upper:.4g}" if seen else "–",
        "gap": f"{100 * max(seen.gap, 0.0):.3g} %" if seen else "–",
        "accuracy": f"{seen.accuracy:.4f}" if seen else "–",
        "seconds": f"{seen.seconds:.1f} s" if seen else "–",
        "status": run.word,
    }
