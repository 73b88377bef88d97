"""Laws of inference, held against the referee that looks at every labelling."""

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies_dp import INTERPRETED, chains, operators, wrapper, wrappers

from viterbi_lab.dp import (
    ChainProblem,
    ChainScores,
    Combine,
    NoFeasibleLabelling,
    decode,
    decode_all,
    trace,
    viterbi,
)

EXHAUSTIVE = settings(max_examples=150 if INTERPRETED else 600, deadline=None)
LAWS = settings(max_examples=60 if INTERPRETED else 200, deadline=None)
ROUNDING = 1e-12  # sums of at most 6 numbers below 10


def built(tables, order):
    return ChainScores.from_tables(tables, order=order)


@EXHAUSTIVE
@given(st.data(), chains(), operators, st.integers(0, 1), st.integers(-2, 2))
def test_decoding_equals_enumeration(data, chain, op, kmin, offset):
    tables, y, order = chain
    h = data.draw(wrappers(len(tables)))
    expected = naive.decode(tables, y, h, op.value, float(offset), kmin, order)
    asked = ChainProblem(built(tables, order), y, h, op, offset=float(offset), kmin=kmin)
    for method in ("auto", "full"):
        if expected is None:
            with pytest.raises(NoFeasibleLabelling):
                decode(asked, method)
            continue
        found = decode(asked, method)
        assert found.value == expected.value
        assert (found.k, tuple(found.y)) == (expected.k, expected.y)
        assert found.score == naive.score(tables, found.y)


@EXHAUSTIVE
@given(st.data(), chains(integers=False), operators, st.integers(0, 1))
def test_decoding_of_real_scores_attains_the_enumerated_value(data, chain, op, kmin):
    tables, y, order = chain
    h = data.draw(wrappers(len(tables)))
    expected = naive.decode(tables, y, h, op.value, 0.5, kmin, order)
    asked = ChainProblem(built(tables, order), y, h, op, offset=0.5, kmin=kmin)
    if expected is None:
        with pytest.raises(NoFeasibleLabelling):
            decode(asked)
        return
    # the full table adds the same numbers in the same order as the referee: the same bits
    assert decode(asked, "full").value == expected.value
    assert decode(asked).value == pytest.approx(expected.value, abs=ROUNDING)


@LAWS
@given(chains())
def test_plain_decoding_equals_enumeration(chain):
    tables, _, order = chain
    value, labelling = naive.viterbi(tables)
    if value == -np.inf:
        with pytest.raises(NoFeasibleLabelling):
            viterbi(built(tables, order))
    else:
        found = viterbi(built(tables, order))
        assert (found.value, tuple(found.y)) == (value, labelling)


@LAWS
@given(st.data(), chains(max_order=2), operators)
def test_integer_costs_equal_enumeration(data, chain, op):
    tables, y, order = chain
    shape = (len(tables), tables[0].shape[0])
    cost = np.array(
        data.draw(st.lists(st.integers(0, 3), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))
    )
    cost = cost.reshape(shape)
    h = data.draw(wrappers(int(cost.max(axis=1).sum())))
    expected = naive.decode(tables, y, h, op.value, order=order, cost=cost)
    asked = ChainProblem(built(tables, order), y, h, op, cost=cost)
    if expected is None:
        with pytest.raises(NoFeasibleLabelling):
            decode(asked)
        return
    for method in ("auto", "full"):
        found = decode(asked, method)
        assert (found.value, found.k, tuple(found.y)) == (expected.value, expected.k, expected.y)


@LAWS
@given(chains(max_length=6, max_states=2), operators, st.integers(0, 2), st.floats(-2, 2), st.integers(0, 1))
def test_a_capped_counter_equals_the_full_table(chain, op, cap, top, kmin):
    tables, y, order = chain
    long = tables + [tables[-1]] * 6 if tables[-1].ndim == order + 1 else tables
    y = np.concatenate([y, np.zeros(len(long) - len(tables), int)])
    h = np.where(np.arange(len(long) + 1) < cap, np.arange(len(long) + 1.0), round(top, 1))
    asked = ChainProblem(built(long, order), y, h, op, offset=0.25, kmin=kmin)
    try:
        expected = decode(asked, "full")
    except NoFeasibleLabelling:
        with pytest.raises(NoFeasibleLabelling):
            decode(asked)
        return
    found = decode(asked)
    assert (found.value, found.k, found.y.tolist()) == (expected.value, expected.k, expected.y.tolist())


@LAWS
@given(chains(forbidden=False))
def test_no_errors_means_the_true_labelling(chain):
    tables, y, order = chain
    seen = trace(ChainProblem(built(tables, order), y, np.zeros(y.size + 1), Combine.PLUS))
    assert seen.best[0] == naive.score(tables, y)


@LAWS
@given(chains())
def test_plain_decoding_is_the_best_of_all_k(chain):
    tables, y, order = chain
    if naive.viterbi(tables)[0] == -np.inf:
        return
    seen = trace(ChainProblem(built(tables, order), y, np.zeros(y.size + 1), Combine.PLUS))
    assert seen.best.max() == viterbi(built(tables, order)).value


@LAWS
@given(chains(), st.sampled_from(["id", "neg", "alt", "shift"]))
def test_trace_holds_the_extreme_sums_of_every_cell(chain, name):
    tables, y, order = chain
    if naive.viterbi(tables)[0] == -np.inf:
        return
    asked = ChainProblem(built(tables, order), y, wrapper(name, y.size), Combine.TIMES)
    seen = trace(asked)
    groups = naive.best_sums(tables, y, order)
    n = tables[0].shape[0]
    largest, smallest = np.full(seen.L[-1].shape, -np.inf), np.full(seen.L[-1].shape, np.inf)
    for (k, last), members in groups.items():
        state = sum(label * n**age for age, label in enumerate(last))
        largest[k, state] = max(total for total, _ in members)
        smallest[k, state] = min(total for total, _ in members)
    np.testing.assert_array_equal(seen.L[-1], largest)
    np.testing.assert_array_equal(seen.L_min[-1], smallest)
    assert not np.isnan(seen.L).any()
    assert ((seen.S >= 0) == (-np.inf < seen.L))[max(1, min(order, y.size)) :].all()


@LAWS
@given(chains(max_states=3), operators, st.sampled_from(["id", "sqrt", "neg", "sq"]))
def test_with_one_label_only_the_truth_exists(chain, op, name):
    tables, y, order = chain
    only = [table[(slice(0, 1),) * table.ndim] for table in tables]
    if naive.score(only, np.zeros(y.size, int)) == -np.inf:
        return
    seen = trace(ChainProblem(built(only, order), np.zeros(y.size, int), wrapper(name, y.size), op))
    assert (seen.L[:, 1:] == -np.inf).all()
    assert seen.decoding.k == 0


@LAWS
@given(st.data(), chains(forbidden=False), operators)
def test_all_labellings_are_the_truth_or_another(data, chain, op):
    tables, y, order = chain
    if tables[0].shape[0] == 1:
        return
    h = data.draw(wrappers(y.size))
    everything = decode(ChainProblem(built(tables, order), y, h, op))
    others = decode(ChainProblem(built(tables, order), y, h, op, kmin=1))
    truth = ChainProblem(built(tables, order), y, h, op).objective(naive.score(tables, y), 0)
    assert everything.value == max(truth, others.value)


@LAWS
@given(chains(forbidden=False), st.floats(0.25, 8))
def test_scaling_h_scales_the_product(chain, factor):
    tables, y, order = chain
    h = wrapper("sq", y.size)
    one = decode(ChainProblem(built(tables, order), y, h, Combine.TIMES), "full")
    scaled = decode(ChainProblem(built(tables, order), y, factor * h, Combine.TIMES), "full")
    assert scaled.value == pytest.approx(factor * one.value, rel=1e-12)


@LAWS
@given(chains(forbidden=False), operators, st.sampled_from(["id", "sqrt", "sq", "neg"]))
def test_renaming_labels_keeps_the_value(chain, op, name):
    tables, y, order = chain
    n = tables[0].shape[0]
    rename = np.roll(np.arange(n), 1)
    renamed = [table[np.ix_(*[np.argsort(rename)] * table.ndim)] for table in tables]
    h = wrapper(name, y.size)
    one = decode(ChainProblem(built(tables, order), y, h, op))
    other = decode(ChainProblem(built(renamed, order), rename[y], h, op))
    assert other.value == pytest.approx(one.value, abs=ROUNDING)
    assert other.k == one.k


@LAWS
@given(chains(max_order=1, forbidden=False), operators, st.sampled_from(["id", "sqrt", "sq", "neg"]))
def test_reading_backwards_keeps_the_value(chain, op, name):
    tables, y, order = chain
    if order == 1 and y.size > 1:
        mirrored = [np.zeros(tables[0].shape), *(table.T for table in tables[:0:-1])]
        mirrored[-1] = mirrored[-1] + tables[0]
    else:
        mirrored = tables[::-1]
    h = wrapper(name, y.size)
    one = decode(ChainProblem(built(tables, order), y, h, op))
    other = decode(ChainProblem(built(mirrored, order), y[::-1].copy(), h, op))
    assert other.value == pytest.approx(one.value, abs=ROUNDING)


@LAWS
@given(chains(forbidden=False), st.integers(-3, 3))
def test_a_constant_may_be_added_anywhere(chain, constant):
    """Check 15: at the end, in the first site, or spread over all sites."""
    tables, y, order = chain
    h = wrapper("id", y.size)
    end = decode(ChainProblem(built(tables, order), y, h, Combine.TIMES, offset=float(constant)))
    first = decode(ChainProblem(built([tables[0] + constant, *tables[1:]], order), y, h, Combine.TIMES))
    spread = decode(ChainProblem(built([g + constant / y.size for g in tables], order), y, h, Combine.TIMES))
    assert first.value == pytest.approx(end.value, abs=ROUNDING)
    assert spread.value == pytest.approx(end.value, abs=ROUNDING)


def test_positive_parts_of_slack_and_margin_coincide_for_zero_one_loss():
    rng = np.random.default_rng(3)
    for _ in range(100):
        T, N = int(rng.integers(1, 6)), int(rng.integers(2, 4))
        tables = [rng.normal(size=(N,) * min(t + 1, 2)) for t in range(T)]
        y, h = rng.integers(0, N, T), wrapper("01", T)
        scores = ChainScores.from_tables(tables, order=1)
        truth = scores.score(y)
        slack = decode(ChainProblem(scores, y, h, Combine.TIMES, offset=1 - truth))
        margin = decode(ChainProblem(scores, y, h, Combine.PLUS, offset=-truth))
        assert max(0.0, slack.value) == pytest.approx(max(0.0, margin.value), abs=ROUNDING)


def test_with_large_margins_the_slack_oracle_returns_the_truth():
    y = np.array([1, 0, 1])
    emissions = np.where(np.arange(2) == y[:, None], 5.0, 0.0)
    scores = ChainScores.homogeneous(emissions, np.zeros((2, 2)))
    found = decode(ChainProblem(scores, y, np.arange(4.0), Combine.TIMES, offset=1 - scores.score(y)))
    assert (found.value, found.k, found.y.tolist()) == (0.0, 0, y.tolist())
    assert not np.signbit(found.value)


def test_forbidden_transitions_and_h_zero_make_no_nan():
    rng = np.random.default_rng(0)
    for _ in range(50):
        emissions = rng.normal(size=(6, 3))
        transitions = np.where(rng.random((3, 3)) < 0.4, -np.inf, rng.normal(size=(3, 3)))
        scores = ChainScores.homogeneous(emissions, transitions)
        for name in ("id", "neg", "alt"):
            asked = ChainProblem(scores, rng.integers(0, 3, 6), wrapper(name, 6), Combine.TIMES)
            try:
                found = decode(asked)
            except NoFeasibleLabelling:
                continue
            assert np.isfinite(found.value)
            assert np.isfinite(found.score)


def test_start_and_end_states_equal_start_and_end_scores():
    """Check 17: N=4 with two extra sites and forbidden transitions, or N=2 with border scores."""
    rng = np.random.default_rng(17)
    for _ in range(40):
        T = int(rng.integers(1, 6))
        emissions, transitions = rng.normal(size=(T, 2)), rng.normal(size=(2, 2))
        start, end, y = rng.normal(size=2), rng.normal(size=2), rng.integers(0, 2, T)
        h = wrapper("sq", T)
        two = decode(
            ChainProblem(
                ChainScores.homogeneous(emissions, transitions, start=start, end=end), y, h, Combine.TIMES
            )
        )
        wide = np.full((T + 2, 4), -np.inf)
        wide[0, 2] = wide[-1, 3] = 0.0
        wide[1:-1, :2] = emissions
        steps = np.full((4, 4), -np.inf)
        steps[:2, :2], steps[2, :2], steps[:2, 3] = transitions, start, end
        padded = np.concatenate([[2], y, [3]])
        four = decode(
            ChainProblem(ChainScores.homogeneous(wide, steps), padded, wrapper("sq", T + 2), Combine.TIMES)
        )
        assert four.value == pytest.approx(two.value, abs=1e-11)
        assert four.y[1:-1].tolist() == two.y.tolist()


def test_dense_and_homogeneous_scores_give_the_same_bits():
    rng = np.random.default_rng(5)
    for order in (1, 2, 3):
        emissions = rng.normal(size=(30, 3))
        transitions = rng.normal(size=(3,) * (order + 1))
        y = rng.integers(0, 3, 30)
        compact = ChainScores.homogeneous(emissions, transitions)
        first, *rest = compact.tables()
        spread = ChainScores.from_arrays(first, np.array(rest))
        for op in Combine:
            one = decode(ChainProblem(compact, y, wrapper("sq", 30), op))
            other = decode(ChainProblem(spread, y, wrapper("sq", 30), op))
            assert (one.value, one.y.tolist()) == (other.value, other.y.tolist())


@pytest.mark.parametrize(("length", "n_states", "order"), [(700, 2, 1), (300, 5, 1), (150, 3, 2), (90, 2, 3)])
def test_walking_back_over_checkpoints_equals_following_stored_pointers(length, n_states, order):
    """The checkpointed decoder and the tables of a trace are two ways to the same path."""
    rng = np.random.default_rng(length)
    scores = ChainScores.homogeneous(
        rng.integers(-4, 5, (length, n_states)).astype(float),
        rng.integers(-2, 3, (n_states,) * (order + 1)).astype(float),
    )
    y = rng.integers(0, n_states, length)
    asked = ChainProblem(scores, y, np.sqrt(np.arange(length + 1.0)), Combine.TIMES)
    found = decode(asked, "full")
    seen = trace(asked)
    _, k, state = seen.path[-1]
    labels = []
    for t in range(length - 1, order - 1, -1):
        oldest = int(seen.S[t, k, state])
        k -= int(state // n_states ** (order - 1) != y[t])
        labels.append(oldest)
        state = oldest + n_states * (state % n_states ** (order - 1))
    assert labels[::-1] == found.y[: length - order].tolist()
    assert scores.score(found.y) == found.score == seen.L[tuple(seen.path[-1])]


def test_many_sequences_at_once_equal_one_by_one():
    rng = np.random.default_rng(11)
    problems = []
    for length in (1, 40, 7, 300, 2):
        scores = ChainScores.homogeneous(rng.normal(size=(length, 3)), rng.normal(size=(3, 3)))
        problems.append(
            ChainProblem(scores, rng.integers(0, 3, length), np.arange(length + 1.0), Combine.TIMES)
        )
    singly = [decode(problem) for problem in problems]
    for threads in (1, 2, 4):
        for one, other in zip(singly, decode_all(problems, threads=threads), strict=True):
            assert (one.value, one.y.tolist()) == (other.value, other.y.tolist())
