import numpy as np
import pytest

from viterbi_lab.working_set import WorkingSet


def filled(rows):
    constraints = WorkingSet(3, rows.shape[1])
    for m, z in enumerate(rows):
        constraints.add(m % 3, np.array([m]), z, float(m))
    return constraints


def test_new_rows_have_no_mass(rng):
    constraints = filled(rng.normal(size=(40, 2)))
    assert not constraints.multipliers.any()
    constraints.multipliers[3] = 5.0
    constraints.add(0, np.array([99]), np.ones(2), 1.0)
    assert constraints.multipliers[3] == 5.0
    assert constraints.multipliers[-1] == 0.0


def test_rows_are_dropped_when_they_were_idle_long_enough(rng):
    rows = rng.normal(size=(6, 2))
    constraints = filled(rows)
    constraints.multipliers[[1, 4]] = 1.0
    assert [constraints.drop_idle(constraints.multipliers == 0, 2) for _ in range(3)] == [0, 0, 4]
    np.testing.assert_array_equal(constraints.rows, rows[[1, 4]])
    assert constraints.bounds.tolist() == [1.0, 4.0]
    assert constraints.owners.tolist() == [1, 1]
    assert constraints.multipliers.tolist() == [1.0, 1.0]
    assert (1, np.array([4])) in constraints
    assert (2, np.array([5])) not in constraints


def test_work_in_between_starts_the_count_anew(rng):
    constraints = filled(rng.normal(size=(1, 2)))
    idle, busy = np.array([True]), np.array([False])
    assert [constraints.drop_idle(now, 1) for now in (idle, busy, idle, idle)] == [0, 0, 0, 1]


def test_a_dropped_row_may_come_back(rng):
    constraints = filled(rng.normal(size=(2, 2)))
    for _ in range(2):
        constraints.drop_idle(np.ones(2, bool), 1)
    assert len(constraints) == 0
    constraints.add(0, np.array([0]), np.ones(2), 7.0)
    assert constraints.bounds.tolist() == [7.0]


def test_further_examples_have_no_rows_and_no_slack(rng):
    constraints = filled(rng.normal(size=(6, 2)))
    before = constraints.slack(np.zeros(2))
    constraints.extend_examples(2)
    assert constraints.n_examples == 5
    assert constraints.slack(np.zeros(2)).tolist() == [*before, 0.0, 0.0]


@pytest.mark.parametrize("shape", [(4, 2), (3, 1)])
def test_another_training_is_refused(rng, shape):
    with pytest.raises(ValueError, match="working set is for 3 examples and 2 weights"):
        filled(rng.normal(size=(2, 2))).require(*shape)


def test_a_set_for_some_examples_becomes_one_for_all(rng):
    part, whole = filled(rng.normal(size=(5, 2))), WorkingSet(10, 2)
    part.multipliers[:], part.C = rng.uniform(size=5), 0.7
    whole.take(part, np.array([2, 5, 9]))
    assert whole.owners.tolist() == [2, 5, 9, 2, 5]
    assert (9, np.array([2])) in whole
    np.testing.assert_array_equal(whole.rows, part.rows)
    np.testing.assert_array_equal(whole.bounds, part.bounds)
    np.testing.assert_allclose(whole.multipliers, 0.3 * part.multipliers, rtol=1e-15)  # C/10 where it was C/3
    assert whole.C == part.C


def test_of_many_constraints_only_the_new_ones_are_added(rng):
    one_by_one, at_once = WorkingSet(30, 2), WorkingSet(30, 2)
    for _ in range(4):
        outputs = list(rng.integers(0, 2, size=(30, 2)))
        owners = np.flatnonzero(rng.random(30) < 0.7)
        Z, b = rng.normal(size=(30, 2)), rng.uniform(size=30)
        expected = 0
        for i in owners.tolist():
            if (i, outputs[i]) not in one_by_one:
                one_by_one.add(i, outputs[i], Z[i], b[i])
                expected += 1
        assert at_once.add_new(owners, [outputs[i] for i in owners], Z[owners], b[owners]) == expected
    for name in ("rows", "bounds", "owners", "multipliers"):
        np.testing.assert_array_equal(getattr(at_once, name), getattr(one_by_one, name))
    assert at_once.add_new(np.zeros(0, np.int64), [], np.zeros((0, 2)), np.zeros(0)) == 0
