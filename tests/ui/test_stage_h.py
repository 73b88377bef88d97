"""h drawn by hand: with the pointer and with keys, in a file that has no Python, and in the lab."""

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from viterbi_lab.dp import decode
from viterbi_lab.ui import export
from viterbi_lab.ui.presets import presets
from viterbi_lab.ui.question import OWN, Question, random_scores
from viterbi_lab.ui.sessions.stepper import StepperSession

pytestmark = pytest.mark.browser

WORKED = next(iter(presets().values())).question


@pytest.fixture
def opened(page: Page, tmp_path):
    def show(question: Question = WORKED, place: str = "") -> Page:
        path = tmp_path / "page.html"
        path.write_text(export.html(question, step=10**6), encoding="utf-8")
        page.goto(path.as_uri() + place)
        expect(page.locator(".vl")).to_be_focused()
        page.keyboard.press("h")
        return page

    return show


def bars(page: Page):
    return page.get_by_role("slider", name=re.compile(r"^h\("))


def drawn(page: Page) -> list[float]:
    return page.evaluate("window.stageModel.get('h')['own list']")


def drag(page: Page, k: int, n: int, down: float) -> None:
    """Take hold of bar k of n and let it go at this share of the height, from the top."""
    box = bars(page).bounding_box()
    x = box["x"] + box["width"] * (k + 0.5) / n
    page.mouse.move(x, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(x + box["width"] / n, box["y"] + down * box["height"], steps=3)
    page.mouse.up()


def assert_the_answer_follows(page: Page, question: Question, h: list[float]) -> None:
    problem = question.problem()
    answer = decode(type(problem)(problem.scores, problem.y, np.array(h), problem.op))
    names = [question.labels[j] for j in answer.y]
    assert page.locator(".vl .hat").all_inner_texts() == names
    expect(page.locator(".vl .card")).to_contain_text(f"floor k = {answer.k}")


@pytest.mark.parametrize(("k", "down"), [(2, 0.0), (1, 0.99), (0, 0.3)])
def test_a_dragged_bar_is_h_and_the_answer_follows_without_python(opened, k, down):
    page = opened()
    drag(page, k, 5, down)
    h = drawn(page)
    assert [value for n, value in enumerate(h) if n != k] == [n for n in range(5) if n != k]
    assert h[k] != k
    assert (h[k] < 0) == (down == 0.99)
    assert_the_answer_follows(page, WORKED, h)
    expect(page.get_by_label("Loss wrapper h")).to_have_value(OWN)


def test_arrows_choose_a_bar_and_change_it(opened):
    page = opened()
    expect(bars(page)).to_be_focused()
    for key in ("Home", "ArrowRight", "ArrowRight", "ArrowUp", "ArrowUp", "PageUp", "ArrowDown"):
        page.keyboard.press(key)
    expect(bars(page)).to_have_attribute("aria-valuetext", "h(2) = 3.1")  # a step is 0.1 where h spans 0..4
    expect(page.get_by_label("Loss wrapper h")).to_have_value(OWN)  # once the keys have rested
    assert drawn(page)[2] == 3.1
    assert_the_answer_follows(page, WORKED, drawn(page))
    page.keyboard.press("Escape")
    expect(bars(page)).to_be_hidden()
    expect(page.locator(".vl")).to_be_focused()


def test_over_many_bars_the_pointer_draws_a_curve(opened):
    T = 30
    question = Question("long", ("a", "b"), random_scores(1, (T, 2, 1)), np.zeros(T, int))
    page = opened(question)
    box = bars(page).bounding_box()
    page.mouse.move(box["x"] + 2, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + 10, steps=200)
    page.mouse.up()
    assert len(set(drawn(page))) == 1
    assert_the_answer_follows(page, question, drawn(page))


def test_a_drawn_h_stands_in_the_address_and_comes_back(opened):
    page = opened()
    drag(page, 2, 5, 0.0)
    h = drawn(page)
    page.wait_for_url(re.compile("h=0"))
    place = "#" + page.url.partition("#")[2]
    page.goto("about:blank")
    page = opened(place=place)
    assert drawn(page) == h
    assert_the_answer_follows(page, WORKED, h)


def test_python_takes_a_drawn_h_as_one_change_that_can_be_undone():
    session = StepperSession()
    assert session.edit("h", 0, "0, 1, 4.5, 3, 4") == ""
    assert session.question.h.tolist() == [0, 1, 4.5, 3, 4]
    assert session.rule == OWN
    session.undo()
    assert session.question.h.tolist() == [0, 1, 2, 3, 4]
    assert "5 numbers" in session.edit("h", 0, "0, 1")
    assert session.question.h.tolist() == [0, 1, 2, 3, 4]
