"""The golden values of the specification, section F, checks 1–26."""

import numpy as np
import pytest
from strategies_dp import wrapper

from viterbi_lab.dp import ChainProblem, ChainScores, Combine, NoFeasibleLabelling, decode, trace, viterbi

INTEGER = 1e-9  # integer data: sums are exact, square roots are not
OPS = {"+": Combine.PLUS, "*": Combine.TIMES}
METHODS = ("auto", "full")


def problem(instance, h, op, **extra):
    scores = ChainScores.from_tables(instance["g"], order=instance.get("l", None))
    return ChainProblem(scores, np.array(instance["y"]), np.asarray(h, float), op, **extra)


@pytest.mark.parametrize("method", METHODS)
def test_g01_all_oracles(golden, method):
    checked = 0
    for instance in golden("g01_oracles")["instances"]:
        for key, expected in instance["res"].items():
            op, name, offset, kmin = key.split("|")
            asked = problem(
                instance,
                wrapper(name, instance["T"]),
                OPS[op],
                offset=float(offset.removeprefix("c=")),
                kmin=int(kmin.removeprefix("kmin=")),
            )
            if expected is None:
                with pytest.raises(NoFeasibleLabelling):
                    decode(asked, method)
            else:
                found = decode(asked, method)
                assert found.value == pytest.approx(expected["v"], abs=INTEGER), key
                assert (found.k, found.y.tolist()) == (expected["k"], expected["y"]), key
            checked += 1
    assert checked == sum(len(instance["res"]) for instance in golden("g01_oracles")["instances"]) == 848


def test_g01_tables_and_plain_decoding(golden):
    for instance in golden("g01_oracles")["instances"]:
        asked = problem(instance, wrapper("id", instance["T"]), Combine.PLUS)
        seen = trace(asked)
        largest = [None if value == -np.inf else value for value in seen.best]
        smallest = [None if value == np.inf else value for value in seen.L_min[-1].min(axis=1)]
        assert largest == instance["Lmax"]
        assert smallest == instance["Lmin"]
        plain = viterbi(asked.scores)
        assert [plain.value, plain.y.tolist()] == instance["viterbi"]


def test_g02_negative_h_needs_the_minima(golden):
    for example in golden("g02_negative_h")["counterexamples"]:
        name = {"-k": "neg", "k-2": "shift", "(-1)^k k": "alt"}[example["h"]]
        asked = problem(example, wrapper(name, example["T"]), OPS[example["op"]])
        found = decode(asked)
        assert (found.value, found.k) == (example["true"], example["k_true"])
        assert found.y.tolist() == example["y_true"]
        maxima = trace(asked).L[-1]  # (16) as printed maximises over k and j, with maxima only
        as_printed = max(maxima[k, j] * asked.h[k] for k, j in np.argwhere(maxima > -np.inf))
        assert as_printed == example["max_only"] != example["true"]


def test_g03_number_of_defined_entries(golden):
    rng = np.random.default_rng(0)
    for expected in golden("g03_reachability")["cases"]:
        T, N, order = expected["T"], expected["N"], expected["l"]
        tables = [rng.normal(size=(N,) * (min(t, order) + 1)) for t in range(T)]
        y = rng.integers(0, N, T)
        seen = trace(ChainProblem(ChainScores.from_tables(tables), y, np.zeros(T + 1), Combine.PLUS))
        for level, count in expected["defined_entries"].items():
            t = int(level) - 1
            assert (seen.L[t] > -np.inf).sum() == count
            for s in range(N**order):
                labels = [s // N**age % N for age in range(order)]
                fewest = sum(a != b for a, b in zip(labels, y[t - order + 1 : t + 1], strict=True))
                defined = np.flatnonzero(seen.L[t, :, s] > -np.inf)
                assert defined.tolist() == list(range(fewest, t + 1 - order + fewest + 1))


def test_g04_affine_h_of_a_weighted_hamming_loss_is_plain_decoding(golden):
    for example in golden("g04_affine_weighted_hamming")["cases"]:
        T, N, y, window = example["T"], example["N"], example["y"], example["l2"]
        loss = []
        for t in range(T):
            axes = min(t, window) + 1
            table = np.full((N,) * axes, float(example["w"][t]))
            table[tuple(y[t - axes + 1 : t + 1])] = 0.0
            loss.append(table)
        scores = ChainScores.from_tables(example["g"], order=example["l1"])
        both = scores.plus(ChainScores.from_tables(loss, order=window), factor=example["a"])
        found = viterbi(both)
        assert found.value + example["b"] == example["value"]
        assert found.y.tolist() == example["y_hat"]


def test_g05_order_zero_in_closed_form(golden):
    example = golden("g05_order0")
    asked = problem(example, np.arange(6.0), Combine.TIMES)
    seen = trace(asked)
    g, y = np.array(example["g"], float), np.array(example["y"])
    true = g[np.arange(5), y]
    masked = g.copy()
    masked[np.arange(5), y] = -np.inf
    gains = np.sort(masked.max(axis=1) - true)[::-1]
    closed_form = true.sum() + np.concatenate([[0], np.cumsum(gains)])
    assert seen.best.tolist() == closed_form.tolist() == example["L"]
    assert decode(asked).value == example["best_times_k"]
    assert (np.diff(seen.best, 2) <= 0).all()


def test_g11_count_losses_by_one_encoded_cost(golden):
    """tp and fp become one integer cost, so F1, precision, recall and Jaccard need no other recursion."""
    cases = golden("g11_count_losses")
    positive = cases["positive_label"]
    for example in cases["cases"]:
        y, T, N = np.array(example["y"]), example["T"], example["N"]
        base = T + 1
        cost = np.zeros((T, N), int)
        cost[y == positive, positive] = 1  # true positive
        cost[y != positive, positive] = base  # false positive
        K = int(cost.max(axis=1).sum())
        fp, tp = np.divmod(np.arange(K + 1), base)
        P = int((y == positive).sum())

        def share(part, whole, at_zero):
            return np.where(whole > 0, part / np.maximum(whole, 1), at_zero)

        losses = {
            "f1": 1 - share(2 * tp, P + tp + fp, 1.0),
            "precision": 1 - share(tp, tp + fp, 1.0 if P == 0 else 0.0),
            "recall": 1 - share(tp, np.full(K + 1, P), 1.0),
            "jaccard": 1 - share(tp, P + fp, 1.0),
            "hamming": np.arange(T + 1.0),
        }
        scores = ChainScores.from_tables(example["g"])
        for key, expected in example["values"].items():
            op, name = OPS[key[0]], key[1:]
            asked = ChainProblem(
                scores,
                y,
                losses[name],
                op,
                offset=cases["cases"][0]["c_for_times"] if op is Combine.TIMES else 0.0,
                cost=None if name == "hamming" else cost,
            )
            assert decode(asked).value == pytest.approx(expected, abs=INTEGER), key


def test_g12_the_exact_optimum_lies_below_the_hull(golden):
    example = golden("g12_lambda_oracle_gap")["example"]
    asked = problem(example, np.arange(4.0), Combine.TIMES, offset=example["c"])
    assert trace(asked).best.tolist() == example["L"]
    assert decode(asked).value == example["exact"] == 4
    reachable_by_slopes = set()
    for slope in np.linspace(0, 10, 2001):
        penalised = problem(example, slope * np.arange(4.0), Combine.PLUS)
        found = decode(penalised)
        reachable_by_slopes.add(found.score * found.k)
    assert max(reachable_by_slopes) == example["best_on_hull"] == 3


def test_worked_example_of_figure_2(golden):
    example = golden("worked_example")
    tables = [example[f"g{t}"] for t in (1, 2, 3, 4)]
    y = np.array(example["y"]) - 1
    asked = ChainProblem(ChainScores.from_tables(tables), y, np.arange(5.0), Combine.TIMES)
    seen = trace(asked)
    for t in range(1, 5):
        for k in range(t + 1):
            L = [None if value == -np.inf else value for value in seen.L[t - 1, k]]
            S = [None if value < 0 else value + 1 for value in seen.S[t - 1, k].tolist()]
            assert example["L"][str(t)][str(k)] == L
            assert example["S"][str(t)][str(k)] == S
        assert (seen.L[t - 1, t + 1 :] == -np.inf).all()
    assert seen.decoding.value == example["recovered_from_text"]["L_star"] == 52
    assert (seen.decoding.y + 1).tolist() == example["recovered_from_text"]["y_star"]
    assert seen.path[:, 1].tolist() == [1, 2, 3, 4]
    assert (seen.path[::-1, 2] + 1).tolist() == [1, 3, 3, 2]
    assert {key: int(seen.best[int(key)]) for key in example["per_k"]} == {
        key: row["max_sum"] for key, row in example["per_k"].items()
    }
    assert seen.L_min[-1].min(axis=1).tolist() == [row["min_sum"] for row in example["per_k"].values()]


@pytest.mark.parametrize(
    ("op", "name", "value", "y"),
    [
        (Combine.PLUS, "sqrt", 18, (1, 2, 1, 3)),
        (Combine.TIMES, "sqrt", 16 * 3**0.5, (1, 2, 2, 1)),
        (Combine.PLUS, "sq", 29, None),
        (Combine.TIMES, "sq", 208, None),
        (Combine.TIMES, "01", 17, None),
        (Combine.TIMES, "shift", 26, None),
        (Combine.TIMES, "neg", 0, (3, 2, 1, 3)),
        (Combine.PLUS, "id", 19, (1, 2, 2, 1)),
        (Combine.TIMES, "id", 52, (2, 3, 3, 1)),
    ],
)
def test_worked_example_under_other_wrappers(golden, op, name, value, y):
    example = golden("worked_example")
    scores = ChainScores.from_tables([example[f"g{t}"] for t in (1, 2, 3, 4)])
    for method in METHODS:
        found = decode(ChainProblem(scores, np.array(example["y"]) - 1, wrapper(name, 4), op), method)
        assert found.value == pytest.approx(value, abs=INTEGER)
        if y is not None:
            assert tuple(found.y + 1) == y


def test_ties_of_the_worked_example_go_to_the_smallest_predecessor(golden):
    example = golden("worked_example")
    scores = ChainScores.from_tables([example[f"g{t}"] for t in (1, 2, 3, 4)])
    seen = trace(ChainProblem(scores, np.array(example["y"]) - 1, np.arange(5.0), Combine.TIMES))
    for t, k, j, smallest in ((3, 2, 3, 2), (4, 2, 3, 1)):
        g = np.array(example[f"g{t}"], float)[:, j - 1]
        wrong = int(j != example["y"][t - 1])
        candidates = seen.L[t - 2, k - wrong] + g
        winners = np.flatnonzero(candidates == candidates.max()) + 1
        assert winners.size > 1
        assert seen.S[t - 1, k, j - 1] + 1 == winners.min() == smallest
