"""The stage's colours: text has a contrast of at least 4.5:1, lines and bars of 3:1, in light and dark."""

import re

import pytest

from viterbi_lab.ui.views.stage import FOLDER

CSS = (FOLDER / "trellis.css").read_text(encoding="utf-8")
TEXT, GRAPHIC = 4.5, 3.0  # WCAG 2.2, 1.4.3 and 1.4.11
PAPER = {"light": "#ffffff", "dark": "#15181c"}

ON_PAGE = ("paper", "card", "lane-0", "lane-1")
WRITTEN = {"ink": ON_PAGE, "muted": ON_PAGE, "decision": ON_PAGE, "truth": ("paper", "card")}
WRITTEN |= {"on-decision": ("decision",), "on-current": ("current",), "paper": ("ink",), "card": ("ink",)}
DRAWN = {"edge": ("lane-0", "lane-1", "card"), "decision": ON_PAGE}


def colours(theme: str) -> dict[str, str]:
    blocks = re.findall(r"\.vl(\.dark)? \{(.*?)\}", CSS, re.S)
    found = {"paper": PAPER[theme]}
    for dark, block in blocks:
        if not dark or theme == "dark":
            found |= dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))
    return found


def luminance(colour: str) -> float:
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("pairs", "least"), [(WRITTEN, TEXT), (DRAWN, GRAPHIC)], ids=["text", "graphic"])
def test_every_colour_stands_out_from_what_it_lies_on(theme, pairs, least):
    palette = colours(theme)
    weak = {
        f"{front} on {back}": round(contrast(palette[front], palette[back]), 2)
        for front, backs in pairs.items()
        for back in backs
        if contrast(palette[front], palette[back]) < least
    }
    assert not weak


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_in_grey_the_decision_is_still_told_from_the_edges(theme):
    """Beside colour: it is filled, thicker, and its cells have their digits in the other ink."""
    palette = colours(theme)
    assert contrast(palette["decision"], palette["on-decision"]) >= TEXT
    strokes = dict(re.findall(r"\.vl path\.(win|lose) \{[^}]*?stroke-width: ([\d.]+)", CSS))
    assert float(strokes["win"]) > 2 * float(strokes["lose"])
    assert re.search(r"\.vl \.wrong \{[^}]*underline", CSS)
