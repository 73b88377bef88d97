"""Plain, margin and slack side by side: the values of every floor, the hull, and the view."""

import re
from itertools import product
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from viterbi_lab.ui.comparison import SHORT, chart, columns, hull
from viterbi_lab.ui.g_strip import g_strip
from viterbi_lab.ui.palette import LIGHT
from viterbi_lab.ui.presets import presets
from viterbi_lab.ui.question import Question, random_scores
from viterbi_lab.ui.sessions.stepper import StepperSession
from viterbi_lab.ui.views.compare import CompareView

EXAMPLES = {title: preset.question for title, preset in presets().items()}
WORKED = next(iter(EXAMPLES.values()))
LABELS_OF_ANSWER = 'svg:has(title) > text[font-weight="700"][y="53.5"]'  # the row ŷ of a picture
COLD = 120_000  # ms: the first page of a machine compiles the kernels


def test_the_worked_example_has_three_winners():
    assert [(column.answer.value, column.answer.k) for column in columns(WORKED)][1:] == [(19, 3), (52, 4)]
    assert columns(WORKED)[0].answer.value == 17


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("own", [(), (0.0, 2.0, -1.0, 0.5, -3.0)])
def test_the_best_of_every_floor_is_the_best_of_all_labellings_with_that_count(seed, own):
    rng = np.random.default_rng(seed)
    scores = random_scores(seed, (4, 2, 1))
    question = Question(
        "", ("a", "b"), scores, rng.integers(2, size=4), own=own, rule="own list" if own else "k", offset=-6.5
    )
    everything = [(np.array(y), scores.score(np.array(y))) for y in product(range(2), repeat=4)]
    for column in columns(question):
        problem = column.question.problem()
        for k, value in enumerate(column.values):
            of_floor = [problem.objective(s, k) for y, s in everything if (y != question.y).sum() == k]
            assert value == pytest.approx(max(of_floor), abs=1e-12)  # sums of four whole numbers


@pytest.mark.parametrize("seed", range(5))
def test_the_hull_holds_every_floor_that_some_slope_chooses(seed):
    values = np.random.default_rng(seed).normal(size=9)
    k = np.arange(9)
    chosen = {int(np.argmax(values + slope * k)) for slope in np.linspace(-20, 20, 4001)}
    assert chosen <= set(hull(values))
    corners = hull(values)
    slopes = np.diff(values[corners]) / np.diff(corners)
    assert (np.diff(slopes) < 0).all()


def test_floors_that_nobody_reaches_are_left_out_of_hull_and_chart():
    values = np.array([-np.inf, 3.0, -np.inf, 5.0, 1.0])
    assert hull(values) == [1, 3, 4]


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_every_chart_marks_the_winner(name):
    for column in columns(EXAMPLES[name]):
        root = ElementTree.fromstring(chart(column))
        value = re.search(r"wins with (\S+)\.$", root.attrib["aria-label"])[1].replace("−", "-")
        assert float(value) == pytest.approx(column.answer.value, abs=0.006)  # two decimals are shown
        radii = [e.attrib["r"] for e in root.iter() if e.tag.endswith("circle")]
        assert radii.count("6") == 1
        assert len(radii) == np.isfinite(column.values).sum()


SHOWN_BY_SITE = [
    name
    for name, question in EXAMPLES.items()
    if question.scores.window_order == 1 and question.y.size <= 8  # of the others the strip shows one site
]


@pytest.mark.parametrize("name", SHOWN_BY_SITE)
def test_the_letters_on_the_shared_scores_add_up_to_the_answers(name):
    """Reading off the scores marked P, M or S gives the score of that answer."""
    found = columns(EXAMPLES[name])
    cells = re.findall(r"<td[^>]*>([^<]*)<small[^>]*>([^<]*)</small>", g_strip(found, None, LIGHT))
    for column in found:
        letter = SHORT[column.question.op]
        marked = [float(value.replace("−", "-")) for value, letters in cells if letter in letters]
        assert len(marked) == column.question.y.size
        score = column.question.scores.score(column.answer.y)
        assert sum(marked) == pytest.approx(score, abs=0.05)  # two decimals are shown of each


def test_before_the_answers_the_scores_carry_no_letters():
    strip = g_strip(columns(WORKED), 2, LIGHT)
    assert not re.search(r"<small[^>]*>[PMS]", strip)
    assert strip.count("2px solid #") == 1  # the column filled last is framed


@pytest.mark.browser
def test_all_three_are_stepped_together_and_stay_at_their_answers(page: Page, serve):
    session = StepperSession()
    page.goto(serve(lambda: CompareView(session)))
    sections = page.locator("section")
    expect(sections).to_have_count(3, timeout=COLD)
    for filled in (4, 3):
        page.get_by_role("button", name="Previous column").click()
        for section in sections.all():
            expect(section).to_contain_text(f"column {filled} of 4, the same for all")
    expect(sections.first.locator("circle:not([fill])")).to_have_count(
        18
    )  # the cells; one more marks the last
    for _ in range(2):
        page.get_by_role("button", name="Next column").click()
    expect(sections.nth(2).locator("h3 b")).to_have_text("52")


@pytest.mark.browser
def test_the_view_shows_three_answers_and_follows_h(page: Page, serve):
    session = StepperSession()
    page.goto(serve(lambda: CompareView(session)))
    sections = page.locator("section")
    expect(sections).to_have_count(3, timeout=COLD)
    expected = (("17", "1, 2, 1, 3"), ("19", "1, 2, 2, 1"), ("52", "2, 3, 3, 1"))
    for section, (value, answer) in zip(sections.all(), expected, strict=True):
        expect(section.locator("h3 b")).to_have_text(value)
        assert section.locator(LABELS_OF_ANSWER).all_text_contents() == answer.split(", ")
    page.get_by_label("True labels y").fill("1 2 1 3")
    page.get_by_label("True labels y").press("Enter")
    expect(sections.nth(0).locator("h3")).to_contain_text("score 17, 0 wrong")
