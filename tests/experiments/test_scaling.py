"""Figures 4 and 5: the programs that are timed agree, and the numbers are those of the specification, C.4."""

import itertools

import numpy as np
import pytest

from viterbi_lab.dp import trace
from viterbi_lab.experiments.concentration import best_by_count, heat
from viterbi_lab.experiments.scaling import (
    ALGORITHM_1,
    ALGORITHM_2,
    BOUNDS,
    EXHAUSTIVE,
    FITTED_FROM,
    PROGRAMS,
    Timing,
    measure,
    random_instance,
    slope,
)


@pytest.mark.parametrize("T", [1, 2, 5])
def test_exhaustive_search_finds_what_algorithm_1_finds(T, rng):
    problem = random_instance(T, rng)
    value, labels = PROGRAMS[EXHAUSTIVE](problem)
    for program in (ALGORITHM_1, BOUNDS):
        found = PROGRAMS[program](problem)
        assert found.value == pytest.approx(value, rel=1e-12)  # sums in another order
        assert tuple(found.y) == labels


def test_the_time_grows_as_the_paper_says():
    lengths = {EXHAUSTIVE: (4, 5, 6), ALGORITHM_2: (6400, 25600), ALGORITHM_1: (6400, 12800)}
    timings = list(measure(lengths, rounds=3))
    assert [(t.program, t.T) for t in timings] == [(p, T) for p, several in lengths.items() for T in several]
    assert 1.7 <= slope(timings, ALGORITHM_1) <= 2.3  # these three bands are C.4's
    assert 0.7 <= slope(timings, ALGORITHM_2) <= 1.3
    assert 3.0 <= slope(timings, EXHAUSTIVE) <= 6.0


def test_the_slope_of_a_power_is_its_exponent():
    timings = [Timing(ALGORITHM_1, T, 1e-9 * T**2) for T in (100, 3200, 6400, 12800)]
    assert slope(timings, ALGORITHM_1) == pytest.approx(2.0)
    spoiled = [Timing(ALGORITHM_1, FITTED_FROM - 1, 5.0), *timings]
    assert slope(spoiled, ALGORITHM_1) == pytest.approx(2.0)
    assert slope([Timing(EXHAUSTIVE, T, 1e-6 * 4.0**T) for T in (5, 6, 7)], EXHAUSTIVE) == pytest.approx(4.0)
    assert slope(timings[:2], ALGORITHM_1) is None


def test_a_cancelled_measurement_ends_between_two_calls():
    asked = itertools.chain([False] * 3, itertools.repeat(True))
    timings = list(measure({ALGORITHM_2: (10, 20)}, rounds=3, cancelled=lambda: next(asked)))
    assert [t.T for t in timings] == [10]


def test_all_prefixes_of_one_pass_are_the_tables_of_the_engine(rng):
    problem = random_instance(12, rng)
    np.testing.assert_allclose(best_by_count(problem), trace(problem).L.max(axis=2), rtol=1e-13)


def test_the_maps_are_concentrated_as_in_the_paper():
    found = heat()  # T = 2000, ten problems: less than a second
    assert 0.93 <= found.best_k["slack"] / 2000 <= 0.98
    assert 0.72 <= found.best_k["margin"] / 2000 <= 0.80
    assert found.share_above_half("margin") > 2 * found.share_above_half("slack")
    assert abs(found.score_per_site - 35.9) <= 0.5
    assert 7.0e4 <= found.largest["margin"] <= 1e5  # the ranges of the paper end at 1e5 and 1e8
    assert 1.0e8 <= found.largest["slack"] <= 1.5e8


def test_a_thinned_map_keeps_the_last_site_and_leaves_the_impossible_open():
    found = heat(260, sets=2)
    assert found.t[-1] == found.k[-1] == 260
    assert found.t.size <= 250
    impossible = found.k > found.t[:, np.newaxis]
    assert np.array_equal(np.isnan(found.margin), impossible)
    assert np.array_equal(np.isnan(found.slack), impossible)
    assert np.nanmax(found.slack[-1]) <= found.largest["slack"]


def test_cancelled_maps_are_none_and_empty_ones_are_refused():
    assert heat(50, cancelled=lambda: True) is None
    with pytest.raises(ValueError, match="at least 2 sites and 1 problem"):
        heat(1)
