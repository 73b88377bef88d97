"""The server of the lab: which address, which limits, and what is said when it cannot start."""

import errno
import logging
import socket
import traceback
from collections.abc import Callable

import panel as pn

from viterbi_lab.ui.views.page import lab
from viterbi_lab.ui.warmup import KERNELS

ADDRESS = "127.0.0.1"
# A frozen tab or a sleeping laptop never closes its websocket. With these pings the server notices
# within a quarter of a minute, and a training without an audience stops.
PING_SECONDS = 5
SESSION_LIFETIME_MS = 15_000  # shorter, and a slow first load outlives its own session


class LateMessage(logging.Filter):
    """Passes every record but those of messages that arrive when their tab has closed.

    Bokeh 3.9 finds no session for such a message, and logs the failed assertion as an error of the program.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is to be written."""
        if not record.exc_info or not isinstance(record.exc_info[1], AssertionError):
            return True
        last = traceback.extract_tb(record.exc_info[2])[-1]
        return not (last.name == "session" and last.filename.endswith("bokeh/server/connection.py"))


class PortTaken(Exception):
    """Another program already listens on the port."""


def serve(port: int, *, show: bool, announce: Callable[[str], None]) -> None:
    """Serve the lab on the local machine until interrupted.

    Args:
        port: 1..65535, or 0 for any free one.
        show: open the page in the default browser.
        announce: called with the address once the server accepts connections.

    Raises:
        PortTaken: if another program has the port, or this user may not use it.
    """
    port = _checked(port)
    KERNELS.start_once()
    server = pn.serve(
        lab,
        port=port,
        address=ADDRESS,
        websocket_origin=[f"{ADDRESS}:{port}", f"localhost:{port}"],
        title="Viterbi Lab",
        show=show,
        start=False,
        verbose=False,
        websocket_ping_interval=PING_SECONDS,
        websocket_ping_timeout=PING_SECONDS,
        unused_session_lifetime_milliseconds=SESSION_LIFETIME_MS,
    )
    logging.getLogger("bokeh.server.protocol_handler").addFilter(LateMessage())
    server.start()
    announce(f"http://{ADDRESS}:{port}")
    server.io_loop.start()


def _checked(port: int) -> int:
    """Return the port, or a free one for 0, after trying to listen on it."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server itself does
        try:
            probe.bind((ADDRESS, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise PortTaken(f"Port {port} is already in use.") from None
            if error.errno == errno.EACCES:
                raise PortTaken(f"This user may not listen on port {port}.") from None
            raise
        return probe.getsockname()[1]
