"""Cases 01, 03, 05, 07, 08, 12, 17, 38: distilled from public bug reports."""

import naive
import numpy as np
import pytest

from viterbi_lab.dp import ChainProblem, ChainScores, Combine, decode, decode_all, trace, viterbi


def scores_of(part):
    n = len(part["emission"][0])
    return ChainScores.homogeneous(
        part["emission"],
        part.get("transition", np.zeros((n, n))),
        start=part.get("start"),
        end=part.get("end"),
    )


@pytest.mark.parametrize("number", ["01", "03", "07"])
def test_plain_decoding_of_the_case_files(case, number):
    content = case(number)
    for part, expected in zip(content["input"]["subcases"], content["expected"]["subcases"], strict=True):
        found = viterbi(scores_of(part))
        path = expected.get("path", expected.get("path_by_paper_tie_rule"))
        assert (found.value, found.y.tolist()) == (expected["value"], path)
        assert found.y.tolist() in expected["optimal_set"]


def test_nan_and_inf_are_refused_with_their_position(case):
    content = case("05")
    checked = 0
    for part, expected in zip(content["input"]["subcases"], content["expected"]["subcases"], strict=True):
        if part["op"] == "decode":
            with pytest.raises(ValueError, match=expected["message_should_name"]):
                scores_of(part)
            checked += 1
    assert checked == 3


def test_loss_augmented_oracles_on_one_small_problem(case):
    content = case("08")
    expected, y = content["expected"], np.array(content["input"]["y_true"])
    scores = ChainScores.from_tables(content["input"]["local_scores_g"])
    h = np.array(content["input"]["h"], float)
    plain, truth = viterbi(scores), scores.score(y)
    assert (plain.value, [plain.y.tolist()]) == (expected["plain"]["value"], expected["plain"]["optimal_set"])
    assert truth == expected["F_of_truth"]
    for op, raw, offset, name in (
        (Combine.PLUS, "raw_sum_F_plus_h", -truth, "margin"),
        (Combine.TIMES, "raw_product_F_times_h", 1 - truth, "slack"),
    ):
        found = decode(ChainProblem(scores, y, h, op))
        assert found.value == expected[raw]["value"]
        assert found.y.tolist() in expected[raw]["optimal_set"]
        violation = expected["constraint_violation"][name]
        for kmin, suffix in ((0, "over_all_y"), (1, "over_y_not_equal_truth")):
            found = decode(ChainProblem(scores, y, h, op, offset=offset, kmin=kmin))
            assert found.value == violation[f"max_{suffix}"]
            assert found.y.tolist() in violation[f"argmax_set_{suffix}"]
    final = trace(ChainProblem(scores, y, h, Combine.PLUS)).L[-1]
    assert [[None if v == -np.inf else v for v in row] for row in final] == expected["L_final_k_by_label"]


@pytest.mark.parametrize("which", [0, 1, 2])
def test_exact_optimum_of_long_sequences(case, which):
    content = case("12")
    T, N = (content["input"]["subcases"][which][name] for name in "TN")
    expected = content["expected"]["subcases"][which]
    t, i, j = np.ogrid[:T, :N, :N]
    g = ((7919 * t + 104729 * i + 1299709 * j + 12345) % 101 - 50).astype(float)
    y = (np.arange(T) ** 2) % 4
    scores = ChainScores.from_arrays(g[0, 0], g[1:])
    h, truth = np.arange(T + 1.0), scores.score(y)
    product = decode(ChainProblem(scores, y, h, Combine.TIMES))
    slack = decode(ChainProblem(scores, y, h, Combine.TIMES, offset=1 - truth))
    assert {
        "plain_value": viterbi(scores).value,
        "F_of_truth": truth,
        "raw_sum_F_plus_k": decode(ChainProblem(scores, y, h, Combine.PLUS), "full").value,
        "raw_product_F_times_k": product.value,
        "k_at_product_optimum": product.k,
        "margin_violation": decode(ChainProblem(scores, y, h, Combine.PLUS, offset=-truth)).value,
        "slack_violation": slack.value,
    } == expected
    assert scores.score(slack.y) == slack.score


def test_sequences_of_different_lengths_in_one_batch(case):
    content = case("17")
    part, expected = content["input"], content["expected"]["results"]
    problems = []
    for emission in part["emissions"]:
        scores = ChainScores.homogeneous(emission, part["transition"])
        problems.append(
            ChainProblem(scores, np.zeros(len(emission), int), np.zeros(len(emission) + 1), Combine.PLUS)
        )
    for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
        for index, found in zip(order, decode_all([problems[i] for i in order]), strict=True):
            assert found.value == expected[index]["value"]
            assert found.y.tolist() == expected[index]["path"]


def test_tables_of_the_stepper(case):
    content = case("38")
    expected, y = content["expected"], np.array(content["input"]["y_true"])
    tables = content["input"]["local_scores_g"]
    scores = ChainScores.from_tables(tables)
    seen = trace(ChainProblem(scores, y, np.arange(5.0), Combine.TIMES))
    L = [[[None if v == -np.inf else v for v in row] for row in level] for level in seen.L]
    S = [[[None if v < 0 else v for v in row] for row in level] for level in seen.S.tolist()]
    assert expected["loss_augmented"]["L"] == L
    assert expected["loss_augmented"]["predecessor"] == S
    plain = viterbi(scores)
    assert (plain.value, plain.y.tolist()) == (expected["plain"]["value"], expected["plain"]["path"])
    # without a loss all cost is 0: the tables of Algorithm 2 are those of Algorithm 1 with one floor
    flat = trace(ChainProblem(scores, y, np.zeros(1), Combine.PLUS, cost=np.zeros((4, 3), int)))
    assert flat.L[:, 0].tolist() == expected["plain"]["V"]
    assert [[None if v < 0 else v for v in row] for row in flat.S[:, 0].tolist()] == expected["plain"][
        "predecessor"
    ]
    for op, name in ((Combine.PLUS, "raw_sum"), (Combine.TIMES, "raw_product")):
        found = decode(ChainProblem(scores, y, np.arange(5.0), op))
        assert found.value == expected["loss_augmented"][name]["value"]
        assert found.y.tolist() in expected["loss_augmented"][name]["optimal_set"]
        assert naive.decode(tables, y, np.arange(5.0), op.value).y == tuple(found.y)
