"""The stage alone in a file: present mode, type, theme, help, pseudocode, and paths from any final cell."""

import re

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from viterbi_lab.dp import trace
from viterbi_lab.ui import export
from viterbi_lab.ui.palette import DARK, LIGHT
from viterbi_lab.ui.presets import presets
from viterbi_lab.ui.question import Question

pytestmark = pytest.mark.browser

EXAMPLES = {title: preset.question for title, preset in presets().items()}
WORKED = next(iter(EXAMPLES.values()))
SHOWN = 0.006  # the page shows two decimals


@pytest.fixture
def opened(page: Page, tmp_path):
    def show(question: Question = WORKED, step: int = 0) -> Page:
        path = tmp_path / "page.html"
        path.write_text(export.html(question, step=step), encoding="utf-8")
        page.goto(path.as_uri())
        expect(page.locator(".vl .truth").first).to_be_attached()
        expect(page.locator(".vl")).to_be_focused()
        return page

    return show


def digit_height(page: Page) -> float:
    return page.locator(".vl .nodes text").first.evaluate("text => text.getBoundingClientRect().height")


def test_f_leaves_the_stage_alone_on_the_screen_and_larger(opened):
    page = opened(step=35)
    before = digit_height(page)
    page.keyboard.press("f")
    expect(page.locator(".vl .grids")).to_be_hidden()
    box, size = page.locator(".vl").bounding_box(), page.evaluate("[innerWidth, innerHeight]")
    assert [box["x"], box["y"], box["width"], box["height"]] == pytest.approx(
        [0, 0, *size], abs=1
    )  # rounding
    assert digit_height(page) > 1.1 * before
    page.get_by_role("radio", name="+ margin").click()
    expect(page.locator(".vl .card")).to_contain_text("16 + 3 = 19")
    page.keyboard.press("f")
    expect(page.locator(".vl .grids")).to_be_visible()
    assert digit_height(page) == pytest.approx(before, abs=1)  # rounding


@pytest.mark.parametrize("key", ["+", "-"])
def test_type_grows_and_shrinks_within_limits_and_the_pointer_still_hits(opened, key):
    page = opened(step=35)
    sizes = [digit_height(page)]
    for _ in range(8):
        page.keyboard.press(key)
        sizes.append(float(page.locator(".vl").evaluate("root => getComputedStyle(root).zoom")))
    assert sizes[-1] == sizes[-2]
    assert sizes[-1] == (1.6 if key == "+" else 0.85)
    seventeen = page.locator(".vl .nodes > *").nth(21)
    seventeen.hover(force=True)
    expect(page.locator(".vl .card")).to_contain_text("L4,1(3) = 11 + 6 = 17")


def test_d_switches_between_light_and_dark(opened):
    page = opened()
    stage = page.locator(".vl")
    expect(stage).not_to_have_class(re.compile("dark"))
    page.keyboard.press("d")
    expect(stage).to_have_class(re.compile("dark"))
    assert stage.evaluate("root => getComputedStyle(root).backgroundColor") == "rgb(21, 24, 28)"
    page.keyboard.press("d")
    expect(stage).not_to_have_class(re.compile("dark"))


def test_the_keys_are_listed_and_the_list_goes_away(opened):
    page = opened()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    page.get_by_role("button", name="Keys").click()
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("Shift")


def current_lines(page: Page) -> list[int]:
    lines = page.locator(".vl .code li")
    return [n + 1 for n in range(lines.count()) if "current" in (lines.nth(n).get_attribute("class") or "")]


def test_the_line_of_algorithm_1_follows_the_step(opened):
    page = opened()
    page.keyboard.press("a")
    expect(page.get_by_label("Algorithm 1", exact=True).and_(page.locator("ol"))).to_be_visible()
    assert current_lines(page) == []
    page.keyboard.press("ArrowRight")
    assert current_lines(page) == [1]
    page.get_by_label("Step by").select_option("candidate")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert current_lines(page) == [5]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert current_lines(page) == [5, 6]
    page.keyboard.press("End")
    assert current_lines(page) == [9]
    page.get_by_label("Step by").select_option("cell")
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    assert current_lines(page) == [7]


@pytest.mark.parametrize(
    "name", [next(iter(EXAMPLES)), "Negative h needs a second table", "Order 2: states are pairs"]
)
def test_every_cell_of_the_last_column_traces_a_labelling_that_has_its_value(opened, name):
    """The labelling that the card shows is scored by the engine."""
    question = EXAMPLES[name]
    tables, problem = trace(question.problem()), question.problem()
    page = opened(question, step=10_000)
    first = int(np.isfinite(tables.L[:-1]).sum())
    cells = np.argwhere(np.isfinite(tables.L[-1]))
    for n, (k, _) in enumerate(cells):
        page.locator(".vl .nodes > *").nth(first + n).click(force=True)
        card = page.locator(".vl .card").inner_text()
        assert card.startswith("Path to this cell")
        names = re.search(r"y = \(([^)]*)\)", card)[1].split(", ")
        y = np.array([question.labels.index(label) for label in names])
        assert (y != question.y).sum() == k
        value = problem.objective(question.scores.score(y), int(k))
        shown = re.findall(
            r"-?\d+(?:\.\d+)?", card.split("= (")[1].split(")", 1)[1].split("\n\n")[1].replace("−", "-")
        )
        assert float(shown[-1]) == pytest.approx(value, abs=SHOWN)
    page.locator(".vl .nodes > *").nth(first + len(cells) - 1).click(force=True)
    expect(page.locator(".vl .card")).to_contain_text("The answer", ignore_case=False)


def test_the_next_best_cells_are_named_and_traced(opened):
    page = opened(step=35)
    page.locator(".vl .card").get_by_role("button", name="16 · 3 = 48").click()
    card = page.locator(".vl .card")
    expect(card).to_contain_text("y = (1, 2, 2, 1)")
    expect(card).to_contain_text("Number 2 of 12, 4 behind the best.")
    expect(page.locator(".vl path.trace")).to_have_count(3)
    page.keyboard.press("ArrowLeft")
    expect(card).to_contain_text("Follow S back")


@pytest.mark.parametrize("dark", [False, True])
def test_the_picture_is_saved_as_it_stands(opened, dark):
    page = opened(step=35)
    if dark:
        page.keyboard.press("d")
        expect(page.locator(".vl")).to_have_class(re.compile(r"\bdark\b"))
    with page.expect_download() as download:
        page.keyboard.press("s")
    assert download.value.suggested_filename == "trellis.png"
    image = Image.open(download.value.path()).convert("RGB")
    body = page.locator(".vl .body").bounding_box()
    assert image.size == (round(2 * body["width"]), round(2 * body["height"]))
    pixels = np.asarray(image).reshape(-1, 3)
    decision = tuple(bytes.fromhex((DARK if dark else LIGHT).decision[1:]))  # the path, the card's result
    assert (pixels == decision).all(axis=1).sum() > 5000
    lanes = (26, 31, 36) if dark else (246, 248, 250)
    assert (pixels == lanes).all(axis=1).mean() > 0.2
