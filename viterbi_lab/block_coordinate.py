"""Training by dual ascent over blocks of cached planes: few oracle calls, cheap steps between them.

Every example keeps the planes (z, b) that the oracle found for it, and a multiplier a >= 0 for each; the
weights are w = Σ a z. With the null plane (0, 0) for ξ_i >= 0, the multipliers of an example always add up to
C/n where the sum of slacks costs. A step moves mass within one example from the plane with the smallest
violation H that has some to the one with the largest,

    step = (H_p − H_q) / ‖z_p − z_q‖²,  at most a_q,

which is the best that can be done with these two. Where slacks cost their squares, the null plane has mass
without end and the violation (n/C) Σ a, and steps that touch it have n/C more curvature.

A pass calls the oracle once for every example at the same weights, which certifies them as the cutting-plane
trainer does; then sweeps over the cached planes close most of the gap that the pass has measured. Where that
takes too many sweeps, which is so at large C, an interior point method takes over on the same planes.
Of many examples it begins with one in ten: on the data of Bauer et al. with n = 1000 and 10,000 that leaves
5.5 to 6.7 calls of each example for a gap of 0.1 % where it were 8 to 10, and two thirds of the time.
(Steps after every single oracle call, instead of after each pass, saved no calls: 10 against 10 of each
example for a gap of 0.1 %, n = 300, on the data of Bauer et al. with σ = 2.)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from viterbi_lab.iterate import Goal, Iterate, Status, require_positive, require_some
from viterbi_lab.oracle import Look, SeparationOracle, Violation
from viterbi_lab.planes import Blocks
from viterbi_lab.qp import LADDER, NO_FURTHER, certify, solve
from viterbi_lab.rescaling import LINEAR, Penalty, Rescaling
from viterbi_lab.tasks.base import Example, Task
from viterbi_lab.working_set import WorkingSet

EXACT = 1e-10  # the relative gap over the cached planes when a pass has found no new one
INNER_GAP = 0.03  # sweeps go on until the gap over the cached planes is this share of the measured one
STEPS_PER_VISIT = 10
NEGLIGIBLE = 1e-3  # of the mass of an example: an interior point leaves no multiplier at 0
FEWEST_TO_BEGIN_WITH_SOME = 500  # examples; of fewer, all are looked at from the beginning
ONE_IN = 10  # some are one in so many
ROUGH_GAP, ROUGH_PASSES = 0.3, 30  # where training on some ends
SWEEPS_BEFORE_HANDING_OVER = 100  # and as many as take about the time of an interior point solution
MOST_NUMBERS = 2**25  # in the table of sparse planes that it needs: 256 MiB; above, sweeps go on alone


def iterates(
    task: Task,
    examples: Sequence[Example],
    *,
    C: float,
    epsilon: float | None = None,
    relative_gap: float | None = None,
    rescaling: Rescaling,
    penalty: Penalty = LINEAR,
    max_passes: int = 500,
    n_jobs: int = 1,
    seed: int = 0,
    working_set: WorkingSet | None = None,
    drop_after: int = 8,
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
        max_passes: where to stop if the goal is not reached; at least 1.
        n_jobs: threads of the oracle; the iterates are the same for every number.
        seed: of the order in which sweeps visit the examples.
        working_set: planes and multipliers of an earlier training to start from, at any C, for the same
            examples, rescaling and penalty. This training goes on with it.
        drop_after: planes that had no mass for this many passes are dropped.
        cancelled: asked before every part of a pass and before sweeping; True ends the training with one last
            iterate. It may wait, which pauses the training.
        progress: called after every part of a pass with the oracle calls made in it and n.

    Yields:
        An iterate after every pass. The last one says by its status why it is the last.

    Raises:
        ValueError: if a setting is out of its range.
        SolverFailed: if no solver can handle a program that was handed over.
    """
    require_positive("C", C)
    goal = Goal(epsilon, relative_gap)
    require_some(examples, max_passes=max_passes, drop_after=drop_after)
    working_set = WorkingSet.fitting(working_set, task, len(examples))
    oracle = SeparationOracle(task, examples, rescaling, penalty, n_jobs, cancelled, progress)
    return _Run(oracle, C, goal, working_set, drop_after, np.random.default_rng(seed)).passes(max_passes)


def path(
    task: Task, examples: Sequence[Example], Cs: Sequence[float], **settings: Any
) -> Iterator[tuple[float, Iterate]]:
    """Train for several C, each from the planes and multipliers of the one before.

    Args:
        task: the application.
        examples: what ``task.prepare`` returned.
        Cs: values of C, best ascending: then all planes are of use to the next.
        settings: as for `iterates`, without C and ``working_set``.

    Yields:
        ``(C, last iterate)`` for each, in the order given.
    """
    planes = WorkingSet.of(task, len(examples))
    for C in Cs:
        *_, last = iterates(task, examples, C=C, working_set=planes, **settings)
        yield C, last


@dataclass(eq=False)
class _Run:
    """One training: its settings, its planes, the weights to look at next, and what it has spent."""

    oracle: SeparationOracle
    C: float
    goal: Goal
    cached: WorkingSet
    drop_after: int
    rng: np.random.Generator
    w: np.ndarray = field(init=False)
    lower: float = 0.0
    handed_over: bool = False
    nothing_new: bool = False
    exhausted: bool = False
    qp_solves: int = 0
    qp_seconds: float = 0.0

    @property
    def penalty(self) -> Penalty:
        return self.oracle.penalty

    def passes(self, max_passes: int) -> Iterator[Iterate]:
        """The training itself."""
        n = len(self.oracle.examples)
        self.w = np.zeros(self.oracle.task.n_weights)
        if not len(self.cached) and n >= FEWEST_TO_BEGIN_WITH_SOME:
            self._begin_with_some()
        if len(self.cached):
            self._begin_with_planes()
        latest = self._iterate(0, np.full(n, np.inf), np.inf, 0, 0, None, Status.RUNNING)
        for number in range(1, max_passes + 1):
            look = self.oracle.look(self.w)
            if look is None:
                yield replace(latest, status=Status.CANCELLED)
                return
            slack = np.maximum(look.value, 0.0)
            excess = look.value - self.cached.slack(self.w)
            upper = 0.5 * float(self.w @ self.w) + self.penalty.cost(slack, self.C)
            allowed = self.goal.allowed_gap(self.penalty, slack, self.C, upper)
            worth = excess > self.goal.threshold(self.penalty, slack, self.C, upper)
            added = self._add(look, worth)
            violated = worth if self.goal.epsilon is None else excess > self.goal.epsilon
            status = Status.RUNNING
            if upper - self.lower <= allowed and (self.goal.epsilon is None or not violated.any()):
                status = Status.CONVERGED
            elif added == 0 and self.exhausted:
                status = Status.STALLED
            elif number == max_passes:
                status = Status.LIMIT
            self.nothing_new = added == 0
            worst = look.violation(int(np.argmax(excess)))
            latest = self._iterate(number, slack, upper, added, int(violated.sum()), worst, status)
            yield latest
            if status is not Status.RUNNING:
                return
            if self.oracle.cancelled():
                yield replace(latest, status=Status.CANCELLED)
                return
            self._improve(max(upper - self.lower, allowed), upper)

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
        return Iterate(
            number=number,
            w=self.w,
            slack=slack,
            lower=self.lower,
            upper=upper,
            planes=len(self.cached),
            added=added,
            violated=violated,
            lowers=(self.lower,) if number > 1 else (),
            oracle_calls=self.oracle.calls,
            qp_solves=self.qp_solves,
            oracle_seconds=self.oracle.seconds,
            qp_seconds=self.qp_seconds,
            worst=worst,
            status=status,
        )

    def _add(self, look: Look, worth: np.ndarray) -> int:
        """Add the planes that are worth it and not cached yet; how many those were."""
        return sum(self.cached.add_new(*rows) for rows in look.rows_by_part(worth))

    def _begin_with_some(self) -> None:
        """Train on one in ten examples, roughly, and take over their planes: early passes cost a tenth."""
        oracle, n = self.oracle, len(self.oracle.examples)
        some = np.sort(self.rng.permutation(n)[: n // ONE_IN])
        fewer = replace(oracle, examples=[oracle.examples[i] for i in some])
        planes = WorkingSet.of(oracle.task, len(some))
        run = _Run(fewer, self.C, Goal(None, ROUGH_GAP), planes, self.drop_after, self.rng)
        list(run.passes(ROUGH_PASSES))
        oracle.calls, oracle.seconds = oracle.calls + fewer.calls, oracle.seconds + fewer.seconds
        self.qp_solves, self.qp_seconds = run.qp_solves, run.qp_seconds
        self.cached.take(planes, some)

    def _begin_with_planes(self) -> None:
        """Bring the multipliers of another C to this one, and scale them as well as it allows."""
        cached, n = self.cached, self.cached.n_examples
        a = cached.multipliers
        w, mass = cached.planes.combination(a), np.bincount(cached.owners, a, n)
        curvature, most = float(w @ w), np.inf
        if self.penalty.curvature > 0.0:
            curvature += n / self.C * float(mass @ mass)
        elif mass.max() > 0.0:
            most = self.C / n / float(mass.max())
        if curvature > 0.0:
            a *= min(most, max(0.0, float(a @ cached.bounds) / curvature))
        self._settle(a)
        if self.lower > 0.0:
            self._improve(self.lower, self.lower)

    def _improve(self, gap: float, upper: float) -> None:
        """Close most of the measured gap by moving mass among the planes in the set."""
        begin = time.perf_counter()
        exact, fits = self.nothing_new, self.cached.planes.table_size() <= MOST_NUMBERS
        closed = True
        if fits and (exact or self.handed_over):
            self.handed_over = True
        else:
            closed = self._sweep(EXACT * upper if exact else INNER_GAP * gap)
            self.handed_over = fits and not closed
        if self.handed_over:
            self._hand_over(EXACT if exact else min(1e-3, INNER_GAP * gap / upper))
        self.exhausted = exact and (closed or self.handed_over)
        a, owners = self.cached.multipliers, self.cached.owners
        mass = np.bincount(owners, a, self.cached.n_examples)
        self.cached.drop_idle(
            a <= (NEGLIGIBLE * mass)[owners] if self.handed_over else a == 0.0, self.drop_after
        )
        self.qp_solves += 1
        self.qp_seconds += time.perf_counter() - begin

    def _sweep(self, gap: float) -> bool:
        """Sweep until the gap over the planes is about this small; False if that takes too long."""
        cached, n = self.cached, self.cached.n_examples
        order = np.argsort(cached.owners, kind="stable")
        starts = np.searchsorted(cached.owners[order], np.arange(n + 1))
        a = cached.multipliers
        w = cached.planes.combination(a)
        if self.penalty.curvature > 0.0:
            box, curvature = np.inf, n / self.C
        else:
            box, curvature = self.C / n, 0.0
        mass = np.bincount(cached.owners, a, n)
        blocks = Blocks(order, starts, cached.bounds, a, w, mass, box, curvature)
        violations, difference = np.empty(int(np.diff(starts).max())), np.zeros(len(w))
        closed = False
        for _ in range(SWEEPS_BEFORE_HANDING_OVER + self._sweeps_worth_a_program()):
            left = cached.planes.sweep(
                self.rng.permutation(n), blocks, violations, difference, STEPS_PER_VISIT
            )
            if left <= gap:
                closed = True
                break
        self._settle(a)
        return closed

    def _sweeps_worth_a_program(self) -> int:
        """How many sweeps take about as long as an interior point solution, which handles tables (m, r)."""
        planes = self.cached.planes
        return int(planes.n_coordinates() ** 2 / max(planes.mean_size(), 1.0))

    def _hand_over(self, relative_gap: float) -> None:
        """Solve the program over the planes by an interior point method."""
        program = solve(
            self.cached,
            C=self.C,
            penalty=self.penalty,
            relative_gap=max(relative_gap, 1e-12),
            ladder=(NO_FURTHER, *LADDER),
        )
        self.w = program.w
        if program.lower > self.lower:  # a rough solution may prove less than the one before
            self.cached.multipliers[:] = program.multipliers
            self.lower, self.cached.C = program.lower, self.C

    def _settle(self, a: np.ndarray) -> None:
        """Take these multipliers, without the rounding of many steps, and what they prove."""
        feasible, self.w, lower = certify(self.cached, a, C=self.C, penalty=self.penalty)
        self.lower = max(self.lower, lower)
        self.cached.multipliers[:] = feasible
        self.cached.C = self.C
