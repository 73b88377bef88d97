"""The interior point method against cvxpy with Clarabel, and where it must end without an answer."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viterbi_lab.data.genes import generate
from viterbi_lab.features import HistogramBins
from viterbi_lab.oracle import most_violated, plane
from viterbi_lab.qp import INTERIOR_POINT, LADDER, SolverFailed, clarabel, ladder, solve
from viterbi_lab.rescaling import LINEAR, MARGIN, QUADRATIC, SLACK
from viterbi_lab.tasks.sequence import ACTIVE, SequenceTask
from viterbi_lab.working_set import WorkingSet

PENALTIES = pytest.mark.parametrize("penalty", [LINEAR, QUADRATIC])
RESCALINGS = pytest.mark.parametrize("rescaling", [SLACK, MARGIN])


def random_rows(rng, n, m, d, lean=0.0):
    """m rows of up to n examples whose bounds a common w can serve in part."""
    constraints, common = WorkingSet(n, d), rng.normal(size=d)
    for number in range(m):
        z = rng.normal(size=d) + lean * common
        constraints.add(int(rng.integers(n)), np.array([number]), z, rng.uniform(0.5, 9.0))
    return constraints


@pytest.fixture(scope="module")
def gene_rows():
    """``gene_rows(rescaling, penalty)``: rows that oracles found on gene data at σ = 5 at random weights."""
    sequences = generate(12, sigma=5.0, rng=np.random.default_rng(3))
    bins = HistogramBins.fit([x for x, _ in sequences])
    task = SequenceTask(2, bins.n_features, start_end=True, encoding=ACTIVE)
    examples = task.prepare(bins.transform_all([x for x, _ in sequences]), [y for _, y in sequences])

    def build(rescaling, penalty):
        rng, constraints = np.random.default_rng(4), WorkingSet(12, task.n_weights)
        for spread in (0.0, 1e-3, 1e-2, 0.1, 0.3, 1.0, 3.0):
            w = spread * rng.normal(size=task.n_weights)
            for example in examples:
                found = most_violated(task, example, w, rescaling, penalty)
                if found.value > 0 and (example.number, found.y_hat) not in constraints:
                    constraints.add(example.number, found.y_hat, *plane(task, found, rescaling))
        return constraints

    return build


@PENALTIES
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 6),
    st.integers(1, 40),
    st.integers(1, 12),
    st.sampled_from([0.0, 0.5]),
    st.sampled_from([1e-3, 1.0, 1e3]),
)
@settings(max_examples=60)
def test_it_has_the_optimum_and_the_weights_of_clarabel(penalty, seed, n, m, d, lean, C):
    constraints = random_rows(np.random.default_rng(seed), n, m, d, lean)
    ours = solve(constraints, C=C, penalty=penalty, ladder=(INTERIOR_POINT,))
    reference = solve(constraints, C=C, penalty=penalty, ladder=LADDER)
    assert ours.gap <= 1e-7 * ours.upper
    assert ours.upper == pytest.approx(reference.upper, rel=2e-7)  # both gaps
    # ½‖w − w*‖² is at most the gap, for both
    distance = np.linalg.norm(ours.w - reference.w)
    assert distance <= 2 * np.sqrt(2 * 1e-7 * reference.upper)


@PENALTIES
@RESCALINGS
@pytest.mark.parametrize("C", [10.0**exponent for exponent in range(-8, 7)])
def test_its_gap_closes_on_gene_data_at_every_c(gene_rows, penalty, rescaling, C):
    found = solve(gene_rows(rescaling, penalty), C=C, penalty=penalty, ladder=(INTERIOR_POINT,))
    assert found.gap <= 1e-7 * found.upper
    assert np.isfinite(found.w).all()


def test_examples_without_a_row_have_no_slack():
    constraints = WorkingSet(5, 1)
    constraints.add(3, np.array([1]), np.array([1.0]), 1.0)
    found = solve(constraints, C=50.0, ladder=(INTERIOR_POINT,))
    assert found.upper == pytest.approx(0.5, rel=1e-7)  # w = 1 serves the only row
    np.testing.assert_allclose(found.slack, 0.0, atol=1e-6)


def test_its_answer_does_not_depend_on_the_order_of_the_rows(rng):
    rows = random_rows(rng, 4, 30, 5, 0.5)
    shuffled = WorkingSet(4, 5)
    for place in rng.permutation(30):
        shuffled.add(int(rows.owners[place]), np.array([place]), rows.rows[place], rows.bounds[place])
    one, other = (solve(constraints, C=3.0, ladder=(INTERIOR_POINT,)) for constraints in (rows, shuffled))
    assert one.upper == pytest.approx(other.upper, rel=1e-7)


def test_the_same_rows_give_the_same_bits(rng):
    constraints = random_rows(rng, 4, 30, 5, 0.5)
    first, second = (solve(constraints, C=3.0, ladder=(INTERIOR_POINT,)) for _ in range(2))
    assert first.w.tobytes() == second.w.tobytes()
    assert first.lower == second.lower


@pytest.mark.filterwarnings("ignore:overflow")  # wanted here
@PENALTIES
def test_it_says_so_where_its_arithmetic_ends(penalty):
    # rows that differ by 150 orders of magnitude: squares of their entries overflow
    constraints = WorkingSet(2, 2)
    constraints.add(0, np.array([1]), np.array([1e160, 0.0]), 1.0)
    constraints.add(1, np.array([1]), np.array([0.0, 1.0]), 1.0)
    with pytest.raises(SolverFailed, match="INTERIOR_POINT: no further"):
        solve(constraints, C=1.0, penalty=penalty, ladder=(INTERIOR_POINT,))


def test_one_name_stands_for_our_method_with_clarabel_behind_it():
    assert ladder("interior_point") == (INTERIOR_POINT, *LADDER)
    assert ladder("clarabel") == LADDER
    assert [rung.solver for rung in ladder("osqp")] == ["OSQP"]


def test_an_unknown_solver_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"solver='mosaic'; known are interior_point, .*clarabel"):
        ladder("mosaic")


def test_a_gap_that_does_not_close_is_closed_by_the_fallback(rng, monkeypatch):
    from viterbi_lab import interior_point

    monkeypatch.setattr(interior_point, "MOST_STEPS", 3)
    constraints = random_rows(rng, 4, 30, 5, 0.5)
    alone = solve(constraints, C=3.0, ladder=(INTERIOR_POINT,))
    assert alone.gap > 1e-3 * alone.upper
    assert "not solved in 3 steps" in alone.status
    rescued = solve(constraints, C=3.0, ladder=(INTERIOR_POINT, clarabel(1e-10)))
    assert rescued.gap <= 1e-7 * rescued.upper
    assert rescued.status.startswith("CLARABEL")
