"""Panes of text in the Train view."""

from __future__ import annotations

from pathlib import Path

import panel as pn

STYLES = (Path(__file__).resolve().parents[1] / "train.css").read_text(encoding="utf-8")


def html(text: str, **options) -> pn.pane.HTML:
    """Return a pane that shows HTML in the styles of the Train view."""
    options = {"sizing_mode": "stretch_width", "margin": 0, **options}
    return pn.pane.HTML(text, stylesheets=[STYLES], **options)
