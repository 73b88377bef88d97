import naive
import naive_training
import numpy as np
import pytest
import strategies
from hypothesis import given, settings

from viterbi_lab.losses import ZERO_ONE
from viterbi_lab.oracle import most_violated, plane, predict
from viterbi_lab.rescaling import LINEAR, MARGIN, QUADRATIC, SLACK
from viterbi_lab.tasks.sequence import ACTIVE, SequenceTask

EVERY = [(rescaling, penalty) for rescaling in (SLACK, MARGIN) for penalty in (LINEAR, QUADRATIC)]


def violations(task, x, y, w, rescaling, penalty):
    """``{ŷ: H(ŷ)}`` of all wrong labellings, by the referee."""
    x = naive_training.indicators(x, task.n_features) if task.encoding is ACTIVE else x
    rows = naive_training.constraints(
        [x], [y.tolist()], task.n_states, lambda k: task.wrapper.table(len(y))[k], task.start_end
    )
    return {
        y_hat: naive_training.violation(w, delta_psi, loss, rescaling.name, penalty.power)
        for _, y_hat, delta_psi, loss in rows
    }


@pytest.mark.parametrize(("rescaling", "penalty"), EVERY)
@given(strategies.training_problems())
@settings(max_examples=40)
def test_the_most_violated_constraint_is_that_of_enumeration(rescaling, penalty, problem):
    task, X, Y, rng = problem
    w = strategies.weights(task, rng)
    for example, x, y in zip(task.prepare(X, Y), X, Y, strict=True):
        found = most_violated(task, example, w, rescaling, penalty)
        everything = violations(task, x, y, w, rescaling, penalty)
        most = max(everything.values(), default=0.0)
        assert found.value == pytest.approx(max(most, 0.0), abs=1e-12)  # rounding of a few sums
        if found.k:
            assert everything[tuple(found.y_hat.tolist())] == pytest.approx(most, abs=1e-12)
        else:
            assert found.value == 0.0


@pytest.mark.parametrize(("rescaling", "penalty"), EVERY)
@given(strategies.training_problems())
@settings(max_examples=40)
def test_the_plane_of_a_violation_gives_its_value_back(rescaling, penalty, problem):
    task, X, Y, rng = problem
    w = rng.normal(size=task.n_weights)
    for example in task.prepare(X, Y):
        found = most_violated(task, example, w, rescaling, penalty)
        z, b = plane(task, found, rescaling)
        assert b - w @ z == pytest.approx(found.value, abs=1e-12)  # rounding of a few sums
        assert found.loss == penalty.tempered(example.h)[found.k]


@given(strategies.training_problems())
@settings(max_examples=40)
def test_the_prediction_is_that_of_enumeration(problem):
    task, X, Y, rng = problem
    w = strategies.weights(task, rng)
    for example in task.prepare(X, Y):
        _, best = naive.viterbi(task.scores(example.x, w).tables())
        assert predict(task, example.x, w).tolist() == list(best)


@given(strategies.training_problems())
@settings(max_examples=40)
def test_zero_one_loss_makes_both_rescalings_one(problem):
    # spec F 23: the positive parts coincide
    task, X, Y, rng = problem
    task = SequenceTask(task.n_states, task.n_features, ZERO_ONE, task.start_end, task.encoding)
    w = strategies.weights(task, rng)
    for example in task.prepare(X, Y):
        slack, margin = (most_violated(task, example, w, rescaling) for rescaling in (SLACK, MARGIN))
        assert slack.value == pytest.approx(margin.value, abs=1e-12)  # rounding


def test_without_weights_every_rescaling_finds_the_largest_loss(rng):
    task = SequenceTask(2, 3)
    (example,) = task.prepare([rng.normal(size=(20, 3))], [rng.integers(0, 2, size=20)])
    for rescaling in (SLACK, MARGIN):
        found = most_violated(task, example, np.zeros(task.n_weights), rescaling)
        assert (found.value, found.k, found.y_hat.tolist()) == (20.0, 20, (1 - example.y).tolist())


def test_if_every_margin_exceeds_one_slack_rescaling_finds_the_truth():
    # spec F 14
    task = SequenceTask(2, 2)
    (example,) = task.prepare([np.eye(2)[[0, 1, 1]]], [np.array([0, 1, 1])])
    w = np.array([9.0, 0, 0, 9.0, 0, 0, 0, 0])
    found = most_violated(task, example, w, SLACK)
    assert (found.value, found.k, found.y_hat.tolist()) == (0.0, 0, [0, 1, 1])


def test_the_violation_keeps_the_very_problem_that_was_solved(rng):
    from viterbi_lab.dp import trace

    task = SequenceTask(3, 2)
    (example,) = task.prepare([rng.normal(size=(8, 2))], [rng.integers(0, 3, size=8)])
    for rescaling in (SLACK, MARGIN):
        found = most_violated(task, example, rng.normal(size=task.n_weights), rescaling)
        shown = trace(found.problem).decoding
        assert (shown.value, shown.y.tolist()) == (found.value, found.y_hat.tolist())
