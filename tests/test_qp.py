import naive_training
import numpy as np
import pytest

from viterbi_lab.qp import LADDER, Rung, SolverFailed, clarabel, solve
from viterbi_lab.rescaling import LINEAR, MARGIN, QUADRATIC, SLACK, VARIANTS
from viterbi_lab.working_set import WorkingSet

pytestmark = pytest.mark.filterwarnings("ignore:Solution may be inaccurate")  # wanted here

PENALTIES = pytest.mark.parametrize("penalty", [LINEAR, QUADRATIC])


def working_set(rows, n, rescaling=MARGIN, penalty=LINEAR):
    """All the constraints that the referee enumerates."""
    rows = list(rows)
    constraints = WorkingSet(n, len(rows[0][2]))
    for i, y_hat, delta_psi, loss in rows:
        z, b = rescaling.plane(delta_psi, loss**penalty.power)
        constraints.add(i, np.array(y_hat), z, b)
    return constraints


def small_problem(rng, n=4, length=3):
    X = rng.normal(size=(n, length, 2))
    Y = (X[:, :, 0] + 0.5 * rng.normal(size=(n, length)) > 0).astype(int)
    return list(naive_training.constraints(X, Y, 2, lambda k: k))


@pytest.mark.parametrize("variant", list(VARIANTS))
@pytest.mark.parametrize("C", [0.1, 1.0, 10.0, 1000.0])
def test_the_scaled_form_has_the_optimum_of_the_printed_form(variant, C, rng):
    # spec F 30
    variant = VARIANTS[variant]
    rows = small_problem(rng)
    if variant.zero_one:
        rows = [(i, y_hat, delta_psi, 1.0) for i, y_hat, delta_psi, _ in rows]
    found = solve(working_set(rows, 4, variant.rescaling, variant.penalty), C=C, penalty=variant.penalty)
    objective, w, _ = naive_training.optimum(rows, 4, C, variant.rescaling.name, variant.penalty.power)
    assert found.upper == pytest.approx(objective, rel=1e-6)  # the referee's own accuracy
    # ½‖w − w*‖² is at most what the objective exceeds its optimum by
    assert np.linalg.norm(found.w - w) <= 2 * np.sqrt(2 * 1e-6 * objective)


@PENALTIES
@pytest.mark.parametrize("C", [1e-8, 1e-3, 1.0, 1e3, 1e6])
def test_the_dual_value_certifies_the_primal_one(penalty, C, rng):
    found = solve(working_set(small_problem(rng), 4, SLACK, penalty), C=C, penalty=penalty)
    assert found.gap >= -1e-12 * found.upper  # rounding
    assert found.gap <= 1e-7 * found.upper  # what solve promises by default


@PENALTIES
def test_multipliers_are_feasible_and_give_the_weights(penalty, rng):
    C, n = 2.0, 4
    constraints = working_set(small_problem(rng), n, SLACK, penalty)
    found = solve(constraints, C=C, penalty=penalty)
    a = found.multipliers
    assert (a >= 0.0).all()
    np.testing.assert_allclose(a @ constraints.rows, found.w, atol=1e-6)  # Clarabel's own accuracy
    mass = np.bincount(constraints.owners, a, n)
    if penalty is LINEAR:
        assert mass.max() <= C / n * (1 + 1e-12)  # rounding
    else:
        np.testing.assert_allclose(found.slack, n / C * mass, atol=1e-6)  # spec F 38


def test_complementary_slackness_holds_for_the_sum_of_slacks(rng):
    # spec F 37, its tolerance: a > 0 means H = ξ; Σ a < C/n means ξ = 0
    C, n = 2.0, 4
    constraints = working_set(small_problem(rng), n, MARGIN)
    found = solve(constraints, C=C)
    a, H = found.multipliers, constraints.violations(found.w)
    used, mass = a > 1e-6, np.bincount(constraints.owners, a, n)
    assert used.any()
    np.testing.assert_allclose(H[used], found.slack[constraints.owners[used]], atol=1e-6)
    np.testing.assert_allclose(found.slack[mass < C / n - 1e-6], 0.0, atol=1e-6)
    assert (found.slack[constraints.owners] + 1e-12 >= H).all()


@PENALTIES
def test_more_weights_than_constraints_change_nothing(penalty, rng):
    few = WorkingSet(3, 5)
    many = WorkingSet(3, 400)
    for m in range(12):
        z, b = rng.normal(size=5), rng.uniform(1, 3)
        few.add(m % 3, np.array([m]), z, b)
        many.add(m % 3, np.array([m]), np.concatenate([np.zeros(395), z]), b)
    one, other = (solve(constraints, C=5.0, penalty=penalty) for constraints in (few, many))
    assert one.upper == pytest.approx(other.upper, rel=1e-7)  # both gaps are below
    np.testing.assert_allclose(other.w[395:], one.w, atol=1e-6)
    np.testing.assert_allclose(other.w[:395], 0.0, atol=1e-12)  # rounding


@pytest.mark.parametrize("unit", [1e-12, 1e-6, 1.0, 1e6, 1e12])
def test_the_unit_decides_how_exact_an_answer_is_not_what_it_is(unit, rng):
    constraints = working_set(small_problem(rng), 4, SLACK)
    expected = solve(constraints, C=3.0)
    found = solve(constraints, C=3.0, unit=unit)
    assert found.upper == pytest.approx(expected.upper, rel=1e-7)


def test_a_solver_that_gives_up_is_followed_by_the_next(rng):
    constraints = working_set(small_problem(rng), 4)
    hasty = Rung("CLARABEL", {"max_iter": 1})
    alone = solve(constraints, C=1.0, ladder=(hasty, hasty))
    rescued = solve(constraints, C=1.0, ladder=(hasty, *LADDER))
    assert alone.gap > 1e-3 * alone.upper
    assert rescued.gap <= 1e-7 * rescued.upper


@PENALTIES
@pytest.mark.parametrize(
    "rung",
    [clarabel(1e-1), Rung("CLARABEL", {"max_iter": 3}), Rung("OSQP", {"eps_abs": 1e-2}), Rung("SCS", {})],
)
def test_the_certificate_holds_however_rough_the_solver_is(penalty, rung, rng):
    constraints = working_set(small_problem(rng), 4, SLACK, penalty)
    exact = solve(constraints, C=2.0, penalty=penalty)
    rough = solve(constraints, C=2.0, penalty=penalty, ladder=(rung,))
    assert (rough.multipliers >= 0.0).all()
    assert rough.lower <= exact.upper
    assert rough.upper >= exact.lower


def test_of_several_inexact_answers_the_most_exact_is_returned(rng):
    constraints = working_set(small_problem(rng), 4)
    rough, fine = clarabel(1e-2), clarabel(1e-9)
    expected = solve(constraints, C=1.0, ladder=(fine,))
    for ladder in ((rough, fine), (fine, rough)):
        found = solve(constraints, C=1.0, relative_gap=0.0, ladder=ladder)
        assert found.gap <= 1e3 * abs(expected.gap) + 1e-9  # the other order, another unit


def test_no_answer_at_all_is_an_error_with_what_every_solver_said(rng):
    constraints = working_set(small_problem(rng), 4)
    with pytest.raises(SolverFailed, match=r"CLARABEL: infeasible") as failure:
        solve(constraints, C=1.0, unit=1e-12, ladder=(clarabel(1e-8),))
    assert failure.value.status == "CLARABEL: infeasible"


def test_a_row_without_features_asks_for_its_bound_as_slack():
    # two labellings with the same features but a loss: nothing but slack can help
    constraints = WorkingSet(1, 2)
    constraints.add(0, np.array([1]), np.zeros(2), 3.0)
    found = solve(constraints, C=2.0)
    assert found.upper == pytest.approx(6.0, rel=1e-7)
    assert found.slack[0] == 3.0
    np.testing.assert_allclose(found.w, 0.0, atol=1e-6)


def test_contradictory_rows_leave_no_weights():
    # spec F 32: z = ±e_1
    constraints = WorkingSet(2, 1)
    constraints.add(0, np.array([1]), np.array([1.0]), 1.0)
    constraints.add(1, np.array([1]), np.array([-1.0]), 1.0)
    found = solve(constraints, C=1.0)
    assert found.upper == pytest.approx(1.0, rel=1e-7)
    np.testing.assert_allclose(found.w, 0.0, atol=1e-6)


def test_the_working_set_refuses_a_constraint_it_holds():
    constraints = WorkingSet(2, 1)
    y_hat = np.array([0, 1])
    constraints.add(0, y_hat, np.ones(1), 1.0)
    assert (0, y_hat) in constraints
    assert (1, y_hat) not in constraints
    with pytest.raises(ValueError, match="labelling of example 0 is in the set already"):
        constraints.add(0, y_hat.copy(), np.ones(1), 1.0)
    constraints.add(1, y_hat, np.ones(1), 1.0)
    assert len(constraints) == 2


def test_the_working_set_keeps_its_rows_in_order_while_it_grows(rng):
    constraints, rows = WorkingSet(3, 4), rng.normal(size=(100, 4))
    for m, z in enumerate(rows):
        constraints.add(m % 3, np.array([m]), z, float(m))
    np.testing.assert_array_equal(constraints.rows, rows)
    np.testing.assert_array_equal(constraints.bounds, np.arange(100))
    np.testing.assert_array_equal(constraints.owners, np.arange(100) % 3)


def test_slacks_are_the_largest_violations_and_zero_without_a_constraint(rng):
    constraints = WorkingSet(3, 2)
    constraints.add(0, np.array([1]), np.array([1.0, 0.0]), 1.0)
    constraints.add(0, np.array([2]), np.array([0.0, 1.0]), 5.0)
    constraints.add(2, np.array([1]), np.array([1.0, 0.0]), 1.0)
    assert constraints.slack(np.array([2.0, 1.0])).tolist() == [4.0, 0.0, 0.0]
