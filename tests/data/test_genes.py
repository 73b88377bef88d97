"""The gene sequences of Bauer et al., Section IV-A, against the frequencies of a reference program."""

import json
from pathlib import Path

import numpy as np
import pytest

from viterbi_lab.data.genes import MIN_LENGTH, SIGMAS, generate, splits

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "g16_generator.json").read_text())
MODES = ["overlap", "separated"]


def runs(y):
    """(starts, lengths) of the maximal blocks of label 1 in (n, T) labels."""
    steps = np.diff(np.pad(y, ((0, 0), (1, 1))), axis=1)
    starts, ends = np.argwhere(steps == 1), np.argwhere(steps == -1)
    return starts, ends[:, 1] - starts[:, 1]


@pytest.fixture(scope="module", params=MODES)
def many(request):
    """(mode, labels (20000, 100)): as many as the reference drew."""
    drawn = generate(GOLDEN["n"], sigma=1.0, rng=np.random.default_rng(16), r=1, mode=request.param)
    return request.param, np.array([y for _, y in drawn])


def test_frequencies_are_those_of_the_reference_program(many):
    mode, y = many
    golden = GOLDEN["stats"][mode]
    starts, lengths = runs(y)
    per_sequence = np.bincount(starts[:, 0], minlength=len(y))
    tolerance = 0.02  # of the golden file: a frequency of 20000 draws has a standard error below 0.0036
    assert y.mean() == pytest.approx(golden["frac_pos"], abs=tolerance)
    assert (y.sum(axis=1) == 0).mean() == pytest.approx(golden["p_all_neg"], abs=tolerance)
    np.testing.assert_allclose(
        np.bincount(per_sequence, minlength=5) / len(y), golden["runs_hist"], atol=tolerance
    )
    np.testing.assert_allclose(y[:, [0, 50, 99]].mean(axis=0), golden["pos_by_site_edge_mid"], atol=tolerance)
    mean, shortest, longest = golden["run_len_mean_min_max"]
    assert lengths.mean() == pytest.approx(mean, abs=0.5)  # standard error 0.1 of 25000 runs of deviation 15
    assert lengths.min() == shortest
    assert lengths.max() <= 100 if mode == "overlap" else lengths.max() == longest


def test_no_block_is_shorter_than_ten_sites(many):
    _, y = many
    assert runs(y)[1].min() >= MIN_LENGTH


def test_a_fifth_of_the_sequences_has_no_block(many):
    _, y = many
    assert (y.sum(axis=1) == 0).mean() == pytest.approx(0.2, abs=0.02)  # seven standard errors


def test_separated_blocks_are_independent_blocks_that_happen_to_be_disjoint():
    """The direct draw against the literal reading: draw two blocks again until they are disjoint."""
    rng = np.random.default_rng(3)
    lengths = rng.integers(10, 41, size=(200_000, 2))
    starts = rng.integers(0, 60 - lengths + 1)
    first = np.argmin(starts, axis=1)
    rows = np.arange(len(first))
    disjoint = starts[rows, 1 - first] > starts[rows, first] + lengths[rows, first]
    expected = np.stack([starts[rows, first], lengths[rows, first], lengths[rows, 1 - first]])[:, disjoint]

    drawn = generate(40_000, sigma=0, rng=rng, T=60, r=1, mode="separated")
    found_starts, found_lengths = runs(np.array([y for _, y in drawn]))
    pairs = np.flatnonzero(np.bincount(found_starts[:, 0], minlength=40_000) == 2)
    at = np.searchsorted(found_starts[:, 0], pairs)
    found = np.stack([found_starts[at, 1], found_lengths[at], found_lengths[at + 1]])
    for ours, theirs in zip(found, expected, strict=True):
        error = np.hypot(ours.std() / np.sqrt(ours.size), theirs.std() / np.sqrt(theirs.size))
        assert abs(ours.mean() - theirs.mean()) < 4 * error
        np.testing.assert_allclose(
            np.quantile(ours, [0.1, 0.5, 0.9]), np.quantile(theirs, [0.1, 0.5, 0.9]), atol=1
        )  # whole sites: a quantile may sit on a step


@pytest.mark.parametrize("mode", MODES)
def test_signals_are_the_label_plus_noise_of_the_given_deviation(mode):
    drawn = generate(200, sigma=5.0, rng=np.random.default_rng(5), mode=mode)
    noise = np.concatenate([x - (2 * y - 1)[:, np.newaxis] for x, y in drawn])
    assert noise.shape == (20_000, 4)
    # standard errors with 80000 values: 0.018 of the mean, 0.0125 of the deviation
    assert noise.mean() == pytest.approx(0, abs=0.08)
    assert noise.std() == pytest.approx(5, abs=0.06)
    np.testing.assert_allclose(np.corrcoef(noise.T), np.eye(4), atol=0.03)


def test_types_and_shapes_are_those_of_the_contract():
    x, y = generate(1, sigma=1.0, rng=np.random.default_rng(0), T=70, r=3)[0]
    assert (x.shape, x.dtype) == ((70, 3), np.float64)
    assert (y.shape, y.dtype) == ((70,), np.int64)
    assert set(np.unique(y)) <= {0, 1}


@pytest.mark.parametrize("mode", MODES)
def test_the_same_seed_gives_the_same_sequences_and_a_longer_draw_begins_with_the_shorter(mode):
    short, long = (generate(n, sigma=2.0, rng=np.random.default_rng(7), mode=mode) for n in (5, 9))
    for (x, y), (x_long, y_long) in zip(short, long[:5], strict=True):
        np.testing.assert_array_equal(x, x_long)
        np.testing.assert_array_equal(y, y_long)


def test_the_labels_do_not_depend_on_sigma():
    labels = [np.array([y for _, y in generate(20, sigma=s, rng=np.random.default_rng(1))]) for s in SIGMAS]
    for other in labels[1:]:
        np.testing.assert_array_equal(labels[0], other)


def test_without_noise_the_signals_are_plus_and_minus_one():
    for x, y in generate(10, sigma=0.0, rng=np.random.default_rng(2)):
        np.testing.assert_array_equal(x, np.repeat(2.0 * y - 1, 4).reshape(-1, 4))


@pytest.mark.parametrize(("mode", "shortest"), [("overlap", 40), ("separated", 43)])
def test_the_shortest_allowed_sequence_holds_its_blocks_and_a_shorter_one_is_refused(mode, shortest):
    rng = np.random.default_rng(4)
    y = np.array([y for _, y in generate(300, sigma=1.0, rng=rng, T=shortest, mode=mode)])
    assert runs(y)[1].min() >= MIN_LENGTH
    with pytest.raises(ValueError, match=f"at least {shortest} sites"):
        generate(1, sigma=1.0, rng=rng, T=shortest - 1, mode=mode)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 0}, "n=0"),
        ({"r": 0}, "r=0"),
        ({"sigma": -1.0}, "sigma=-1.0"),
        ({"sigma": np.nan}, "sigma=nan"),
        ({"mode": "merged"}, "known modes are 'overlap' and 'separated'"),
    ],
)
def test_arguments_out_of_range_are_refused(change, message):
    arguments = {"n": 1, "sigma": 1.0, "rng": np.random.default_rng(0), **change}
    with pytest.raises(ValueError, match=message):
        generate(**arguments)


def test_splits_are_disjoint_draws_of_the_sizes_asked_for():
    data = splits(sigma=1.0, rng=np.random.default_rng(8), n_train=6, n_validation=5, n_test=4)
    assert [len(part) for part in (data.train, data.validation, data.test)] == [6, 5, 4]
    signals = [x for part in (data.train, data.validation, data.test) for x, _ in part]
    assert len({x.tobytes() for x in signals}) == 15
