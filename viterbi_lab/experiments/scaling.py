"""Fig. 4 of Bauer et al. 2014: what inference costs as sequences grow, measured on this machine.

Instances are those of Section IV-D: scores g uniform on [−50, 50], N = 4, ⊙ = ·, h = id.

    exhaustive     tries all Nᵀ labellings, in Python; the paper has 160 s at T = 10
    Algorithm 1    loss-augmented Viterbi, the whole table over (t, k, j); about 60 s at T = 2000
    bounds first   the same optimum from a few plain decodings and what they leave open; not in the paper
    Algorithm 2    plain Viterbi; less than 0.2 s at T = 2000

The paper's times are those of a Core 2 Duo at 3 GHz.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from viterbi_lab.dp import ChainProblem, ChainScores, Combine, decode, viterbi

N = 4
EXHAUSTIVE, ALGORITHM_1, BOUNDS, ALGORITHM_2 = "exhaustive", "Algorithm 1", "bounds first", "Algorithm 2"
LENGTHS: Mapping[str, tuple[int, ...]] = {
    EXHAUSTIVE: (2, 3, 4, 5, 6, 7),
    ALGORITHM_2: (100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600),
    BOUNDS: (100, 200, 400, 800, 1600, 3200, 6400, 12800),
    ALGORITHM_1: (100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600),
}
"""T at which each is measured, cheap ones first; all together take a few seconds."""
FITTED_FROM = 3200
"""Shortest T for a slope: below, calls and single sites cost as much as the table."""
PAPER_SECONDS = {(EXHAUSTIVE, 10): 160.0, (ALGORITHM_1, 2000): 60.0, (ALGORITHM_2, 2000): 0.2}
"""Bauer et al., Section IV-D, as read off the text: about, about, and less than."""


@dataclass(frozen=True)
class Timing:
    """What one inference cost.

    Attributes:
        program: which.
        T: sites.
        seconds: processor time of one call, the least of several measurements.
    """

    program: str
    T: int
    seconds: float


def random_instance(T: int, rng: np.random.Generator, n_states: int = N) -> ChainProblem:
    """A problem of Section IV-D: g ~ U[−50, 50], ⊙ = ·, h = id."""
    scores = ChainScores.from_arrays(
        rng.uniform(-50.0, 50.0, n_states), rng.uniform(-50.0, 50.0, (T - 1, n_states, n_states))
    )
    return ChainProblem(scores, rng.integers(0, n_states, T), np.arange(T + 1.0), Combine.TIMES)


def exhaustive(problem: ChainProblem) -> tuple[float, tuple[int, ...]]:
    """The largest objective (14) over all labellings, and the first of those that attain it."""
    first, *tables = (table.tolist() for table in problem.scores.tables())
    y, h = problem.y.tolist(), problem.h.tolist()
    best, labels = -np.inf, ()
    for labelling in itertools.product(range(problem.scores.n_states), repeat=len(y)):
        score = first[labelling[0]]
        for table, i, j in zip(tables, labelling, labelling[1:], strict=False):
            score += table[i][j]
        value = score * h[sum(a != b for a, b in zip(labelling, y, strict=True))]
        if value > best:
            best, labels = value, labelling
    return best, labels


PROGRAMS: Mapping[str, Callable[[ChainProblem], object]] = {
    EXHAUSTIVE: exhaustive,
    ALGORITHM_1: lambda problem: decode(problem, "full"),
    BOUNDS: lambda problem: decode(problem, "bounds"),
    ALGORITHM_2: lambda problem: viterbi(problem.scores),
}


def measure(
    lengths: Mapping[str, Sequence[int]] = LENGTHS,
    *,
    seed: int = 0,
    rounds: int = 5,
    enough: float = 0.005,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[Timing]:
    """Time programs, one length after the other.

    Args:
        lengths: T for each program, in the order of measurement.
        seed: of the instances; all programs meet the same at the same T.
        rounds: measurements, of which the least counts.
        enough: seconds that a measurement takes at least, by repeating a fast call.
        cancelled: asked before every measurement; True ends it.

    Yields:
        One timing for each program and T.
    """
    for program, several in lengths.items():
        run = PROGRAMS[program]
        for T in several:
            problem = random_instance(T, np.random.default_rng([seed, T]))
            run(problem)  # what is computed once for a problem is not part of an inference
            least, repeats = np.inf, 1
            for _ in range(rounds):
                if cancelled():
                    return
                begin = time.thread_time()
                for _ in range(repeats):
                    run(problem)
                once = max((time.thread_time() - begin) / repeats, 1e-9)
                least = min(least, once)
                repeats = max(1, min(10_000, round(enough / once)))
                if once > 0.2:  # slow ones are not disturbed much
                    break
            yield Timing(program, T, float(least))


def slope(timings: Sequence[Timing], program: str) -> float | None:
    """The exponent of T in the time, by least squares over logarithms; None before two lengths are there.

    For exhaustive search, whose time is no power of T: the factor from one T to the next.
    """
    points = [
        (t.T, t.seconds)
        for t in timings
        if t.program == program and (t.T >= FITTED_FROM or program == EXHAUSTIVE)
    ]
    if len(points) < 2:
        return None
    T, seconds = np.array(points).T
    if program == EXHAUSTIVE:
        keep = T.max() - 3 <= T  # short ones pay for the call
        return float(np.exp(np.polyfit(T[keep], np.log(seconds[keep]), 1)[0]))
    return float(np.polyfit(np.log(T), np.log(seconds), 1)[0])
