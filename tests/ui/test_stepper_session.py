"""The Step view's state: what is in force, what is refused, and what the stage is told."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from viterbi_lab.dp import ChainProblem, ChainScores, Combine, NoFeasibleLabelling, trace
from viterbi_lab.ui.number import shown
from viterbi_lab.ui.presets import presets, read
from viterbi_lab.ui.question import CAPPED, OWN, RULES, random_scores
from viterbi_lab.ui.sessions import stepper
from viterbi_lab.ui.sessions.stepper import LOADED, StepperSession

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "worked_example.json").read_text())
EXAMPLES = list(presets())


@pytest.fixture
def session() -> StepperSession:
    return StepperSession()


def table(golden: dict, undefined: float) -> np.ndarray:
    """(T, K+1, N) array of a golden table."""
    filled = np.full((4, 5, 3), undefined)
    for t, floors in golden.items():
        for k, row in floors.items():
            filled[int(t) - 1, int(k)] = [undefined if value is None else value for value in row]
    return filled


def test_the_first_example_is_the_worked_example(session):
    message = session.message()
    np.testing.assert_array_equal(message["L"].reshape(4, 5, 3), table(GOLDEN["L"], -np.inf))
    predecessors = message["S"].reshape(4, 5, 3)
    np.testing.assert_array_equal(np.where(predecessors < 0, 0, predecessors + 1), table(GOLDEN["S"], 0))


@pytest.mark.parametrize(
    ("op", "value", "y"), [("times", 52, "2331"), ("plus", 19, "1221"), ("plain", 17, "1213")]
)
def test_the_worked_example_has_three_answers(session, op, value, y):
    session.op = op
    answer = session.question.answer()
    assert answer.value == value
    assert "".join(str(label + 1) for label in answer.y) == y


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_can_be_solved_and_says_why_it_is_there(session, example):
    session.preset = example
    assert session.message()["reset"]
    assert session.why.endswith(".")
    assert np.isfinite(session.question.answer().value)


def test_an_example_without_a_field_is_refused_by_its_file_name(tmp_path):
    path = tmp_path / "broken.json"
    path.write_text(json.dumps({"title": "broken", "labels": ["1"], "y": ["1"], "h": "k", "op": "plus"}))
    with pytest.raises(ValueError, match=r"broken\.json: There is no field 'g'"):
        read(path)


def test_the_stage_is_told_typed_arrays_and_scalars_only(session):
    message = session.message()
    arrays = {name: value for name, value in message.items() if isinstance(value, np.ndarray)}
    assert {name: array.dtype.name for name, array in arrays.items()} == {
        "y": "int32",
        "cost": "int32",
        "first": "float64",
        "steps": "float64",
        "L": "float64",
        "S": "int16",
        "L_min": "float64",
        "S_min": "int16",
    }
    rest = {name: value for name, value in message.items() if name not in arrays}
    assert all(isinstance(value, int | float | str) for name, value in rest.items() if name != "labels")


def test_scores_sent_flat_are_the_scores_of_the_windows(session):
    session.preset = next(name for name in EXAMPLES if name.startswith("Order 2"))
    question = session.question
    N, states = 2, 4
    for m, window in enumerate(question.scores.tables()[1:]):
        for i, j1, j2 in np.ndindex(N, N, N):
            s = j1 + N * j2
            assert question.flat_steps[i + N * (s + states * m)] == window[i, j1, j2]


def test_switching_the_operator_or_h_computes_no_table(session, monkeypatch):
    session.message()
    revision = session.revision
    monkeypatch.setattr(stepper, "trace", lambda problem: pytest.fail("a table was computed"))
    session.op = "plus"
    session.rule = "√k"
    session.rule = CAPPED
    session.cap = 3
    session.rule = OWN
    session.own = "0, 5, 5, 5, -1"
    session.message()
    assert session.revision == revision
    assert session.question.own == (0, 5, 5, 5, -1)


def test_h_is_sent_for_every_rule_with_one_value_per_floor(session):
    session.length = 6
    tables = session.tables()
    assert set(tables) == {*RULES, CAPPED, OWN}
    assert {values.shape for values in tables.values()} == {(7,)}
    np.testing.assert_array_equal(tables[CAPPED], [0, 1, 2, 2, 2, 2, 2])


def test_an_edited_score_is_in_force_at_once(session):
    assert session.edit("step", 0, "40") == ""
    scores = session.question.scores
    assert scores.tables()[1][0, 0] == 40  # g_2(1, 1)
    np.testing.assert_array_equal(session.message()["L"], trace(session.question.problem()).L.reshape(-1))
    assert not session.message()["reset"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x", "“x” is not a number"),
        ("1,5", "decimals with a point"),
        ("", "not a number"),
        ("nan", "not a score"),
        ("inf", "not a score"),
        ("1e308", "Scale the scores down"),
    ],
)
def test_a_bad_score_is_refused_and_the_last_good_problem_stays(session, text, said):
    before = session.question
    assert said in session.edit("first", 1, text)
    assert session.question is before


@pytest.mark.parametrize("text", ["-2.5", "−2.5", " -2.5 ", "-25e-1"])
def test_a_score_may_be_typed_in_several_ways(session, text):
    assert session.edit("first", 1, text) == ""
    assert session.question.flat_first[1] == -2.5


def test_minus_infinity_forbids_but_not_everything(session):
    session.length = 1
    assert session.edit("first", 0, "-inf") == ""
    assert session.edit("first", 1, "−∞") == ""
    before = session.question
    assert session.edit("first", 2, "-inf") != ""
    assert session.question is before


def test_a_true_label_is_changed_by_its_site(session):
    assert session.edit("y", 1, "0") == ""
    assert session.truth == "3 1 1 3"
    session.truth = "1 2 3 1"
    np.testing.assert_array_equal(session.question.y, [0, 1, 2, 0])
    session.truth = "3213"
    np.testing.assert_array_equal(session.question.y, [2, 1, 0, 2])


@pytest.mark.parametrize(
    ("text", "said"), [("3 2 1", "4 labels are needed"), ("3 2 1 7", "“7” is not a label")]
)
def test_bad_true_labels_are_refused_beside_the_control(session, text, said):
    before = session.question
    session.truth = text
    assert said in session.errors["truth"]
    assert session.question is before
    session.truth = "3 2 1 2"
    assert session.errors["truth"] == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0 1 2", "5 numbers"),
        ("0 1 2 3 x", "not a formula"),
        ("0 1 2 3 -inf", "finite"),
        ("k^2", "written with **"),
        ("1/k", "h(0) is inf"),
        ("sin(k)", "not allowed"),
    ],
)
def test_a_bad_list_h_is_refused_beside_the_control(session, text, said):
    session.rule = OWN
    session.own = text
    assert said in session.errors["own"]
    assert session.question.own == (0, 1, 2, 3, 4)


def test_a_longer_sequence_shows_how_the_own_list_goes_on(session):
    session.own = "0, 2, 2, 2, 7"
    session.length = 6
    assert session.own == "0, 2, 2, 2, 7, 7, 7"
    session.length = 3
    assert session.own == "0, 2, 2, 2"


def test_growing_and_shrinking_brings_the_old_problem_back(session):
    before = session.question
    for name, there, back in (("length", 7, 4), ("states", 5, 3)):
        setattr(session, name, there)
        setattr(session, name, back)
        np.testing.assert_array_equal(session.question.flat_steps, before.flat_steps)
        np.testing.assert_array_equal(session.question.y, before.y)


def test_shrinking_and_growing_takes_the_scores_from_the_example(session):
    before = session.question
    session.length = 2
    session.length = 4
    np.testing.assert_array_equal(session.question.flat_steps, before.flat_steps)


@pytest.mark.parametrize("order", [2, 3])
def test_raising_the_order_keeps_the_answer_and_lowering_it_the_question(session, order):
    before = session.question
    session.order = order
    assert session.question.size == (4, 3, order)
    assert session.question.answer().value == 52
    session.order = 1
    assert session.question.scores is before.scores


def test_too_big_a_combination_is_explained_in_words_not_clamped(session):
    session.states = 6
    session.length = 200
    assert session.message()["T"] == 200
    session.order = 2
    assert session.question.size == (200, 6, 2)
    said = " ".join(session.message()["words"])
    assert "1,447,200 cells, and 250,000 can be drawn" in said
    assert "T can be at most 82" in said
    session.length = 82
    assert session.message()["T"] == 82


def test_labels_too_many_for_an_order_are_said_to_be(session):
    session.states = 6
    session.order = 3
    assert "too many for ℓ = 3" in session.message()["words"][0]


@pytest.mark.parametrize("op", ["plus", "times", "plain"])
def test_what_is_not_drawn_is_answered_in_words_by_the_engine(session, op):
    rng = np.random.default_rng(4)
    scores = ChainScores.homogeneous(rng.normal(size=(1500, 9)), rng.normal(size=(9, 9)))
    session.load(ChainProblem(scores, rng.integers(9, size=1500), np.arange(1501.0), Combine.PLUS), "long")
    session.op = op
    answer = session.question.answer()
    words = session.message()["words"]
    assert shown(answer.value) in words[1]
    assert f"k = {answer.k}" in words[1]
    assert f"at {(answer.y != session.question.y).sum():,} of 1,500 sites" in words[2]
    assert (session.length, session.states) == (200, 6)  # as far as the sliders go
    session.order = 2
    assert session.question.size == (1500, 9, 2)
    session.length = 12
    assert session.question.size == (12, 9, 2)
    session.undo()
    assert session.question.size == (1500, 9, 2)


def test_another_operator_on_a_problem_in_words_is_a_new_message(session):
    scores = ChainScores.homogeneous(np.eye(2)[[0] * 300], np.zeros((2, 2)))
    session.load(ChainProblem(scores, np.zeros(300, int), np.arange(301.0), Combine.PLUS), "long")
    before = session.message()
    session.op = "plain"
    assert session.message()["revision"] > before["revision"]
    assert session.message()["words"] != before["words"]


def test_random_scores_depend_on_the_seed_and_the_size_only(session):
    session.randomise()
    drawn = session.question.flat_steps
    assert session.seed == 1
    session.randomise()
    assert not np.array_equal(session.question.flat_steps, drawn)
    session.seed = 1
    np.testing.assert_array_equal(session.question.flat_steps, drawn)
    np.testing.assert_array_equal(random_scores(1, (4, 3, 1)).initial, session.question.flat_first)


def test_reset_brings_the_example_back_with_its_controls(session):
    session.length, session.op, session.rule = 6, "plain", "√k"
    session.reset()
    assert (session.length, session.op, session.rule, session.truth) == (4, "times", "k", "3 2 1 3")
    assert session.question.answer().value == 52
    assert session.message()["reset"]


def any_problem(h=(0.0, 1.5, 2.5, 4.0), **more) -> ChainProblem:
    rng = np.random.default_rng(3)
    scores = ChainScores.from_tables([rng.normal(size=2), *rng.normal(size=(2, 2, 2))])
    return ChainProblem(scores, np.array([0, 1, 1]), np.array(h), Combine.TIMES, **more)


def test_a_loaded_problem_is_shown_with_its_h_and_its_constant(session):
    problem = any_problem(offset=0.75)
    session.load(problem, "pass 3, example 1", ("N", "G"))
    assert session.preset == LOADED
    assert session.why == "pass 3, example 1"
    assert session.truth == "N G G"
    assert session.message()["offset"] == 0.75
    assert session.question.answer().value == trace(problem).decoding.value
    np.testing.assert_array_equal(session.tables()[session.rule], problem.h)


def test_a_second_loaded_problem_takes_the_place_of_the_first(session):
    session.load(any_problem(), "first")
    session.load(any_problem(h=(0, 1, 1, 1)), "second")
    assert session.why == "second"
    assert session.question.own == (0, 1, 1, 1)
    session.edit("first", 0, "9")
    session.reset()
    assert session.question.flat_first[0] != 9


def test_a_loaded_problem_chosen_again_is_the_loaded_one(session):
    session.load(any_problem(), "mine")
    loaded = session.question
    session.preset = EXAMPLES[1]
    session.preset = LOADED
    assert session.why == "mine"
    np.testing.assert_array_equal(session.question.flat_steps, loaded.flat_steps)


def test_a_restored_question_begins_at_its_step_and_undo_leads_back(session):
    session.edit("step", 0, "40")
    before = session.question
    session.restore(before.rescored("step", 0, 7.0), preset=EXAMPLES[0], step=12)
    message = session.message()
    assert (message["reset"], message["place"], session.step) == (True, 12, 12)
    session.undo()
    assert session.question is before
    session.reset()
    assert session.question.flat_steps[0] == 4


def test_costs_of_a_loaded_problem_are_kept_and_its_y_and_size_fixed(session):
    cost = np.array([[0, 2], [1, 0], [1, 0]])
    session.load(any_problem(h=np.arange(5.0), cost=cost), "weighted")
    np.testing.assert_array_equal(session.message()["cost"], cost.reshape(-1))
    assert session.message()["K"] == 4
    assert "costs of its own" in session.edit("y", 0, "1")
    session.length = 5
    assert "costs of its own" in session.errors["size"]


def test_what_cannot_be_solved_is_not_loaded(session):
    before = session.question
    nothing = ChainScores.from_tables([np.full(2, -np.inf)])
    with pytest.raises(NoFeasibleLabelling):
        session.load(ChainProblem(nothing, np.array([0]), np.arange(2.0), Combine.PLUS), "nothing")
    assert session.question is before


def test_a_typed_formula_is_h_and_follows_the_length(session):
    session.rule = OWN
    session.own = "min(k, 3)**2"
    assert session.errors.get("own", "") == ""
    np.testing.assert_array_equal(session.tables()[OWN], [0, 1, 4, 9, 9])
    session.length = 6
    assert session.own == "min(k, 3)**2"
    np.testing.assert_array_equal(session.question.h, [0, 1, 4, 9, 9, 9, 9])
    session.own = "0, 1, 1, 1, 1, 1, 1"
    assert session.question.formula == ""


def test_a_formula_that_fails_at_a_new_length_is_said_and_the_size_stays(session):
    session.rule = OWN
    session.own = "sqrt(5 - k)"
    session.length = 8
    assert "h(6) is nan" in session.errors["size"]
    assert session.question.size[0] == 4


def changes(session) -> list:
    """A change of every kind, and the question after each."""
    steps = [
        lambda: session.edit("step", 0, "9"),
        lambda: session.edit("y", 0, "1"),
        lambda: session.param.update(length=5),
        lambda: session.param.update(op="plus"),
        lambda: session.param.update(rule="√k"),
        session.randomise,
        session.reset,
    ]
    found = [session.question]
    for step in steps:
        step()
        found.append(session.question)
    return found


def test_undo_goes_back_through_every_change_and_redo_forth(session):
    found = changes(session)
    assert all(one is not other for one, other in pairwise(found))
    for question in found[-2::-1]:
        session.undo()
        assert session.question is question
        np.testing.assert_array_equal(session.message()["L"], trace(question.problem()).L.reshape(-1))
        assert (session.length, session.op, session.rule) == (question.size[0], question.op, question.rule)
    session.undo()
    assert session.question is found[0]
    for question in found[1:]:
        session.redo()
        assert session.question is question
    session.redo()
    assert session.question is found[-1]


def test_a_new_change_after_an_undo_forgets_what_was_undone(session):
    session.edit("step", 0, "9")
    session.undo()
    session.edit("step", 0, "8")
    here = session.question
    session.redo()
    assert session.question is here


def test_fifty_changes_can_be_undone(session):
    for value in range(60):
        session.edit("step", 0, str(value))
    for _ in range(60):
        session.undo()
    assert session.question.flat_steps[0] == 9


def test_another_example_is_a_new_beginning(session):
    session.edit("step", 0, "9")
    session.preset = EXAMPLES[1]
    before = session.question
    session.undo()
    assert session.question is before
