"""What the jobs of the Scale view do, in a worker process: time programs, and map scores."""

from __future__ import annotations

from collections.abc import Iterator

from viterbi_lab.experiments.concentration import SETS, Heat, heat
from viterbi_lab.experiments.scaling import ALGORITHM_1, LENGTHS, Timing, measure
from viterbi_lab.ui.jobs import Signals

LONGEST = (1600, 6400, 25600)
HEAT_LENGTHS = (500, 1000, 2000)


def time_programs(longest: int, signals: Signals) -> Iterator[Timing]:
    """Time every program, Algorithm 1 up to this T; yields timings as they are taken."""
    lengths = {
        program: tuple(T for T in several if program != ALGORITHM_1 or longest >= T)
        for program, several in LENGTHS.items()
    }
    total = sum(map(len, lengths.values()))
    signals.say(f"0 of {total} measurements")
    for done, timing in enumerate(measure(lengths, cancelled=signals.stop), start=1):
        signals.say(f"{done} of {total} measurements, {timing.program} at T = {timing.T:,}")
        yield timing


def map_scores(length: int, signals: Signals) -> Iterator[Heat]:
    """Map the scores of random problems; yields the one result."""
    signals.say(f"0 of {SETS} random problems")
    found = heat(
        length,
        cancelled=signals.stop,
        progress=lambda done, sets: signals.say(f"{done} of {sets} random problems"),
    )
    if found is not None:
        yield found
