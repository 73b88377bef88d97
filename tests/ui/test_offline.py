"""In a hall with a captive portal: every other host takes connections and never answers."""

import os
import shutil
import socket
from urllib.parse import urlsplit

import pytest
from conftest import LOCAL_HOSTS, LOCAL_SCHEMES, QUIET_CHROMIUM
from playwright.sync_api import Browser, expect

from viterbi_lab.ui import export
from viterbi_lab.ui.presets import presets

pytestmark = pytest.mark.browser

SOON = 5_000  # ms until a page shows text
BUSY = float(os.environ.get("VITERBI_LAB_PATIENCE", "3"))  # times that, on a machine that does other things


@pytest.fixture(scope="module")
def portal():
    """A port that accepts and never answers."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        yield listener.getsockname()[1]


@pytest.fixture(scope="module")
def cut_off(browser: Browser, portal):
    """A browser for whom every name leads to the portal."""
    executable = os.environ.get("VITERBI_LAB_CHROMIUM") or shutil.which("chromium")
    rules = f"--host-resolver-rules=MAP * 127.0.0.1:{portal}, EXCLUDE 127.0.0.1"
    cut_off = browser.browser_type.launch(executable_path=executable, args=[*QUIET_CHROMIUM, rules])
    yield cut_off
    cut_off.close()


@pytest.fixture
def page(cut_off):
    context = cut_off.new_context(viewport={"width": 1280, "height": 720})
    page = context.new_page()
    strangers, complaints = [], []

    def note(request):
        address = urlsplit(request.url)
        if address.scheme not in LOCAL_SCHEMES and address.hostname not in LOCAL_HOSTS:
            strangers.append(request.url)

    page.on("request", note)
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    assert strangers == []
    assert complaints == []


def test_the_lab_shows_every_view_and_asks_nobody(lab, page):
    page.goto(lab.address, wait_until="commit")
    tabs = page.get_by_role("tab")
    expect(tabs.first).to_be_visible(timeout=SOON * BUSY)
    for name in tabs.all_inner_texts():
        page.get_by_role("tab", name=name, exact=True).click()
        expect(page.get_by_role("tab", name=name, exact=True)).to_have_attribute("aria-selected", "true")
        page.wait_for_timeout(700)  # what a view would ask for, it asks for when it is shown
    page.get_by_role("button", name="Toggle theme").click()
    page.wait_for_timeout(700)


@pytest.mark.parametrize("kind", ["html", "svg"])
def test_an_export_opens_from_a_file_and_asks_nobody(page, tmp_path, kind):
    question = next(iter(presets().values())).question
    path = tmp_path / f"export.{kind}"
    path.write_text(getattr(export, kind)(question), encoding="utf-8")
    page.goto(path.as_uri(), wait_until="commit")
    expect(page.get_by_text(question.labels[0], exact=True).first).to_be_attached(timeout=SOON * BUSY)
    page.wait_for_timeout(700)
