"""How long a training will still take, from how its gap has fallen so far."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from viterbi_lab.ui.passes import Pass

FEWEST, MOST = 4, 10  # passes that an estimate looks back on


def seconds_left(passes: Sequence[Pass], epsilon: float) -> float | None:
    """Return the seconds until the gap will be ε, if its logarithm goes on falling as on a straight line.

    Gaps of cutting planes jump; the line is fitted to the smallest gap so far at each of the last passes.

    Args:
        passes: of one run, in order.
        epsilon: where it stops.

    Returns:
        The estimate, not negative; None with too few passes, or if the gap does not fall.
    """
    gaps = np.minimum.accumulate([seen.gap for seen in passes]) if passes else np.zeros(0)
    known = [(seen.seconds, gap) for seen, gap in zip(passes, gaps, strict=True) if gap > 0.0][-MOST:]
    if len(known) < FEWEST:
        return None
    seconds, gap = np.array(known).T
    if gap[0] == gap[-1]:
        return None
    slope, height = np.polyfit(seconds - seconds[-1], np.log(gap / epsilon), 1)
    return max(0.0, float(-height / slope))  # gap only falls, hence so does the line


def spoken(seconds: float) -> str:
    """Return a time as people say it, as coarse as an estimate is."""
    if seconds < 10:
        return "a few seconds"
    if seconds < 90:
        return f"{10 * round(seconds / 10)} seconds"
    if seconds < 5400:
        return f"{round(seconds / 60)} minutes"
    return f"{round(seconds / 3600)} hours"
