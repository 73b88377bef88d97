"""Cases 05 (fit), 14, 15, 19, 21, 23, 25: distilled from public bug reports about training."""

import numpy as np
import pytest

from viterbi_lab.cutting_plane import Status, iterates
from viterbi_lab.estimator import StructuredSVM
from viterbi_lab.rescaling import RESCALINGS
from viterbi_lab.tasks.sequence import SequenceTask
from viterbi_lab.trainers import TRAINERS
from viterbi_lab.working_set import WorkingSet

EPSILON = 1e-6


def fit(part, mode, Y, **settings):
    svm = StructuredSVM(part["C"], epsilon=EPSILON, rescaling=mode, **settings)
    return svm.fit(part["X"], Y)


def assert_solution(svm, expected, tolerance):
    """Objective, weights and slacks as the case file asks for them; its w is N×F, then N×N from i to j."""
    emissions, transitions = np.array(expected["W_emission"]), np.array(expected["W_transition"])
    w = np.concatenate([emissions.ravel(), transitions.ravel()])
    assert svm.converged_
    assert svm.result_.upper == pytest.approx(expected["objective"], rel=tolerance["objective_rel"])
    np.testing.assert_allclose(svm.w_, w, atol=tolerance["weights_abs"])
    np.testing.assert_allclose(svm.result_.slack, expected["xi"], atol=tolerance["xi_abs"])


def test_05_a_feature_that_is_not_finite_is_refused_with_its_place(case):
    content = case("05")
    checked = 0
    for part, expected in zip(content["input"]["subcases"], content["expected"]["subcases"], strict=True):
        if part["op"] == "fit":
            with pytest.raises(ValueError, match=expected["message_should_name"]):
                StructuredSVM(part["C"]).fit(part["X"], part["y"])
            checked += 1
    assert checked == 1


@pytest.mark.parametrize("mode", ["slack", "margin"])
def test_14_data_with_one_label_needs_no_constraint(case, mode):
    part, expected = (case("14")[side]["subcases"][0] for side in ("input", "expected"))
    svm = fit(part, mode, part["y"])
    assert svm.converged_
    assert (svm.result_.upper, svm.result_.planes) == (expected["objective"], expected["constraints"])
    assert not svm.w_.any()
    assert svm.predict([[[5.0], [-5.0], [0.0]]]) == [["A", "A", "A"]]


@pytest.mark.parametrize("number", [1, 2])
def test_14_a_label_that_never_occurs_in_the_data_is_learned_against(case, number):
    content = case("14")
    part, expected = content["input"]["subcases"][number], content["expected"]["subcases"][number]
    svm = fit(part, part["mode"], part["y"], classes=part["label_set"])
    assert_solution(svm, expected, content["tolerance"])


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("mode", ["slack", "margin"])
def test_15_sequences_of_length_one_have_the_closed_form(case, number, mode):
    content = case("15")
    part, expected = content["input"]["subcases"][number], content["expected"]["subcases"][number]
    assert mode in part["mode"]
    svm = fit(part, mode, part["y"], classes=part["label_set"])
    assert_solution(svm, expected, content["tolerance"])


def test_19_labels_of_any_kind_give_the_same_model_and_come_back(case):
    content = case("19")
    part, expected = content["input"], content["expected"]
    assert len(part["y_variants"]) == 6
    for Y in part["y_variants"]:
        svm = fit(part, part["mode"], Y)
        assert svm.result_.upper == pytest.approx(expected["objective_for_every_variant"], rel=1e-3)
        predicted = svm.predict(part["X"])
        assert predicted == Y
        assert [type(label) for label in predicted[0]] == [type(label) for label in Y[0]]


@pytest.mark.parametrize("mode", ["slack", "margin"])
def test_21_the_known_optimum_of_one_sequence(case, mode):
    content = case("21")
    part, expected = content["input"], content["expected"][mode]
    svm = fit(part, mode, part["y"])
    assert_solution(svm, expected, content["tolerance"])
    assert svm.predict(part["X"]) == [expected["train_prediction"]]


@pytest.mark.parametrize("mode", ["slack", "margin"])
@pytest.mark.parametrize("trainer", TRAINERS)
def test_23_examples_given_three_times_do_not_move_the_optimum(case, mode, trainer):
    content = case("23")
    part = content["input"]
    assert_solution(
        fit(part, mode, part["y"], trainer=trainer), content["expected"][mode], content["tolerance"]
    )


@pytest.mark.parametrize("mode", ["slack", "margin"])
def test_23_no_example_holds_a_constraint_twice(case, mode):
    content = case("23")
    part, task = content["input"], SequenceTask(2, 2)
    examples = task.prepare([np.array(x) for x in part["X"]], [np.array(y) for y in part["y"]])
    constraints = WorkingSet(3, task.n_weights)
    list(
        iterates(
            task,
            examples,
            C=part["C"],
            epsilon=EPSILON,
            rescaling=RESCALINGS[mode],
            working_set=constraints,
        )
    )
    rows = np.column_stack([constraints.owners, constraints.bounds, constraints.rows])
    assert len(np.unique(rows, axis=0)) == len(rows)
    assert np.bincount(constraints.owners).max() <= content["expected"]["max_constraints_per_example"]


@pytest.mark.parametrize("mode", ["slack", "margin"])
@pytest.mark.parametrize("trainer", TRAINERS)
def test_25_the_dual_rises_to_the_optimum_and_the_gap_closes(case, mode, trainer):
    content = case("25")
    part, optimum = content["input"], content["expected"][mode]["optimum"]
    history = []
    svm = StructuredSVM(
        part["C"], epsilon=part["epsilon"], rescaling=mode, trainer=trainer, callback=history.append
    )
    svm.fit(part["X"], part["y"])
    lowers = [lower for it in history for lower in it.lowers]
    assert 1 <= len(history) <= 50
    assert np.isfinite([(it.lower, it.upper) for it in history]).all()
    assert (np.diff(lowers) >= -1e-6).all()
    assert max(lowers) <= optimum + 1e-4
    assert optimum - lowers[-1] <= part["C"] * part["epsilon"] + 1e-4
    assert optimum - 1e-4 <= history[-1].upper <= optimum + part["C"] * part["epsilon"] + 1e-4
    assert history[-1].status is Status.CONVERGED
