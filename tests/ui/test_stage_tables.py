"""The stage alone in a file: the table of minima where h is negative, and long problems in parts."""

import re
import statistics

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from viterbi_lab.dp import trace
from viterbi_lab.ui import export
from viterbi_lab.ui.presets import presets
from viterbi_lab.ui.question import OWN, Question, random_scores

pytestmark = pytest.mark.browser

EXAMPLES = {title: preset.question for title, preset in presets().items()}
NEGATIVE = EXAMPLES["Negative h needs a second table"]


def long_question(T: int, N: int = 2, order: int = 1, **more) -> Question:
    rng = np.random.default_rng(T + N)
    labels = tuple("abcdef"[:N])
    return Question("long", labels, random_scores(T, (T, N, order)), rng.integers(N, size=T), **more)


@pytest.fixture
def opened(page: Page, tmp_path):
    def show(question: Question, step: int = 0) -> Page:
        path = tmp_path / "page.html"
        path.write_text(export.html(question, step=step), encoding="utf-8")
        page.goto(path.as_uri())
        expect(page.locator(".vl")).to_be_focused()
        expect(page.locator(".vl .truth").first).to_be_attached()
        return page

    return show


def card(page: Page):
    return page.locator(".vl .card")


def last(text: str) -> float:
    return float(re.findall(r"-?\d+(?:\.\d+)?", text.replace("−", "-"))[-1])


# the second table


def test_only_where_h_is_negative_there_is_a_second_table(opened):
    page = opened(EXAMPLES["Three answers (after Fig. 2)"])
    expect(page.get_by_role("radiogroup", name="Table")).to_be_hidden()
    page.keyboard.press("m")
    expect(page.get_by_role("radio", name="min")).to_be_hidden()


def test_the_table_of_minima_is_stepped_like_that_of_maxima(opened):
    """Every card in both tables against the engine's."""
    page, tables = opened(NEGATIVE), trace(NEGATIVE.problem())
    for table, key in ((tables.L, "Home"), (tables.L_min, "m")):
        page.keyboard.press(key)
        page.keyboard.press("Home")
        for t, k, s in np.argwhere(np.isfinite(tables.L)):
            page.keyboard.press("ArrowRight")
            shown = card(page).locator("b" if t == 0 else "h3").first.inner_text()
            value = shown if t == 0 else re.search(r"Why (\S+)", shown)[1]
            assert last(value) == table[t, k, s], (t, k, s)
    expect(card(page)).to_contain_text("min")


def test_switching_the_table_keeps_the_step(opened):
    page = opened(NEGATIVE, step=14)
    before = page.locator(".vl .where").inner_text()
    page.get_by_role("radio", name="min").click()
    expect(page.get_by_role("radio", name="min")).to_be_checked()
    assert page.locator(".vl .where").inner_text() == before
    page.keyboard.press("m")
    expect(page.get_by_role("radio", name="max")).to_be_checked()


def test_the_answer_says_what_max_alone_would_have_answered(opened):
    """Proposition 1 of Bauer et al. as printed: on each floor only the largest sum is looked at."""
    page, tables = opened(NEGATIVE, step=10_000), trace(NEGATIVE.problem())
    alone = max(best * NEGATIVE.h[k] for k, best in enumerate(tables.L[-1].max(axis=1)) if np.isfinite(best))
    assert alone < tables.decoding.value
    note = card(page).get_by_text("With max alone").inner_text()
    assert last(note.split(" on floor")[0]) == alone
    page.get_by_role("radio", name="+ margin").click()
    expect(card(page)).not_to_contain_text("With max alone")
    expect(page.get_by_role("radiogroup", name="Table")).to_be_hidden()


def test_algorithm_1_names_the_table_in_view(opened):
    page = opened(NEGATIVE, step=14)
    page.keyboard.press("a")
    code = page.locator(".vl .code")
    expect(code).to_contain_text("← maxi")
    page.keyboard.press("m")
    expect(code).to_contain_text("← mini")
    expect(code).to_contain_text("with Lmin where h(k) < 0")


# long problems


def zoom(page: Page) -> float:
    """How many of the sites are in view."""
    return page.locator(".vl .head span.site").count()


@pytest.mark.parametrize(("T", "N"), [(60, 3), (200, 2), (200, 6)])
def test_a_long_problem_is_drawn_whole_and_gives_the_answer_of_the_engine(opened, T, N):
    question = long_question(T, N)
    page, answer = opened(question, step=10**7), trace(question.problem()).decoding
    expect(page.locator(".vl svg.heat").first).to_be_visible()
    expect(card(page)).to_contain_text(f"{answer.k} wrong")
    assert last(card(page).locator(".result").inner_text().split(" on floor")[0]) == answer.value
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".vl .where")).to_contain_text("backtrack")


def test_zooming_in_brings_back_circles_with_their_numbers(opened):
    question = long_question(60)
    tables = trace(question.problem())
    page = opened(question, step=1800)
    expect(page.locator(".vl .nodes > *")).to_have_count(0)
    for _ in range(9):
        page.keyboard.press("z")
    expect(page.locator(".vl svg.circles").first).to_be_visible()
    now = page.locator(".vl .now text").text_content()
    t, k, s = np.argwhere(np.isfinite(tables.L))[1799]
    assert float(now) == tables.L[t, k, s]
    assert 0 < page.locator(".vl .nodes > *").count() < 400
    page.keyboard.press("0")
    expect(page.locator(".vl .nodes > *")).to_have_count(0)
    expect(page.get_by_role("group", name="Overview")).to_be_hidden()


def test_the_view_follows_the_step(opened):
    page = opened(long_question(60), step=1800)
    for _ in range(9):
        page.keyboard.press("z")
    for key in ("Home", "End", "ArrowLeft", "Shift+ArrowLeft"):
        page.keyboard.press(key)
        page.keyboard.press("ArrowRight")
        now = page.locator(".vl .now, .vl .overlay g.path").last
        box, stage = now.bounding_box(), page.locator(".vl svg.floors").bounding_box()
        assert stage["x"] <= box["x"] <= stage["x"] + stage["width"], key
        assert stage["y"] - 1 <= box["y"] <= stage["y"] + stage["height"], key


def test_the_wheel_zooms_where_the_pointer_is_and_hovering_still_hits(opened):
    question = long_question(60)
    tables = trace(question.problem())
    page = opened(question, step=10**7)
    box = page.locator(".vl svg.floors").bounding_box()
    x, y = box["x"] + 0.4 * box["width"], box["y"] + 0.9 * box["height"]
    page.mouse.move(x, y)
    page.mouse.wheel(0, -240)  # the first turn also moves the card out of the way
    expect(page.get_by_role("group", name="Overview")).to_be_visible()

    def pointed() -> tuple[int, int]:
        for aside in range(0, 80, 4):  # between two columns there is nothing: to the next one on the right
            page.mouse.move(x + aside, y)
            if found := re.search(r"L(\d+),(\d+)\(", card(page).inner_text()):
                return int(found[1]), int(found[2])
        raise AssertionError("There is no cell at the pointer.")

    t, k = pointed()
    for _ in range(3):
        page.mouse.wheel(0, -120)
        page.wait_for_timeout(50)
    assert np.abs(np.array(pointed()) - (t, k)).max() <= 1
    t, k = pointed()
    value = re.search(r"Why ([\d.]+)", card(page).inner_text())[1]
    assert float(value) in tables.L[t - 1, k]


def test_dragging_moves_the_view_and_is_no_click(opened):
    page = opened(long_question(60), step=1800)
    for _ in range(5):
        page.keyboard.press("z")
    before = page.locator(".vl svg.floors").get_attribute("aria-label")
    box = page.locator(".vl svg.floors").bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 300)
    page.mouse.down()
    page.mouse.move(box["x"] + 350, box["y"] + 200, steps=4)
    page.mouse.up()
    expect(page.locator(".vl svg.floors")).not_to_have_attribute("aria-label", before)
    overview = page.get_by_role("group", name="Overview")
    overview.focus()
    moved = page.locator(".vl svg.floors").get_attribute("aria-label")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".vl svg.floors")).not_to_have_attribute("aria-label", moved)


def test_a_page_scrolls_past_a_stage_that_has_not_the_focus(opened):
    page = opened(long_question(60))
    page.evaluate("document.activeElement.blur()")
    box = page.locator(".vl svg.floors").bounding_box()
    page.mouse.move(box["x"] + 500, box["y"] + 300)
    page.mouse.wheel(0, -240)
    page.wait_for_timeout(100)
    expect(page.get_by_role("group", name="Overview")).to_be_hidden()


def test_a_small_problem_needs_no_zoom(opened):
    page = opened(EXAMPLES["Three answers (after Fig. 2)"], step=20)
    page.keyboard.press("z")
    expect(page.get_by_role("group", name="Zoom")).to_be_hidden()
    expect(page.get_by_role("group", name="Overview")).to_be_hidden()


def test_the_heat_of_the_minima_is_another_picture(opened):
    h = tuple(-float(k) for k in range(61))
    page = opened(long_question(60, rule=OWN, own=h), step=10**7)
    pixels = "canvas => canvas.toDataURL()"
    before = page.locator("canvas.heat").evaluate(pixels)
    page.keyboard.press("m")
    assert page.locator("canvas.heat").evaluate(pixels) != before
    page.keyboard.press("m")
    assert page.locator("canvas.heat").evaluate(pixels) == before


@pytest.mark.parametrize(("T", "N"), [(4, 3), (10, 4), (20, 6), (40, 6), (200, 6)])
def test_a_key_changes_no_more_than_a_column_and_the_time_to_paint_is_told(opened, T, N):
    page = opened(long_question(T, N), step=N * T)
    changes, took = page.locator(".vl").evaluate(
        """async root => {
            let changes = 0;
            const watcher = new MutationObserver(list => { changes += list.length });
            for (const layer of ["nodes", "edges", "background", "prices", "values", "dots"])
                watcher.observe(root.querySelector("svg ." + layer),
                    {subtree: true, attributes: true, childList: true});
            const took = [];
            for (let n = 0; n < 40; n++) {
                const start = performance.now();
                root.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
                await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
                took.push(performance.now() - start);
            }
            return [changes / 40, took];
        }"""
    )
    print(f"key to paint, T={T} N={N}: median {statistics.median(took):.0f} ms")  # noqa: T201
    assert changes <= 3 * N * (T + 1)  # one class each of node, edge and dotted place
