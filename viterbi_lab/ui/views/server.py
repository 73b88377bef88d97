"""The server of the lab: which address, which limits, and what is said when it cannot start."""

import errno
import logging
import secrets
import socket
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import panel as pn
from bokeh.protocol.messages import error
from bokeh.util.browser import view
from tornado.websocket import WebSocketClosedError

from viterbi_lab.limits import Limits
from viterbi_lab.ui.sessions.runs import VISITORS
from viterbi_lab.ui.story_file import Story
from viterbi_lab.ui.views.access import Access, link
from viterbi_lab.ui.views.page import lab
from viterbi_lab.ui.warmup import KERNELS

LOCAL, EVERYWHERE = "127.0.0.1", "0.0.0.0"
SESSION_CHECK_MS = 2_000
# A frozen tab or a sleeping laptop never closes its websocket. By pings the server notices: after at most
# twice ping_seconds, lost_seconds and this, a training without an audience stops. Shorter pings cut off who
# waits for a busy server, and pages that are forgotten sooner are built twice when many open at once.


LATE = ("bokeh.server.protocol_handler", "tornado.application", "asyncio")
"""Who logs that a tab has closed: while it sent a message, while it was connected, while it was told."""


class LateMessage(logging.Filter):
    """Passes every record but those of messages from or to a tab that has closed.

    Bokeh 3.9 finds no session for a message from such a tab, and logs the failed assertion as an error of the
    program; Panel does not wait for what it sends, so nobody asks how a message to such a tab ended.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is to be written."""
        if record.exc_info and isinstance(record.exc_info[1], WebSocketClosedError):
            return False
        if not record.exc_info or not isinstance(record.exc_info[1], AssertionError):
            return True
        last = traceback.extract_tb(record.exc_info[2])[-1]
        return not (last.name == "session" and last.filename.endswith("bokeh/server/connection.py"))


class PortTaken(Exception):
    """Another program already listens on the port."""


@dataclass(frozen=True)
class Sharing:
    """How the lab is opened to other machines.

    Attributes:
        token: what a visitor has to know.
        origins: hosts, with or without a port, under which browsers may reach the lab; by default the names
            and addresses of this machine.
    """

    token: str
    origins: tuple[str, ...] = ()


def serve(
    port: int,
    *,
    show: bool,
    announce: Callable[[str], None],
    sharing: Sharing | None = None,
    story: Story | None = None,
) -> None:
    """Serve the lab until interrupted, on this machine only unless it is shared.

    Args:
        port: 1..65535, or 0 for any free one.
        show: open the page in the default browser.
        story: what the view Story tells first; by default the story that comes with the lab.
        announce: called with the address once the server accepts connections.
        sharing: how to share it; None: not at all.

    Raises:
        PortTaken: if another program has the port, or this user may not use it.
        ValueError: if the token is too short, or an environment variable holds no limit.
    """
    limits = Limits.from_environment()
    address = LOCAL if sharing is None else EVERYWHERE
    port = _checked(address, port)
    token = None if sharing is None else sharing.token
    access = Access(port, token, lambda: VISITORS.are_full)
    KERNELS.start_once()
    server = pn.serve(
        lambda: lab(story),
        port=port,
        address=address,
        websocket_origin=origins(port, sharing),
        title="Viterbi Lab",
        show=False,
        start=False,
        verbose=False,
        auth_provider=access,
        cookie_secret=secrets.token_hex(32),
        sign_sessions=True,
        secret_key=secrets.token_bytes(32),
        websocket_ping_interval=limits.ping_seconds,
        websocket_ping_timeout=limits.ping_seconds,
        websocket_max_message_size=limits.message_bytes,
        unused_session_lifetime_milliseconds=1000 * limits.lost_seconds,
        check_unused_sessions_milliseconds=SESSION_CHECK_MS,
    )
    keep_tracebacks_here()
    server.start()
    home = link(f"http://{origins(port, sharing)[0]}", token)
    announce(home)
    if show:
        server.io_loop.add_callback(view, home)
    server.io_loop.start()


def origins(port: int, sharing: Sharing | None) -> list[str]:
    """Hosts from whose pages a websocket may be opened: never any."""
    here = [f"{LOCAL}:{port}", f"localhost:{port}"]
    if sharing is None:
        return here
    if sharing.origins:
        return [*sharing.origins, *here]
    return [*(f"{name}:{port}" for name in _own_names()), *here]


def keep_tracebacks_here() -> None:
    """Keep the text of a server's traceback from its clients, and late messages out of the log."""
    for name in LATE:
        logging.getLogger(name).addFilter(LateMessage())
    error.create = classmethod(_silent_error)


def _silent_error(cls: type[error], request_id: str, text: str, **metadata) -> error:
    """Bokeh's message about an error, without what went wrong: that is in the log."""
    del text
    what = {"text": "An error in the program. The log of the server has the details.", "traceback": None}
    return cls(cls.create_header(request_id=request_id), metadata, what)


def _own_names() -> Sequence[str]:
    """Names and IPv4 addresses of this machine in its network, the most usual first."""
    names = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: asks which address would be used
            names.append(probe.getsockname()[0])
        except OSError:
            pass  # no network: the name remains
    names.append(socket.gethostname().lower())
    return names


def _checked(address: str, port: int) -> int:
    """Return the port, or a free one for 0, after trying to listen on it."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server itself does
        try:
            probe.bind((address, port))
        except OSError as refusal:
            if refusal.errno == errno.EADDRINUSE:
                raise PortTaken(f"Port {port} is already in use.") from None
            if refusal.errno == errno.EACCES:
                raise PortTaken(f"This user may not listen on port {port}.") from None
            raise
        return probe.getsockname()[1]
