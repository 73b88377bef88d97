"""Every view on a projector, on a large screen, and as narrow as a notebook's cell."""

import pytest
from lab_server import LabServer
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser

COLD = 120_000  # ms: the first page of a machine compiles the kernels
SIZES = [(850, 720), (1280, 720), (1920, 1080)]
SEEN = {
    "Step": ".vl:visible .stage",
    "Compare": "section:visible",
    "Train": ".empty:visible",
    "Tasks": ".scene:visible .picture",
    "Scale": ".bk-Figure:visible",
    "Story": ".vl:visible .stage",
}
"""What every view is about."""
WIDER_THAN_THE_WINDOW = """() => {
  const found = [];
  const look = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) look(element.shadowRoot);
      const box = element.getBoundingClientRect(), style = getComputedStyle(element);
      if (!box.width || !box.height || style.visibility === "hidden" || element.closest("svg")) continue;
      const scrolls = /auto|scroll/.test(style.overflowX) && element.scrollWidth > element.clientWidth + 1;
      const leaves = box.left < innerWidth && box.right > innerWidth + 1;
      if (scrolls || leaves) found.push(`${element.tagName}.${element.className}`);
    }
  };
  look(document);
  return found;
}"""


@pytest.fixture(params=SIZES, ids=[f"{width}x{height}" for width, height in SIZES])
def opened(lab: LabServer, page: Page, request) -> Page:
    width, height = request.param
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{lab.address}?step=14")
    expect(page.locator(".vl:visible .nodes > *")).to_have_count(30, timeout=COLD)
    return page


def box_of(what: Locator) -> dict[str, float]:
    """Where something stands; while charts are laid out anew it is nowhere for a moment."""
    for _ in range(50):
        expect(what).to_be_visible()
        if box := what.bounding_box():
            return box
    raise AssertionError(f"{what} comes and goes.")


def turn(page: Page, view: str) -> None:
    page.get_by_role("tab", name=view).click()
    expect(page.locator(SEEN[view]).first).to_be_visible(timeout=COLD)


def test_nothing_is_wider_than_the_window_and_the_picture_is_in_sight(opened: Page):
    size = opened.viewport_size
    for view, what in SEEN.items():
        turn(opened, view)
        assert not opened.evaluate(WIDER_THAN_THE_WINDOW), view
        box = box_of(opened.locator(what).first)
        assert box["width"] > 250, view
        assert box["y"] + 250 < size["height"], view


def test_all_of_compare_and_the_card_of_a_step_are_above_the_fold(opened: Page):
    """But for Compare as narrow as a cell, which shows two of its three pictures."""
    size = opened.viewport_size
    card = box_of(opened.locator(".vl:visible .card"))
    assert card["y"] + card["height"] <= size["height"]
    turn(opened, "Compare")
    parts = opened.locator("section")
    last = opened.locator("[aria-label='Scores g']") if size["width"] > 850 else parts.nth(1)
    box = box_of(last)
    assert box["y"] + box["height"] <= size["height"]
    widths = {round(box_of(section)["width"]) for section in parts.all()}
    assert max(widths) - min(widths) <= 1  # px: columns are rounded


def test_a_story_has_its_sentence_its_stage_and_its_card_in_sight(opened: Page):
    size = opened.viewport_size
    turn(opened, "Story")
    expect(opened.locator(".vl:visible .caption")).to_contain_text("1 of 9")
    opened.locator(".vl:visible").focus()
    for _ in range(3):
        opened.keyboard.press("ArrowRight")
    expect(opened.locator(".vl:visible .caption")).to_contain_text("4 of 9")
    for part in (".caption", ".stage", ".card"):
        box = box_of(opened.locator(f".vl:visible {part}"))
        assert box["x"] >= 0, part
        assert box["x"] + box["width"] <= size["width"], part
        assert box["y"] + 100 <= size["height"], part  # px: what the card has before its table
