"""What is wrong, said beside the control that it belongs to."""

from html import escape

import panel as pn

# Red, darkened or lightened by the ink of the theme: at least 4.5:1 on both backgrounds.
COMPLAINT = """:host {
    color: color-mix(in oklab, #e5322d 62%, var(--panel-on-background-color, #1b1f24));
    font-size: 13px;
    line-height: 1.35;
}"""


def complaint() -> pn.pane.HTML:
    """Return a place for an error, empty and hidden."""
    return pn.pane.HTML(
        "",
        visible=False,
        sizing_mode="stretch_width",
        margin=(0, 10),
        css_classes=["complaint"],
        stylesheets=[COMPLAINT],
    )


def complain(place: pn.pane.HTML, *sentences: str) -> None:
    """Say what is wrong, or nothing more where all sentences are empty."""
    said = [f"<div role='alert'>{escape(sentence)}</div>" for sentence in sentences if sentence]
    place.object = "".join(said)
    place.visible = bool(said)
