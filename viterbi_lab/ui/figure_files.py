"""Finished figures as files: HTML that needs nothing outside itself, CSV, and PNG and SVG by matplotlib."""

from __future__ import annotations

import io
from collections.abc import Sequence
from html import escape
from importlib.util import find_spec
from pathlib import Path

import holoviews as hv
from bokeh.embed import file_html
from bokeh.layouts import column, row
from bokeh.models import Div
from bokeh.resources import INLINE

from viterbi_lab.ui.finished import BOKEH, MATPLOTLIB, Finished

KINDS = ("png", "svg", "csv", "html")
DPI = 150
NEEDS_MATPLOTLIB = 'PNG and SVG are drawn by matplotlib. Install it: pip install "viterbi-lab[figures]".'


class NoMatplotlib(RuntimeError):
    """PNG and SVG need the extra ``figures``."""


def html(finished: Finished) -> bytes:
    """The figure as a page that works without a server and without a network."""
    parts = [hv.render(part, backend=BOKEH) for part in finished.parts(BOKEH)]
    words = f"<h2 style='margin:0'>{escape(finished.title)}</h2><p>{escape(finished.note)}</p>"
    page = column(Div(text=words, sizing_mode="stretch_width"), row(*parts))
    return file_html(page, INLINE, title=finished.title).encode("utf-8")


def csv(finished: Finished) -> bytes:
    """The numbers of the figure."""
    return finished.csv.encode("utf-8")


def drawn(finished: Finished, kind: str) -> list[bytes]:
    """The parts of the figure, one after the other, as matplotlib draws them.

    Args:
        finished: the figure.
        kind: ``"png"``, 150 pixels to the inch, or ``"svg"``, where letters stay letters.

    Raises:
        NoMatplotlib: if the extra ``figures`` is not installed.
    """
    if not can_draw():
        raise NoMatplotlib(NEEDS_MATPLOTLIB)
    from matplotlib import rc_context

    settings = {"svg.fonttype": "none", "svg.hashsalt": finished.name, "font.family": "sans-serif"}
    metadata = {"Date": None} if kind == "svg" else {}  # the same figure gives the same file
    files = []
    with rc_context(settings):
        for part in finished.parts(MATPLOTLIB):
            stream = io.BytesIO()
            figure = hv.render(part, backend=MATPLOTLIB)
            figure.savefig(stream, format=kind, dpi=DPI, bbox_inches="tight", metadata=metadata)
            files.append(stream.getvalue())
    return files


def can_draw() -> bool:
    """Whether PNG and SVG can be drawn here."""
    return find_spec("matplotlib") is not None


def write(finished: Finished, folder: Path, kinds: Sequence[str]) -> list[Path]:
    """Write a figure; parts of one picture are named a, b.

    Args:
        finished: the figure.
        folder: where to; it is made if it is not there.
        kinds: of `KINDS`.

    Returns:
        The files, in their order.

    Raises:
        NoMatplotlib: if PNG or SVG is wanted without the extra ``figures``.
        OSError: if a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for kind in kinds:
        if kind in ("png", "svg"):
            parts = drawn(finished, kind)
            letters = "abcdef" if len(parts) > 1 else [""]
            contents = {
                f"{finished.name}{letter}": part for letter, part in zip(letters, parts, strict=False)
            }
        else:
            contents = {finished.name: {"html": html, "csv": csv}[kind](finished)}
        for name, content in contents.items():
            written.append(folder / f"{name}.{kind}")
            written[-1].write_bytes(content)
    return written
