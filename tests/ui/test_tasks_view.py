"""The Tasks view in a real browser, served by the command that a stranger types."""

import re

import pytest
from lab_server import LabServer
from playwright.sync_api import Page, expect

from viterbi_lab.iterate import Status
from viterbi_lab.ui.applications import APPLICATIONS

pytestmark = pytest.mark.browser

COLD = 240_000  # ms: the first page of a machine compiles the kernels
TRAINED = 120_000  # ms for a small run, whose worker may have to start first, on a busy machine


@pytest.fixture
def view(lab: LabServer, page: Page) -> Page:
    """The Tasks view, freshly opened."""
    page.goto(lab.address)
    tab = page.get_by_role("tab", name="Tasks")
    expect(tab).to_be_visible(timeout=COLD)
    tab.click()
    expect(page.get_by_text("Not trained yet")).to_be_visible()
    return page


def button(page: Page, name: str):
    return page.get_by_role("button", name=name, exact=True).locator("visible=true")


def card(page: Page):
    return page.locator(".scene .card")


def turn_to(page: Page, name: str):
    page.get_by_role("combobox", name="Application").click()
    page.locator(".MuiListItemText-primary:visible").filter(has_text=re.compile(f"^{name}")).click()
    asked = {"Taxonomy": "Which language", "Alignment": "How does", "Parsing": "What is the best tree"}
    expect(page.locator(".scene .question")).to_contain_text(asked[name])


def test_words_are_stepped_from_the_families_to_the_choice(view):
    expect(view.locator(".scene .box.leaf")).to_have_count(9)
    button(view, "Next step").click()
    expect(card(view)).to_contain_text("shared by all classes below")
    view.locator(".scene").press("ArrowRight")
    expect(view.locator(".scene .counter")).to_have_text("nodes · 2/13")
    button(view, "Result").click()
    expect(card(view).locator("tr")).to_have_count(10)
    expect(view.locator(".scene .box.answer")).to_have_count(3)
    button(view, "Most violated").click()
    expect(card(view)).to_contain_text("H = (1 − margin) · Δ")


def test_training_fills_the_charts_and_the_stage_can_go_back_to_weights_of_zero(view):
    turn_to(view, "Alignment")
    expect(view.locator(".scene .question")).to_contain_text("align with the homologue")
    button(view, "Train").click()
    expect(view.get_by_text(f"Run 1. {Status.CONVERGED.value}")).to_be_visible(timeout=TRAINED)
    expect(view.get_by_text(re.compile(r"\d+ constraints, \d+ % right"))).to_be_visible()
    button(view, "Result").click()
    expect(card(view)).to_contain_text(re.compile(r"the homologue leads by \+\d"))
    view.get_by_role("slider", name="Weights after pass").press("Home")
    expect(card(view)).to_contain_text("the homologue leads by +0")


def test_a_typed_sentence_is_parsed_and_one_without_a_parse_is_told(view):
    turn_to(view, "Parsing")
    own = view.get_by_label(APPLICATIONS[2].own)
    own.fill("Eve met the queen of the park")
    own.press("Enter")
    expect(view.locator(".scene .question")).to_contain_text("queen of the park")
    own.fill("colourless green ideas")
    own.press("Enter")
    expect(view.get_by_role("alert").filter(has_text="no rule for the word")).to_be_visible()
    expect(view.locator(".scene .question")).to_contain_text("queen of the park")


def test_pointing_at_a_filled_cell_tells_why_and_leaving_brings_the_step_back(view):
    turn_to(view, "Alignment")
    button(view, "Result").click()
    expect(card(view)).to_contain_text("Which candidate is the homologue?")
    view.locator(".scene .box.cell").nth(40).hover()
    expect(card(view)).to_contain_text("best alignment that ends after letter 2 of x and 10 of z")
    view.locator(".scene .question").hover()
    expect(card(view)).to_contain_text("Which candidate is the homologue?")


@pytest.mark.parametrize("width", [850, 1280, 1920])
def test_the_stage_hides_nothing_under_the_charts(view, width):
    view.set_viewport_size({"width": width, "height": 720})
    for name in ("Taxonomy", "Alignment", "Parsing"):
        if name != "Taxonomy":
            turn_to(view, name)
        scene = view.locator(".scene").bounding_box()
        status = view.get_by_text("Not trained yet").bounding_box()
        assert scene["y"] + scene["height"] <= status["y"] + 1
        assert scene["x"] + scene["width"] <= width
