import naive
import naive_training
import numpy as np
import pytest
import strategies
from hypothesis import given, settings

from viterbi_lab.dp import Combine
from viterbi_lab.losses import SQUARE, listed
from viterbi_lab.tasks.sequence import ACTIVE, DENSE, SequenceTask


def values(task, x):
    """The features of the sites as (T, F) values, whatever the encoding."""
    return naive_training.indicators(x, task.n_features) if task.encoding is ACTIVE else x


@given(strategies.training_problems())
def test_the_joint_feature_map_is_that_of_the_paper(problem):
    task, X, Y, _ = problem
    for example, x, y in zip(task.prepare(X, Y), X, Y, strict=True):
        expected = naive_training.psi(values(task, x), y, task.n_states, task.n_features, task.start_end)
        np.testing.assert_array_equal(example.psi, expected)
        assert len(expected) == task.n_weights


@given(strategies.training_problems())
def test_scores_of_parts_sum_to_the_score_of_the_joint_feature_map(problem):
    task, X, Y, rng = problem
    w = rng.normal(size=task.n_weights)
    for example in task.prepare(X, Y):
        scores = task.scores(example.x, w)
        for y_hat in naive_training.labellings(task.n_states, len(example.y)):
            y_hat = np.array(y_hat)
            by_features = w @ task.joint_feature(example.x, y_hat)
            assert scores.score(y_hat) == pytest.approx(by_features, abs=1e-12)  # rounding of ≤ 30 sums


@given(strategies.training_problems())
def test_the_loss_is_h_of_the_sum_of_the_costs(problem):
    task, X, Y, _ = problem
    for example in task.prepare(X, Y):
        costs, sites = task.costs(example.y), np.arange(len(example.y))
        for y_hat in naive_training.labellings(task.n_states, len(example.y)):
            y_hat = np.array(y_hat)
            assert task.loss(example.y, y_hat) == example.h[costs[sites, y_hat].sum()]
        assert task.loss(example.y, example.y) == 0.0


@given(strategies.training_problems())
@settings(max_examples=50)
def test_the_problem_of_an_example_is_decoded_as_by_enumeration(problem):
    task, X, Y, rng = problem
    w = strategies.weights(task, rng)
    for example in task.prepare(X, Y):
        scores = task.scores(example.x, w)
        chain = task.problem(example, scores, example.h, Combine.TIMES, offset=0.5)
        expected = naive.decode(scores.tables(), example.y, example.h, "·", offset=0.5)
        assert chain.objective(scores.score(np.array(expected.y)), expected.k) == expected.value


@given(strategies.training_problems())
def test_delta_psi_is_the_difference_of_two_feature_maps(problem):
    task, X, Y, rng = problem
    for example in task.prepare(X, Y):
        y_hat = rng.integers(0, task.n_states, size=len(example.y))
        direct = task.joint_feature(example.x, example.y) - task.joint_feature(example.x, y_hat)
        np.testing.assert_array_equal(task.delta_psi(example, y_hat), direct)


def test_values_and_indices_of_the_same_features_make_the_same_examples(rng):
    indices = rng.integers(0, 7, size=(12, 3))
    y, w = rng.integers(0, 3, size=12), rng.normal(size=3 * 7 + 9)
    by_index = SequenceTask(3, 7, encoding=ACTIVE)
    by_value = SequenceTask(3, 7, encoding=DENSE)
    (one,) = by_index.prepare([indices], [y])
    (other,) = by_value.prepare([naive_training.indicators(indices, 7)], [y])
    np.testing.assert_array_equal(one.psi, other.psi)
    for a, b in zip(by_index.scores(one.x, w).tables(), by_value.scores(other.x, w).tables(), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-14)  # another order of three additions


def test_features_and_transitions_are_counted_once_per_site_and_step(rng):
    # spec F 48: with r indicators a site, emissions sum to r·T, transitions to T - 1, start and end to 1
    task = SequenceTask(2, 40, start_end=True, encoding=ACTIVE)
    (example,) = task.prepare([rng.integers(0, 40, size=(100, 4))], [rng.integers(0, 2, size=100)])
    emissions, transitions, start, end = np.split(example.psi, [80, 84, 86])
    assert (emissions.sum(), transitions.sum(), start.sum(), end.sum()) == (400, 99, 1, 1)
    assert task.n_weights == 88


def test_sequences_of_length_one_have_no_transition():
    (example,) = SequenceTask(2, 1).prepare([np.array([[3.0]])], [np.array([1])])
    assert example.psi.tolist() == [0, 3, 0, 0, 0, 0]


def test_the_loss_table_follows_the_length_of_each_sequence(rng):
    task = SequenceTask(2, 1, SQUARE)
    short, long = task.prepare([np.ones((1, 1)), np.ones((3, 1))], [np.array([0]), np.array([0, 1, 0])])
    assert (short.h.tolist(), long.h.tolist()) == ([0, 1], [0, 1, 4, 9])


def test_what_prepare_returns_does_not_depend_on_the_type_of_the_labels():
    x = np.ones((2, 1))
    for dtype in (np.int8, np.uint16, np.int64):
        (example,) = SequenceTask(2, 1).prepare([x], [np.array([0, 1], dtype)])
        assert example.y.dtype == np.int64


ONE = np.ones((2, 1))


@pytest.mark.parametrize(
    ("X", "Y", "message"),
    [
        ([], [], "no sequence to train on"),
        ([ONE], [], "X holds 1 sequences, Y holds 0"),
        ([ONE, np.array([[0.5], [np.nan]])], [[0, 1], [1, 0]], r"of sequence 1, position 1 is nan"),
        ([np.array([[0.5], [np.inf]])], [[0, 1]], r"sequence 0, position 1 is inf"),
        ([np.ones((2, 2))], [[0, 1]], r"shape \(2, 2\); needed is \(T, 1\)"),
        ([np.ones(2)], [[0, 1]], r"shape \(2,\); needed is \(T, 1\)"),
        ([np.ones((0, 1))], [[]], r"needed is \(T, 1\) with T >= 1"),
        ([np.ones((2, 1), int)], [[0, 1]], "must be floats"),
        ([ONE], [[0, 1, 1]], r"labels of sequence 0 have shape \(3,\), but it has 2 sites"),
        ([ONE], [[0, 2]], r"Label 2 of sequence 0, position 1 is none of the 2 labels 0\.\.1"),
        ([ONE], [[-1, 0]], r"Label -1 of sequence 0, position 0"),
        ([ONE], [[0.0, 1.0]], "numbers its labels"),
        ([ONE], [[True, False]], "numbers its labels"),
    ],
)
def test_data_that_does_not_fit_is_refused_by_its_place(X, Y, message):
    with pytest.raises(ValueError, match=message):
        SequenceTask(2, 1).prepare(X, [np.array(y) for y in Y])


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (
            np.array([[0], [3]]),
            r"Active feature 3 of sequence 0, position 1 is none of the 3 features 0\.\.2",
        ),
        (np.array([[-1], [0]]), r"Active feature -1 of sequence 0, position 0"),
        (np.array([[0.0], [1.0]]), "given by their indices"),
        (np.array([0, 1]), r"needed is \(T, a\)"),
    ],
)
def test_indices_that_do_not_fit_are_refused_by_their_place(x, message):
    with pytest.raises(ValueError, match=message):
        SequenceTask(2, 3, encoding=ACTIVE).prepare([x], [np.array([0, 1])])


def test_an_input_to_predict_is_checked_like_one_to_train():
    with pytest.raises(ValueError, match="of the sequence, position 1 is nan"):
        SequenceTask(2, 1).prepare_input(np.array([[0.5], [np.nan]]))


def test_an_h_that_is_no_loss_is_refused_before_training():
    with pytest.raises(ValueError, match=r"h\(2\) = 0"):
        SequenceTask(2, 1, listed([0, 1, 0])).prepare([ONE], [np.array([0, 1])])


@pytest.mark.parametrize("sizes", [(0, 1), (1, 0)])
def test_a_task_has_labels_and_features(sizes):
    with pytest.raises(ValueError, match="at least 1"):
        SequenceTask(*sizes)


@pytest.mark.parametrize("n_states", [1, 3])
def test_read_only_weights_do_not_make_read_only_scores(n_states):
    # numba compiles every kernel once more for read-only arrays, which takes seconds
    task = SequenceTask(n_states, 2, start_end=True)
    w = np.zeros(task.n_weights)
    w.flags.writeable = False
    scores = task.scores(np.ones((4, 2)), w)
    assert all(part.flags.writeable for part in (scores.initial, scores.transitions, scores.emissions))
