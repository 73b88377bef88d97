"""The server of the lab: who gets in, what a stranger can do with a link or a websocket, and what is said."""

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from http.cookiejar import CookieJar

import pytest
from bokeh.document import Document
from lab_server import LabServer
from panel.io.state import set_curdoc
from raw_client import RawClient, finish
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

from viterbi_lab import cli
from viterbi_lab.ui.sessions.runs import Visitors
from viterbi_lab.ui.views import page as page_module
from viterbi_lab.ui.views.page import lab

TOKEN = "a-token-that-is-long-enough"
PATIENCE = 60.0  # seconds for an answer


class Ready:
    """Kernels that need no time."""

    ready = True

    def start_once(self):
        pass


@pytest.fixture(scope="module")
def server():
    server = LabServer()
    server.wait_until_ready()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def shared():
    server = LabServer(["--share"], VITERBI_LAB_TOKEN=TOKEN)
    yield server
    server.stop()


def get(address, opener=None, **headers):
    """Status, headers and text of an answer, without following a redirect."""

    class Still(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_):
            return None

    opener = opener or urllib.request.build_opener(Still)
    try:
        answer = opener.open(urllib.request.Request(address, headers=headers), timeout=PATIENCE)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        return answer.status, answer.headers, answer.read().decode()


def local(shared):
    """The address of the shared server from here."""
    return f"http://127.0.0.1:{shared.port}/"


def test_a_page_tells_the_browser_to_ask_no_other_host(server):
    _, headers, _ = get(server.address)
    policy = headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    hosts = re.findall(r"(?:https?|wss?)://([^\s;]+)", policy)
    assert set(hosts) == {server.address.split("/")[2]}


def test_a_visitor_is_known_by_a_cookie_that_no_script_reads(server):
    _, headers, _ = get(server.address)
    cookie = headers["Set-Cookie"]
    assert re.match(rf"viterbi_lab_visitor_{server.port}=[0-9a-f]{{32}};", cookie)
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    _, again, _ = get(server.address, Cookie=cookie.split(";")[0])
    assert again["Set-Cookie"] is None


@pytest.mark.parametrize("wrong", ["x", "' OR 1", "a" * 31, "x" * 32])
def test_a_cookie_that_the_server_did_not_give_is_replaced(server, wrong):
    _, headers, _ = get(server.address, Cookie=f"viterbi_lab_visitor_{server.port}={wrong}")
    assert re.search(r"=[0-9a-f]{32};", headers["Set-Cookie"])


def test_a_session_can_be_named_by_the_server_only(server):
    status, _, _ = get(server.address + "/?bokeh-session-id=shared-id-1")
    assert status == 403


def test_a_shared_lab_asks_for_its_token(shared):
    status, headers, _ = get(local(shared))
    assert status == 302
    assert "login" in headers["Location"]
    status, _, text = get(local(shared) + "login")
    assert status == 200
    assert 'name="token"' in text


@pytest.mark.parametrize("guess", ["", "wrong", TOKEN[:-1], TOKEN + "x", "%00", "%F0%9F%98%80"])
def test_a_wrong_token_is_refused(shared, guess):
    status, headers, text = get(local(shared) + f"login?token={guess}")
    assert status == 403
    assert "not the token" in text
    assert headers["Set-Cookie"] is None


def test_the_printed_link_opens_a_shared_lab_and_the_token_leaves_the_address(shared):
    assert shared.address.endswith(f"/login?token={TOKEN}")
    jar = urllib.request.HTTPCookieProcessor(CookieJar())
    with urllib.request.build_opener(jar).open(local(shared) + f"login?token={TOKEN}") as answer:
        assert answer.url == local(shared)
        assert "Viterbi Lab" in answer.read().decode()
    forged = get(local(shared), Cookie=f"viterbi_lab_access_{shared.port}=anything")
    assert forged[0] == 302


def knock(port, origin):
    """The status with which a websocket is refused."""

    async def connect():
        request = HTTPRequest(f"ws://127.0.0.1:{port}/ws", headers={"Origin": origin}, follow_redirects=False)
        with pytest.raises(HTTPClientError) as refusal:
            await websocket_connect(request, subprotocols=["bokeh", "x"])
        return refusal.value.code

    return finish(connect())


def test_a_websocket_needs_the_token_too(shared):
    assert knock(shared.port, f"http://127.0.0.1:{shared.port}") == 403


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "http://127.0.0.1:1", "http://127.0.0.1.evil.example:{port}", "null", "file://"],
)
def test_other_sites_cannot_open_a_websocket(server, origin):
    assert knock(server.port, origin.format(port=server.port)) == 403


def test_a_short_token_is_refused_with_what_is_needed(monkeypatch, capsys):
    monkeypatch.setenv("VITERBI_LAB_TOKEN", "short")
    assert cli.main(["serve", "--share", "--port", "0", "--no-browser"]) == 1
    assert "has 5 characters; it needs at least 16" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--share", "--origin", "*"], "never *"),
        (["--share", "--origin", "http://host"], "is not a host"),
        (["--origin", "host:80"], "Add --share"),
    ],
)
def test_origins_that_would_let_anybody_in_are_refused(arguments, sentence, capsys):
    with pytest.raises(SystemExit):
        cli.main(["serve", *arguments])
    assert sentence in capsys.readouterr().err


def test_a_full_server_says_so_in_a_page(monkeypatch):
    visitors = Visitors()
    for name in "abc":
        visitors.enter(name)
    monkeypatch.setattr(page_module, "VISITORS", visitors)
    monkeypatch.setattr(page_module, "KERNELS", Ready())
    monkeypatch.setenv("VITERBI_LAB_SESSIONS", "3")
    (notice,) = lab().main
    assert "The lab is full" in notice.object
    assert "3 pages are open, and VITERBI_LAB_SESSIONS allows no more" in notice.object
    visitors.leave("a")
    assert visitors.pages == 2


FORGOTTEN = """
import gc
import weakref

from viterbi_lab.ui.views import page
from viterbi_lab.ui.warmup import KERNELS

KERNELS.start_once()
assert KERNELS._job.join(240.0)
pages = [weakref.ref(page.lab()), weakref.ref(page.notice_page("Full", "Come again.", 20))]
gc.collect()
assert [page() for page in pages] == [None, None]
"""


def test_nothing_of_the_whole_server_keeps_a_page():
    """Panel's pages follow whether the server is busy, which once kept every page that was ever opened.

    In a process of its own, where no other test has left a page.
    """
    subprocess.run([sys.executable, "-c", FORGOTTEN], check=True)


def test_a_page_built_over_the_websocket_names_no_style_sheet_of_another_host(monkeypatch):
    """As when its session died between the answer and the websocket: nothing patches its addresses later."""
    monkeypatch.setattr(page_module, "KERNELS", Ready())
    document = Document()
    with set_curdoc(document):
        lab().server_doc(document)
    text = json.dumps(document.to_json(), default=str)
    styles = re.findall(r"""ImportedStyleSheet.{1,60}["']url["']: ["']([^"']+)""", text)
    assert styles
    assert {url.split("/")[0] for url in styles} == {"static"}


EVERYTHING = os.environ.get("VITERBI_LAB_FULL") == "1"
WILD = [
    float("nan"),
    float("inf"),
    10**6,
    -1,
    1e30,
    "abc",
    None,
    [1],
    {"a": 1},
    "<img src=x onerror=a()>",
]


def test_wild_values_over_the_websocket_leave_the_state_inside_bounds_and_tell_nothing(server):
    """Every value property of every control of the page is set to what it should not be.

    By default to two wild values each, with ``VITERBI_LAB_FULL=1`` to all of them.
    """

    async def attack():
        client = RawClient(server.address)
        await client.open()
        replies = []
        for number, model in enumerate(sorted(client.document.models, key=lambda model: model.id)):
            for attribute in ("value", "value_throttled", "active"):
                if attribute in model.properties():
                    for value in WILD if EVERYTHING else (WILD[number % len(WILD)], WILD[-number % 7]):
                        replies.append(await client.patch(model, attribute, encoded(value)))
        replies += [
            await client.raw_patch({"kind": "Nonsense"}),
            await client.raw_patch(
                {"kind": "ModelChanged", "model": {"id": "no such"}, "attr": "value", "new": 1}
            ),
            await client.raw_patch({}),
        ]
        document = await client.pull()
        client.close()
        return replies, document

    replies, document = finish(attack())
    assert len(replies) > 100
    said = json.dumps([reply.content for reply in replies], default=str)
    for secret in ("Traceback", "site-packages", ".py", "/home", "/root", "File "):
        assert secret not in said
    problems = [model.data.problem for model in document.models if hasattr(stage(model), "problem")]
    assert problems  # the stages of Step and of Story
    for problem in problems:
        assert 1 <= problem["T"] <= 200
        assert 2 <= problem["N"] <= 26
    status, _, _ = get(server.address)
    assert status == 200


def stage(model):
    """What the stage is given, if the model is one."""
    return getattr(model, "data", None)


def encoded(value):
    """As a browser would send a number that JSON cannot say."""
    if isinstance(value, float) and value != value:
        return {"type": "number", "value": "nan"}
    if value == float("inf"):
        return {"type": "number", "value": "+inf"}
    return value


@pytest.mark.parametrize(
    "query",
    [
        "T=1000000", "T=-1", "T=abc", "T=NaN", "C=Infinity", "op=%25", "h=__import__('os')", "T=5&T=6",
        "theme=<script>", "x=" + "a" * 6000, "train=1", "run=true", "%00=%00", "hide=../../etc/passwd",
    ],
)  # fmt: skip
def test_whatever_a_link_says_the_page_opens_and_nothing_starts(server, query):
    async def look():
        client = RawClient(server.address + "/?" + query.replace("<", "%3C").replace(">", "%3E"))
        await client.open()
        buttons = {
            model.label: model.disabled
            for model in client.document.models
            if getattr(model, "label", None) in ("Train", "Cancel")
        }
        client.close()
        return buttons

    assert finish(look()) == {"Train": False, "Cancel": True}  # idle
