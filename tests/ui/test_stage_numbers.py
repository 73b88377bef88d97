"""Numbers on the stage: short where there is little room, and never zero or cut off."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from viterbi_lab.dp import ChainScores
from viterbi_lab.ui import export
from viterbi_lab.ui import number as number_module
from viterbi_lab.ui.presets import presets
from viterbi_lab.ui.program import stage_js
from viterbi_lab.ui.question import Question

pytestmark = pytest.mark.browser

WORKED = next(iter(presets().values())).question
SIZES = [0.0, *(s * d * 10.0**e for e in range(-9, 8) for d in (1, 1.25, 3.456, 9.96) for s in (1, -1))]
ROOMS = [2.6, 3.6, 4.4, 5.4, 6.0]


@pytest.fixture
def written(page: Page):
    """``written(name, *arguments)`` calls a function of the stage's module."""
    source = stage_js()
    page.add_script_tag(type="module", content=source + "\nwindow.stage = { show, fit };")
    page.wait_for_function("window.stage")
    return lambda name, *given: page.evaluate(
        "([name, given]) => window.stage[name](...given)", [name, given]
    )


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def half_a_unit(text: str) -> float:
    """Half of what the last digit counts."""
    digits, _, power = text.replace("−", "").partition("e")
    decimals = len(digits.partition(".")[2])
    return 0.5 * 10.0 ** (int(power.replace("−", "-") or 0) - decimals)


def check(text: str, value: float) -> None:
    assert (number(text) == 0) == (value == 0), (text, value)
    assert abs(number(text) - value) <= half_a_unit(text) * (1 + 1e-9), (text, value)  # the half is rounded
    assert "-" not in text


def test_a_number_is_shown_rounded_and_only_zero_as_zero(written):
    for value in SIZES:
        text = written("show", value)
        check(text, value)
        assert len(text) <= 10  # −125000.25 is the longest; what is larger is −1.3e6


def test_in_little_room_a_number_is_shorter_and_still_no_zero(written):
    for value, room in itertools.product(SIZES, ROOMS):
        text = written("fit", value, room)
        if text == "≈0":
            assert 0 < abs(value) < 0.1
            continue
        check(text, value)
        assert len(text) - 0.5 * text.count(".") <= max(room, 4)  # “−1e6” is as short as it gets


def test_pictures_made_without_a_browser_write_the_same_numbers(written):
    for value in SIZES:
        assert number_module.shown(value) == written("show", value)
        for room in ROOMS:
            assert number_module.fitted(value, room) == written("fit", value, room)


def small_scores() -> Question:
    """Scores as features give them: hundredths of both signs."""
    rng = np.random.default_rng(2)
    tables = [np.round(rng.normal(scale=0.05, size=(3,) * min(t + 1, 2)), 3) for t in range(4)]
    return replace(WORKED, scores=ChainScores.from_tables(tables, order=1))


@pytest.mark.parametrize("width", [850, 1280])
def test_no_score_is_cut_off_in_its_field_and_none_looks_like_zero(page: Page, tmp_path, width):
    question = small_scores()
    path = tmp_path / "page.html"
    path.write_text(export.html(question), encoding="utf-8")
    page.set_viewport_size({"width": width, "height": 720})
    page.goto(path.as_uri())
    expect(page.locator(".vl .grids input").first).to_be_visible()
    fields = page.locator(".vl .grids input").evaluate_all(
        "inputs => inputs.map(i => [i.value, i.scrollWidth <= i.clientWidth])"
    )
    assert all(fits for _, fits in fields)
    assert not [text for text, _ in fields if re.fullmatch(r"[−-]?0?\.?0*", text)]
