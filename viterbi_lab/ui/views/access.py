"""Who may open the lab, and who is who: the first thing that the server asks of every request.

A visitor is known by a random cookie, so that a reload finds the runs again. Where the lab is shared, it
opens only to who knows the token; the token is given once, and a signed cookie stands for it afterwards.
"""

import hmac
import re
import secrets
from collections.abc import Callable
from html import escape
from urllib.parse import quote

from bokeh.server.auth_provider import AuthProvider
from bokeh.server.views.doc_handler import DocHandler
from tornado.web import RequestHandler
from tornado.websocket import WebSocketHandler

VISITOR, GRANT = "viterbi_lab_visitor", "viterbi_lab_access"
LOGIN = "/login"
RETRY_SECONDS = 20  # while the lab is full
SHORTEST_TOKEN = 16  # characters: 96 bits if they are random
POLICY = "; ".join(
    (
        "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:",  # what Bokeh's own page needs
        "connect-src 'self' ws://{host} wss://{host} data: blob:",
        "frame-ancestors 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "object-src 'none'",
    )
)
"""The browser itself refuses to ask any other host for anything."""

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Viterbi Lab</title>
<meta name="viewport" content="width=device-width"><style>
body {{ font: 16px system-ui, sans-serif; margin: 12vh auto; max-width: 30rem; padding: 0 1rem;
        color-scheme: light dark }}
input, button {{ font: inherit; padding: .4rem .6rem; width: 100%; box-sizing: border-box; margin: .4rem 0 }}
</style></head><body><h1>Viterbi Lab</h1><p role="status">{text}</p>
<form method="post"><label>Token <input name="token" type="password" autocomplete="off" autofocus></label>
<button>Open the lab</button></form></body></html>"""


def cookie_name(name: str, port: int) -> str:
    """What a cookie is called: browsers share cookies among all ports of a machine."""
    return f"{name}_{port}"


class Access(AuthProvider):
    """Lets requests in, and tells visitors apart.

    A page that is asked for while the lab is full answers with the status 503: browsers show what it says,
    and programs know to come again.

    Args:
        port: of the server.
        token: what has to be known; None lets everybody in who reaches the server.
        full: asked whether no more pages are opened.

    Raises:
        ValueError: if the token is too short to keep anybody out.
    """

    def __init__(self, port: int, token: str | None = None, full: Callable[[], bool] = lambda: False) -> None:
        if token is not None and len(token) < SHORTEST_TOKEN:
            raise ValueError(
                f"The token has {len(token)} characters; it needs at least {SHORTEST_TOKEN} random ones."
            )
        self.visitor_cookie = cookie_name(VISITOR, port)
        self.grant_cookie = cookie_name(GRANT, port)
        self.token = token
        self._full = full
        super().__init__()

    @property
    def get_user(self) -> Callable[[RequestHandler], str | None]:
        """Called by Bokeh with every request to a page or websocket."""
        return self._user

    @property
    def login_url(self) -> str:
        """Where to give the token."""
        return LOGIN

    @property
    def login_handler(self) -> type[RequestHandler]:
        """The page which asks for it."""
        access = self

        class Login(_Login):
            def initialize(self) -> None:
                self.access = access

        return Login

    def grants(self, token: str) -> bool:
        """Whether this is the token; takes as long for every guess."""
        return self.token is not None and hmac.compare_digest(token.encode(), self.token.encode())

    def _user(self, handler: RequestHandler) -> str | None:
        """The visitor who sent a request; None if the token was never given."""
        if self.token is not None and handler.get_signed_cookie(self.grant_cookie) is None:
            return None
        handler.set_header("Content-Security-Policy", POLICY.format(host=handler.request.host))
        handler.set_header("Referrer-Policy", "same-origin")
        if isinstance(handler, DocHandler) and self._full():
            handler.set_status(503)
            handler.set_header("Retry-After", str(RETRY_SECONDS))
        visitor = handler.get_cookie(self.visitor_cookie)
        if visitor is None or not re.fullmatch(r"[0-9a-f]{32}", visitor):
            visitor = secrets.token_hex(16)
            if not isinstance(handler, WebSocketHandler):
                keep(handler, self.visitor_cookie, visitor)
        handler.request.cookies[VISITOR] = visitor  # what the page of this request reads, whatever was sent
        return visitor


class _Login(RequestHandler):
    """Asks for the token, or takes it from the link that the server printed."""

    access: Access

    def get(self) -> None:
        token = self.get_query_argument("token", None)
        if token is None:
            self.finish(PAGE.format(text="Ask the person who runs this server for its token."))
        else:
            self._enter(token)

    def post(self) -> None:
        self._enter(self.get_body_argument("token", ""))

    def _enter(self, token: str) -> None:
        if self.access.grants(token):
            value = self.create_signed_value(self.access.grant_cookie, secrets.token_hex(8))
            keep(self, self.access.grant_cookie, value.decode())
            self.redirect("/")
        else:
            self.set_status(403)
            self.finish(PAGE.format(text=escape("This is not the token of this server.")))


def keep(handler: RequestHandler, name: str, value: str) -> None:
    """Set a cookie that scripts cannot read and other sites cannot use."""
    handler.set_cookie(name, value, httponly=True, samesite="Lax", secure=handler.request.protocol == "https")


def link(address: str, token: str | None) -> str:
    """The address to open: with the token, where one is needed."""
    return address if token is None else f"{address}{LOGIN}?token={quote(token)}"
