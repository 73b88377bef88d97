"""Pixels for slides, made without a browser: the picture as a PNG and the play-through as a GIF."""

import io
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from viterbi_lab.dp import trace
from viterbi_lab.ui import film, picture
from viterbi_lab.ui.palette import LIGHT
from viterbi_lab.ui.presets import presets
from viterbi_lab.ui.question import Question, random_scores

pytest.importorskip("resvg_py", reason="needs the extra pictures")

EXAMPLES = {title: preset.question for title, preset in presets().items()}
WORKED = next(iter(EXAMPLES.values()))
DECISION = tuple(bytes.fromhex(LIGHT.decision[1:]))
SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return ["".join(element.itertext()) for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_a_png_is_the_picture_at_its_scale_and_shows_the_path():
    image = Image.open(io.BytesIO(film.png(WORKED, scale=1.5))).convert("RGB")
    assert image.size == (1500, 900)
    pixels = np.asarray(image).reshape(-1, 3)
    assert (pixels == DECISION).all(axis=1).sum() > 1000


@pytest.mark.parametrize("name", ["Three answers (after Fig. 2)", "Order 2: states are pairs"])
def test_a_film_begins_empty_fills_one_cell_a_frame_and_ends_with_the_picture(name):
    question = EXAMPLES[name]
    tables = trace(question.problem())
    cells = int(np.isfinite(tables.L).sum())
    drawn = [picture.svg(question, step=step).count("<circle") for step in range(cells + 1)]
    highlighted = 1  # the cell of the step is drawn once more
    assert drawn == [0, *(n + highlighted for n in range(1, cells + 1))]
    assert picture.svg(question, step=film.steps(question)[-1]) == picture.svg(question)


def test_every_frame_says_why_its_cell_has_its_value():
    tables = trace(WORKED.problem())
    for n, (t, k, s) in enumerate(np.argwhere(np.isfinite(tables.L)), start=1):
        said = texts(picture.svg(WORKED, step=n))
        assert f"t = {t + 1}, k = {k}, label {WORKED.labels[s]}: " in " ".join(said)
        why = next(text for text in said if text.startswith("L = "))
        if t > 0:
            candidates = why.partition("max(")[2].partition(")")[0].split(", ")
            sums = [eval(text.replace("−", "-")) for text in candidates]
            assert max(sums) == tables.L[t, k, s]
            assert why.endswith(f"= {max(sums):g}")


def test_the_answer_appears_from_its_end_while_the_path_is_followed_back():
    answer, total = WORKED.answer(), film.steps(WORKED)[-1]
    head = f'y="{49 + 0.35 * 13:.1f}"'
    for known in range(5):
        picture_now = picture.svg(WORKED, step=total - 4 + known)
        shown = [
            e for e in ElementTree.fromstring(picture_now).iter(f"{SVG}text") if e.get("y") == head[3:-1]
        ]
        assert ["".join(e.itertext()) for e in shown] == [WORKED.labels[j] for j in answer.y[4 - known :]]


def test_a_gif_has_a_frame_for_every_step_and_stays_at_the_answer():
    image = Image.open(io.BytesIO(film.gif(WORKED, scale=0.5)))
    assert image.n_frames == len(film.steps(WORKED)) == 36
    assert image.info["loop"] == 0
    image.seek(35)
    assert image.info["duration"] == 3000
    whole = Image.open(io.BytesIO(film.png(WORKED, scale=0.5))).convert("RGB")
    difference = np.abs(np.asarray(image.convert("RGB"), int) - np.asarray(whole, int))
    assert difference.mean() < 3  # of 255: 128 colours instead of all


def test_a_long_film_goes_by_columns():
    question = Question("long", ("a", "b"), random_scores(1, (40, 2, 1)), np.zeros(40, int))
    shown = film.steps(question)
    assert len(shown) == 1 + 40 + 2
    ends, total = picture.events(question)
    assert shown[-1] == total
    assert ends[-1] == np.isfinite(trace(question.problem()).L).sum()
    sizes = [len(picture.svg(question, step=step)) for step in shown]
    assert sizes[:41] == sorted(sizes[:41])  # more heat with every column


def test_without_the_extra_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setattr(film, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"viterbi-lab\[pictures\]"):
        film.png(WORKED)
