"""Histogram bins and k-mer windows: where the edges come from, and which indices are active."""

import json
from pathlib import Path

import numpy as np
import pytest

from viterbi_lab.features import HistogramBins, KmerWindow, KmerWindows

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def rng():
    return np.random.default_rng(20140)


def naive_kmers(sequence, window):
    """Active features of one window, letter by letter."""
    rows = []
    for t in range(len(sequence)):
        row = []
        for column, offset in enumerate(range(window.first, window.last + 1)):
            block = column if window.period is None else offset % window.period
            start = t + offset
            kmer = sequence[start : start + window.k] if start >= 0 else ""
            if len(kmer) == window.k and set(kmer) <= set("ACGT"):
                number = int("".join(str("ACGT".index(letter)) for letter in kmer), base=4)
            else:
                number = 4**window.k
            row.append(block * (4**window.k + 1) + number)
        rows.append(row)
    return np.array(rows)


# Histogram bins


def test_bin_counts_of_the_golden_sequence_are_its_joint_feature_map():
    golden = json.loads((GOLDEN / "g17_features.json").read_text())
    r, n_bins = len(golden["B"]), golden["bins"]
    bins = HistogramBins(edges=[[1, 2]] * r)  # a value 0, 1 or 2 is the number of its bin
    active = bins.transform(np.array(golden["B"]).T)
    counts = np.zeros((2, bins.n_features))
    for t, label in enumerate(golden["y"]):
        counts[label, active[t]] += 1
    np.testing.assert_array_equal(counts.ravel(), golden["psi"][: 2 * r * n_bins])


def test_each_site_has_one_active_bin_for_each_feature(rng):
    x = rng.normal(size=(50, 3))
    active = HistogramBins.fit([x], n_bins=7).transform(x)
    assert active.shape == (50, 3)
    assert active.dtype == np.int32
    np.testing.assert_array_equal(active // 7, np.tile([0, 1, 2], (50, 1)))


def test_quantile_bins_hold_equal_shares_of_the_training_values(rng):
    signals = [rng.normal(size=(T, 2)) ** 3 for T in (300, 500, 200)]
    bins = HistogramBins.fit(signals, n_bins=10)
    counts = np.bincount(np.concatenate(bins.transform_all(signals)).ravel(), minlength=20)
    np.testing.assert_array_equal(counts, 100)  # 1000 distinct values of each feature, 10 bins


def test_width_bins_divide_the_range_of_the_training_values_evenly():
    bins = HistogramBins.fit([np.array([[0.0], [3.0]]), np.array([[10.0]])], n_bins=5, method="width")
    np.testing.assert_array_equal(bins.edges, [[2, 4, 6, 8]])


def test_the_fitted_edges_do_not_change_when_other_sequences_are_transformed(rng):
    bins = HistogramBins.fit([rng.normal(size=(30, 2))])
    before = bins.edges.copy()
    bins.transform(1000 * rng.normal(size=(30, 2)))
    np.testing.assert_array_equal(bins.edges, before)
    with pytest.raises(ValueError, match="read-only"):
        bins.edges[0, 0] = 0


def test_the_order_and_the_cut_of_the_training_sequences_do_not_matter(rng):
    x = rng.normal(size=(60, 2))
    together, apart = HistogramBins.fit([x]), HistogramBins.fit([x[40:], x[:40]])
    np.testing.assert_array_equal(together.edges, apart.edges)


def test_a_value_equal_to_an_edge_is_in_the_bin_above():
    bins = HistogramBins(edges=[[0.0, 1.0]])
    values = np.array([[np.nextafter(0, -1)], [0.0], [np.nextafter(1, 0)], [1.0]])
    np.testing.assert_array_equal(bins.transform(values).ravel(), [0, 1, 1, 2])


def test_the_outer_bins_are_open_ended(rng):
    bins = HistogramBins.fit([rng.normal(size=(40, 1))], n_bins=4)
    np.testing.assert_array_equal(bins.transform([[-1e300], [1e300]]).ravel(), [0, 3])


@pytest.mark.parametrize("method", ["quantile", "width"])
@pytest.mark.parametrize("value", [0.1, 1 / 3, -7.3])
def test_a_constant_feature_tells_below_from_not_below(method, value):
    bins = HistogramBins.fit([np.full((9, 1), value)], n_bins=10, method=method)
    below, above = np.nextafter(value, -np.inf), np.nextafter(value, np.inf)
    np.testing.assert_array_equal(bins.transform([[below], [value], [above]]).ravel(), [0, 9, 9])


def test_one_bin_makes_a_feature_that_is_always_active(rng):
    bins = HistogramBins.fit([rng.normal(size=(5, 2))], n_bins=1)
    assert bins.n_features == 2
    np.testing.assert_array_equal(bins.transform([[-9.0, 9.0]]), [[0, 1]])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_refused_with_its_place(bad):
    good, broken = np.zeros((4, 2)), np.zeros((4, 2))
    broken[3, 1] = bad
    with pytest.raises(ValueError, match=f"sequence 1 holds {bad} at site 3, feature 1"):
        HistogramBins.fit([good, broken])
    bins = HistogramBins.fit([good])
    with pytest.raises(ValueError, match=f"sequence 1 holds {bad} at site 3, feature 1"):
        bins.transform_all([good, broken])
    with pytest.raises(ValueError, match=f"the sequence holds {bad} at site 3, feature 1"):
        bins.transform(broken)


@pytest.mark.parametrize(
    ("signals", "message"),
    [
        ([], "no sequences"),
        ([np.zeros((0, 2))], r"sequence 0 has shape \(0, 2\)"),
        ([np.zeros(5)], r"shape \(5,\).*newaxis"),
        ([np.zeros((5, 2)), np.zeros((5, 3))], "sequence 1 has 3 features at each site, but 2 are needed"),
    ],
)
def test_signals_of_the_wrong_shape_are_refused(signals, message):
    with pytest.raises(ValueError, match=message):
        HistogramBins.fit(signals)


def test_unknown_methods_and_bin_numbers_are_refused():
    with pytest.raises(ValueError, match="known methods are 'quantile' and 'width'"):
        HistogramBins.fit([np.zeros((2, 1))], method="median")
    with pytest.raises(ValueError, match="n_bins=0"):
        HistogramBins.fit([np.zeros((2, 1))], n_bins=0)


def test_edges_that_fall_or_are_not_finite_are_refused():
    with pytest.raises(ValueError, match="feature 1 are not ascending"):
        HistogramBins(edges=[[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="edge 1 of feature 0 is nan"):
        HistogramBins(edges=[[0, np.nan]])


# k-mer windows


@pytest.mark.parametrize(
    "window",
    [
        KmerWindow(k=1, first=0, last=0),
        KmerWindow(k=3, first=-2, last=2),
        KmerWindow(k=2, first=-9, last=-7),
        KmerWindow(k=2, first=5, last=6),
        KmerWindow(k=2, first=-4, last=4, period=3),
        KmerWindow(k=1, first=-3, last=3, period=1),
    ],
)
@pytest.mark.parametrize("length", [1, 2, 8, 40])
def test_the_active_features_are_those_read_letter_by_letter(window, length, rng):
    sequence = "".join(rng.choice(list("ACGTN"), p=[0.24, 0.24, 0.24, 0.24, 0.04], size=length))
    active = KmerWindows((window,)).transform(sequence)
    np.testing.assert_array_equal(active, naive_kmers(sequence, window))
    assert active.dtype == np.int32


def test_several_windows_stand_side_by_side_without_sharing_indices(rng):
    windows = (KmerWindow(k=2, first=-1, last=1), KmerWindow(k=1, first=0, last=3, period=2))
    sequence = "".join(rng.choice(list("ACGT"), size=20))
    first, second = (KmerWindows((w,)) for w in windows)
    both = KmerWindows(windows)
    assert (both.n_features, both.n_active) == (3 * 17 + 2 * 5, 3 + 4)
    expected = np.hstack([first.transform(sequence), first.n_features + second.transform(sequence)])
    np.testing.assert_array_equal(both.transform(sequence), expected)


def test_every_index_is_below_the_number_of_features():
    features = KmerWindows((KmerWindow(k=2, first=-3, last=3), KmerWindow(k=3, first=0, last=0)))
    active = features.transform("T" * 12 + "N" * 12)
    assert active.min() >= 0
    assert active.max() == features.n_features - 1  # an unreadable k-mer of the last block


def test_shifting_the_sequence_shifts_the_features_of_the_inner_sites(rng):
    sequence = "".join(rng.choice(list("ACGT"), size=30))
    features = KmerWindows((KmerWindow(k=3, first=-2, last=2),))
    inner = features.transform(sequence)[2:-4]
    np.testing.assert_array_equal(features.transform("GATTACA" + sequence + "GATTACA")[9:-11], inner)


def test_case_does_not_matter_and_u_is_t():
    features = KmerWindows((KmerWindow(k=2, first=-1, last=0),))
    np.testing.assert_array_equal(features.transform("acguNryu"), features.transform("ACGTNNNT"))


@pytest.mark.parametrize("letter", ["-", "*", "E", " ", "5", "é", "Ж"])
def test_a_letter_that_is_no_base_is_refused_with_its_site(letter):
    with pytest.raises(ValueError, match=r"at site 3 is no base.*gaps and stops"):
        KmerWindows((KmerWindow(k=1, first=0, last=0),)).transform(f"ACG{letter}T")


def test_an_empty_sequence_is_refused():
    with pytest.raises(ValueError, match="empty"):
        KmerWindows((KmerWindow(k=1, first=0, last=0),)).transform("")


@pytest.mark.parametrize(
    ("window", "message"),
    [
        ({"k": 0, "first": 0, "last": 0}, "k=0"),
        ({"k": 13, "first": 0, "last": 0}, "k=13"),
        ({"k": 2, "first": 1, "last": 0}, "empty"),
        ({"k": 2, "first": 0, "last": 2, "period": 4}, "period=4 on 3 offsets"),
        ({"k": 2, "first": 0, "last": 2, "period": 0}, "period=0"),
    ],
)
def test_windows_that_make_no_sense_are_refused(window, message):
    with pytest.raises(ValueError, match=message):
        KmerWindow(**window)


def test_more_features_than_an_index_can_hold_are_refused():
    with pytest.raises(ValueError, match=r"2\*\*31"):
        KmerWindows((KmerWindow(k=12, first=-100, last=100),))
    with pytest.raises(ValueError, match="at least one KmerWindow"):
        KmerWindows(())
