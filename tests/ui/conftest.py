"""What browser tests share: a real headless Chromium, a served app, and no other host, ever."""

import os
import shutil
import socket
import time
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import panel as pn
import pytest
from lab_server import LabServer
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright

from viterbi_lab.ui.warmup import KERNELS

LOCAL_HOSTS = {"localhost", "127.0.0.1", "::1"}
LOCAL_SCHEMES = {"data", "blob", "about", "file"}
START_SECONDS = 20.0
QUIET_CHROMIUM = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# The default of 5 s was once too short on two busy cores.
expect.set_options(timeout=15_000)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium, or the one that VITERBI_LAB_CHROMIUM names."""
    executable = os.environ.get("VITERBI_LAB_CHROMIUM") or shutil.which("chromium")
    if executable is None:
        missing = "There is no Chromium. Install one or set VITERBI_LAB_CHROMIUM to its path."
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=QUIET_CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def kernels() -> None:
    """The kernels are there, for pages that this process serves: else the first says that they are made."""
    KERNELS.start_once()
    assert KERNELS._job.join(120.0)


@pytest.fixture(scope="module")
def lab() -> Iterator[LabServer]:
    """The lab of the tests of one file, as a stranger starts it; its log must stay clean."""
    server = LabServer()
    server.wait_until_ready()
    yield server
    server.stop()
    assert not server.complaints, "".join(server.lines)


@pytest.fixture
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page of 1280×720. The test fails if it asks any other host for anything, or if a script fails.

    A test whose attribute ``forgives`` is a text forgives failures of scripts that contain it.
    """
    forgiven = getattr(request.function, "forgives", None)
    context = browser.new_context(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    strangers, failures = [], []

    def only_local(route: Route) -> None:
        address = urlsplit(route.request.url)
        if address.scheme in LOCAL_SCHEMES or address.hostname in LOCAL_HOSTS:
            route.continue_()
        else:
            strangers.append(route.request.url)
            route.abort()

    context.route("**/*", only_local)
    page = context.new_page()

    def note(error: Exception) -> None:
        if forgiven is None or forgiven not in str(error):
            failures.append(str(error))

    page.on("pageerror", note)
    yield page
    context.close()
    assert not strangers, f"The page asked other hosts: {strangers}"
    assert not failures, f"Scripts of the page failed: {failures}"


@pytest.fixture
def serve() -> Iterator[Callable[[Callable], str]]:
    """``serve(app)`` serves what ``app()`` returns, to each visitor anew, and gives the address."""

    def start(app: Callable) -> str:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        pn.serve(app, port=port, address="127.0.0.1", threaded=True, show=False, verbose=False)
        until = time.monotonic() + START_SECONDS
        while not _answers(port):
            assert time.monotonic() < until, "The server did not start."
            time.sleep(0.02)
        return f"http://127.0.0.1:{port}/"

    yield start
    pn.state.reset()


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
