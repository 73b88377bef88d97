"""The time that a training will still take."""

from types import SimpleNamespace

import numpy as np
import pytest

from viterbi_lab.ui.estimate import FEWEST, seconds_left, spoken


def passes(gaps, step=2.0):
    return [SimpleNamespace(gap=gap, seconds=step * (i + 1)) for i, gap in enumerate(gaps)]


def test_a_gap_that_halves_each_pass_ends_when_that_says():
    gaps = 0.5 ** np.arange(6)  # at 12 s it is 2^-5, and 2^-8 three passes of 2 s later
    assert seconds_left(passes(gaps), 0.5**8) == pytest.approx(6.0, rel=1e-9)


def test_one_gap_that_jumps_up_does_not_change_the_estimate():
    gaps = 0.5 ** np.arange(8)
    jumped = gaps.copy()
    jumped[4] = 1.0
    plain, with_jump = seconds_left(passes(gaps), 1e-4), seconds_left(passes(jumped), 1e-4)
    assert with_jump == pytest.approx(plain, rel=0.2)  # one of eight points of the line is off by a factor 2


def test_nothing_is_promised_too_early_or_when_the_gap_stands_still():
    assert seconds_left([], 0.01) is None
    assert seconds_left(passes([1.0] * (FEWEST - 1)), 0.01) is None
    assert seconds_left(passes([0.5] * 9), 0.01) is None


def test_a_gap_below_its_goal_leaves_no_time():
    assert seconds_left(passes(0.5 ** np.arange(9)), 0.1) == 0.0


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "a few seconds"), (44, "40 seconds"), (600, "10 minutes"), (7200, "2 hours")],
)
def test_times_are_said_coarsely(seconds, words):
    assert spoken(seconds) == words
