"""Tasks with many weights: sparse joint features make the same examples, and train to the same weights."""

import tracemalloc
from contextlib import contextmanager

import naive_training
import numpy as np
import pytest
import strategies
import task_laws
from hypothesis import given, settings
from scipy import sparse

from viterbi_lab import block_coordinate, cutting_plane, hard_margin, rows
from viterbi_lab.estimator import StructuredSVM
from viterbi_lab.formulation import ONE_SLACK
from viterbi_lab.iterate import Status
from viterbi_lab.rescaling import LINEAR, MARGIN, QUADRATIC, SLACK
from viterbi_lab.rows import as_dense
from viterbi_lab.tasks.classification import ClassificationTask
from viterbi_lab.tasks.reweighted import Reweighted, inverse_mean_scale
from viterbi_lab.tasks.sequence import ACTIVE, DENSE, SPARSE, SequenceTask
from viterbi_lab.taxonomy import Taxonomy
from viterbi_lab.working_set import WorkingSet

RESCALINGS = pytest.mark.parametrize("rescaling", [SLACK, MARGIN])
PENALTIES = pytest.mark.parametrize("penalty", [LINEAR, QUADRATIC])
TREE = Taxonomy({"all": None, "a": "all", "b": "all", "a1": "a", "a2": "a", "b1": "b", "b2": "b"})


@contextmanager
def always_sparse():
    """Joint features are sparse however few weights there are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "MOST_DENSE", 0)
        yield


def labelled(rng, n=12, T=6, F=7, N=3):
    """Inputs with many zeros whose labels show in them, but not always."""
    X = [rng.normal(size=(T, F)) * (rng.random((T, F)) < 0.5) for _ in range(n)]
    direction = rng.normal(size=(F, N))
    return X, [(x @ direction + rng.normal(size=(T, N))).argmax(axis=1) for x in X]


def sequences(rng):
    X, Y = labelled(rng)
    return SequenceTask(3, 7, start_end=True), X, Y


def classes(rng):
    X, y = rng.normal(size=(30, 6)) * (rng.random((30, 6)) < 0.6), np.arange(30) % 4
    X[np.arange(30), y] += 1.5
    return ClassificationTask.taxonomy(TREE, 6), X, y


def reweighted(rng):
    task, X, Y = sequences(rng)
    scale = rng.choice([0.5, 1.0, 3.0], size=task.n_weights)
    return Reweighted(task, scale, np.zeros(task.n_weights, bool)), X, Y


TASKS = pytest.mark.parametrize("make", [sequences, classes, reweighted])


def both(make, rng):
    """The task and its examples with dense and with sparse joint features."""
    task, X, Y = make(rng)
    examples = task.prepare(X, Y)
    with always_sparse():
        assert task.sparse
        thin = task.prepare(X, Y)
    assert not task.sparse
    return task, examples, thin


@given(strategies.weighted_problems())
@settings(max_examples=40)
def test_the_laws_of_a_task_hold_with_sparse_joint_features(problem):
    task, X, Y, site_weights, rng = problem
    w = strategies.weights(task, rng)
    with always_sparse():
        examples = task.prepare(X, Y, site_weights)
        task_laws.hold_all_at_once(task, examples, w)
    for example, dense in zip(examples, task.prepare(X, Y, site_weights), strict=True):
        np.testing.assert_allclose(as_dense(example.psi), dense.psi, atol=1e-12)  # sums in another order
        values = (
            naive_training.indicators(example.x, task.n_features) if task.encoding is ACTIVE else example.x
        )
        for y in naive_training.labellings(task.n_states, len(example.y)):
            with always_sparse():
                found = as_dense(task.joint_feature(example.x, np.array(y)))
            expected = naive_training.psi(values, y, task.n_states, task.n_features, task.start_end)
            np.testing.assert_allclose(found, expected, atol=1e-12)


def test_indices_of_different_numbers_make_sparse_examples(rng):
    task = SequenceTask(2, 6, encoding=ACTIVE)
    X = [rng.integers(0, 6, size=(4, 1)), rng.integers(0, 6, size=(3, 5))]
    Y = [rng.integers(0, 2, size=len(x)) for x in X]
    with always_sparse():
        thin = task.prepare(X, Y)
    for one, other in zip(task.prepare(X, Y), thin, strict=True):
        np.testing.assert_array_equal(one.psi, as_dense(other.psi))


@TASKS
@RESCALINGS
@PENALTIES
def test_block_coordinate_training_reaches_the_same_optimum(make, rng, rescaling, penalty):
    task, examples, thin = both(make, rng)
    settings = {"C": 1.0, "relative_gap": 1e-6, "rescaling": rescaling, "penalty": penalty}
    one = list(block_coordinate.iterates(task, examples, **settings))
    with always_sparse():
        other = list(block_coordinate.iterates(task, thin, **settings))
    assert one[-1].status is other[-1].status is Status.CONVERGED
    first, second = one[0], other[0]  # both at w = 0
    assert (first.planes, first.violated) == (second.planes, second.violated)
    assert first.upper == pytest.approx(second.upper, rel=1e-12)
    assert max(one[-1].lower, other[-1].lower) <= min(one[-1].upper, other[-1].upper) * (1 + 1e-12)
    # ½‖w − w*‖² is at most the gap of either
    apart = np.sqrt(2 * one[-1].gap) + np.sqrt(2 * other[-1].gap)
    assert np.linalg.norm(one[-1].w - other[-1].w) <= apart


@TASKS
@RESCALINGS
def test_sparse_planes_are_handed_over_as_dense_ones_are(make, rng, rescaling, monkeypatch):
    monkeypatch.setattr(block_coordinate, "SWEEPS_BEFORE_HANDING_OVER", -(10**6))
    task, examples, thin = both(make, rng)
    settings = {"C": 10.0, "relative_gap": 1e-6, "rescaling": rescaling}
    *_, one = block_coordinate.iterates(task, examples, **settings)
    with always_sparse():
        *_, other = block_coordinate.iterates(task, thin, **settings)
    assert one.status is other.status is Status.CONVERGED
    assert max(one.lower, other.lower) <= min(one.upper, other.upper) * (1 + 1e-12)


@RESCALINGS
def test_where_no_table_fits_sweeps_reach_the_goal_alone(rng, rescaling, monkeypatch):
    monkeypatch.setattr(block_coordinate, "MOST_NUMBERS", 0)
    monkeypatch.setattr(block_coordinate, "SWEEPS_BEFORE_HANDING_OVER", 5 - 10**4)
    monkeypatch.setattr(block_coordinate, "solve", None)  # nobody may call it
    monkeypatch.setattr("viterbi_lab.sparse_planes.SparsePlanes.n_coordinates", lambda planes: 10**4)
    monkeypatch.setattr("viterbi_lab.sparse_planes.SparsePlanes.mean_size", lambda planes: 1e4)
    task, _, thin = both(sequences, rng)
    with always_sparse():
        *_, last = block_coordinate.iterates(task, thin, C=1.0, relative_gap=1e-6, rescaling=rescaling)
    assert last.status is Status.CONVERGED


@TASKS
@RESCALINGS
@PENALTIES
@pytest.mark.parametrize("solver", ["interior_point", "clarabel"])
def test_cutting_planes_reach_the_same_optimum(make, rng, rescaling, penalty, solver):
    task, examples, thin = both(make, rng)
    settings = {
        "C": 1.0, "epsilon": 1e-4, "relative_gap": 1e-6, "rescaling": rescaling, "penalty": penalty,
        "solver": solver,
    }  # fmt: skip
    *_, one = cutting_plane.iterates(task, examples, **settings)
    with always_sparse():
        *_, other = cutting_plane.iterates(task, thin, **settings)
    assert one.status is other.status is Status.CONVERGED
    assert max(one.lower, other.lower) <= min(one.upper, other.upper) * (1 + 1e-12)


@TASKS
def test_one_slack_training_reaches_the_same_optimum(make, rng):
    task, examples, thin = both(make, rng)
    settings = {"C": 1.0, "relative_gap": 1e-5, "rescaling": MARGIN, "formulation": ONE_SLACK}
    *_, one = cutting_plane.iterates(task, examples, **settings)
    with always_sparse():
        *_, other = cutting_plane.iterates(task, thin, **settings)
    assert one.status is other.status is Status.CONVERGED
    assert max(one.lower, other.lower) <= min(one.upper, other.upper) * (1 + 1e-12)


def test_training_without_slack_reaches_the_same_optimum(rng):
    X, y = rng.normal(size=(12, 20)) * (rng.random((12, 20)) < 0.5), np.arange(12) % 3
    task = ClassificationTask.flat(3, 20)
    *_, one = hard_margin.iterates(task, task.prepare(X, y))
    with always_sparse():
        *_, other = hard_margin.iterates(task, task.prepare(X, y))
    assert one.status is other.status is Status.CONVERGED
    assert one.upper == pytest.approx(other.upper, rel=1e-5)  # both gaps are below 1e-6


def test_a_set_of_sparse_planes_can_be_given_to_a_task_with_dense_features_and_back(rng):
    task, examples, thin = both(sequences, rng)
    settings = {"C": 1.0, "relative_gap": 1e-4, "rescaling": SLACK}
    lowers = []
    for prepared, kind in ((examples, True), (thin, False)):
        planes = WorkingSet(len(examples), task.n_weights, sparse=kind)
        *_, last = block_coordinate.iterates(task, prepared, working_set=planes, **settings)
        assert len(planes) == last.planes
        lowers.append(last.lower)
    assert lowers[0] == pytest.approx(lowers[1], rel=1e-8)


def test_scales_from_means_are_the_same(rng):
    _, examples, thin = both(sequences, rng)
    positive = [np.abs(as_dense(example.psi)) for example in examples]
    for example, psi in zip(examples, positive, strict=True):
        object.__setattr__(example, "psi", psi)
    for example, psi in zip(thin, positive, strict=True):
        object.__setattr__(example, "psi", sparse.csr_array(psi[np.newaxis])[0])
    np.testing.assert_allclose(inverse_mean_scale(thin, 0.1), inverse_mean_scale(examples, 0.1), rtol=1e-12)


def test_a_forbidden_part_is_found_in_sparse_examples(rng):
    task, X, Y = sequences(rng)
    forbidden = np.zeros(task.n_weights, bool)
    forbidden[task.n_features * 3 + 3 * Y[0][0] + Y[0][1]] = True
    with always_sparse(), pytest.raises(ValueError, match="sequence 0 uses the part of weight"):
        Reweighted(task, np.ones(task.n_weights), forbidden).prepare(X, Y)


# ---------------------------------------------------------------------- a million features


def words(rng, n, T, F, N):
    """Sentences of words, each one indicator of F and its neighbour's; labels depend on the word."""
    X, Y = [], []
    for _ in range(n):
        word = (F * rng.random(T) ** 3).astype(int)  # some words are frequent
        entries = np.ones(2 * T), (np.repeat(np.arange(T), 2), np.column_stack([word, F - 1 - word]).ravel())
        X.append(sparse.csr_array(entries, shape=(T, F)))
        Y.append((word % N).tolist())
    return X, Y


def test_a_million_features_train_in_the_memory_of_a_few_weight_vectors(rng):
    F, N, n = 10**6, 3, 40
    X, Y = words(rng, n, 8, F, N)
    svm = StructuredSVM(C=10.0, rescaling="margin", relative_gap=1e-3)
    svm.fit(X, Y)  # whatever is imported and compiled is not counted below
    tracemalloc.start()
    svm.fit(X, Y)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    vector = 8 * svm.task_.n_weights
    assert svm.converged_
    assert svm.result_.planes > 40
    assert most < 12 * vector  # measured: 6; dense planes alone would be more than 40
    assert svm.predict(X) == Y


def test_a_model_with_a_million_features_is_saved_and_predicts_the_same(rng, tmp_path):
    F = 10**6
    X, Y = words(rng, 10, 8, F, 3)
    svm = StructuredSVM(C=1.0, rescaling="margin", relative_gap=1e-2).fit(X, Y)
    svm.save(tmp_path / "model")
    loaded = StructuredSVM.load(tmp_path / "model")
    assert loaded.w_.tobytes() == svm.w_.tobytes()
    assert loaded.predict(X) == svm.predict(X)
    np.testing.assert_array_equal(loaded.decision_function(X), svm.decision_function(X))


@pytest.mark.parametrize("trainer", ["block_coordinate", "cutting_plane", "one_slack"])
def test_many_features_of_which_few_are_used_train_like_those_few(rng, trainer):
    X, Y = labelled(rng, F=5)
    place = np.sort(rng.choice(50_000, size=5, replace=False))
    wide = []
    for x in X:
        values = sparse.coo_array(x)
        columns = place[values.coords[1]]
        wide.append(sparse.csr_array((values.data, (values.coords[0], columns)), shape=(len(x), 50_000)))
    settings = {"C": 1.0, "relative_gap": 1e-6, "trainer": trainer, "rescaling": "margin"}
    few = StructuredSVM(**settings).fit(X, [y.tolist() for y in Y])
    many = StructuredSVM(**settings).fit(wide, [y.tolist() for y in Y])
    assert many.converged_
    assert max(few.result_.lower, many.result_.lower) <= min(few.result_.upper, many.result_.upper) * (
        1 + 1e-12
    )
    emissions = many.w_[: 3 * 50_000].reshape(3, -1)
    assert np.count_nonzero(emissions) <= 15
    np.testing.assert_allclose(emissions[:, place].ravel(), few.w_[:15], atol=1e-2)  # √ of the gaps


def test_a_classifier_of_a_hundred_thousand_sparse_features_trains(rng):
    F, K = 10**5, 4
    y = np.arange(40) % K
    X = sparse.random_array((40, F), density=2e-4, rng=rng, format="lil")
    X[np.arange(40), y] = 1.0
    task = ClassificationTask.taxonomy(TREE, F, encoding=SPARSE)
    examples = task.prepare(X.tocsr(), y)
    *_, last = block_coordinate.iterates(task, examples, C=40.0, relative_gap=1e-3, rescaling=SLACK)
    assert last.status is Status.CONVERGED
    found = [int(task.best(example.x, last.w)[0]) for example in examples]
    assert found == y.tolist()


def test_dense_inputs_with_many_labels_have_sparse_joint_features(rng):
    task = SequenceTask(70, 4)
    assert task.sparse
    X, Y = [rng.normal(size=(5, 4))], [rng.integers(0, 70, size=5)]
    (example,) = task.prepare(X, Y)
    np.testing.assert_allclose(as_dense(example.psi), naive_training.psi(X[0], Y[0], 70, 4), atol=1e-12)
    assert DENSE is task.encoding
