"""Scores by site, label and segment, and what they say of themselves. By case 35."""

import json
from pathlib import Path

import numpy as np
import pytest

from viterbi_lab.evaluation import entity_scores, evaluate, report
from viterbi_lab.metrics import Counts

CASE = json.loads((Path(__file__).parent / "cases" / "35-token-versus-segment.json").read_text("utf-8"))
SUBCASES = list(zip(CASE["input"]["subcases"], CASE["expected"]["subcases"], strict=True))


def texts(sequences):
    return [[str(label) for label in y] for y in sequences]


@pytest.mark.parametrize(("given", "expected"), SUBCASES, ids=["no segment right", "one of two"])
def test_sites_and_segments_are_scored_as_case_35_says(given, expected):
    found = evaluate(texts(given["y_true"]), texts(given["y_pred"]), background="0")
    assert found.accuracy == pytest.approx(expected["token_accuracy_pooled"], abs=1e-9)
    if "token_accuracy_mean_per_sequence" in expected:
        assert found.mean_accuracy == pytest.approx(expected["token_accuracy_mean_per_sequence"], abs=1e-9)
        assert found.wrong == pytest.approx(expected["mean_hamming_count_per_sequence"], abs=1e-9)
    segments = found.all_segments
    assert (segments.true, segments.predicted, segments.correct) == tuple(
        expected["segments"][name] for name in ("true_segments", "predicted_segments", "correct_segments")
    )
    for name in ("precision", "recall", "f1"):
        assert getattr(segments, name) == pytest.approx(expected["segments"][name], abs=1e-9)
    for name, value in expected["positive_class"].items():
        assert getattr(found.labels["1"], name) == pytest.approx(value, abs=1e-9)


def test_entities_are_those_that_tags_stand_for_not_runs_of_a_tag():
    true, predicted = [["B-A", "I-A", "O", "B-B"]], [["B-A", "I-A", "O", "B-A"]]
    assert entity_scores(true, predicted) == {"A": Counts(1, 2, 1), "B": Counts(1, 0, 0)}
    found = evaluate(true, predicted, background="O", scheme="IOB2")
    assert found.all_segments == Counts(2, 2, 1)
    assert "entities; right only with label, first and last site" in report(found)


def test_the_report_names_its_averages_its_strictness_and_shares_of_nothing():
    text = report(evaluate([["a", "b"], ["b"]], [["b", "b"], ["b"]], background="b"))
    assert "right, all sites pooled     66.7 %" in text
    assert "right, mean over sequences  75.0 %" in text
    assert "without a wrong site        1  (50.0 %)" in text
    assert "runs of a label other than b; right only with label, first and last site" in text
    assert "–" in text  # a was never predicted: its precision is a share of nothing


def test_pairs_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="sequence 0 has 1 true but 2 predicted labels"):
        evaluate([["a"]], [["a", "a"]], background="a")


def test_scores_do_not_depend_on_the_order_of_sequences():
    rng = np.random.default_rng(0)
    true, predicted = ([list(rng.choice([*"NEI"], 7)) for _ in range(5)] for _ in range(2))
    a, b = (evaluate(t, p, background="N") for t, p in ((true, predicted), (true[::-1], predicted[::-1])))
    assert (a.labels, a.segments, a.whole) == (b.labels, b.segments, b.whole)
    assert a.mean_accuracy == pytest.approx(b.mean_accuracy, rel=1e-12)  # rounding of a mean
