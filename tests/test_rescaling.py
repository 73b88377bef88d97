import numpy as np
import pytest

from viterbi_lab.rescaling import LINEAR, MARGIN, QUADRATIC, SLACK, VARIANTS

BOTH = pytest.mark.parametrize("rescaling", [SLACK, MARGIN])


@BOTH
def test_the_violation_is_the_bound_minus_what_the_plane_gives(rescaling, rng):
    w, delta_psi, loss = rng.normal(size=5), rng.normal(size=5), 3.0
    z, b = rescaling.plane(delta_psi, loss)
    assert b - w @ z == pytest.approx(rescaling.violation(w @ delta_psi, loss), abs=1e-12)  # rounding


@BOTH
def test_the_oracle_maximises_the_violation(rescaling):
    truth, score, loss = 4.0, 2.5, 3.0
    total = score + rescaling.offset(truth)
    combined = total * loss if rescaling.combine.value == "·" else total + loss
    assert combined == rescaling.violation(truth - score, loss)


@BOTH
def test_the_truth_violates_nothing(rescaling):
    assert rescaling.violation(0.0, 0.0) == 0.0


def test_slack_rescaling_is_the_printed_constraint_times_the_loss():
    # Bauer et al. (3): advantage >= 1 - ξ/Δ is met with equality by ξ = H
    advantage, loss = 0.3, 5.0
    xi = SLACK.violation(advantage, loss)
    assert advantage == pytest.approx(1 - xi / loss, abs=1e-15)  # rounding


def test_both_rescalings_ask_for_the_same_slack_if_the_loss_is_zero_or_one():
    for advantage in (-1.0, 0.2, 1.0, 3.0):
        slack, margin = (max(0.0, r.violation(advantage, 1.0)) for r in (SLACK, MARGIN))
        assert slack == margin


def test_slacks_cost_their_mean_or_half_their_mean_square():
    slack = np.array([1.0, 3.0])
    assert LINEAR.cost(slack, C=10.0) == 20.0
    assert QUADRATIC.cost(slack, C=10.0) == 25.0


def test_squared_slacks_see_the_root_of_the_loss():
    h = np.array([0.0, 1.0, 4.0])
    np.testing.assert_array_equal(LINEAR.tempered(h), h)
    np.testing.assert_array_equal(QUADRATIC.tempered(h), [0, 1, 2])


def test_stopping_at_epsilon_leaves_at_most_c_epsilon_if_slacks_cost_their_sum():
    assert LINEAR.tolerance(np.array([1.0, 7.0]), C=10.0, epsilon=0.5) == 5.0


def test_the_six_soft_machines_are_named():
    assert len(VARIANTS) == len(set(VARIANTS.values())) == 6
    assert {name for name, variant in VARIANTS.items() if variant.zero_one} == {"SVM_1", "SVM_2"}
