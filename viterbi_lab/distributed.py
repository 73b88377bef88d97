"""Training over the workers of a Dask cluster, with one slack for all examples: the one-slack formulation.

The examples are divided into S shards that stay on the workers. A round sends the weights w to each shard,
where the oracle finds the most violated labellings and their rows are added up: Σz, Σb, Σξ. The cluster adds
these sums up into p planes, which are all that comes back. The sum of the ξ is exact, hence so is the
objective (``upper``); the program over the planes gives the dual value (``lower``), as on one machine.

With p = 1 this is the program of `viterbi_lab.formulation.ONE_SLACK` (Joachims, Finley and Yu, Mach. Learn.
77, 2009). With p > 1 each of p groups of shards owns a slack, p/n times the sum of those of its examples. The
mean of the p slacks is the mean of all n, so the optimum is the same. (On 2000 gene sequences and 8 shards,
p = 8 took 59 rounds where p = 1 took 68 with slack rescaling, and 15 instead of 16 with margin rescaling.)

No labelling and nothing else whose size depends on n leaves a worker. So an `Iterate` has p slacks in the
place of n, ``violated`` counts planes, and ``worst`` is None.

A round sends 8d bytes to each shard and brings p·8(d + 4) back, n or no n; `Round` says how many that is.
Dask's own messages add about 4 KB a shard.

On paper, for 10⁸ sequences of 100 sites, 2 labels, d = 88 (features of Bauer et al., σ = 2), C = 1, slack
rescaling, and a gap of 1 %: measured on one core of a 2-core virtual machine, the oracle with its sums takes
11 µs a sequence (margin rescaling: 8 µs), a task of Dask 2 ms, and 2000 sequences need 68 rounds. The bound
on the number of rounds does not grow with n. A round is 1100 s of one core; on 1000 cores with a shard each
1.1 s, and 2 s more for the scheduler: 68 rounds are 4 minutes. A round moves 0.7 MB of weights, 736 bytes
of a plane, and 4 MB of Dask's messages. A sequence takes 3.2 KB as sent and 6.5 KB with the oracle's joined
copy: 650 GB on all workers together, which should `load` their shards and not get them from one machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from viterbi_lab.iterate import Goal, Iterate, Status, require_positive
from viterbi_lab.qp import ladder, solve
from viterbi_lab.rescaling import LINEAR
from viterbi_lab.shards import Shards, load, scatter
from viterbi_lab.working_set import WorkingSet

__all__ = ["Round", "Shards", "iterates", "load", "scatter"]


@dataclass(frozen=True, eq=False)
class Round(Iterate):
    """An `Iterate` and what its round sent.

    Attributes:
        bytes_out: the weights, once for each shard.
        bytes_back: the planes.
    """

    bytes_out: int
    bytes_back: int


def iterates(
    shards: Shards,
    *,
    C: float,
    epsilon: float | None = None,
    relative_gap: float | None = None,
    planes: int = 1,
    max_passes: int = 500,
    solver: str = "interior_point",
    working_set: WorkingSet | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[Round]:
    """Train with linear slacks, one round over the cluster for each iterate taken.

    Args:
        shards: what `scatter` or `load` made.
        C: what slacks cost, C/n for each example; positive.
        epsilon: by how much a plane may exceed its slack at the end; positive.
        relative_gap: how large the gap may be at the end, as a share of the objective; positive. At least one
            of the two is needed; if both are given, both hold at the end.
        planes: p, how many planes a round brings, 1..S. More need fewer rounds and larger programs.
        max_passes: where to stop if the goal is not reached; at least 1.
        solver: what solves the programs; `viterbi_lab.qp.ladder` knows the names.
        working_set: planes to start from, of an earlier training on the same shards with the same ``planes``.
        cancelled: asked before every round and program, and while a round is awaited; True ends the training
            with one last iterate.

    Yields:
        A `Round` after every round. The last one says by its status why it is the last.

    Raises:
        ValueError: if a setting is out of its range.
        ConnectionError: if workers die again and again over the same shard.
        SolverFailed: if no solver can handle a program.
    """
    require_positive("C", C)
    goal = Goal(epsilon, relative_gap)
    if not 1 <= planes <= len(shards):
        raise ValueError(f"planes={planes}; {len(shards)} shards bring 1..{len(shards)} planes a round.")
    if max_passes < 1:
        raise ValueError(f"max_passes={max_passes}; at least one pass is needed.")
    if working_set is None:
        working_set = WorkingSet(planes, shards.task.n_weights)
    working_set.require(planes, shards.task.n_weights)
    return _Run(shards, C, goal, ladder(solver), working_set, cancelled).rounds(max_passes)


@dataclass(eq=False)
class _Run:
    """One training: its settings, and the last iterate, which holds what it has found and spent."""

    shards: Shards
    C: float
    goal: Goal
    ladder: tuple[Any, ...]
    working_set: WorkingSet
    cancelled: Callable[[], bool]
    latest: Round = field(init=False)

    def rounds(self, max_passes: int) -> Iterator[Round]:
        """The training itself."""
        p, d = self.working_set.n_examples, self.shards.task.n_weights
        self.latest = Round(
            number=0,
            w=_frozen(np.zeros(d)),
            slack=_frozen(np.full(p, np.inf)),
            lower=0.0,
            upper=np.inf,
            planes=len(self.working_set),
            added=0,
            violated=0,
            lowers=(),
            oracle_calls=0,
            qp_solves=0,
            oracle_seconds=0.0,
            qp_seconds=0.0,
            worst=None,
            status=Status.RUNNING,
            bytes_out=0,
            bytes_back=0,
        )
        program = self.latest  # the iterate to come: its weights and lower value, before the oracle looks
        if len(self.working_set):
            program = self._solved(1e-7)
        for number in range(1, max_passes + 1):
            sums = None if self.cancelled() else self.shards.ask(program.w, p, self.cancelled)
            if sums is None:
                yield replace(self.latest, status=Status.CANCELLED)
                return
            self.latest, gap = self._judged(program, sums, number, max_passes)
            yield self.latest
            if self.latest.status is not Status.RUNNING:
                return
            if self.cancelled():
                yield replace(self.latest, status=Status.CANCELLED)
                return
            program = self._solved(gap)

    def _judged(self, program: Round, sums: np.ndarray, number: int, max_passes: int) -> tuple[Round, float]:
        """The iterate of a round, once its planes are in the set, and how exact the next program must be."""
        p, w, known = len(sums), program.w, len(self.working_set)
        Z, (b, slack, counts, seconds) = sums[:, :-4], sums[:, -4:].T
        n = counts.sum()
        Z, b, slack = p / n * Z, p / n * b, p / n * slack
        excess = slack - self.working_set.slack(w)
        upper = 0.5 * float(w @ w) + LINEAR.cost(slack, self.C)
        allowed = self.goal.allowed_gap(LINEAR, slack, self.C, upper)
        worth = excess > self.goal.threshold(LINEAR, slack, self.C, upper)
        # no labelling comes back to tell planes apart, but the same one always gives the same sums
        chosen = np.flatnonzero(worth)
        added = self.working_set.add_new(
            chosen, [np.append(Z[g], b[g]) for g in chosen], Z[chosen], b[chosen]
        )
        violated = worth if self.goal.epsilon is None else excess > self.goal.epsilon
        status = Status.RUNNING
        if upper - program.lower <= allowed and (self.goal.epsilon is None or not violated.any()):
            status = Status.CONVERGED
        elif not added:
            status = Status.STALLED
        elif number == max_passes:
            status = Status.LIMIT
        iterate = replace(
            program,
            number=number,
            slack=_frozen(slack),
            upper=upper,
            planes=known + added,
            added=added,
            violated=int(violated.sum()),
            oracle_calls=program.oracle_calls + int(n),
            oracle_seconds=program.oracle_seconds + float(seconds.sum()),
            status=status,
            bytes_out=len(self.shards) * w.nbytes,
            bytes_back=sums.nbytes,
        )
        # the next program leaves a tenth of what the goal leaves, but nobody solves to the last digit
        return iterate, min(1e-7, max(0.1 * allowed / upper, 1e-12)) if upper > 0.0 else 1e-7

    def _solved(self, gap: float) -> Round:
        """The iterate to come: the last one with the weights and the dual value of the next program."""
        latest = self.latest
        result = solve(
            self.working_set,
            C=self.C,
            relative_gap=gap,
            unit=latest.lower if latest.lower > 0.0 else None,
            ladder=self.ladder,
        )
        return replace(
            latest,
            w=_frozen(result.w),
            lower=result.lower,
            lowers=(result.lower,),
            qp_solves=latest.qp_solves + 1,
            qp_seconds=latest.qp_seconds + result.seconds,
        )


def _frozen(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array
