"""The m best labellings, the lead of the best, and the price of a label, held against enumeration."""

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies_dp import chains, operators, wrappers

from viterbi_lab.dp import (
    ChainProblem,
    ChainScores,
    Combine,
    NoFeasibleLabelling,
    decode,
    forced,
    k_best,
    lead,
    max_marginals,
    viterbi,
)

LAWS = settings(max_examples=150, deadline=None)
ROUNDING = 1e-12


def all_values(tables, y, h, op, offset, kmin):
    found = []
    for candidate in naive.labellings(tables):
        score, k = naive.score(tables, candidate), naive.hamming(y, candidate)
        if score > -np.inf and k >= kmin:
            found.append((-naive.combine(op.value, score + offset, h[k]) + 0.0, k, candidate[::-1]))
    return sorted(found)


@LAWS
@given(st.data(), chains(max_length=4), operators, st.integers(0, 1), st.integers(1, 6))
def test_the_best_labellings_come_in_order(data, chain, op, kmin, count):
    tables, y, order = chain
    h = data.draw(wrappers(y.size))
    asked = ChainProblem(ChainScores.from_tables(tables, order=order), y, h, op, offset=1.0, kmin=kmin)
    expected = all_values(tables, y, h, op, 1.0, kmin)
    if not expected:
        with pytest.raises(NoFeasibleLabelling):
            k_best(asked, count)
        return
    found = k_best(asked, count)
    assert [(-each.value + 0.0, each.k, tuple(each.y[::-1])) for each in found] == expected[:count]
    assert found[0].value == decode(asked).value


def test_asking_for_no_labelling_is_refused():
    asked = ChainProblem(ChainScores.from_tables([[1.0, 2.0]]), np.array([0]), np.zeros(2), Combine.PLUS)
    with pytest.raises(ValueError, match="at least one"):
        k_best(asked, 0)


@LAWS
@given(chains())
def test_the_lead_is_the_distance_to_the_second_best(chain):
    tables, _, order = chain
    scores = ChainScores.from_tables(tables, order=order)
    totals = sorted((naive.score(tables, y) for y in naive.labellings(tables)), reverse=True)
    if totals[0] == -np.inf:
        with pytest.raises(NoFeasibleLabelling):
            lead(scores)
        return
    assert lead(scores) == totals[0] - (totals[1] if len(totals) > 1 else -np.inf)


@LAWS
@given(chains())
def test_max_marginals_equal_enumeration(chain):
    tables, _, order = chain
    scores = ChainScores.from_tables(tables, order=order)
    expected = np.full((len(tables), tables[0].shape[0]), -np.inf)
    for y in naive.labellings(tables):
        total = naive.score(tables, y)
        for t, j in enumerate(y):
            expected[t, j] = max(expected[t, j], total)
    np.testing.assert_allclose(max_marginals(scores), expected, atol=ROUNDING)
    if expected.max() > -np.inf:
        assert (max_marginals(scores).max(axis=1) == viterbi(scores).value).all()


@LAWS
@given(st.data(), chains(forbidden=False), operators)
def test_a_forced_label_costs_what_enumeration_says(data, chain, op):
    tables, y, order = chain
    h = data.draw(wrappers(y.size))
    site = data.draw(st.integers(0, y.size - 1))
    label = data.draw(st.integers(0, tables[0].shape[0] - 1))
    asked = ChainProblem(ChainScores.from_tables(tables, order=order), y, h, op)
    best = max(
        naive.combine(op.value, naive.score(tables, c), h[naive.hamming(y, c)])
        for c in naive.labellings(tables)
        if c[site] == label
    )
    found = forced(asked, site, label)
    assert found.y[site] == label
    assert found.value == pytest.approx(best, abs=ROUNDING)


def test_a_label_that_does_not_exist_cannot_be_forced():
    asked = ChainProblem(ChainScores.from_tables([[1.0, 2.0]]), np.array([0]), np.zeros(2), Combine.PLUS)
    for site, label in ((1, 0), (-1, 0), (0, 2)):
        with pytest.raises(ValueError, match="no label"):
            forced(asked, site, label)
