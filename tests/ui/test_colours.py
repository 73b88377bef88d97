"""The colours of the lab, as everybody sees them: text has a contrast of 4.5:1, marks 3:1, in both themes.

Colour blindness is simulated by the matrices of Machado, Oliveira and Fernandes (IEEE TVCG 15(6), 2009) for a
missing cone, on linear RGB; in grey only the luminance is left. What differs in colour must differ in form.
"""

import re

import numpy as np
import pytest

from viterbi_lab.ui.palette import DARK, DASHES, HEAT_LEVELS, LIGHT, Palette
from viterbi_lab.ui.program import scene_css, stage_css
from viterbi_lab.ui.views.page import HEADER_INK, _header_theme

TEXT, GRAPHIC = 4.5, 3.0  # WCAG 2.2, 1.4.3 and 1.4.11
LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
SIGHT = {
    "all cones": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
    "grey": np.tile(LUMINANCE, (3, 1)),
}
OKLAB = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
"""Linear RGB to the cone responses of Oklab (Ottosson 2020); its mixtures are those of CSS color-mix."""


@pytest.fixture(params=[LIGHT, DARK], ids=["light", "dark"])
def palette(request) -> Palette:
    return request.param


@pytest.fixture(params=list(SIGHT))
def sight(request) -> np.ndarray:
    return SIGHT[request.param]


def linear(colour: str) -> np.ndarray:
    parts = np.array([int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one: np.ndarray, other: np.ndarray, sight: np.ndarray = SIGHT["all cones"]) -> float:
    low, high = sorted(float(LUMINANCE @ np.clip(sight @ colour, 0, 1)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def too_weak(pairs: list[tuple[str, str]], least: float, sight: np.ndarray) -> dict[str, float]:
    found = {f"{front} on {back}": contrast(linear(front), linear(back), sight) for front, back in pairs}
    return {name: round(value, 2) for name, value in found.items() if value < least}


def grounds(palette: Palette) -> tuple[str, ...]:
    return palette.background, palette.surface, palette.card, *palette.lanes


def test_black_on_white_has_the_contrast_of_the_standard():
    assert contrast(linear("#000000"), linear("#ffffff")) == pytest.approx(21)
    assert contrast(linear("#777777"), linear("#ffffff")) == pytest.approx(4.48, abs=0.005)  # two decimals


def test_every_text_can_be_read_by_everybody(palette, sight):
    written = ("ink", "muted", "decision", "truth")
    pairs = [(getattr(palette, name), ground) for name in written for ground in grounds(palette)]
    pairs += [(palette.on_decision, palette.decision), (palette.on_current, palette.current)]
    pairs += [(palette.card, palette.ink), (palette.background, palette.ink)]  # pressed buttons
    pairs += [(run, palette.background) for run in palette.runs]  # the names of curves
    assert not too_weak(pairs, TEXT, sight)


def test_every_mark_stands_out_for_everybody(palette, sight):
    drawn = ("edge", "decision", "truth", "ink")
    pairs = [(getattr(palette, name), ground) for name in drawn for ground in grounds(palette)]
    assert not too_weak(pairs, GRAPHIC, sight)


def test_the_header_can_be_read_by_everybody(sight):
    inks = _header_theme()["palette"]
    pairs = [(inks["primary"]["main"], HEADER_INK), (inks["text"]["secondary"], HEADER_INK)]
    assert not too_weak(pairs, TEXT, sight)


def test_digits_on_heat_have_the_ink_that_can_be_read(palette, sight):
    theme = r"\.dark" if palette.is_dark else r":not\(\.dark\)"
    white = re.search(rf"\n\.vl{theme} \.nodes \[data-h=[^{{]* text \{{ fill: #ffffff; \}}", stage_css())[0]
    turned = {int(level) for level in re.findall(r'data-h="(\d+)"', white)}
    low, high = (np.cbrt(OKLAB @ linear(end)) for end in palette.heat)
    for level in range(HEAT_LEVELS):
        mixed = np.linalg.solve(OKLAB, (low + (high - low) * level / (HEAT_LEVELS - 1)) ** 3)
        ink = "#ffffff" if level in turned else "#000000"
        assert contrast(mixed, linear(ink), sight) >= TEXT, level


def test_stage_and_scene_have_no_colours_of_their_own():
    """But black and white on heat, and those of an error."""
    for css in (stage_css(), scene_css()):
        rules = css[css.index("/*") :]  # behind the palette
        own = {colour.lower() for colour in re.findall(r"#[0-9a-fA-F]{6}\b", rules)}
        assert own <= {"#c62828", "#ff8a80", "#ffffff", "#000000"}
    pairs = [("#ffffff", "#c62828"), ("#c62828", LIGHT.background), ("#ff8a80", DARK.background)]
    assert not too_weak(pairs, TEXT, SIGHT["all cones"])


def test_the_decision_is_told_by_form_as_well():
    """It is filled, thicker, and wrong labels are underlined; its rival edges are dashed."""
    css = stage_css()
    strokes = dict(re.findall(r"\.vl path\.(win|lose) \{[^}]*?stroke-width: ([\d.]+)", css))
    assert float(strokes["win"]) > 2 * float(strokes["lose"])
    assert re.search(r"\.vl path\.lose \{[^}]*dasharray", css)
    assert re.search(r"\.vl \.wrong \{[^}]*underline", css)
    assert re.search(r"\.box\.uses rect \{[^}]*dasharray", scene_css())


def test_no_two_runs_look_alike_without_their_colours(palette):
    looks = [palette.run(number) for number in range(len(palette.runs) * len(DASHES))]
    assert len({(dash, marker) for _, dash, marker in looks}) == len(looks)
