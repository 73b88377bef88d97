"""Links: what is written is read back, and what was tampered with stays within bounds and is told."""

import base64
import json
import string
import zlib
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viterbi_lab.ui import address, hidden, problem_file
from viterbi_lab.ui.address import Place, read, written
from viterbi_lab.ui.presets import presets
from viterbi_lab.ui.question import CAPPED
from viterbi_lab.ui.sessions.stepper import StepperSession

EXAMPLES = presets()
FIRST = next(iter(EXAMPLES))


def packed(content: object) -> str:
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    return base64.urlsafe_b64encode(zlib.compress(text)).decode().rstrip("=")


def here(session: StepperSession, view: str = "step") -> Place:
    return Place(view, session.question, session.preset, session.step)


def same_problem(one, other) -> bool:
    return problem_file.content_of(one) == problem_file.content_of(other)


@pytest.mark.parametrize("example", list(EXAMPLES))
@pytest.mark.parametrize("view", ["step", "compare"])
def test_an_example_with_its_operator_h_and_step_is_read_back(example, view):
    session = StepperSession()
    session.preset = example
    session.op, session.rule, session.step = "plus", "√k", 5
    query = written(here(session, view), EXAMPLES)
    place, complaints = read(query, EXAMPLES)
    assert complaints == []
    assert query.isascii()
    assert len(query) < 200  # no problem is packed
    assert (place.view, place.preset, place.step) == (view, example, 5)
    assert same_problem(place.question, session.question)
    assert (place.question.op, place.question.rule) == ("plus", "√k")


CHANGES = [
    lambda session: session.edit("step", 0, "40"),
    lambda session: session.edit("first", 1, "-inf"),
    lambda session: session.edit("y", 0, "1"),
    lambda session: session.param.update(length=12, states=5),
    lambda session: session.param.update(order=2),
    lambda session: session.randomise(),
    lambda session: session.param.update(rule=CAPPED, cap=3),
    lambda session: session.set_formula("min(k, 3)**2 + 1"),
    lambda session: session.set_own(np.array([0, 1.5, -2, 7, 0.1])),
]


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_of_the_problem_is_read_back_exactly(change):
    session = StepperSession()
    change(session)
    session.op = "plain"
    place, complaints = read(written(here(session), EXAMPLES), EXAMPLES)
    assert complaints == []
    assert same_problem(place.question, session.question)
    assert (place.question.rule, place.question.op) == (session.question.rule, "plain")
    np.testing.assert_array_equal(place.question.h, session.question.h)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("view=admin", "“admin” is none of step, compare"),
        ("example=../../etc/passwd", "“../../etc/passwd” is none of worked_example"),
        ("op=pow", "“pow” is none of times, plus, plain"),
        ("step=-1", "“-1” is no whole number from 0"),
        ("step=1e400", "no whole number"),
        ("step=99999999999999999999", "no whole number"),
        ("h=__import__('os')", "h could not be used"),
        ("h=9**9**9**9", "h could not be used"),
        ("h=cap-0", "no whole number from 1 to"),
        ("h=0,1,2", "5 numbers"),
        ("h=k%2Bnan", "h could not be used"),
        ("problem=%21", "damaged"),
        ("problem=AAAA", "damaged"),
        ("problem=" + packed({})[:-4], "damaged"),
        ("problem=" + packed(b"[" * 50_000), "damaged"),
        ("problem=" + packed({"title": "x"}), "There is no field"),
        ("problem=" + packed(b" " * 5_000_000), "larger than 500000 bytes"),
        ("colour=red", "“colour”, which is none of"),
        ("step=1&step=2", "gives step twice"),
        ("x" * 8_001, "8001 letters"),
    ],
)
def test_what_was_tampered_with_is_told_and_left_out(query, said):
    place, complaints = read(query, EXAMPLES)
    assert said in " ".join(complaints)
    assert place.step in (0, 1)
    assert place.question is None or place.question.rule in ("k", "0/1")


def problem(**changes) -> dict:
    content = problem_file.content_of(EXAMPLES[FIRST].question)
    return {**content, **changes}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"g": [[0, 0, 0]] * 300, "y": ["1"] * 300}, "T = 300"),
        ({"cost": [[0, 10**12, 0]] * 4}, "cost sums up to 4000000000000"),
        ({"order": 10**9}, "ℓ"),
        ({"order": 7}, "ℓ"),
        ({"g": [[1e308, 0, 0]] * 4}, "could not be used"),
    ],
)
def test_a_packed_problem_that_is_too_large_is_told_before_anything_is_computed(changes, said):
    place, complaints = read("problem=" + packed(problem(**changes)), EXAMPLES)
    assert place.question is None
    assert said in complaints[0]


def test_the_sentence_about_a_bad_value_is_short_whatever_the_value():
    _, complaints = read("op=" + "x" * 5_000 + "&" + quote("ключ" * 50) + "=1", EXAMPLES)
    assert max(map(len, complaints)) < 200


def test_a_problem_too_long_for_a_link_is_refused_with_advice(monkeypatch):
    session = StepperSession()
    session.randomise()
    monkeypatch.setattr(address, "MOST_LETTERS", 100)
    with pytest.raises(ValueError, match="Save it as JSON"):
        written(here(session), EXAMPLES)


@given(st.text(alphabet=string.printable, max_size=80), st.sampled_from(address.KEYS))
def test_any_text_behind_any_key_is_read_or_told(text, key):
    place, complaints = read(f"{key}={quote(text)}", EXAMPLES)
    assert all(isinstance(sentence, str) and sentence for sentence in complaints)
    if place.question is not None:
        StepperSession().restore(place.question, preset=place.preset, step=place.step)


def test_the_names_that_can_be_hidden_are_in_the_readme():
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert not [name for name in hidden.NAMES if f"`{name}`" not in text]


def test_unknown_names_to_hide_are_told_and_known_ones_hidden():
    names, complaints = hidden.read("g, side,,nothing,g")
    assert names == {"g", "side"}
    assert len(complaints) == 1
    assert "“nothing”, which is none of side, views" in complaints[0]


def test_a_step_behind_the_end_becomes_the_last_one():
    session = StepperSession()
    session.restore(session.question, preset=FIRST, step=999)
    assert session.step == 35


@pytest.mark.parametrize(
    "content",
    [
        problem(labels=["1"], y=["1"] * 4, g=[[1], [[2]], [[3]], [[4]]]),
        problem(labels=["1", "2"], y=["1"], g=[[1, 2]], order=3),
        problem(h=[0, 1e300, 0, 0, 0]),
        problem(kmin=1),
        problem(offset=-1e6),
    ],
)
def test_odd_but_valid_problems_are_shown(content):
    place, complaints = read("problem=" + packed(content), EXAMPLES)
    assert complaints == []
    session = StepperSession()
    session.restore(place.question)
    assert session.question is place.question
    assert session.message()["T"] == place.question.y.size
