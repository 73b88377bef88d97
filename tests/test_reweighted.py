"""Forbidden parts and scaled features, against enumeration of what is left."""

import naive_training
import numpy as np
import pytest
import strategies
from hypothesis import given, settings

from viterbi_lab.cutting_plane import iterates
from viterbi_lab.oracle import SeparationOracle, most_violated, predict
from viterbi_lab.rescaling import LINEAR, MARGIN, SLACK
from viterbi_lab.tasks.reweighted import Reweighted, forbidden_parts, inverse_mean_scale
from viterbi_lab.tasks.sequence import ACTIVE, SequenceTask


def restricted(problem):
    """``(reweighted task, X, Y, w, allowed labellings of a length)``; the true outputs stay allowed."""
    task, X, Y, rng = problem
    N = task.n_states
    allowed, borders = rng.random((N, N)) < 0.5, rng.random(N) < 0.5
    for y in Y:
        allowed[y[:-1], y[1:]] = True
        borders[[y[0], y[-1]]] = True
    if not task.start_end:
        borders[:] = True
    scale = rng.choice([0.25, 1.0, 4.0], size=task.n_weights)
    reweighted = Reweighted(task, scale, forbidden_parts(task, allowed, borders))

    def left(length):
        for y in map(np.array, naive_training.labellings(N, length)):
            if borders[y[0]] and borders[y[-1]] and allowed[y[:-1], y[1:]].all():
                yield y

    return reweighted, X, Y, strategies.weights(task, rng), left


@given(strategies.training_problems())
def test_features_are_those_of_the_task_times_their_scale(problem):
    task, X, Y, _, left = restricted(problem)
    examples = task.prepare(X, Y)
    corpus = task.gather(examples)
    for example, plain, row in zip(examples, task.task.prepare(X, Y), corpus.psi, strict=True):
        np.testing.assert_array_equal(example.psi, task.scale * plain.psi)
        np.testing.assert_array_equal(row, example.psi)
        for y in left(len(example.y)):
            np.testing.assert_array_equal(
                task.joint_feature(example.x, y), task.scale * task.task.joint_feature(plain.x, y)
            )
    np.testing.assert_array_equal(task.joint_features(corpus, corpus.y, corpus.starts), corpus.psi)


@given(strategies.training_problems())
def test_the_prediction_is_the_best_of_what_is_allowed(problem):
    task, X, _, w, left = restricted(problem)
    for x in X:
        x = task.prepare_input(x)
        best = predict(task, x, w)
        scores = {tuple(y): w @ task.joint_feature(x, y) for y in left(len(x))}
        assert scores[tuple(best)] == pytest.approx(max(scores.values()), abs=1e-12)  # rounding of a few sums


@pytest.mark.parametrize("rescaling", [SLACK, MARGIN])
@given(strategies.training_problems())
@settings(max_examples=50)
def test_the_most_violated_constraint_is_the_worst_of_what_is_allowed(rescaling, problem):
    task, X, Y, w, left = restricted(problem)
    examples = task.prepare(X, Y)
    look = SeparationOracle(task, examples, rescaling, LINEAR).look(w)
    for example, in_batch in zip(examples, look.value, strict=True):
        found = most_violated(task, example, w, rescaling)
        worst = max(
            rescaling.violation(w @ task.delta_psi(example, y), task.loss(example.y, y))
            for y in left(len(example.y))
        )
        assert found.value == pytest.approx(worst, abs=1e-12)  # rounding of a few sums
        assert in_batch == pytest.approx(worst, abs=1e-12)
        assert any((found.y_hat == y).all() for y in left(len(example.y)))


def test_one_scale_for_all_features_is_another_c():
    """With s the objective is (½‖v‖² + s²C mean ξ) / s² for the weights v = s·w of the task itself."""
    rng = np.random.default_rng(1)
    plain = SequenceTask(2, 3)
    X = [rng.normal(size=(6, 3)) for _ in range(4)]
    Y = [rng.integers(0, 2, size=6) for _ in range(4)]
    s = 3.0
    scaled = Reweighted(plain, np.full(plain.n_weights, s), np.zeros(plain.n_weights, bool))
    own = []
    for task, C in ((scaled, 0.2), (plain, 0.2 * s**2)):
        *_, last = iterates(task, task.prepare(X, Y), C=C, epsilon=1e-6, rescaling=MARGIN)
        own.append((last.lower, last.w))
    assert s**2 * own[0][0] == pytest.approx(own[1][0], rel=1e-5)  # both stop within Cε = 2e-6 of about 1
    np.testing.assert_allclose(scaled.own_weights(own[0][1]), own[1][1], atol=0.01)  # √(2Cε) = 0.002, twice


def test_a_true_output_that_uses_a_forbidden_part_is_refused():
    plain = SequenceTask(2, 1)
    task = Reweighted(plain, np.ones(6), forbidden_parts(plain, [[True, False], [True, True]], [True, True]))
    x = np.ones((3, 1))
    task.prepare([x], [np.array([1, 1, 0])])
    with pytest.raises(ValueError, match="sequence 1 uses the part of weight 3, which is forbidden"):
        task.prepare([x, x], [np.array([1, 1, 0]), np.array([0, 1, 1])])


def test_scales_and_masks_of_the_wrong_kind_are_refused():
    plain = SequenceTask(2, 1)
    none = np.zeros(6, dtype=bool)
    for scale in ([1, 1, 1, 0, 1, 1], [1, 1, 1, np.inf, 1, 1], [1, 1, 1, -2, 1, 1], [1, 1, 1, np.nan, 1, 1]):
        with pytest.raises(ValueError, match=r"scale\[3\] = .* positive and finite"):
            Reweighted(plain, np.array(scale, float), none)
    with pytest.raises(ValueError, match=r"scale has shape \(5,\); the task has 6 weights"):
        Reweighted(plain, np.ones(5), none)
    with pytest.raises(ValueError, match=r"forbidden has shape \(5,\)"):
        Reweighted(plain, np.ones(6), none[:5])


def test_grammars_that_do_not_fit_the_task_are_refused():
    all_pairs, both = np.ones((2, 2), bool), np.ones(2, bool)
    with pytest.raises(ValueError, match=r"allowed has shape \(2, 2\)"):
        forbidden_parts(SequenceTask(3, 1), all_pairs, both)
    with pytest.raises(ValueError, match="start_end=True"):
        forbidden_parts(SequenceTask(2, 1), all_pairs, np.array([True, False]))
    assert not forbidden_parts(SequenceTask(2, 1), all_pairs, both).any()


def test_the_scale_is_one_over_the_mean_plus_the_prior():
    task = SequenceTask(2, 2, encoding=ACTIVE)
    examples = task.prepare([[[0], [0], [1]], [[0]]], [np.array([0, 0, 1]), np.array([0])])
    scale = inverse_mean_scale(examples, prior=0.5)
    # emissions: label 0 with feature 0 three times in two examples, label 1 with feature 1 once
    np.testing.assert_allclose(scale[:4], [1 / 2, 2, 2, 1])
    with pytest.raises(ValueError, match="prior=0"):
        inverse_mean_scale(examples, prior=0)


def test_a_feature_that_is_negative_on_average_has_no_such_scale():
    task = SequenceTask(1, 1)
    with pytest.raises(ValueError, match="feature 0 has the mean -2"):
        inverse_mean_scale(task.prepare([np.array([[-2.0]])], [np.array([0])]), prior=1.0)
