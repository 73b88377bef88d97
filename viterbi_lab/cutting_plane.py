"""Training by cutting planes: Algorithm 1 of Tsochantaridis et al., n slacks, as a generator.

The program has a constraint for every labelling of every example. Training keeps a working set of them: it
solves the program over the set, asks the oracle for the most violated constraint of each example, adds those
that exceed their slack by more than ε, and begins again. When a whole pass adds nothing, the weights are
optimal up to ε: objective − optimum <= cost(ξ + ε) − cost(ξ), which is Cε where slacks cost their sum.

Every pass also certifies the weights it looks at. Its oracle calls give the exact slacks, hence the exact
objective (``upper``); the program over the set gives a dual value (``lower``) below which no weights can get.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from viterbi_lab.oracle import Violation, most_violated, plane
from viterbi_lab.qp import solve
from viterbi_lab.rescaling import LINEAR, Penalty, Rescaling
from viterbi_lab.tasks.base import Example, Task
from viterbi_lab.working_set import WorkingSet


class Status(Enum):
    """How a training stands; the value is the sentence to show."""

    RUNNING = "Training."
    CONVERGED = "Converged: no labelling exceeds its slack by more than ε."
    STALLED = "Stopped: the quadratic program cannot be solved as exactly as ε asks."
    LIMIT = "Stopped at the limit of passes, not converged."
    CANCELLED = "Cancelled, not converged. The weights are those of the last complete pass."


@dataclass(frozen=True, eq=False)
class Iterate:
    """The state of a training after one pass over the examples.

    Attributes:
        number: passes so far; 0 only if the training was cancelled during its first.
        w: (d,) float64, the weights that this pass looked at; read-only.
        slack: (n,) float64, the exact ξ_i = max_ŷ H_i(ŷ) at ``w``; read-only. inf before the first pass.
        lower: the dual value of the program over the working set: no weights have an objective below it.
        upper: the exact objective ½‖w‖² + cost(ξ).
        planes: constraints in the working set.
        added: how many of them are new since the iterate before.
        violated: examples whose most violated constraint exceeds its slack by more than ε.
        lowers: the dual values of the programs solved since the iterate before, in order.
        oracle_calls: calls of the oracle so far.
        qp_solves: programs solved so far.
        oracle_seconds: wall-clock time spent in the oracle so far.
        qp_seconds: wall-clock time spent in programs so far.
        worst: the constraint that exceeds its slack most at ``w``; None before the first pass.
        status: how the training stands. Every status but RUNNING is that of a last iterate.
    """

    number: int
    w: np.ndarray
    slack: np.ndarray
    lower: float
    upper: float
    planes: int
    added: int
    violated: int
    lowers: tuple[float, ...]
    oracle_calls: int
    qp_solves: int
    oracle_seconds: float
    qp_seconds: float
    worst: Violation | None
    status: Status

    @property
    def gap(self) -> float:
        """``upper - lower``: how far the objective of ``w`` may be above the optimum, at most."""
        return self.upper - self.lower

    @property
    def relative_gap(self) -> float:
        """The gap as a share of ``upper``; 0 where both are 0."""
        return self.gap / self.upper if self.upper > 0.0 else 0.0


def iterates(
    task: Task,
    examples: Sequence[Example],
    *,
    C: float,
    epsilon: float,
    rescaling: Rescaling,
    penalty: Penalty = LINEAR,
    batch: int = 0,
    max_passes: int = 500,
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
        rescaling: SLACK or MARGIN.
        penalty: LINEAR or QUADRATIC.
        batch: 0 solves one program after each pass; 1 one after every added constraint, as analysed in the
            paper, and then spends a second pass on certifying.
        max_passes: where to stop if ε is not reached; at least 1.
        rng: if given, every pass takes the examples in a new random order.
        working_set: constraints to start from, for the same examples, rescaling and penalty; the training
            adds its own. They hold for every C.
        cancelled: asked before every oracle call and every program; True ends the training with one last
            iterate. It may wait, which pauses the training.
        progress: called after every oracle call of a pass with the calls made in it and n.

    Yields:
        An iterate after every pass. The last one says by its status why it is the last.

    Raises:
        ValueError: if a setting is out of its range.
        SolverFailed: if no solver can handle a program.
    """
    _require_positive("C", C)
    _require_positive("epsilon", epsilon)
    if not examples:
        raise ValueError("There is no example to train on. Give at least one.")
    if batch not in (0, 1):
        raise ValueError(f"batch={batch}; allowed are 0 (one program a pass) and 1 (one a constraint).")
    if max_passes < 1:
        raise ValueError(f"max_passes={max_passes}; at least one pass is needed.")
    if working_set is None:
        working_set = WorkingSet(len(examples), task.n_weights)
    elif working_set.n_examples != len(examples) or working_set.rows.shape[1] != task.n_weights:
        raise ValueError(
            f"The working set is for {working_set.n_examples} examples and {working_set.rows.shape[1]} "
            f"weights; this training has {len(examples)} and {task.n_weights}."
        )
    run = _Run(task, examples, C, epsilon, rescaling, penalty, batch, rng, working_set, cancelled, progress)
    return run.passes(max_passes)


def _require_positive(name: str, value: float) -> None:
    if not (np.isfinite(value) and value > 0.0):
        raise ValueError(f"{name}={value}; it must be a positive number.")


@dataclass(frozen=True, eq=False)
class _Sweep:
    """What one pass over the examples found at fixed weights."""

    slack: np.ndarray
    worst: Violation
    violated: int


@dataclass(eq=False)
class _Run:
    """One training: its settings, its working set, the weights of the last program, and what it has spent."""

    task: Task
    examples: Sequence[Example]
    C: float
    epsilon: float
    rescaling: Rescaling
    penalty: Penalty
    batch: int
    rng: np.random.Generator | None
    working_set: WorkingSet
    cancelled: Callable[[], bool]
    progress: Callable[[int, int], None]
    w: np.ndarray = field(init=False)
    relative_gap: float = 1e-7
    lower: float = 0.0
    lowers: list[float] = field(default_factory=list)
    oracle_calls: int = 0
    qp_solves: int = 0
    oracle_seconds: float = 0.0
    qp_seconds: float = 0.0

    def passes(self, max_passes: int) -> Iterator[Iterate]:
        """The training itself."""
        n = len(self.examples)
        self.w, planes = np.zeros(self.task.n_weights), len(self.working_set)
        latest = self._iterate(0, np.full(n, np.inf), np.inf, 0, 0, None, Status.RUNNING)
        if planes and not self._solve():
            yield replace(latest, status=Status.CANCELLED)
            return
        for number in range(1, max_passes + 1):
            sweep = self._sweep()
            if sweep is None:
                yield replace(latest, status=Status.CANCELLED)
                return
            added, planes = len(self.working_set) - planes, len(self.working_set)
            upper = 0.5 * float(self.w @ self.w) + self.penalty.cost(sweep.slack, self.C)
            status = self._verdict(number, sweep, upper, added)
            if status is Status.RUNNING and number == max_passes:
                status = Status.LIMIT
            latest = self._iterate(number, sweep.slack, upper, added, sweep.violated, sweep.worst, status)
            yield latest
            if status is not Status.RUNNING:
                return
            if not (self._cut_one_by_one() if self.batch else self._solve()):
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
            oracle_calls=self.oracle_calls,
            qp_solves=self.qp_solves,
            oracle_seconds=self.oracle_seconds,
            qp_seconds=self.qp_seconds,
            worst=worst,
            status=status,
        )

    def _verdict(self, number: int, sweep: _Sweep, upper: float, added: int) -> Status:
        allowed = self.penalty.tolerance(sweep.slack, self.C, self.epsilon)
        # the next program leaves a tenth of what ε leaves, but nobody solves to the last digit
        self.relative_gap = min(1e-7, max(0.1 * allowed / upper, 1e-12)) if upper > 0.0 else 1e-7
        if sweep.violated == 0:
            exact = upper - self.lower <= allowed + 1e-9 * upper
            return Status.CONVERGED if exact else Status.STALLED
        # constraints are violated, yet all of them are in the set: the program is less exact than ε
        looked_only = self.batch == 1 and number == 1
        return Status.STALLED if added == 0 and not looked_only else Status.RUNNING

    def _order(self) -> np.ndarray:
        n = len(self.examples)
        return np.arange(n) if self.rng is None else self.rng.permutation(n)

    def _look(self, example: Example) -> Violation:
        begin = time.perf_counter()
        violation = most_violated(self.task, example, self.w, self.rescaling, self.penalty)
        self.oracle_seconds += time.perf_counter() - begin
        self.oracle_calls += 1
        return violation

    def _sweep(self) -> _Sweep | None:
        """Look at every example at the same weights; with batch 0 add what is violated. None if cancelled."""
        n = len(self.examples)
        slack, known = np.zeros(n), self.working_set.slack(self.w)
        worst, violated = None, 0
        for done, i in enumerate(self._order()):
            if self.cancelled():
                return None
            violation = self._look(self.examples[i])
            slack[i] = max(0.0, violation.value)
            if worst is None or violation.value - known[i] > worst.value - known[worst.example.number]:
                worst = violation
            if violation.value > known[i] + self.epsilon:
                violated += 1
                if self.batch == 0:
                    self._add(violation)
            self.progress(done + 1, n)
        return _Sweep(slack, worst, violated)

    def _cut_one_by_one(self) -> bool:
        """Add what is violated and solve the program again after every constraint; False if cancelled."""
        n, known = len(self.examples), self.working_set.slack(self.w)
        for done, i in enumerate(self._order()):
            if self.cancelled():
                return False
            violation = self._look(self.examples[i])
            if violation.value > known[i] + self.epsilon and self._add(violation):
                if not self._solve():
                    return False
                known = self.working_set.slack(self.w)
            self.progress(done + 1, n)
        return True

    def _add(self, violation: Violation) -> bool:
        """Add a constraint unless it is in the set already; whether it was new."""
        number = violation.example.number
        if (number, violation.y_hat) in self.working_set:
            return False
        self.working_set.add(number, violation.y_hat, *plane(self.task, violation, self.rescaling))
        return True

    def _solve(self) -> bool:
        """Solve the program over the set; False if cancelled."""
        if self.cancelled():
            return False
        result = solve(
            self.working_set,
            C=self.C,
            penalty=self.penalty,
            relative_gap=self.relative_gap,
            unit=self.lower if self.lower > 0.0 else None,
        )
        self.w, self.lower = result.w, result.lower
        self.lowers.append(result.lower)
        self.qp_solves += 1
        self.qp_seconds += result.seconds
        return True
