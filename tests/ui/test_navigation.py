"""Links in a real browser: copied, opened, tampered with; Back and Forward; controls that a teacher hides."""

import re
import threading

import panel as pn
import pytest
from playwright.sync_api import Page, expect

from viterbi_lab.ui import hidden
from viterbi_lab.ui.sessions.training import TrainingSession
from viterbi_lab.ui.views.page import lab

pytestmark = pytest.mark.browser

COLD = 120_000  # ms: the first page of a machine compiles the kernels
PATIENCE = 30.0  # seconds


@pytest.fixture
def opened(page: Page, serve, kernels):
    """Opens the lab with what follows its address, and waits until it is there."""
    loaded = threading.Event()

    def app():
        page = lab()
        pn.state.onload(loaded.set)  # after what the lab itself does then
        return page

    address = serve(app)

    def open_(rest: str = "", *, cells: int = 30) -> Page:
        page.goto(address + rest)
        expect(page.locator(".vl:visible .nodes > *")).to_have_count(cells, timeout=COLD)
        expect(page.get_by_role("button", name="Copy link")).to_be_visible()
        assert loaded.wait(PATIENCE)  # before that Panel drops what Python changes
        return page

    return open_


def where(page: Page):
    return page.locator(".vl:visible .where")


def test_a_copied_link_restores_problem_step_and_operator(opened):
    page = opened()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_label("g 4 (3, 1)", exact=True).fill("20")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="+ margin").click()
    page.locator(".vl:visible").focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    expect(where(page)).to_have_text("backtrack · 34/35")
    page.wait_for_timeout(500)  # ms: the step is reported every 150 ms
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Link copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    page.goto("about:blank")
    page.goto(link)
    expect(where(page)).to_have_text("backtrack · 34/35", timeout=COLD)
    expect(page.get_by_label("g 4 (3, 1)", exact=True)).to_have_value("20")
    expect(page.locator(".vl:visible")).to_have_attribute("data-op", "plus")
    expect(page.locator(".complaint:visible")).to_have_count(0)


def test_back_and_forward_lead_through_views_examples_and_operators(opened):
    page = opened()
    page.locator(".vl:visible").focus()
    page.keyboard.press("End")
    page.wait_for_timeout(500)  # ms: the step is reported every 150 ms
    page.get_by_role("button", name="plain").click()
    expect(page).to_have_url(re.compile("op=plain"))
    page.get_by_role("tab", name="Compare").click()
    expect(page.locator("section")).to_have_count(3)
    expect(page).to_have_url(re.compile("view=compare"))
    page.go_back()
    expect(page.get_by_role("tab", name="Step")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".vl:visible")).to_have_attribute("data-op", "plain")
    page.go_back()
    expect(page.locator(".vl:visible")).to_have_attribute("data-op", "times")
    expect(where(page)).to_have_text("backtrack · 35/35")
    page.go_forward()
    expect(page.locator(".vl:visible")).to_have_attribute("data-op", "plain")
    page.go_forward()
    expect(page.get_by_role("tab", name="Compare")).to_have_attribute("aria-selected", "true")


def test_a_tampered_link_shows_a_sentence_and_a_lab_that_works(opened):
    page = opened("?view=step&example=worked_example&op=boom&h=9**9**9**9&step=99999")
    notice = page.get_by_role("alert")
    expect(notice.filter(has_text="“boom” is none of times, plus, plain")).to_be_visible()
    expect(notice.filter(has_text="the last one is 35")).to_be_visible()
    expect(where(page)).to_have_text("backtrack · 35/35")
    expect(page).to_have_url(re.compile("op=times&h=k&step=35"))
    page.get_by_role("button", name="plain").click()
    expect(notice).to_have_count(0)


def test_a_script_in_a_link_is_shown_as_text(opened):
    page = opened("?op=<img src=x onerror=window.pwned=1>&view=<script>window.pwned=1</script>")
    expect(page.get_by_role("alert").filter(has_text="is none of times")).to_be_visible()
    assert page.evaluate("window.pwned") is None


def test_a_link_to_training_starts_none(opened, monkeypatch):
    monkeypatch.setattr(
        TrainingSession, "_start", lambda *_: pytest.fail("a training started"), raising=False
    )
    page = opened("?view=train", cells=0)
    expect(page.get_by_role("tab", name="Train")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("button", name="Cancel")).to_be_disabled()


def test_a_teachers_link_hides_what_it_names_and_tells_unknown_names(opened):
    page = opened("?hide=size,random,g,export,steps,fancy")
    expect(page.get_by_text("“fancy”, which is none of side, views")).to_be_visible()
    for name in ("Randomise g", "Save", "Play"):
        expect(page.get_by_role("button", name=name)).to_be_hidden()
    expect(page.locator(".vl:visible .grids")).to_be_hidden()
    expect(page.get_by_text("Length T")).to_be_hidden()
    expect(page.get_by_label("True labels y").first).to_be_visible()


def test_a_teachers_link_to_a_story_leaves_the_sentence_and_the_picture(opened):
    page = opened("?view=story&beat=4&hide=steps,card,g,beats,story,export", cells=30)
    expect(page.locator(".vl:visible .caption")).to_contain_text("4 of 9")
    expect(page.locator(".vl:visible .stage")).to_be_visible()
    for part in (".toolbar", ".card", ".grids"):
        expect(page.locator(f".vl:visible {part}")).to_be_hidden()
    for text in ("Beats", "Open own story (JSON)", "This story as JSON"):
        expect(page.get_by_text(text, exact=True)).to_have_count(0)
    page.locator(".vl:visible").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".vl:visible .caption")).to_contain_text("5 of 9")


def test_a_teachers_link_to_compare_leaves_the_pictures(opened):
    page = opened("?view=compare&hide=steps,g,charts", cells=0)
    expect(page.locator("section svg:visible")).to_have_count(3)
    expect(page.get_by_role("button", name="Next column")).to_have_count(0)
    expect(page.get_by_role("group", name="Scores g")).to_be_hidden()


def test_everything_that_can_be_hidden_can_be_hidden_at_once_and_the_stage_still_steps(page: Page, serve):
    page.goto(serve(lab) + "?hide=" + ",".join(hidden.NAMES))
    expect(page.locator(".vl:visible .nodes > *")).to_have_count(30, timeout=COLD)
    expect(page.get_by_role("button", name="Copy link")).to_have_count(0)
    expect(page.get_by_role("tab")).to_have_count(0)
    expect(page.locator(".sidebar")).to_have_count(0)
    page.locator(".vl:visible").focus()
    page.keyboard.press("End")
    expect(page.locator(".vl:visible g.path")).to_have_count(4)
