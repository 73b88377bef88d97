"""Training by cutting planes: Algorithm 1 of Tsochantaridis et al., as a generator.

The program has a constraint for every labelling of every example. Training keeps a working set of them: it
solves the program over the set, asks the oracle for the most violated constraint of each example, adds those
that exceed their slack by more than ε, and begins again. When a whole pass adds nothing, the weights are
optimal up to ε: objective − optimum <= cost(ξ + ε) − cost(ξ), which is Cε where slacks cost their sum.

Every pass also certifies the weights it looks at. Its oracle calls give the exact slacks, hence the exact
objective (``upper``); the program over the set gives a dual value (``lower``) below which no weights can get.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from viterbi_lab.formulation import N_SLACK, Formulation
from viterbi_lab.iterate import Goal, Iterate, Status, require_positive, require_some
from viterbi_lab.oracle import Look, SeparationOracle, Violation, plane
from viterbi_lab.qp import ladder, solve
from viterbi_lab.rescaling import LINEAR, Penalty, Rescaling
from viterbi_lab.tasks.base import Example, Task
from viterbi_lab.working_set import WorkingSet

__all__ = ["Goal", "Iterate", "Status", "iterates"]


def iterates(
    task: Task,
    examples: Sequence[Example],
    *,
    C: float,
    epsilon: float | None = None,
    relative_gap: float | None = None,
    rescaling: Rescaling,
    penalty: Penalty = LINEAR,
    formulation: Formulation = N_SLACK,
    batch: int = 0,
    max_passes: int = 500,
    solver: str = "interior_point",
    n_jobs: int = 1,
    rng: np.random.Generator | None = None,
    working_set: WorkingSet | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    progress: Callable[[int, int], None] = lambda done, n: None,
) -> Iterator[Iterate]:
    """Train, one pass for each iterate taken.

    Args:
        task: the application.
        examples: what ``task.prepare`` returned.
        C: what slacks cost, C/n for each example; positive.
        epsilon: by how much a constraint may exceed its slack at the end, in units of the loss; positive.
        relative_gap: how large the gap may be at the end, as a share of the objective; positive. At least one
            of the two is needed; if both are given, both hold at the end.
        rescaling: SLACK or MARGIN.
        penalty: LINEAR or QUADRATIC.
        formulation: N_SLACK, or ONE_SLACK: more passes, much smaller programs; LINEAR and batch 0 only.
        batch: 0 solves one program after each pass; 1 one after every added constraint, as analysed in the
            paper, and then spends a second pass on certifying.
        max_passes: where to stop if the goal is not reached; at least 1.
        solver: what solves the programs; `viterbi_lab.qp.ladder` knows the names.
        n_jobs: threads of the oracle; the iterates are the same for every number.
        rng: if given, every pass takes the examples in a new random order.
        working_set: constraints to start from, for the same examples, rescaling and penalty; the training
            adds its own. They hold for every C.
        cancelled: asked before every part of a pass and every program; True ends the training with one last
            iterate. It may wait, which pauses the training.
        progress: called after every part of a pass with the oracle calls made in it and n.

    Yields:
        An iterate after every pass. The last one says by its status why it is the last.

    Raises:
        ValueError: if a setting is out of its range.
        SolverFailed: if no solver can handle a program.
    """
    require_positive("C", C)
    goal = Goal(epsilon, relative_gap)
    require_some(examples, max_passes=max_passes)
    if batch not in (0, 1):
        raise ValueError(f"batch={batch}; allowed are 0 (one program a pass) and 1 (one a constraint).")
    working_set = WorkingSet.fitting(working_set, task, formulation.owners(len(examples)))
    formulation.refuse(penalty, batch)
    ladder(solver)  # refuses an unknown name now
    oracle = SeparationOracle(task, examples, rescaling, penalty, n_jobs, cancelled, progress)
    return _Run(oracle, formulation, C, goal, batch, solver, rng, working_set).passes(max_passes)


@dataclass(eq=False)
class _Run:
    """One training: its settings, its working set, the weights of the last program, and what it has spent."""

    oracle: SeparationOracle
    formulation: Formulation
    C: float
    goal: Goal
    batch: int
    solver: str
    rng: np.random.Generator | None
    working_set: WorkingSet
    w: np.ndarray = field(init=False)
    program_gap: float = 1e-7
    lower: float = 0.0
    lowers: list[float] = field(default_factory=list)
    qp_solves: int = 0
    qp_seconds: float = 0.0

    @property
    def penalty(self) -> Penalty:
        return self.oracle.penalty

    def passes(self, max_passes: int) -> Iterator[Iterate]:
        """The training itself."""
        n, planes = len(self.oracle.examples), len(self.working_set)
        self.w = np.zeros(self.oracle.task.n_weights)
        latest = self._iterate(0, np.full(n, np.inf), np.inf, 0, 0, None, Status.RUNNING)
        if planes and not self._solve():
            yield replace(latest, status=Status.CANCELLED)
            return
        for number in range(1, max_passes + 1):
            look = self.oracle.look(self.w)
            if look is None:
                yield replace(latest, status=Status.CANCELLED)
                return
            excess = self.formulation.violation(look) - self.working_set.slack(self.w)
            slack = np.maximum(look.value, 0.0)
            upper = 0.5 * float(self.w @ self.w) + self.penalty.cost(slack, self.C)
            allowed = self.goal.allowed_gap(self.penalty, slack, self.C, upper)
            worth = excess > self.goal.threshold(self.penalty, slack, self.C, upper)
            if self.batch == 0:
                self._add(look, worth)
            added, planes = len(self.working_set) - planes, len(self.working_set)
            violated = worth if self.goal.epsilon is None else excess > self.goal.epsilon
            status = Status.RUNNING
            if upper - self.lower <= allowed and (self.goal.epsilon is None or not violated.any()):
                status = Status.CONVERGED
            elif added == 0 and not (self.batch == 1 and number == 1 and worth.any()):
                # what is violated is in the set already: the program is less exact than the goal
                status = Status.STALLED
            elif number == max_passes:
                status = Status.LIMIT
            # the next program leaves a tenth of what the goal leaves, but nobody solves to the last digit
            self.program_gap = min(1e-7, max(0.1 * allowed / upper, 1e-12)) if upper > 0.0 else 1e-7
            worst = look.violation(self.formulation.worst(look, excess))
            latest = self._iterate(number, slack, upper, added, int(violated.sum()), worst, status)
            yield latest
            if status is not Status.RUNNING:
                return
            if not (self._cut_one_by_one(latest) if self.batch else self._solve()):
                yield replace(latest, status=Status.CANCELLED)
                return

    def _iterate(
        self,
        number: int,
        slack: np.ndarray,
        upper: float,
        added: int,
        violated: int,
        worst: Violation | None,
        status: Status,
    ) -> Iterate:
        for shown in (self.w, slack):
            shown.flags.writeable = False
        lowers, self.lowers = tuple(self.lowers), []
        return Iterate(
            number=number,
            w=self.w,
            slack=slack,
            lower=self.lower,
            upper=upper,
            planes=len(self.working_set),
            added=added,
            violated=violated,
            lowers=lowers,
            oracle_calls=self.oracle.calls,
            qp_solves=self.qp_solves,
            oracle_seconds=self.oracle.seconds,
            qp_seconds=self.qp_seconds,
            worst=worst,
            status=status,
        )

    def _order(self, count: int) -> np.ndarray:
        return np.arange(count) if self.rng is None else self.rng.permutation(count)

    def _add(self, look: Look, worth: np.ndarray) -> None:
        """Add the constraints that are worth it and not in the set yet, in the order of the pass."""
        rows = list(self.formulation.rows(look, worth))
        for place in self._order(len(rows)):
            owner, y_hat, z, b = rows[place]
            if (owner, y_hat) not in self.working_set:
                self.working_set.add(owner, y_hat, z, b)

    def _cut_one_by_one(self, latest: Iterate) -> bool:
        """Add what is violated and solve the program again after every constraint; False if cancelled."""
        n, known = len(self.oracle.examples), self.working_set.slack(self.w)
        threshold = self.goal.threshold(self.penalty, latest.slack, self.C, latest.upper)
        for done, i in enumerate(self._order(n)):
            if self.oracle.cancelled():
                return False
            violation = self.oracle.look_at(i, self.w)
            if violation.value > known[i] + threshold and (i, violation.y_hat) not in self.working_set:
                row = plane(self.oracle.task, violation, self.oracle.rescaling)
                self.working_set.add(i, violation.y_hat, *row)
                if not self._solve():
                    return False
                known = self.working_set.slack(self.w)
            self.oracle.progress(done + 1, n)
        return True

    def _solve(self) -> bool:
        """Solve the program over the set; False if cancelled."""
        if self.oracle.cancelled():
            return False
        result = solve(
            self.working_set,
            C=self.C,
            penalty=self.penalty,
            relative_gap=self.program_gap,
            unit=self.lower if self.lower > 0.0 else None,
            ladder=ladder(self.solver),
        )
        self.w, self.lower = result.w, result.lower
        self.working_set.multipliers[:], self.working_set.C = result.multipliers, self.C
        self.lowers.append(result.lower)
        self.qp_solves += 1
        self.qp_seconds += result.seconds
        return True
