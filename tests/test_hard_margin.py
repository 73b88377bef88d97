"""SVM_0: optimum, bounds, and data that no weights separate."""

import naive_training
import numpy as np
import pytest

from viterbi_lab.hard_margin import iterates
from viterbi_lab.iterate import Status
from viterbi_lab.losses import SQUARE
from viterbi_lab.tasks.sequence import ACTIVE, SequenceTask


@pytest.fixture
def four(golden):
    """The first four examples of the golden sequences: separable."""
    data = golden("g06_ssvm_optima")["seq"]
    task = SequenceTask(data["N"], data["V"], encoding=ACTIVE)
    X = [np.array(x)[:, np.newaxis] for x in data["X"]][:4]
    return task, task.prepare(X, [np.array(y) for y in data["Y"]][:4])


def test_g06_the_hard_machine_has_its_optimum(golden, four):
    # spec F 31
    expected = golden("g06_ssvm_optima")["results"]["seq4|SVM_0"]
    *_, last = iterates(*four)
    assert last.status is Status.CONVERGED
    assert expected["obj"] == 3.85
    assert last.upper == pytest.approx(3.85, rel=1e-6)
    assert last.lower == pytest.approx(3.85, rel=1e-6)
    assert 1 / np.linalg.norm(last.w) == pytest.approx(expected["margin"], rel=1e-6)


def test_every_constraint_holds_at_the_weights_with_a_finite_objective(four):
    task, examples = four
    X = [naive_training.indicators(e.x, 3) for e in examples]
    rows = list(naive_training.constraints(X, [e.y.tolist() for e in examples], 2, lambda k: k))
    seen = 0
    for it in iterates(task, examples):
        least = min(delta_psi @ it.w for _, _, delta_psi, _ in rows)
        if np.isfinite(it.upper):
            assert least >= 1 - 1e-9  # rounding
            seen += 1
        else:
            assert least < 1
    assert seen >= 1


def test_bounds_enclose_the_optimum_at_every_pass(four):
    for it in iterates(*four):
        assert it.lower <= 3.85 * (1 + 1e-9)
        assert it.upper >= 3.85 * (1 - 1e-9)


def test_contradictory_data_are_called_impossible_with_a_proof(rng):
    # the same input twice with other labels; spec F 32
    x = rng.normal(size=(3, 2))
    task = SequenceTask(2, 2)
    examples = task.prepare([x, x], [np.array([0, 1, 1]), np.array([1, 1, 0])])
    *_, last = iterates(task, examples)
    assert last.status is Status.INFEASIBLE
    assert last.upper == np.inf
    assert np.sqrt(2 * last.lower) >= 1e6  # the norm that weights would need, at features of size 1


def test_the_largest_norm_of_a_feature_decides_what_is_impossible(four):
    _, examples = four
    dense = SequenceTask(2, 3)
    for size in (1e-4, 1e4):
        X = [size * naive_training.indicators(e.x, 3) for e in examples]
        *_, last = iterates(dense, dense.prepare(X, [e.y for e in examples]))
        assert last.status is Status.CONVERGED


def test_only_whether_there_is_a_loss_matters(four):
    task, examples = four
    other = SequenceTask(2, 3, SQUARE, encoding=ACTIVE)
    *_, expected = iterates(task, examples)
    *_, last = iterates(other, other.prepare([e.x for e in examples], [e.y for e in examples]))
    assert last.upper == pytest.approx(expected.upper, rel=2e-6)


def test_a_hard_training_can_be_cut_short_and_cancelled(four):
    *_, last = iterates(*four, max_passes=2)
    assert last.status is Status.LIMIT
    (only,) = iterates(*four, cancelled=lambda: True)
    assert (only.number, only.status, only.upper) == (0, Status.CANCELLED, np.inf)


@pytest.mark.parametrize(
    ("setting", "message"),
    [({"relative_gap": 0.0}, "relative_gap=0.0"), ({"max_passes": 0}, "max_passes=0; it is at least 1")],
)
def test_a_setting_out_of_range_is_refused(four, setting, message):
    with pytest.raises(ValueError, match=message):
        iterates(*four, **setting)


def test_training_without_examples_is_refused():
    with pytest.raises(ValueError, match="no example"):
        iterates(SequenceTask(2, 1), ())
