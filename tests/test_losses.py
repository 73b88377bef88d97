import pickle

import numpy as np
import pytest

from viterbi_lab.losses import (
    IDENTITY,
    SQRT,
    SQUARE,
    WRAPPERS,
    ZERO_ONE,
    Wrapper,
    capped,
    hamming_cost,
    listed,
    sampled,
)


def test_the_costs_of_a_labelling_sum_to_its_hamming_distance(rng):
    y, y_hat = rng.integers(0, 4, size=(2, 30))
    assert hamming_cost(y, 4)[np.arange(30), y_hat].sum() == (y != y_hat).sum()


@pytest.mark.parametrize("y", [[0, 3], [-1, 0]])
def test_a_state_out_of_range_is_refused(y):
    with pytest.raises(ValueError, match=r"allows only 0\.\.2"):
        hamming_cost(np.array(y), n_states=3)


@pytest.mark.parametrize(
    ("wrapper", "expected"),
    [
        (IDENTITY, [0, 1, 2, 3, 4]),
        (SQRT, [0, 1, 2**0.5, 3**0.5, 2]),
        (SQUARE, [0, 1, 4, 9, 16]),
        (ZERO_ONE, [0, 1, 1, 1, 1]),
        (capped(2), [0, 1, 2, 2, 2]),
        (capped(2.5), [0, 1, 2, 2.5, 2.5]),
        (listed([0, 5, 1, 7, 2, 99]), [0, 5, 1, 7, 2]),
        (sampled(lambda k: k**3 if k > 2 else k), [0, 1, 2, 27, 64]),
    ],
)
def test_a_wrapper_is_sampled_at_every_number_of_errors(wrapper, expected):
    table = wrapper.table(4)
    assert table.dtype == np.float64
    np.testing.assert_array_equal(table, expected)


def test_a_function_of_one_integer_is_called_with_integers():
    assert sampled(lambda k: float(k << 1)).table(2).tolist() == [0.0, 2.0, 4.0]


def test_a_name_alone_finds_its_wrapper():
    assert all(WRAPPERS[wrapper.name] is wrapper for wrapper in (IDENTITY, SQRT, SQUARE, ZERO_ONE))


@pytest.mark.parametrize("wrapper", [IDENTITY, SQRT, capped(3), listed([0, 1, 2, 3])])
def test_a_wrapper_survives_the_way_into_a_worker_process(wrapper):
    again = pickle.loads(pickle.dumps(wrapper))
    np.testing.assert_array_equal(again.table(3), wrapper.table(3))


def test_a_list_that_is_too_short_is_refused():
    with pytest.raises(ValueError, match=r"the T \+ 1 = 5 values h\(0\.\.4\)"):
        listed([0, 1, 2]).table(4)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_refused_by_its_k(bad):
    with pytest.raises(ValueError, match=r"h\(2\) = "):
        listed([0, 1, bad]).table(2)


def test_an_inference_wrapper_may_be_anything_but_a_training_loss_starts_at_zero():
    shifted = Wrapper("k - 1", lambda k: k - 1)
    np.testing.assert_array_equal(shifted.table(2), [-1, 0, 1])
    with pytest.raises(ValueError, match=r"h\(0\) = -1 .* Training needs h\(0\) = 0"):
        shifted.loss_table(2)


@pytest.mark.parametrize(("values", "k"), [([0, 1, -2, 1], 2), ([0, 0, 1, 1], 1), ([0, 1, 1, 0], 3)])
def test_a_training_loss_is_positive_for_every_wrong_labelling(values, k):
    with pytest.raises(ValueError, match=rf"h\({k}\) = .* Training needs h\(k\) > 0"):
        listed(values).loss_table(3)


def test_a_cap_of_zero_is_refused():
    with pytest.raises(ValueError, match="must be positive"):
        capped(0)
