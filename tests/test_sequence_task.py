import naive
import naive_training
import numpy as np
import pytest
import strategies
from hypothesis import given, settings

from viterbi_lab.dp import Combine
from viterbi_lab.losses import SQUARE, LabelCosts, listed
from viterbi_lab.tasks.sequence import ACTIVE, DENSE, SPARSE, SequenceTask


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


@given(strategies.weighted_problems())
def test_the_loss_is_h_of_the_sum_of_the_costs(problem):
    task, X, Y, weights, _ = problem
    for example in task.prepare(X, Y, weights):
        of_example = None if weights is None else weights[example.number]
        for y_hat in naive_training.labellings(task.n_states, len(example.y)):
            total = naive_training.total_cost(example.y, y_hat, task.label_costs, of_example)
            assert task.loss(example.y, np.array(y_hat), of_example) == example.h[total]
        assert task.loss(example.y, example.y, of_example) == 0.0


@given(strategies.weighted_problems())
def test_examples_end_to_end_are_the_examples_one_by_one(problem):
    task, X, Y, weights, rng = problem
    examples = task.prepare(X, Y, weights)
    corpus = task.gather(examples)
    y = np.concatenate([rng.integers(0, task.n_states, size=len(e.y)) for e in examples])
    for i, (example, psi) in enumerate(
        zip(examples, task.joint_features(corpus, y, corpus.starts), strict=True)
    ):
        sites = slice(corpus.starts[i], corpus.starts[i + 1])
        np.testing.assert_array_equal(psi, task.joint_feature(example.x, y[sites]))
        np.testing.assert_array_equal(corpus.y[sites], example.y)
        np.testing.assert_array_equal(corpus.psi[i], example.psi)


@given(strategies.training_problems())
def test_the_problems_of_a_batch_are_the_problems_one_by_one(problem):
    task, X, Y, rng = problem
    examples, w = task.prepare(X, Y), rng.normal(size=task.n_weights)
    offsets = rng.normal(size=len(examples))
    h = np.concatenate([example.h for example in examples])
    batch = task.batch(task.gather(examples), w, h, Combine.TIMES, offsets)
    for i, example in enumerate(examples):
        one, other = (
            batch.problem(i),
            task.problem(example, task.scores(example.x, w), example.h, Combine.TIMES, offsets[i]),
        )
        for a, b in zip(one.scores.tables(), other.scores.tables(), strict=True):
            np.testing.assert_allclose(a, b, atol=1e-14)  # sums in another order
        np.testing.assert_array_equal(one.y, other.y)
        np.testing.assert_array_equal(one.h, other.h)


def test_sparse_matrices_make_the_same_examples_as_their_values(rng):
    sparse = pytest.importorskip("scipy.sparse")
    values = [rng.normal(size=(T, 5)) * (rng.random((T, 5)) < 0.4) for T in (7, 1, 4)]
    Y = [rng.integers(0, 3, size=len(x)) for x in values]
    by_value, by_rows = SequenceTask(3, 5, encoding=DENSE), SequenceTask(3, 5, encoding=SPARSE)
    w = rng.normal(size=by_value.n_weights)
    for kind in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        dense, rows = by_value.prepare(values, Y), by_rows.prepare([kind(x) for x in values], Y)
        for one, other in zip(dense, rows, strict=True):
            np.testing.assert_allclose(one.psi, other.psi, atol=1e-14)  # sums in another order
            a, b = by_value.scores(one.x, w), by_rows.scores(other.x, w)
            np.testing.assert_allclose(a.emissions, b.emissions, atol=1e-14)
        corpora = by_value.gather(dense), by_rows.gather(rows)
        batches = [
            task.batch(corpus, w, np.zeros(15), Combine.PLUS, np.zeros(3))
            for task, corpus in zip((by_value, by_rows), corpora, strict=True)
        ]
        np.testing.assert_allclose(batches[0].emissions, batches[1].emissions, atol=1e-14)


@pytest.mark.parametrize(
    ("entry", "message"),
    [(np.nan, r"Feature 2 of sequence 0, position 1 is nan"), (np.inf, r"position 1 is inf")],
)
def test_a_sparse_feature_that_is_not_finite_is_refused_by_its_place(entry, message):
    sparse = pytest.importorskip("scipy.sparse")
    x = np.zeros((2, 3))
    x[1, 2] = entry
    with pytest.raises(ValueError, match=message):
        SequenceTask(2, 3, encoding=SPARSE).prepare([sparse.csr_array(x)], [np.array([0, 1])])


def test_a_sparse_task_refuses_what_is_not_sparse_or_not_as_wide():
    sparse = pytest.importorskip("scipy.sparse")
    task = SequenceTask(2, 3, encoding=SPARSE)
    with pytest.raises(ValueError, match="takes a matrix of scipy"):
        task.prepare_input(np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"shape \(2, 4\); needed is \(T, 3\)"):
        task.prepare_input(sparse.csr_array(np.ones((2, 4))))
    with pytest.raises(ValueError, match="must be real numbers"):
        task.prepare_input(sparse.csr_array(np.ones((2, 3), complex)))


def test_sequences_with_different_numbers_of_indicators_can_be_laid_end_to_end(rng):
    task = SequenceTask(2, 6, encoding=ACTIVE)
    X = [rng.integers(0, 6, size=(4, 1)), rng.integers(0, 6, size=(3, 5))]
    examples = task.prepare(X, [rng.integers(0, 2, size=len(x)) for x in X])
    w, corpus = rng.normal(size=task.n_weights), task.gather(examples)
    emissions = task.batch(corpus, w, np.zeros(9), Combine.PLUS, np.zeros(2)).emissions
    for i, example in enumerate(examples):
        expected = naive_training.indicators(example.x, 6) @ w[:12].reshape(2, 6).T
        np.testing.assert_allclose(emissions[corpus.starts[i] : corpus.starts[i + 1]], expected, atol=1e-14)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([[1, 1], [1, 1]], "site_weights holds 2"),
        ([[1, 0]], r"one whole number >= 1 for each of its 2 sites"),
        ([[1, 1, 1]], r"site weights of sequence 0 have shape \(3,\)"),
        ([[1.0, 2.0]], "float64"),
    ],
)
def test_site_weights_that_do_not_fit_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        SequenceTask(2, 1).prepare([ONE], [np.array([0, 1])], [np.array(each) for each in weights])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[0, 1], [1, 1]], "Label 1 in the place of 1 costs 1. The true label costs 0"),
        ([[0, 0], [1, 0]], "Label 1 in the place of 0 costs 0"),
        ([[0, -2], [1, 0]], "costs -2"),
        ([[0, 1.5], [1, 0]], "square table of whole numbers"),
        ([[0, 1]], "square table"),
    ],
)
def test_label_costs_that_are_none_are_refused(table, message):
    with pytest.raises(ValueError, match=message):
        LabelCosts(np.array(table))


def test_label_costs_are_for_the_labels_of_the_task():
    with pytest.raises(ValueError, match="label_costs are for 2 labels, the task has 3"):
        SequenceTask(3, 1, label_costs=LabelCosts(np.array([[0, 1], [1, 0]])))


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
