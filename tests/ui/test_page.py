"""The page as a whole: its shell, what it shows when something is broken, and what ends with the tab."""

import logging
import re
import socket
from pathlib import Path

import faults
import panel as pn
import pytest
from playwright.sync_api import Page, expect

from viterbi_lab.ui.jobs import JobState
from viterbi_lab.ui.sessions.training import TrainingSession
from viterbi_lab.ui.settings import CELEGANS, PLANES
from viterbi_lab.ui.views import page as page_module
from viterbi_lab.ui.views.page import lab
from viterbi_lab.ui.workers import Workers

pytestmark = pytest.mark.browser

COLD = 120_000  # ms: the first page of a machine compiles the kernels
PATIENCE = 30.0  # seconds


@pytest.fixture
def hurried_server():
    """The lab in this process, on a server that forgets closed tabs quickly."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    pn.serve(
        lab,
        port=port,
        address="127.0.0.1",
        threaded=True,
        show=False,
        verbose=False,
        unused_session_lifetime_milliseconds=3000,
        check_unused_sessions_milliseconds=200,
    )
    yield f"http://127.0.0.1:{port}/"
    pn.state.reset()


def test_the_header_names_the_lab_and_its_views(serve, page: Page):
    page.goto(serve(lab))
    expect(page.get_by_role("tab")).to_have_text(
        ["Step", "Compare", "Train", "Tasks", "Scale", "Story"], timeout=COLD
    )
    expect(page.get_by_role("tab", name="Step")).to_have_attribute("aria-selected", "true")


def test_each_view_brings_its_own_controls(serve, page: Page):
    page.goto(serve(lab))
    expect(page.get_by_role("button", name="Randomise g")).to_be_visible(timeout=COLD)
    page.get_by_role("tab", name="Train").click()
    expect(page.get_by_role("button", name="Train", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Randomise g")).to_be_hidden()
    page.get_by_role("tab", name="Step").click()
    expect(page.get_by_role("button", name="Randomise g")).to_be_visible()
    expect(page.get_by_role("button", name="Train", exact=True)).to_be_hidden()


def test_a_page_opened_while_kernels_compile_says_so_and_then_appears(serve, page: Page, monkeypatch):
    class Cold:
        ready = False

        def start_once(self):
            pass

    cold = Cold()
    monkeypatch.setattr(page_module, "KERNELS", cold)
    page.goto(serve(lab))
    expect(page.get_by_text("Compiling kernels, first time only")).to_be_visible()
    cold.ready = True  # the page reloads itself until this is so
    expect(page.get_by_role("button", name="Randomise g")).to_be_visible(timeout=COLD)


def broken(*_, **__):
    raise RuntimeError("secret path /home/someone")


def test_a_view_that_cannot_be_built_leaves_a_card_with_a_number_and_the_other_view(
    serve, kernels, page: Page, monkeypatch, caplog
):
    monkeypatch.setattr(page_module, "TrainView", broken)
    page.goto(serve(lab))
    page.get_by_role("tab", name="Train").click(timeout=COLD)
    card = page.locator(".failure")
    expect(card).to_contain_text("could not be shown")
    number = re.search(r"error ([0-9a-f]{8})", caplog.text)[1]
    expect(card).to_contain_text(f"under {number}")
    assert "secret" not in page.content()
    assert "secret path" in caplog.text
    page.get_by_role("tab", name="Step").click()
    expect(card).to_be_hidden()
    expect(page.get_by_role("button", name="Randomise g")).to_be_visible()


def test_a_page_that_cannot_be_built_at_all_is_not_blank(serve, kernels, page: Page, monkeypatch, caplog):
    monkeypatch.setattr(page_module, "StepperSession", broken)
    page.goto(serve(lab))
    expect(page.locator(".failure")).to_contain_text("The log of the server has the details")
    assert "secret" not in page.content()
    assert any(record.levelno == logging.ERROR for record in caplog.records)


def test_the_theme_of_the_link_and_the_toggle_both_reach_the_page(serve, page: Page):
    page.goto(serve(lab) + "?theme=dark")
    expect(page.get_by_role("tab", name="Step")).to_be_visible(timeout=COLD)
    background = (
        "getComputedStyle(document.querySelector('html')).getPropertyValue('--panel-background-color')"
    )
    page.wait_for_function(f"{background}.trim() === '#15181c'")
    page.get_by_role("button", name="Toggle theme").click()
    page.wait_for_function(f"{background}.trim() === '#ffffff'")


def test_a_failing_run_shows_one_sentence_and_the_next_can_be_started(serve, page: Page, monkeypatch):
    monkeypatch.setattr("viterbi_lab.ui.sessions.runs.train", faults.break_down_training)
    monkeypatch.setenv("PYTHONPATH", str(Path(faults.__file__).parent))
    monkeypatch.setattr("viterbi_lab.ui.sessions.runs.WORKERS", Workers())
    page.goto(serve(lab))
    page.get_by_role("tab", name="Train").click(timeout=COLD)
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("An error in the program ended this run")
    assert "secret" not in page.content()
    expect(page.get_by_role("button", name="Train", exact=True)).to_be_enabled()
    expect(page.get_by_role("button", name="Cancel")).to_be_disabled()


def test_closing_the_tab_stops_the_training(hurried_server, page: Page, monkeypatch):
    sessions = []

    def long(runs):
        """Half a minute, unless it is stopped."""
        sessions.append(TrainingSession(runs, data=CELEGANS, C=1.0, epsilon=0.001, trainer=PLANES))
        return sessions[-1]

    monkeypatch.setattr(page_module, "TrainingSession", long)
    page.goto(hurried_server)
    page.get_by_role("tab", name="Train").click(timeout=COLD)
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Training run 1")
    (job,) = [session._runs._job for session in sessions if session.is_busy]
    page.goto("about:blank")
    assert job.join(PATIENCE)
    assert job.state is JobState.CANCELLED
