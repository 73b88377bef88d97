import itertools
import warnings

import numpy as np
import pytest
import task_laws
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from viterbi_lab import cutting_plane, hard_margin
from viterbi_lab.dp.hypergraph import GraphProblem
from viterbi_lab.formulation import ONE_SLACK
from viterbi_lab.iterate import Status
from viterbi_lab.oracle import most_violated, predict
from viterbi_lab.rescaling import LINEAR, MARGIN, SLACK, VARIANTS
from viterbi_lab.tasks.classification import DENSE, SPARSE, ClassificationTask, zero_one
from viterbi_lab.taxonomy import Taxonomy


@st.composite
def lattices(draw):
    """Parents of up to 7 nodes below one root; a node may have two."""
    parents = {0: None}
    for node in range(1, draw(st.integers(1, 7))):
        parents[node] = draw(st.lists(st.integers(0, node - 1), min_size=1, max_size=2, unique=True))
    return parents


@st.composite
def tasks(draw):
    """``(task, examples, rng)``: flat or taxonomy, any losses, dense or sparse; small integers, so ties."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    F, encoding = draw(st.integers(1, 3)), draw(st.sampled_from([DENSE, SPARSE]))
    taxonomy = Taxonomy(draw(lattices()))
    K = len(taxonomy.leaves)
    losses = rng.integers(1, 4, size=(K, K)) / 2
    np.fill_diagonal(losses, 0)
    build = draw(st.sampled_from(["flat", "any", "tree"]))
    if build == "tree":
        task = ClassificationTask.taxonomy(taxonomy, F, encoding=encoding)
    elif build == "flat":
        task = ClassificationTask.flat(K, F, encoding=encoding)
    else:
        task = ClassificationTask.taxonomy(taxonomy, F, losses, encoding)
    n = draw(st.integers(1, 4))
    X = rng.integers(-2, 3, size=(n, F)).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes without examples
        examples = task.prepare(sparse.csr_array(X) if encoding is SPARSE else X, rng.integers(0, K, n))
    return task, examples, rng


def every_class(task):
    return [np.array([y]) for y in range(task.n_classes)]


@given(tasks())
@settings(max_examples=60)
def test_the_laws_of_a_task_hold(made):
    task, examples, rng = made
    w = rng.integers(-2, 3, size=task.n_weights) / 2
    for example in examples:
        features = [task.joint_feature(example.x, y) for y in every_class(task)]
        scores = task.scores(example.x, w)[0]
        for y, psi in enumerate(features):
            assert psi @ w == pytest.approx(scores[y], abs=task_laws.ROUNDING)
            loss = task.loss(example.y, np.array([y]))
            assert loss == example.h[example.cost[y]]
            assert (loss == 0) == (y == example.y[0])
        np.testing.assert_array_equal(example.psi, features[example.y[0]])
        task_laws.hold_prediction(task, example.x, features, w)
        losses = [task.loss(example.y, y) for y in every_class(task)]
        task_laws.hold_most_violated(task, example, list(zip(features, losses, strict=True)), w)
    task_laws.hold_all_at_once(task, examples, w)


@given(tasks())
@settings(max_examples=30)
def test_all_at_once_break_ties_as_the_graph_does(made):
    task, examples, _ = made
    w, corpus = np.zeros(task.n_weights), task.gather(examples)
    for combine in (SLACK.combine, MARGIN.combine):
        h = [-example.h for example in examples]
        together = task.optima(corpus, w, h, combine, np.zeros(len(examples)), 1)
        for i, example in enumerate(examples):
            alone = task.optimum(example, w, h[i], combine, 0.0)
            assert (together.y[i], together.k[i]) == (alone.y[0], alone.k)
            assert isinstance(alone.problem, GraphProblem)


def test_g13_attributes_and_tree_loss(golden):
    data = golden("g13_taxonomy")
    taxonomy = Taxonomy({v: None if above < 0 else above for v, above in enumerate(data["parent"])})
    assert list(taxonomy.leaves) == data["leaves"]
    assert taxonomy.attributes.astype(int).tolist() == data["Lambda"]
    assert taxonomy.tree_loss.tolist() == data["tree_loss"]
    Lambda = taxonomy.attributes.astype(int)
    assert (Lambda @ Lambda.T).tolist() == data["shared"]
    assert taxonomy.informative.shape == (5, 7)  # without the root


@given(lattices())
@settings(max_examples=60)
def test_attributes_and_losses_of_lattices_are_those_of_walking_upwards(parents):
    taxonomy = Taxonomy(parents)

    def above(node):
        return {node}.union(*[above(parent) for parent in parents[node] or []])

    def height(node):
        children = [child for child in parents if node in (parents[child] or [])]
        return 1 + max(map(height, children)) if children else 0

    for a, b in itertools.product(taxonomy.leaves, repeat=2):
        expected = 0 if a == b else min(height(node) for node in above(a) & above(b))
        assert taxonomy.tree_loss[taxonomy.class_of(a), taxonomy.class_of(b)] == expected
    for y, leaf in enumerate(taxonomy.leaves):
        assert {
            node for node, there in zip(taxonomy.nodes, taxonomy.attributes[y], strict=True) if there
        } == above(leaf)


@pytest.fixture
def mc(golden):
    """``mc(zero_one)``: task and examples of the problem ``mc`` of g06."""
    data = golden("g06_ssvm_optima")["mc"]

    def build(no_costs):
        losses = zero_one(3) if no_costs else data["Delta"]
        task = ClassificationTask.flat(3, 2, losses)
        return task, task.prepare(np.array(data["X"]), np.array(data["y"]))

    return build


@pytest.mark.parametrize("name", list(VARIANTS))
@pytest.mark.parametrize("C", ["0.1", "1", "10", "1000"])
def test_g06_training_on_classes_reaches_the_optimum(golden, mc, name, C):
    expected, variant = golden("g06_ssvm_optima")["results"][f"mc|{name}|C={C}"], VARIANTS[name]
    settings = {"C": float(C), "rescaling": variant.rescaling, "penalty": variant.penalty}
    *_, last = cutting_plane.iterates(*mc(variant.zero_one), epsilon=1e-7, **settings)
    assert last.status is Status.CONVERGED
    assert last.upper == pytest.approx(expected["obj"], rel=1e-6)  # spec F
    # ½‖w − w*‖² is at most what is left of the objective
    np.testing.assert_allclose(last.w, expected["w"], atol=1e-3)
    if variant.penalty is LINEAR:
        *_, one = cutting_plane.iterates(
            *mc(variant.zero_one), epsilon=1e-7, formulation=ONE_SLACK, **settings
        )
        assert one.upper == pytest.approx(expected["obj"], rel=1e-6)


def test_classes_that_can_be_separated_are_trained_without_slack():
    task = ClassificationTask.flat(3, 2)
    X = np.array([[2.0, 0.0], [-1.0, 2.0], [-1.0, -2.0]])
    *_, last = hard_margin.iterates(task, task.prepare(X, [0, 1, 2]))
    assert last.status is Status.CONVERGED
    for x, y in zip(X, range(3), strict=True):
        scores = task.scores(task.prepare_input(x), last.w)[0]
        assert scores[y] - np.delete(scores, y).max() >= 1 - 1e-6


def test_two_classes_are_a_binary_machine_without_bias(rng):
    # spec F 54, D.1: w_1 = −w_2 = u/2; half of ½‖u‖² + 2 (C/n) Σ max(0, 1 − y ⟨u, x⟩)
    X, y = rng.normal(size=(12, 3)), rng.integers(0, 2, 12)
    task, C = ClassificationTask.flat(2, 3), 3.0
    *_, last = cutting_plane.iterates(task, task.prepare(X, y), C=C, epsilon=1e-8, rescaling=MARGIN)
    W = last.w.reshape(2, 3)
    np.testing.assert_allclose(W[0], -W[1], atol=1e-5)  # √ of the gap
    import cvxpy

    u = cvxpy.Variable(3)
    hinge = cvxpy.sum(cvxpy.pos(1 - cvxpy.multiply(np.where(y == 0, 1, -1), X @ u)))
    binary = cvxpy.Problem(cvxpy.Minimize(0.5 * cvxpy.sum_squares(u) + 2 * C / 12 * hinge))
    assert last.upper == pytest.approx(binary.solve(solver=cvxpy.CLARABEL) / 2, rel=1e-6)


def test_sparse_and_dense_inputs_are_the_same_data(rng):
    X = rng.normal(size=(9, 4)) * (rng.random((9, 4)) < 0.5)
    y = np.arange(9) % 3
    dense, rows = (ClassificationTask.flat(3, 4, encoding=encoding) for encoding in (DENSE, SPARSE))
    *_, one = cutting_plane.iterates(dense, dense.prepare(X, y), C=1.0, epsilon=1e-6, rescaling=SLACK)
    *_, other = cutting_plane.iterates(
        rows, rows.prepare(sparse.csr_array(X), y), C=1.0, epsilon=1e-6, rescaling=SLACK
    )
    assert one.upper == pytest.approx(other.upper, rel=1e-9)
    for i, x in enumerate(X):
        row = rows.prepare_input(sparse.csr_array(x[np.newaxis]))
        np.testing.assert_array_equal(
            predict(dense, dense.prepare_input(x), one.w), predict(rows, row, one.w)
        )
        assert predict(dense, dense.prepare_input(x.tolist()), one.w).shape == (1,), i


def test_a_class_without_examples_is_named_and_can_still_be_predicted():
    taxonomy = Taxonomy({"all": None, "a": "all", "b": "all", "a1": "a", "a2": "a"})
    task = ClassificationTask.taxonomy(taxonomy, 1)
    with pytest.warns(RuntimeWarning, match="1 of 3 classes have no example, the first is class 2"):
        examples = task.prepare(np.array([[1.0], [-1.0]]), [taxonomy.class_of("a1"), taxonomy.class_of("b")])
    *_, last = cutting_plane.iterates(task, examples, C=1.0, epsilon=1e-3, rescaling=SLACK)
    assert last.status is Status.CONVERGED
    scores = task.scores(task.prepare_input([1.0]), last.w)[0]
    assert scores[taxonomy.class_of("a2")] > scores[taxonomy.class_of("b")]  # it shares "a"


def test_bad_taxonomies_are_refused_in_words():
    with pytest.raises(ValueError, match="has a cycle: 'a' below 'b' below 'a'"):
        Taxonomy({"root": None, "a": ["root", "b"], "b": "a"})
    with pytest.raises(ValueError, match="'x', the parent of 'a', is no node"):
        Taxonomy({"a": "x"})
    with pytest.raises(ValueError, match="'a' and 'b' have no common ancestor"):
        Taxonomy({"a": None, "b": None})
    with pytest.raises(ValueError, match="without nodes"):
        Taxonomy({})
    taxonomy = Taxonomy({"root": None, "a": "root", "b": "root"})
    with pytest.raises(ValueError, match="'c' is no node"):
        taxonomy.class_of("c")
    with pytest.raises(ValueError, match="'root' has nodes below it"):
        taxonomy.class_of("root")


def test_bad_tables_and_examples_are_refused_in_words():
    with pytest.raises(ValueError, match=r"Class 1 in the place of 0 has the loss 0\.0"):
        ClassificationTask.flat(2, 1, [[0, 0], [1, 0]])
    with pytest.raises(ValueError, match=r"losses have shape \(1, 1\); 2 classes"):
        ClassificationTask.flat(2, 1, [[0]])
    with pytest.raises(ValueError, match="not a finite number"):
        ClassificationTask(np.array([[np.nan]]), np.zeros((1, 1)), 1)
    with pytest.raises(ValueError, match="attributes have shape"):
        ClassificationTask(np.zeros(2), np.zeros((2, 2)), 1)
    with pytest.raises(ValueError, match="n_features=0"):
        ClassificationTask.flat(2, 0)
    task = ClassificationTask.flat(2, 2)
    X = np.zeros((2, 2))
    with pytest.raises(ValueError, match=r"Class 2 of example 1 is none of 0\.\.1"):
        task.prepare(X, [0, 2])
    with pytest.raises(ValueError, match="Give one class for each input"):
        task.prepare(X, [0])
    with pytest.raises(ValueError, match="no example to train on"):
        task.prepare([], np.array([], int))
    with pytest.raises(ValueError, match=r"number them 0\.\.1"):
        task.prepare(X, ["a", "b"])
    with pytest.raises(ValueError, match="Feature 1 of example 1, position 0 is nan"):
        task.prepare(np.array([[0, 0], [0, np.nan]]), [0, 1])
    with pytest.raises(ValueError, match="have 2 rows; an input is one"):
        task.prepare_input(X)


def test_a_problem_of_classes_is_the_one_the_oracle_solved(rng):
    task = ClassificationTask.flat(3, 2)
    example = task.prepare(rng.normal(size=(3, 2)), [0, 1, 2])[1]
    found = most_violated(task, example, rng.normal(size=6), SLACK)
    np.testing.assert_allclose(
        (found.problem.scores + found.problem.offset) * found.problem.h[found.problem.cost],
        [violation_of(found, y) for y in range(3)],
    )
    assert max(violation_of(found, y) for y in range(3)) == found.value


def violation_of(found, y):
    problem = found.problem
    return (problem.scores[y] + problem.offset) * problem.h[problem.cost[y]]
