"""The protocol of Fig. 7: one cell, by laws and beside the slow ways to the same numbers."""

import dataclasses

import numpy as np
import pytest

from viterbi_lab.experiments.agreement import agreement
from viterbi_lab.experiments.cells import run_cell
from viterbi_lab.experiments.drawn import draw
from viterbi_lab.experiments.protocol import Cell, Protocol, grid
from viterbi_lab.oracle import predict
from viterbi_lab.rescaling import RESCALINGS

SMALL = Protocol(pool=30, n_validation=20, n_test=20, Cs=(1e-3, 1e-1, 10.0), one_slack_up_to=10)


@pytest.fixture(scope="module")
def result():
    return run_cell(SMALL, Cell(0, 2.0, 10, "slack"))


def test_all_right_sites_are_those_that_prediction_labels_one_by_one(rng):
    data = draw(SMALL, 0, 5.0)
    w = rng.normal(size=data.task.n_weights)
    predicted = [predict(data.task, example.x, w) for example in data.test.corpus.examples]
    assert data.test.right(w) == np.count_nonzero(np.concatenate(predicted) == data.test.truth)


def test_labelling_does_not_see_the_truth():
    data = draw(SMALL, 0, 5.0)
    nothing_learned = np.zeros(data.task.n_weights)  # all labellings tie
    assert data.test.right(nothing_learned) == np.count_nonzero(data.test.truth == 0)


def test_of_the_values_that_validate_best_the_smallest_is_chosen(result):
    best = max(point.validation_right for point in result.path)
    assert next(point.C for point in result.path if point.validation_right == best) == result.C
    assert tuple(point.C for point in result.path) == SMALL.Cs


def test_every_training_of_a_cell_reaches_its_goal(result):
    trainings = [*result.path, result.n_slack, result.n_slack_fixed, result.one_slack]
    assert {training.status for training in trainings} == {"CONVERGED"}
    assert result.n_slack.C == result.one_slack.C == result.C
    assert SMALL.C_fixed == result.n_slack_fixed.C


def test_path_and_cutting_planes_find_the_same_optimum(result):
    (on_path,) = [point for point in result.path if point.C == result.C]
    lower = {id(t): t.objective * (1 - t.relative_gap) for t in (on_path, result.n_slack, result.one_slack)}
    for one in (on_path, result.n_slack, result.one_slack):
        assert max(lower.values()) <= one.objective * (1 + 1e-9)  # each above the certified bound of all


@pytest.mark.parametrize("rescaling", RESCALINGS)
def test_cvxpy_reaches_the_same_objective(rescaling):
    found = agreement(SMALL, Cell(0, 5.0, 20, rescaling), C=0.1, relative_gap=1e-6)
    assert found.difference <= 2e-6  # each is above the one optimum by 1e-6 of it at most
    assert max(found.fast[0], found.reference[0]) <= min(found.fast[1], found.reference[1])


def test_a_cell_comes_to_the_same_numbers_again(result):
    again = run_cell(SMALL, result.cell)
    assert dataclasses.replace(again, seconds=0) == dataclasses.replace(result, seconds=0)


def test_one_slack_is_left_out_where_n_is_too_large():
    assert run_cell(SMALL, Cell(0, 2.0, 11, "margin")).one_slack is None


def test_more_training_sequences_than_there_are_are_refused():
    with pytest.raises(ValueError, match="n=31, but a data set has 30"):
        run_cell(SMALL, Cell(0, 2.0, 31, "slack"))


def test_a_data_set_has_the_same_labels_at_every_noise():
    few, many = (draw(SMALL, 3, sigma) for sigma in (1.0, 12.0))
    assert np.array_equal(few.test.truth, many.test.truth)
    assert not np.array_equal(few.test.truth, draw(SMALL, 4, 12.0).test.truth)


def test_the_first_data_sets_of_the_grid_are_a_smaller_grid():
    assert grid(10)[: len(grid(3))] == grid(3)
    assert len(grid()) == 10 * 6 * 7 * 2
    assert len(set(grid())) == len(grid())
