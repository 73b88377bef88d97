"""What comes in is checked at the door, and the message says what to do."""

import numpy as np
import pytest

from viterbi_lab.dp import (
    ChainProblem,
    ChainScores,
    Combine,
    Limits,
    NoFeasibleLabelling,
    TooBig,
    decode,
    trace,
    viterbi,
)

TWO = ChainScores.homogeneous(np.zeros((3, 2)), np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ([], "no sites"),
        ([[]], "N ≥ 1"),
        ([[1, 2], [1, 2, 3]], r"g\[1\] has shape \(3,\)"),
        ([[1, 2], [[1, 2], [3, float("nan")]]], "t=1, labels 1->1 is nan"),
        ([[1, float("inf")]], "t=0, label 1 is inf"),
        ([["a", "b"]], "real numbers"),
        ([[True, False]], "real numbers"),
    ],
)
def test_bad_tables_are_refused(tables, message):
    with pytest.raises(ValueError, match=message):
        ChainScores.from_tables(tables)


@pytest.mark.parametrize("order", [-1, 1.0, True, "1"])
def test_an_order_is_a_whole_number(order):
    with pytest.raises(ValueError, match="order"):
        ChainScores.from_tables([[1.0, 2.0]], order=order)


def test_sums_that_could_overflow_are_refused():
    with pytest.raises(OverflowError, match="Scale the scores down"):
        ChainScores.homogeneous(np.full((10, 2), 1e308), np.zeros((2, 2)))
    fine = ChainScores.homogeneous(np.full((10, 2), 1e305), np.zeros((2, 2)))
    assert np.isfinite(viterbi(fine).value)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1], "give 3 labels"),
        ([0, 1, 2], r"y\[2\] = 2"),
        ([0, -1, 0], r"y\[1\] = -1"),
        ([0.0, 1.0, 0.0], "whole numbers"),
        ([True, False, True], "whole numbers"),
        (["a", "b", "a"], "whole numbers"),
    ],
)
def test_bad_labels_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        ChainProblem(TWO, np.array(y), np.arange(4.0), Combine.PLUS)


@pytest.mark.parametrize(
    ("h", "message"),
    [
        ([0, 1, 2], r"needs 4 values h\(0\)..h\(3\), got 3"),
        ([0, 1, float("nan"), 3], r"h\(2\) = nan"),
        ([[0, 1], [2, 3]], "vector"),
        (["0", "1", "2", "3"], "vector"),
    ],
)
def test_bad_wrappers_are_refused(h, message):
    with pytest.raises(ValueError, match=message):
        ChainProblem(TWO, np.array([0, 1, 0]), h, Combine.PLUS)


def test_bad_operators_offsets_and_kmin_are_refused():
    y, h = np.array([0, 1, 0]), np.arange(4.0)
    with pytest.raises(ValueError, match="Combine"):
        ChainProblem(TWO, y, h, "+")
    with pytest.raises(ValueError, match="offset"):
        ChainProblem(TWO, y, h, Combine.PLUS, offset=float("nan"))
    with pytest.raises(ValueError, match="kmin"):
        ChainProblem(TWO, y, h, Combine.PLUS, kmin=2)
    with pytest.raises(ValueError, match="cost"):
        ChainProblem(TWO, y, h, Combine.PLUS, cost=np.array([[0, 1]] * 2))
    with pytest.raises(ValueError, match="method"):
        decode(ChainProblem(TWO, y, h, Combine.PLUS), "fast")


def test_nothing_feasible_has_its_own_error():
    blocked = ChainScores.homogeneous(np.zeros((3, 2)), np.full((2, 2), -np.inf))
    y, h = np.array([0, 1, 0]), np.arange(4.0)
    for op in Combine:
        for method in ("auto", "full"):
            with pytest.raises(NoFeasibleLabelling, match="forbidden"):
                decode(ChainProblem(blocked, y, h, op), method)
    with pytest.raises(NoFeasibleLabelling):
        decode(ChainProblem(blocked, y, np.minimum(h, 1), Combine.TIMES))
    with pytest.raises(NoFeasibleLabelling):
        viterbi(blocked)
    single = ChainScores.homogeneous(np.zeros((3, 1)), np.zeros((1, 1)))
    with pytest.raises(NoFeasibleLabelling, match="other than the true one"):
        decode(ChainProblem(single, np.zeros(3, int), np.arange(4.0), Combine.PLUS, kmin=1))


def test_a_problem_that_is_too_big_is_refused_before_it_is_allocated(monkeypatch):
    scores = ChainScores.homogeneous(np.zeros((50, 3)), np.zeros((3, 3)))
    asked = ChainProblem(scores, np.zeros(50, int), np.sqrt(np.arange(51.0)), Combine.TIMES)
    monkeypatch.setenv("VITERBI_LAB_TRACE_BYTES", "20000")
    with pytest.raises(
        TooBig, match=r"T=50, N=3, ℓ=1 needs [\d,]+ bytes, but the limit is 20,000. .* fits is \d+"
    ):
        trace(asked)
    monkeypatch.setenv("VITERBI_LAB_DECODE_BYTES", "2000")
    with pytest.raises(TooBig, match="T=50, N=3, ℓ=1"):
        decode(asked)
    monkeypatch.setenv("VITERBI_LAB_DECODE_BYTES", "10")
    with pytest.raises(TooBig, match="No T fits"):
        viterbi(scores)


def test_the_largest_length_that_fits_does_fit(monkeypatch):
    import re

    monkeypatch.setenv("VITERBI_LAB_TRACE_BYTES", "20000")

    def problem(length):
        scores = ChainScores.homogeneous(np.zeros((length, 3)), np.zeros((3, 3)))
        return ChainProblem(scores, np.zeros(length, int), np.arange(length + 1.0), Combine.PLUS)

    with pytest.raises(TooBig) as refusal:
        trace(problem(60))
    largest = int(re.search(r"fits is (\d+)", str(refusal.value))[1])
    trace(problem(largest))
    with pytest.raises(TooBig):
        trace(problem(largest + 1))


def test_a_forecast_of_memory_is_what_numpy_allocates(monkeypatch):
    scores = ChainScores.homogeneous(np.zeros((20, 3)), np.zeros((3, 3)))
    asked = ChainProblem(scores, np.zeros(20, int), np.arange(21.0), Combine.PLUS)
    seen = trace(asked)
    allocated = sum(table.nbytes for table in (seen.L, seen.S, seen.L_min, seen.S_min))
    monkeypatch.setenv("VITERBI_LAB_TRACE_BYTES", str(allocated))
    trace(asked)
    monkeypatch.setenv("VITERBI_LAB_TRACE_BYTES", str(allocated - 1))
    with pytest.raises(TooBig, match=f"{allocated:,} bytes"):
        trace(asked)


def test_limits_come_from_the_environment(monkeypatch):
    assert Limits.from_environment() == Limits()
    monkeypatch.setenv("VITERBI_LAB_DECODE_BYTES", "1000")
    assert Limits.from_environment().decode_bytes == 1000
    for nonsense in ("-1", "1e6", "0", "", "٣"):
        monkeypatch.setenv("VITERBI_LAB_DECODE_BYTES", nonsense)
        with pytest.raises(ValueError, match="VITERBI_LAB_DECODE_BYTES"):
            Limits.from_environment()


def test_predecessors_are_kept_in_the_smallest_integers():
    small = trace(ChainProblem(TWO, np.array([0, 1, 0]), np.arange(4.0), Combine.PLUS))
    assert small.S.dtype == np.int8
    wide = ChainScores.homogeneous(np.zeros((2, 200)), np.zeros((200, 200)))
    assert trace(ChainProblem(wide, np.array([0, 1]), np.arange(3.0), Combine.PLUS)).S.dtype == np.int16
