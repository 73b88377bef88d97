"""Scores by site, by label and by segment."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from viterbi_lab.metrics import (
    Counts,
    confusion_matrix,
    label_scores,
    mean_hamming_loss,
    mean_sequence_accuracy,
    segment_scores,
    segments,
    token_accuracy,
)

CASE = json.loads((Path(__file__).parent / "cases" / "35-token-versus-segment.json").read_text())
EVERY_SCORE = [
    token_accuracy,
    mean_sequence_accuracy,
    mean_hamming_loss,
    lambda a, b: confusion_matrix(a, b, 3),
    lambda a, b: label_scores(a, b, 3),
    lambda a, b: segment_scores(a, b, background=[0]),
]


def sequences(rows):
    return [np.array(row) for row in rows]


@pytest.fixture
def rng():
    return np.random.default_rng(35)


@pytest.fixture
def pair(rng):
    """Random true and predicted sequences of several lengths over three labels."""
    true = [rng.integers(0, 3, size=T) for T in (1, 7, 30, 4)]
    return true, [np.where(rng.random(len(y)) < 0.3, rng.integers(0, 3, size=len(y)), y) for y in true]


@pytest.mark.parametrize(
    ("given", "expected"), list(zip(CASE["input"]["subcases"], CASE["expected"]["subcases"], strict=True))
)
def test_token_and_segment_scores_of_the_reference_case(given, expected):
    true, pred = sequences(given["y_true"]), sequences(given["y_pred"])
    exact = CASE["tolerance"]["value_abs"]
    found = segment_scores(true, pred, background=[CASE["input"]["background"]])
    wanted = expected["segments"]
    assert (found.true, found.predicted, found.correct) == (
        wanted["true_segments"],
        wanted["predicted_segments"],
        wanted["correct_segments"],
    )
    for name in ("precision", "recall", "f1"):
        assert getattr(found, name) == pytest.approx(wanted[name], abs=exact)
    positive = label_scores(true, pred, n_labels=2)[1]
    for name in ("precision", "recall"):
        assert getattr(positive, name) == pytest.approx(expected["positive_class"][name], abs=exact)
    scores = {
        "token_accuracy_pooled": token_accuracy,
        "token_accuracy_mean_per_sequence": mean_sequence_accuracy,
        "mean_hamming_count_per_sequence": mean_hamming_loss,
    }
    for name in scores.keys() & expected.keys():
        assert scores[name](true, pred) == pytest.approx(expected[name], abs=exact)


def test_a_perfect_prediction_scores_one_everywhere(pair):
    true, _ = pair
    assert token_accuracy(true, true) == mean_sequence_accuracy(true, true) == 1
    assert mean_hamming_loss(true, true) == 0
    assert segment_scores(true, true, background=[0]).f1 == 1
    assert all(label.precision == label.recall == 1 for label in label_scores(true, true, 3))


def test_the_confusion_matrix_counts_every_site_once(pair):
    true, pred = pair
    matrix = confusion_matrix(true, pred, 3)
    expected = np.zeros((3, 3))
    for a, b in zip(np.concatenate(true), np.concatenate(pred), strict=True):
        expected[a, b] += 1
    np.testing.assert_array_equal(matrix, expected)
    assert np.trace(matrix) / matrix.sum() == token_accuracy(true, pred)


def test_exchanging_true_and_predicted_exchanges_precision_and_recall(pair):
    true, pred = pair
    forth, back = (segment_scores(*sides, background=[0]) for sides in ((true, pred), (pred, true)))
    assert (forth.precision, forth.recall, forth.f1) == (back.recall, back.precision, back.f1)
    np.testing.assert_array_equal(confusion_matrix(true, pred, 3), confusion_matrix(pred, true, 3).T)


def test_segments_and_background_tile_the_sequence(rng):
    y = rng.integers(0, 3, size=60)
    rebuilt = np.zeros_like(y)
    for start, stop, label in segments(y, background=[0]):
        assert (rebuilt[start:stop] == 0).all()
        rebuilt[start:stop] = label
    np.testing.assert_array_equal(rebuilt, y)


def test_neighbouring_segments_of_different_labels_are_two():
    assert segments(np.array([1, 1, 2]), background=[0]) == [(0, 2, 1), (2, 3, 2)]


def test_several_labels_may_be_background():
    assert segments(np.array([0, 1, 2, 1, 0]), background=[0, 2]) == [(1, 2, 1), (3, 4, 1)]
    assert segments(np.array([0, 0]), background=[0]) == []


def test_a_segment_with_one_wrong_end_is_wrong():
    scores = segment_scores(sequences([[0, 1, 1, 0]]), sequences([[0, 1, 1, 1]]), background=[0])
    assert scores == Counts(true=1, predicted=1, correct=0)


def test_the_same_segment_in_another_sequence_is_not_found():
    true, pred = sequences([[1, 0], [0, 0]]), sequences([[0, 0], [1, 0]])
    assert segment_scores(true, pred, background=[0]).correct == 0


def test_a_ratio_of_nothing_to_nothing_is_not_a_number():
    assert math.isnan(Counts(true=2, predicted=0, correct=0).precision)
    assert math.isnan(Counts(true=0, predicted=2, correct=0).recall)
    assert Counts(true=2, predicted=0, correct=0).f1 == 0
    assert math.isnan(Counts(true=0, predicted=0, correct=0).f1)


@pytest.mark.parametrize("score", EVERY_SCORE)
@pytest.mark.parametrize(
    ("true", "pred", "message"),
    [
        ([[0, 1], [0]], [[0, 1], [0, 0]], "sequence 1 has 1 true but 2 predicted labels"),
        ([[0, 1]], [[0, 1], [0]], "1 true and 2 predicted sequences"),
        ([], [], "not 0"),
        ([[0, 1], []], [[0, 1], []], r"y_true, sequence 1 has shape \(0,\)"),
        ([[0, 1]], [[0.0, 1.0]], "y_pred, sequence 0 .* type float64"),
        ([[0, 1]], [[[0, 1]]], r"y_pred, sequence 0 has shape \(1, 2\)"),
    ],
)
def test_sequences_that_do_not_pair_up_are_refused(score, true, pred, message):
    with pytest.raises(ValueError, match=message):
        score(sequences(true), sequences(pred))


def test_unsigned_and_short_integers_are_labels_too(pair):
    true, pred = pair
    small = [[y.astype(kind) for y in pred] for kind in (np.uint64, np.int8)]
    for other in small:
        np.testing.assert_array_equal(confusion_matrix(true, other, 3), confusion_matrix(true, pred, 3))
        assert segment_scores(true, other, [0]) == segment_scores(true, pred, [0])


def test_labels_beyond_the_number_of_labels_are_refused():
    with pytest.raises(ValueError, match=r"y_pred holds labels 0\.\.3, but n_labels=3"):
        confusion_matrix(sequences([[0, 1]]), sequences([[0, 3]]), n_labels=3)
    with pytest.raises(ValueError, match=r"y_true holds labels -1\.\.1"):
        label_scores(sequences([[-1, 1]]), sequences([[0, 1]]), n_labels=3)
