"""The Step view in a real browser: what a person sees is what the engine computes; keys do what they say."""

import re
import statistics
import threading
import time
from functools import partial

import numpy as np
import panel as pn
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from viterbi_lab.dp import trace
from viterbi_lab.ui import export
from viterbi_lab.ui.palette import LIGHT
from viterbi_lab.ui.presets import presets
from viterbi_lab.ui.question import OWN
from viterbi_lab.ui.sessions import stepper
from viterbi_lab.ui.sessions.stepper import StepperSession
from viterbi_lab.ui.views.page import lab
from viterbi_lab.ui.views.stage import Stage
from viterbi_lab.ui.views.step import EXPORTS, StepView

pytestmark = pytest.mark.browser

COLD = 120_000  # ms: the first page of a machine compiles the kernels
SHOWN = 0.006  # the page shows two decimals

WALK = """root => {
    const press = key => root.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
    press("Home");
    const cards = [];
    for (let before = ""; before !== root.querySelector(".where").textContent; ) {
        before = root.querySelector(".where").textContent;
        press("ArrowRight");
        cards.push(root.querySelector(".card").innerText);
    }
    return cards.slice(0, -1);
}"""


class Shown:
    """The view of one session in the browser."""

    def __init__(self, page: Page, session: StepperSession, opened: list) -> None:
        self.page, self.session = page, session
        self.document, self.view = opened[-1]
        self.stage = page.locator(".vl:visible")
        self.card = page.locator(".vl:visible .card")
        self.where = page.locator(".vl:visible .where")

    def press(self, *keys: str) -> None:
        self.stage.focus()
        for key in keys:
            self.page.keyboard.press(key)

    def score(self, label: str) -> Locator:
        return self.page.get_by_label(label, exact=True)

    def set(self, **values) -> None:
        """Change the session where the server itself would: on the document's own thread."""
        self.document.add_next_tick_callback(partial(self.session.param.update, **values))
        eventually(lambda: all(getattr(self.session, name) == value for name, value in values.items()))

    def choose(self, example: str) -> None:
        self.set(preset=example)
        expect(self.page.locator(".vl:visible .truth")).to_have_count(self.session.question.y.size)
        expect(self.where).to_have_text(re.compile(r"^start · 0/"))


@pytest.fixture
def shown(serve, page: Page) -> Shown:  # in this order the page closes before its server does
    session, opened, loaded = StepperSession(), [], threading.Event()
    session.message()  # solved here, so that the page need not wait for a compiler

    def app() -> StepView:
        view = StepView(session)
        opened.append((pn.state.curdoc, view))
        pn.state.onload(loaded.set)
        return view

    page.goto(serve(app))
    expect(page.locator(".vl:visible .nodes > *")).to_have_count(30, timeout=COLD)
    eventually(loaded.is_set)  # before that Panel drops what Python changes
    return Shown(page, session, opened)


def eventually(claim) -> None:
    """Wait until Python has heard what the page said."""
    until = time.monotonic() + 15.0
    while not claim():
        assert time.monotonic() < until, "Python did not hear of it"
        time.sleep(0.02)


def test_the_worked_example_stepped_to_its_end_shows_52_and_2331(shown):
    shown.press(*["ArrowRight"] * 35)
    expect(shown.where).to_have_text("backtrack · 35/35")
    expect(shown.card).to_contain_text("y* = (2, 3, 3, 1)")
    expect(shown.card).to_contain_text("13 · 4 = 52")
    assert shown.page.locator(".vl:visible .hat").all_inner_texts() == ["2", "3", "3", "1"]
    eventually(lambda: shown.session.step == 35)


def test_the_operator_is_switched_without_computing_a_table(shown, monkeypatch):
    monkeypatch.setattr(stepper, "trace", lambda problem: pytest.fail("a table was computed"))
    shown.press("End")
    shown.page.get_by_role("button", name="+ margin").click()
    expect(shown.card).to_contain_text("16 + 3 = 19")
    expect(shown.card).to_contain_text("y* = (1, 2, 2, 1)")
    shown.page.get_by_role("button", name="plain").click()
    expect(shown.card).to_contain_text("y* = (1, 2, 1, 3)")
    expect(shown.card).to_contain_text("17")


def test_the_operator_is_switched_even_when_the_server_is_gone(shown):
    shown.press("End")
    eventually(lambda: shown.session.step == 35)
    pn.state.kill_all_servers()
    shown.page.get_by_role("button", name="+ margin").click()
    expect(shown.card).to_contain_text("16 + 3 = 19")
    shown.press("ArrowLeft")
    expect(shown.where).to_have_text("backtrack · 34/35")


# Panel reports the step over a websocket that it is still trying to open again.
test_the_operator_is_switched_even_when_the_server_is_gone.forgives = "Still in CONNECTING state"


def test_h_is_chosen_in_the_side_bar(shown):
    shown.press("End")
    shown.set(rule="√k")
    expect(shown.card).to_contain_text("= 27.71")
    shown.set(rule="k²")
    expect(shown.card).to_contain_text("13 · 16 = 208")


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", text.replace("−", "-"))]


def expected_cells(question) -> list[tuple[int, int, int, float, int]]:
    """(t, k, s, L, S) of every defined cell in the order of stepping."""
    tables = trace(question.problem())
    return [
        (t, k, s, tables.L[t, k, s], tables.S[t, k, s])
        for t, k, s in np.ndindex(tables.L.shape)
        if np.isfinite(tables.L[t, k, s])
    ]


def expect_cells(shown: Shown, n: int) -> None:
    """The stage draws a table of so many cells, as elements or as one image."""
    expect(shown.page.get_by_role("img", name=f"floors: {n} cells")).to_be_visible(timeout=30_000)


def check_walk(shown: Shown) -> None:
    question = shown.session.question
    cards = shown.stage.evaluate(WALK)
    cells = expected_cells(question)
    window = question.scores.window_order
    for card, (t, k, s, L, S) in zip(cards, cells, strict=False):
        if t == window - 1:
            first = re.search(r"\) = (\S+)$", card, re.M)
            assert numbers(first[1]) == pytest.approx([L], abs=SHOWN), (t, k, s)
            continue
        result = re.search(r"= ([^=]+)\s*S[\d,\s]+\([^)]*\) = (\S+?)(?:, the smallest)?$", card.strip(), re.M)
        assert result, card
        assert numbers(result[1])[-1] == pytest.approx(L, abs=SHOWN), (t, k, s)
        assert result[2] == question.labels[S], (t, k, s)
    answer = question.answer()
    assert len(cards) == len(cells) + 1 + question.y.size - window + 1
    last = cards[-1]
    assert re.search(r"y\* = \(([^)]*)\)", last)[1].split(", ") == [question.labels[j] for j in answer.y]
    value = re.search(r"L\* = (.*) on floor", last)[1]
    assert numbers(value)[-1] == pytest.approx(answer.value, abs=SHOWN)
    assert f"{answer.k if question.op != 'plain' else (answer.y != question.y).sum()} wrong" in last


@pytest.mark.parametrize("example", list(presets()))
def test_every_card_of_every_example_agrees_with_the_engine(shown, example):
    if example != shown.session.preset:
        shown.choose(example)
    check_walk(shown)
    for op in ("plus", "plain"):
        shown.set(op=op)
        expect(shown.stage).to_have_attribute("data-op", op)
        check_walk(shown)


@pytest.mark.parametrize("size", [(6, 3, 2), (5, 2, 3), (1, 2, 1), (2, 2, 3), (12, 6, 1)])
def test_random_problems_of_every_order_agree_with_the_engine(shown, size):
    T, N, order = size
    shown.set(length=T, states=N, order=order)
    shown.set(seed=7)
    expect(shown.page.locator(".vl:visible .truth")).to_have_count(T)
    assert shown.session.question.size == size
    expect_cells(shown, len(expected_cells(shown.session.question)))
    check_walk(shown)


def test_columns_cells_and_candidates_are_three_step_sizes(shown):
    shown.press("Shift+ArrowRight")
    expect(shown.where).to_have_text("t = 1 · 3/35")
    shown.press("Shift+ArrowRight")
    expect(shown.where).to_have_text("t = 2 · 9/35")
    shown.press("ArrowRight")
    expect(shown.where).to_have_text("t = 3 · 10/35")
    shown.press("Shift+ArrowLeft")
    expect(shown.where).to_have_text("t = 2 · 9/35")
    shown.page.get_by_label("Step by").select_option("candidate")
    shown.press("ArrowRight")
    expect(shown.card.locator("tbody tr.later")).to_have_count(2)
    shown.press("ArrowRight", "ArrowRight")
    expect(shown.card.locator("tbody tr.later")).to_have_count(0)
    shown.press("ArrowLeft")
    expect(shown.card.locator("tbody tr.later")).to_have_count(1)
    shown.press("Home")
    expect(shown.where).to_have_text("start · 0/35")


def test_it_plays_by_itself_pauses_and_starts_paused(shown):
    expect(shown.where).to_have_text("start · 0/35")
    shown.page.get_by_label("Speed").select_option("4")
    shown.press("Space")
    expect(shown.page.get_by_role("button", name="Pause")).to_be_visible()
    expect(shown.where).to_have_text(re.compile(r"^t = 2"))
    shown.press("Space")
    before = shown.where.inner_text()
    shown.page.wait_for_timeout(500)
    assert shown.where.inner_text() == before


def test_the_scrub_bar_leads_to_any_step(shown):
    bar = shown.page.get_by_role("slider", name="Step", exact=True)

    def click(share: float) -> None:
        box = bar.bounding_box()  # anew: while the page settles, the bar may move
        shown.page.mouse.click(box["x"] + 1 + share * (box["width"] - 2), box["y"] + box["height"] / 2)

    click(1.0)
    expect(shown.where).to_have_text("backtrack · 35/35")
    expect(bar).to_have_attribute("aria-valuetext", "backtrack · 35/35")
    click(0.0)
    expect(shown.where).to_have_text("start · 0/35")


def test_keys_work_only_where_the_stage_has_the_focus(shown):
    shown.page.get_by_label("True labels y").click()
    shown.page.keyboard.press("ArrowRight")
    shown.page.keyboard.press("End")
    shown.score("g 2 (1, 1)").click()
    shown.page.keyboard.press("End")
    shown.page.keyboard.press("Space")
    shown.page.keyboard.press("Escape")
    expect(shown.where).to_have_text("start · 0/35")


def test_a_score_is_edited_in_place_and_keeps_the_focus(shown):
    shown.press("End")
    cell = shown.score("g 4 (3, 1)")
    cell.evaluate("input => { input.mark = 'the same element' }")
    cell.fill("20")
    cell.press("Enter")
    expect(shown.card).to_contain_text("30 · 4 = 120")
    assert shown.session.question.answer().value == 120
    expect(cell).to_be_focused()
    assert cell.evaluate("input => input.mark") == "the same element"
    assert cell.input_value() == "20"
    expect(shown.where).to_have_text("backtrack · 35/35")
    cell.press("ArrowUp")
    expect(shown.score("g 4 (2, 1)")).to_be_focused()
    shown.page.keyboard.press("ArrowLeft")
    expect(shown.score("g 3 (2, 3)")).to_be_focused()


def test_text_in_a_score_is_refused_beside_it_and_the_problem_stays(shown):
    shown.press("End")
    cell = shown.score("g 3 (2, 3)")
    cell.fill("four")
    cell.press("Enter")
    alert = shown.page.get_by_role("alert").filter(has_text="“four” is not a number")
    expect(alert).to_be_visible()
    where, mark = cell.bounding_box(), alert.bounding_box()
    assert abs(mark["x"] - where["x"]) < 100
    assert abs(mark["y"] - where["y"]) < 60
    expect(shown.card).to_contain_text("13 · 4 = 52")
    cell.press("Escape")
    expect(alert).to_have_count(0)
    assert cell.input_value() == "4"
    assert shown.session.question.answer().value == 52


def test_a_true_label_is_cycled_by_a_click(shown):
    shown.page.get_by_label("y 1 = 3").click()
    expect(shown.page.get_by_label("y 1 = 1")).to_be_visible()
    eventually(lambda: shown.session.truth == "1 2 1 3")
    expect(shown.page.get_by_label("True labels y")).to_have_value("1 2 1 3")


def test_the_place_is_kept_when_a_score_changes(shown):
    shown.press(*["ArrowRight"] * 14)
    expect(shown.where).to_have_text("t = 3 · 14/35")
    shown.score("g 1 (3)").fill("5")
    shown.page.keyboard.press("Enter")
    expect(shown.where).to_have_text("t = 3 · 14/35")
    eventually(lambda: shown.session.question.flat_first[2] == 5)
    shown.set(length=2)
    expect(shown.where).to_have_text("t = 2 · 9/12")  # the end of the last column there is


def test_hovering_a_cell_shows_why_and_leaving_returns(shown):
    shown.press("End")
    seventeen = shown.page.locator(".vl:visible .nodes > g").nth(21)
    expect(seventeen).to_have_text("17")
    seventeen.hover(force=True)
    expect(shown.card).to_contain_text("L4,1(3) = 11 + 6 = 17")
    expect(shown.page.locator(".vl path.trace")).to_have_count(3)
    shown.page.mouse.move(2, 2)
    expect(shown.card).to_contain_text("The answer")


def test_ties_are_named_and_marked_at_the_node(shown):
    expect(shown.page.locator(".vl:visible .tie")).to_have_count(2)
    shown.press(*["ArrowRight"] * 16)
    expect(shown.card).to_contain_text("a tie")
    expect(shown.card.locator("tr.tie")).to_have_count(1)
    expect(shown.card).to_contain_text("S3,2(3) = 2, the smallest")


def test_where_h_is_negative_the_smallest_sums_are_shown_and_said_to_decide(shown):
    shown.choose("Negative h needs a second table")
    shown.press("End")
    expect(shown.card).to_contain_text("there the smallest sum decides")
    expect(shown.card).to_contain_text("(−6) · (−3) = 18")
    expect(shown.page.locator(".vl:visible .least")).to_have_count(8)
    shown.set(op="plus")
    expect(shown.page.locator(".vl:visible .least")).to_have_count(0)


def test_the_card_is_spoken_and_every_control_has_a_name(shown):
    status = shown.page.locator(".vl [aria-live]")
    shown.press(*["ArrowRight"] * 11)
    expect(status).to_have_text(re.compile(r"t = 3, k = 1, label 1\. .*Right label: same floor"))
    shown.press("End")
    expect(status).to_have_text("The answer is 2, 3, 3, 1, score 13, 4 wrong, value 52.")
    nameless = shown.stage.evaluate(
        """root => [...root.querySelectorAll("button, input, select, [role=slider]")].filter(
            e => !(e.getAttribute("aria-label") || e.textContent.trim())).length"""
    )
    assert nameless == 0


def test_in_heat_view_labels_are_thinned_and_cells_have_no_digits(shown):
    shown.set(length=40)
    expect(shown.page.locator(".vl svg.floors.heat")).to_be_visible()
    assert 8 <= shown.page.locator(".vl text.k").count() <= 41
    expect(shown.page.locator(".vl:visible .nodes text")).to_have_count(0)
    expect(shown.page.locator(".vl:visible .grid")).to_have_count(1)


def test_a_step_touches_only_what_it_changes(shown):
    """At T = 40, N = 6 one step changes one cell and its column, not the 4920 cells of the table."""
    shown.set(length=40, states=6)
    n_cells = len(expected_cells(shown.session.question))
    expect_cells(shown, n_cells)
    touched = shown.stage.evaluate(
        """async root => {
            const key = (key, shiftKey) => root.dispatchEvent(
                new KeyboardEvent("keydown", {key, shiftKey, bubbles: true}));
            for (let t = 0; t < 38; t++) key("ArrowRight", true);
            await new Promise(requestAnimationFrame);
            let changes = 0;
            const watcher = new MutationObserver(list => { changes += list.length });
            const all = {subtree: true, attributes: true, childList: true};
            for (const layer of ["nodes", "edges", "background", "prices", "values", "dots"])
                watcher.observe(root.querySelector("svg ." + layer), all);
            const took = [];
            for (let n = 0; n < 40; n++) {
                const start = performance.now();
                key("ArrowRight", false);
                await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
                took.push(performance.now() - start);
            }
            return {changes: changes / 40, took};
        }"""
    )
    print(f"key to paint, T=40 N=6: median {statistics.median(touched['took']):.0f} ms")  # noqa: T201
    assert touched["changes"] <= 6


def test_everything_essential_is_visible_without_scrolling(page: Page, serve):
    page.goto(serve(lab))
    expect(page.locator(".vl:visible .nodes > *")).to_have_count(30, timeout=COLD)
    last = page.get_by_label("g 4 (3, 3)", exact=True)
    expect(last).to_be_in_viewport(ratio=1.0)
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    page.locator(".vl:visible").focus()
    page.keyboard.press("End")
    expect(page.locator(".vl:visible .card")).to_contain_text("13 · 4 = 52")
    expect(page.locator(".vl:visible .card")).to_be_in_viewport(ratio=1.0)


def test_the_stage_follows_the_theme_of_the_page(page: Page, serve):
    page.goto(serve(lab) + "?theme=dark")
    expect(page.locator(".vl:visible")).to_have_class(re.compile(r"\bdark\b"), timeout=COLD)


def test_a_stage_that_was_hidden_takes_the_theme_when_it_appears(page: Page, serve):
    page.goto(serve(lab))
    page.get_by_role("tab", name="Story").click(timeout=COLD)
    expect(page.locator(".vl:visible .caption")).to_contain_text("1 of 9", timeout=COLD)
    page.get_by_role("tab", name="Step").click()
    expect(page.locator(".vl:visible .caption")).not_to_contain_text("of 9")
    page.get_by_role("button", name="Toggle theme").click()
    expect(page.locator(".vl:visible")).to_have_class(re.compile(r"\bdark\b"))
    page.get_by_role("tab", name="Story").click()
    expect(page.locator(".vl:visible .caption")).to_contain_text("1 of 9")
    expect(page.locator(".vl:visible")).to_have_class(re.compile(r"\bdark\b"))


def test_what_is_too_big_to_be_drawn_is_told_in_words_and_the_picture_comes_back(shown):
    shown.set(length=200, states=6)
    expect_cells(shown, 120_600)
    shown.press("End")
    shown.page.get_by_role("button", name="2", exact=True).click()
    words = shown.page.locator(".vl:visible .words")
    expect(words).to_contain_text("1,447,200 cells, and 250,000 can be drawn")
    expect(words).to_contain_text(f"k = {shown.session.question.answer().k}")
    expect(shown.page.locator(".vl:visible .toolbar")).to_be_hidden()
    shown.page.get_by_role("button", name="+ margin").click()
    expect(words).to_contain_text(" + ")
    shown.set(length=4)
    expect(shown.page.locator(".vl:visible .toolbar")).to_be_visible()
    expect(shown.page.locator(".vl:visible .truth")).to_have_count(4)


def test_the_stage_alone_switches_operator_and_h_by_itself(page: Page, serve):
    """As in a notebook or a page without a server: no side bar, the stage brings its own controls."""
    session = StepperSession()
    given = {"problem": session.message(), "h": session.tables(), "controls": True, "editable": False}
    page.goto(serve(lambda: Stage(**given, sizing_mode="stretch_width", height=600)))
    expect(page.locator(".vl:visible .nodes > *")).to_have_count(30, timeout=COLD)
    page.locator(".vl:visible").focus()
    page.keyboard.press("End")
    page.get_by_role("radio", name="+ margin").click()
    expect(page.locator(".vl:visible .card")).to_contain_text("16 + 3 = 19")
    page.get_by_label("Loss wrapper h").select_option("k²")
    expect(page.locator(".vl:visible .card")).to_contain_text("13 + 16 = 29")
    expect(page.get_by_label("g 2 (1, 1)", exact=True)).not_to_be_editable()
    expect(page.get_by_label("y 1 = 3")).to_be_disabled()


@pytest.mark.parametrize("kind", list(EXPORTS))
def test_what_is_on_the_stage_is_saved_as_a_file(shown, kind):
    shown.set(op="plus")
    write, ending = EXPORTS[kind]
    shown.document.add_next_tick_callback(partial(shown.view._kind.param.update, value=kind))
    eventually(lambda: shown.view._save.filename == f"three_answers_after_fig_2.{ending}")
    with shown.page.expect_download() as download:
        shown.page.get_by_role("button", name="Save").click()
    assert download.value.suggested_filename == f"three_answers_after_fig_2.{ending}"
    content = write(shown.session.question)
    assert download.value.path().read_bytes() == (content if isinstance(content, bytes) else content.encode())


def test_the_problem_is_copied_as_python(shown):
    shown.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    shown.page.get_by_role("button", name="Copy as Python").click()
    expect(shown.page.locator(".vl:visible .toast")).to_have_text("Copied to the clipboard")
    copied = shown.page.evaluate("navigator.clipboard.readText()")
    assert copied == export.python_code(shown.session.question)


def test_a_change_is_undone_and_redone_by_keys_and_by_buttons(shown):
    shown.press("End")
    shown.page.get_by_label("y 1 = 3").click()
    expect(shown.page.get_by_label("y 1 = 1")).to_be_visible()
    shown.press("Control+z")
    expect(shown.page.get_by_label("y 1 = 3")).to_be_visible()
    expect(shown.card).to_contain_text("13 · 4 = 52")
    shown.press("Control+Shift+Z")
    expect(shown.page.get_by_label("y 1 = 1")).to_be_visible()
    shown.page.get_by_role("button", name="Undo").click()
    expect(shown.page.get_by_label("y 1 = 3")).to_be_visible()
    expect(shown.page.get_by_label("True labels y")).to_have_value("3 2 1 3")
    shown.page.get_by_role("button", name="Redo").click()
    expect(shown.page.get_by_label("y 1 = 1")).to_be_visible()


def test_h_is_typed_as_a_formula_and_what_is_wrong_stands_beside_it(shown):
    shown.press("End")
    shown.set(rule=OWN)
    field = shown.page.get_by_label("h(k): formula in k, or list")
    field.fill("k^2")
    field.press("Enter")
    expect(shown.page.get_by_text("Powers are written with **")).to_be_visible()
    expect(shown.card).to_contain_text("13 · 4 = 52")
    field.fill("k**2")
    field.press("Enter")
    expect(shown.page.get_by_text("Powers are written with **")).to_be_hidden()
    expect(shown.card).to_contain_text("13 · 16 = 208")


def test_the_picture_is_saved_from_the_lab_too(shown):
    shown.press("End")
    with shown.page.expect_download() as download:
        shown.press("s")
    image = np.asarray(Image.open(download.value.path()).convert("RGB")).reshape(-1, 3)
    assert (image == tuple(bytes.fromhex(LIGHT.decision[1:]))).all(
        axis=1
    ).sum() > 5000  # the path: the styles came along


def test_h_is_drawn_with_the_pointer_and_undone(shown):
    shown.press("End", "h")
    box = shown.page.get_by_role("slider", name="h(1)").bounding_box()
    x = box["x"] + box["width"] * 2.5 / 5
    shown.page.mouse.move(x, box["y"] + box["height"] / 2)
    shown.page.mouse.down()
    shown.page.mouse.move(x, box["y"] + 1, steps=5)
    shown.page.mouse.up()
    eventually(lambda: shown.session.rule == OWN)
    drawn = shown.session.question.h[2]
    assert drawn > 4
    assert shown.session.question.h.tolist() == [0, 1, drawn, 3, 4]
    expect(shown.card).to_contain_text("16 · ")
    shown.press("Control+z")
    eventually(lambda: shown.session.question.h.tolist() == [0, 1, 2, 3, 4])
    expect(shown.card).to_contain_text("13 · 4 = 52")
