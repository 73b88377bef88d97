"""A button that saves a file."""

import io
from collections.abc import Callable

import panel_material_ui as pmui


def download(label: str, callback: Callable[[], io.IOBase], *, variant: str, **options) -> pmui.FileDownload:
    """Return a button that saves what a callback gives.

    The constructor of `FileDownload` hands a variant on under its old name, too, and then warns of the two;
    set afterwards it is one.

    Args:
        label: what stands on the button.
        callback: gives the content when it is pressed.
        variant: its look, ``"text"`` or ``"outlined"``.
        **options: as `pmui.FileDownload` takes them.
    """
    button = pmui.FileDownload(label=label, callback=callback, **options)
    button.variant = variant
    return button
