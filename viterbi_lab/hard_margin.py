"""SVM_0 of Tsochantaridis et al.: no slack, min ½‖w‖² s.t. ⟨w, δΨ_i(ŷ)⟩ ≥ 1 for all i and ŷ ≠ y_i.

Its programs are solved as those of SVM_1 with a C large enough that no slack is left: then both have the same
solution. Both bounds need no C. If the smallest ⟨w, δΨ⟩ of all is m > 0, then w/m satisfies every constraint:
the optimum is at most ½‖w‖²/m². And for any a >= 0, weights that satisfy the constraints satisfy their sum
⟨w, Σ a δΨ⟩ ≥ Σ a, so that ‖w‖ ≥ Σ a / ‖Σ a δΨ‖: where that exceeds any sensible norm, there are none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from viterbi_lab.iterate import Iterate, Status, require_positive, require_some
from viterbi_lab.oracle import Look, SeparationOracle
from viterbi_lab.qp import QPResult, solve
from viterbi_lab.rescaling import MARGIN, Penalty
from viterbi_lab.tasks.base import Example, Task
from viterbi_lab.working_set import WorkingSet

NO_SLACK = Penalty("no slack", power=0.0, slope=1.0, curvature=0.0)
"""Of a loss only whether there is one; the slope is that of the program with slacks."""

SMALLEST_MARGIN = 1e-7
"""Data are called not separable if their margin is proved to be below this share of the largest ‖δΨ‖."""


def iterates(
    task: Task,
    examples: Sequence[Example],
    *,
    relative_gap: float = 1e-6,
    max_passes: int = 500,
    n_jobs: int = 1,
    cancelled: Callable[[], bool] = lambda: False,
    progress: Callable[[int, int], None] = lambda done, n: None,
) -> Iterator[Iterate]:
    """Train SVM_0, one pass for each iterate taken; arguments as in `viterbi_lab.cutting_plane.iterates`.

    Yields:
        An iterate after every pass. Its w is scaled so that all constraints hold, if it can be; else
        ``upper`` is inf, and ``slack`` tells what is missed. INFEASIBLE is the end if no weights can hold
        them.

    Raises:
        ValueError: if a setting is out of its range.
        SolverFailed: if no solver can handle a program.
    """
    require_positive("relative_gap", relative_gap)
    require_some(examples, max_passes=max_passes)
    oracle = SeparationOracle(task, examples, MARGIN, NO_SLACK, n_jobs, cancelled, progress)
    return _passes(oracle, relative_gap, max_passes)


def _passes(oracle: SeparationOracle, relative_gap: float, max_passes: int) -> Iterator[Iterate]:
    n, task = len(oracle.examples), oracle.task
    constraints, C, w = WorkingSet.of(task, n), float(n), np.zeros(task.n_weights)
    lower, lowers, qp_solves, qp_seconds = 0.0, (), 0, 0.0
    latest = None
    for number in range(max_passes + 1):
        look = oracle.look(w) if number else None
        missing = np.maximum(look.value, 0.0) if look else np.full(n, np.inf)
        if number and look is None:
            yield replace(latest, status=Status.CANCELLED)
            return
        margin = 1.0 - float(missing.max())
        feasible = w / margin if margin > 0.0 else w.copy()
        upper = 0.5 * float(feasible @ feasible) if margin > 0.0 else np.inf
        slack = np.zeros(n) if margin > 0.0 else missing
        added = _add(constraints, look, missing > 0.0) if look else 0
        status = Status.RUNNING
        if number and upper - lower <= relative_gap * upper < np.inf:
            status = Status.CONVERGED
        elif lower >= _hopeless(constraints):
            status = Status.INFEASIBLE
        elif number and added == 0:
            status = Status.STALLED
        elif number == max_passes:
            status = Status.LIMIT
        for shown in (feasible, slack):
            shown.flags.writeable = False
        latest = Iterate(
            number=number,
            w=feasible,
            slack=slack,
            lower=lower,
            upper=upper,
            planes=len(constraints),
            added=added,
            violated=int((missing > 0.0).sum()) if look else 0,
            lowers=lowers,
            oracle_calls=oracle.calls,
            qp_solves=qp_solves,
            oracle_seconds=oracle.seconds,
            qp_seconds=qp_seconds,
            worst=look.violation(int(np.argmax(missing))) if look else None,
            status=status,
        )
        if number == 0:
            continue  # only what a training cancelled in its first pass shows
        yield latest
        if status is not Status.RUNNING:
            return
        C, program, bound = _without_slack(constraints, C, 0.1 * relative_gap)
        w, lower, lowers = program.w, max(lower, bound), (bound,)
        qp_solves, qp_seconds = qp_solves + 1, qp_seconds + program.seconds


def _add(constraints: WorkingSet, look: Look, chosen: np.ndarray) -> int:
    """Add the constraints of the chosen examples that are new; how many those were."""
    before = len(constraints)
    for i, y_hat, z, b in look.rows(chosen):
        if (i, y_hat) not in constraints:
            constraints.add(i, y_hat, z, b)
    return len(constraints) - before


def _hopeless(constraints: WorkingSet) -> float:
    """The objective above which weights are called impossible."""
    largest = float(constraints.planes.norms().max(initial=0.0))
    return 0.5 / (SMALLEST_MARGIN * largest) ** 2 if largest > 0.0 else np.inf


def _without_slack(constraints: WorkingSet, C: float, relative_gap: float) -> tuple[float, QPResult, float]:
    """Raise C until the program over the set has no slack, or none can help: C, the program, its bound."""
    while True:
        program = solve(constraints, C=C, penalty=NO_SLACK, relative_gap=1e-2 * relative_gap)
        a = program.multipliers
        norm = max(float(np.linalg.norm(constraints.planes.combination(a))), 1e-150)
        bound = 0.5 * (float(a @ constraints.bounds) / norm) ** 2
        margin = 1.0 - float(program.slack.max())
        upper = 0.5 * float(program.w @ program.w) / margin**2 if margin > 0.0 else np.inf
        if upper - bound <= relative_gap * upper < np.inf or bound >= _hopeless(constraints):
            return C, program, bound
        C *= 10.0
