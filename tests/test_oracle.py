import naive
import naive_training
import numpy as np
import pytest
import strategies
from hypothesis import given, settings

from viterbi_lab import oracle
from viterbi_lab.losses import ZERO_ONE
from viterbi_lab.oracle import SeparationOracle, most_violated, plane, predict
from viterbi_lab.rescaling import LINEAR, MARGIN, QUADRATIC, SLACK
from viterbi_lab.tasks.sequence import ACTIVE, SequenceTask

EVERY = [(rescaling, penalty) for rescaling in (SLACK, MARGIN) for penalty in (LINEAR, QUADRATIC)]


def violations(task, x, y, w, rescaling, penalty, site_weights=None):
    """``{ŷ: H(ŷ)}`` of all wrong labellings, by the referee."""
    x = naive_training.indicators(x, task.n_features) if task.encoding is ACTIVE else x
    rows = naive_training.constraints(
        [x],
        [y.tolist()],
        task.n_states,
        lambda k: (
            task.wrapper.table(50)[k] if site_weights or task.label_costs else task.wrapper.table(len(y))[k]
        ),
        task.start_end,
        task.label_costs,
        site_weights,
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
@given(strategies.weighted_problems())
@settings(max_examples=40)
def test_weighted_errors_are_exact_for_both_rescalings_and_every_h(rescaling, penalty, problem):
    # spec E 2: by whole-number costs, also where Bauer et al. leave their Algorithm 1
    task, X, Y, site_weights, rng = problem
    w = strategies.weights(task, rng)
    for example, x, y in zip(task.prepare(X, Y, site_weights), X, Y, strict=True):
        found = most_violated(task, example, w, rescaling, penalty)
        weights = None if site_weights is None else [site_weights[example.number]]
        everything = violations(task, x, y, w, rescaling, penalty, weights)
        most = max(everything.values(), default=0.0)
        assert found.value == pytest.approx(max(most, 0.0), abs=1e-12)  # rounding of a few sums


@pytest.mark.parametrize(("rescaling", "penalty"), EVERY)
@given(strategies.weighted_problems())
@settings(max_examples=40)
def test_all_at_once_see_what_each_alone_sees(rescaling, penalty, problem):
    task, X, Y, site_weights, rng = problem
    w, examples = rng.normal(size=task.n_weights), task.prepare(X, Y, site_weights)
    for n_jobs in (1, 2):
        look = SeparationOracle(task, examples, rescaling, penalty, n_jobs).look(w)
        everyone = np.ones(len(examples), bool)
        for i, y_hat, z, b in look.rows(everyone):
            alone = most_violated(task, examples[i], w, rescaling, penalty)
            # rounding of sums in another order; ties may then go another way
            assert look.value[i] == pytest.approx(alone.value, abs=1e-12)
            assert b - w @ z == pytest.approx(alone.value, abs=1e-12)
            np.testing.assert_array_equal(look.violation(i).y_hat, alone.y_hat)
            assert len(y_hat) == len(examples[i].y)


def test_an_oracle_looks_part_by_part_and_counts(rng, monkeypatch):
    monkeypatch.setattr(oracle, "MOST_WORK", 2 * 4 * 5)  # two sequences of 4 sites, whose h has 5 values
    task = SequenceTask(2, 1)
    examples = task.prepare(list(rng.normal(size=(5, 4, 1))), list(rng.integers(0, 2, size=(5, 4))))
    reports, w = [], rng.normal(size=task.n_weights)
    separation = SeparationOracle(task, examples, SLACK, progress=lambda done, n: reports.append((done, n)))
    look = separation.look(w)
    assert reports == [(2, 5), (4, 5), (5, 5)]
    assert separation.calls == 5
    assert separation.seconds > 0
    chosen = np.array([True, False, False, True, True])
    assert [i for i, _, _, _ in look.rows(chosen)] == [0, 3, 4]
    for i, y_hat, _, b in look.rows(chosen):
        assert b == np.count_nonzero(y_hat != examples[i].y)


def test_a_cancelled_look_shows_nothing(rng):
    task = SequenceTask(2, 1)
    examples = task.prepare(list(rng.normal(size=(5, 4, 1))), list(rng.integers(0, 2, size=(5, 4))))
    separation = SeparationOracle(task, examples, SLACK, cancelled=lambda: True)
    assert separation.look(np.zeros(task.n_weights)) is None
    assert separation.calls == 0


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
