"""The stage as the stage of a story: the caption of a beat, what it frames, and the keys between beats."""

import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from viterbi_lab.ui.sessions.stepper import StepperSession
from viterbi_lab.ui.views.stage import Stage

pytestmark = pytest.mark.browser

COLD = 120_000  # ms: the first page of a machine compiles the kernels
PATIENCE = 15.0  # seconds until Python hears of a wish
BEAT = {
    "number": 2,
    "count": 9,
    "title": "Floor 0",
    "text": "No mistakes: exactly one path, the truth.",
    "marks": [{"floor": 0}, {"path": [2, 1, 0, 2]}, {"part": "truth"}],
}


@pytest.fixture
def told(page: Page, serve) -> Iterator[tuple[Page, list]]:
    """A stage with a caption, and the wishes it made."""
    session, wishes, steps = StepperSession(), [], []
    given = {"problem": session.message(), "h": session.tables(), "caption": BEAT}

    def app() -> Stage:
        stage = Stage(**given, sizing_mode="stretch_width", height=660)
        stage.param.watch(lambda event: wishes.append(event.new), "edit")
        stage.param.watch(lambda event: steps.append(event.new), "step")
        return stage

    page.goto(serve(app))
    expect(page.locator(".vl .nodes > *")).to_have_count(30, timeout=COLD)
    yield page, wishes
    until = time.monotonic() + PATIENCE  # what the page still reports must find its server
    moved = not page.locator(".vl .where").inner_text().startswith("start")
    while moved and not steps and time.monotonic() < until:
        time.sleep(0.02)


def test_a_beat_says_its_sentence_and_frames_what_it_speaks_of(told):
    page, _ = told
    expect(page.locator(".vl .caption")).to_contain_text("Floor 0 No mistakes: exactly one path, the truth.")
    expect(page.locator(".vl .caption")).to_contain_text("2 of 9")
    expect(page.locator(".vl .frames path")).to_have_count(1)
    expect(page.locator(".vl .frames rect")).to_have_count(1 + 4)  # the floor, and the cells of the path
    floor, lane = page.locator(".vl .frames rect").first.bounding_box(), page.locator(".vl .lane0").first
    assert abs(floor["y"] - lane.bounding_box()["y"]) < 5  # px, inside the lane k = 0
    expect(page.locator(".vl .head")).to_have_class("head framed")


@pytest.mark.parametrize(
    ("key", "beat"), [("ArrowRight", 3), ("PageDown", 3), ("ArrowLeft", 1), ("PageUp", 1)]
)
def test_arrows_ask_for_another_beat_and_leave_the_step(told, key, beat):
    page, wishes = told
    expect(page.locator(".vl")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press(key)
    expect(page.locator(".vl .where")).to_have_text("t = 1 · 1/35")
    until = time.monotonic() + PATIENCE
    while not wishes and time.monotonic() < until:
        time.sleep(0.02)
    assert [(wish["kind"], wish["index"]) for wish in wishes] == [("beat", beat)]


def test_quick_presses_wish_for_the_beat_after_the_next_although_nobody_has_answered(told):
    page, wishes = told
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    until = time.monotonic() + PATIENCE
    while (not wishes or wishes[-1]["index"] != 4) and time.monotonic() < until:
        time.sleep(0.02)
    assert wishes[-1]["index"] == 2 + 3 - 1  # the messages in between may have been overtaken


def test_up_and_down_step_inside_a_beat(told):
    page, _ = told
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "Shift+ArrowRight"):
        page.keyboard.press(key)
    expect(page.locator(".vl .where")).to_have_text("t = 1 · 3/35")
