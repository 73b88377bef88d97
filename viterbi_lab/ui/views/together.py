"""Changes of a page that belong together, sent in their order.

Panel writes some changes to the websocket at once, and others when the callback ends. Bokeh's own hold
collects everything; what is released takes Bokeh's way, which also survives a tab that is closed meanwhile.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import panel as pn


@contextmanager
def together() -> Iterator[None]:
    """Hold all changes of the page made inside, and release them in their order at the end."""
    document = pn.state.curdoc
    if document is None or document.callbacks.hold_value:  # nothing to hold, or held further out
        yield
        return
    document.hold("collect")
    try:
        yield
    finally:
        document.unhold()


def soon(change: Callable[[], None]) -> None:
    """Make a change under the lock of the page, which what a click calls does not hold."""
    document = pn.state.curdoc
    if document is None or document.session_context is None:
        change()
    else:
        document.add_next_tick_callback(change)
