"""What prediction and training ask of inference: the best output, and the most violated constraints."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from viterbi_lab.rescaling import LINEAR, Penalty, Rescaling
from viterbi_lab.rows import Rows, times_rows
from viterbi_lab.tasks.base import Corpus, Example, Task

MOST_WORK = 2e7
"""Cells T·K of the tables of one part of a pass: some tens of milliseconds, then it can be cancelled."""


@dataclass(frozen=True, eq=False)
class Violation:
    """The labelling that violates its constraint most at some w; the truth itself if none violates it.

    Attributes:
        example: whose constraint.
        y_hat: (T,) int64, argmax_ŷ H(ŷ).
        value: H(y_hat) = max_ŷ H(ŷ) >= 0: the exact slack ξ_i that this w needs.
        k: the number of wrong sites of ``y_hat``, Δ_H, or the sum of its costs.
        loss: h(k)^p, the loss as the constraint sees it.
        problem: the very problem which was solved; that of a sequence can be looked at by
            `viterbi_lab.dp.trace`.
    """

    example: Example
    y_hat: np.ndarray
    value: float
    k: int
    loss: float
    problem: Any


@dataclass(frozen=True, eq=False)
class Violations:
    """The most violated constraints of all examples of a corpus at some w.

    Attributes:
        corpus: the examples.
        y: the outputs ŷ, end to end, int64.
        starts: (n + 1,) int64, where each begins.
        value: (n,) float64, max_ŷ H(ŷ) of each.
        loss: (n,) float64, h(k)^p.
    """

    corpus: Corpus
    y: np.ndarray
    starts: np.ndarray
    value: np.ndarray
    loss: np.ndarray

    def y_hat(self, i: int) -> np.ndarray:
        """(T_i,) int64, the output of one example."""
        return self.y[self.starts[i] : self.starts[i + 1]]


def predict(task: Task, x: Any, w: np.ndarray) -> np.ndarray:
    """The best output argmax_ŷ ⟨w, Ψ(x, ŷ)⟩, Bauer et al. (5).

    Args:
        task: the application.
        x: an input as ``task.prepare_input`` returns it.
        w: (d,) float64.

    Returns:
        (T,) int64.
    """
    return task.best(x, w)


def most_violated(
    task: Task, example: Example, w: np.ndarray, rescaling: Rescaling, penalty: Penalty = LINEAR
) -> Violation:
    """The most violated constraint of one example: max_ŷ H(ŷ), exactly, by Bauer et al. Algorithm 1.

    Args:
        task: the application.
        example: one that ``task.prepare`` returned.
        w: (d,) float64.
        rescaling: SLACK or MARGIN.
        penalty: LINEAR or QUADRATIC; it decides the power of the loss.
    """
    h = penalty.tempered(example.h)
    truth = float(example.psi @ w)
    best = task.optimum(example, w, h, rescaling.combine, rescaling.offset(truth))
    return Violation(example, best.y, best.value, best.k, float(h[best.k]), best.problem)


def all_most_violated(
    task: Task,
    corpus: Corpus,
    w: np.ndarray,
    rescaling: Rescaling,
    penalty: Penalty = LINEAR,
    *,
    n_jobs: int = 1,
) -> Violations:
    """The most violated constraints of all examples: what `most_violated` says of each.

    Args:
        task: the application.
        corpus: examples which ``task.gather`` laid end to end.
        w: (d,) float64.
        rescaling: SLACK or MARGIN.
        penalty: LINEAR or QUADRATIC.
        n_jobs: threads that share the examples; the result is the same for every number.
    """
    losses = [penalty.tempered(example.h) for example in corpus.examples]
    offsets = rescaling.offset(corpus.psi @ w)
    best = task.optima(corpus, w, losses, rescaling.combine, offsets, n_jobs)
    loss = np.array([h[k] for h, k in zip(losses, best.k, strict=True)])
    return Violations(corpus, best.y, best.starts, best.value, loss)


def plane(task: Task, violation: Violation, rescaling: Rescaling) -> tuple[Rows, float]:
    """The row (z, b) of a violated constraint: H(ŷ) = b − ⟨w, z⟩, at every w."""
    return rescaling.plane(task.delta_psi(violation.example, violation.y_hat), violation.loss)


def planes(task: Task, violations: Violations, rescaling: Rescaling) -> tuple[Rows, np.ndarray]:
    """The rows (n, d) and bounds (n,) of many violated constraints."""
    corpus = violations.corpus
    delta_psi = corpus.psi - task.joint_features(corpus, violations.y, violations.starts)
    return times_rows(delta_psi, rescaling.factor(violations.loss)), violations.loss


@dataclass(eq=False)
class SeparationOracle:
    """The oracle of one training: it looks at all examples, part by part, and counts what it did.

    Attributes:
        task: the application.
        examples: prepared examples, at least one.
        rescaling: SLACK or MARGIN.
        penalty: LINEAR or QUADRATIC.
        n_jobs: threads.
        cancelled: asked before every part; True ends the look. It may wait, which pauses.
        progress: told after every part how many examples are done, and n.
        calls: examples looked at so far.
        seconds: wall-clock time that took.
    """

    task: Task
    examples: Sequence[Example]
    rescaling: Rescaling
    penalty: Penalty = LINEAR
    n_jobs: int = 1
    cancelled: Callable[[], bool] = lambda: False
    progress: Callable[[int, int], None] = lambda done, n: None
    calls: int = field(default=0, init=False)
    seconds: float = field(default=0.0, init=False)
    parts: list[Corpus] = field(init=False)

    def __post_init__(self):
        # the same for every number of threads: sums over other parts could differ in their last bits
        self.parts = [self.task.gather(part) for part in _parts(self.task, self.examples)]

    def look(self, w: np.ndarray) -> Look | None:
        """The most violated constraint of every example at w; None if cancelled."""
        found, done = [], 0
        for part in self.parts:
            if self.cancelled():
                return None
            begin = time.perf_counter()
            found.append(
                all_most_violated(self.task, part, w, self.rescaling, self.penalty, n_jobs=self.n_jobs)
            )
            self.seconds += time.perf_counter() - begin
            self.calls += len(part)
            done += len(part)
            self.progress(done, len(self.examples))
        return Look(self, w, tuple(found))

    def look_at(self, i: int, w: np.ndarray) -> Violation:
        """The most violated constraint of one example at w."""
        begin = time.perf_counter()
        violation = most_violated(self.task, self.examples[i], w, self.rescaling, self.penalty)
        self.seconds += time.perf_counter() - begin
        self.calls += 1
        return violation


@dataclass(frozen=True, eq=False)
class Look:
    """What the oracle saw at one w.

    Attributes:
        oracle: who looked.
        w: (d,) float64.
        parts: the violations, part by part.
    """

    oracle: SeparationOracle
    w: np.ndarray
    parts: tuple[Violations, ...]

    @property
    def value(self) -> np.ndarray:
        """(n,) float64, max_ŷ H_i(ŷ), but for rounding never below 0."""
        return np.concatenate([part.value for part in self.parts])

    def violation(self, i: int) -> Violation:
        """The violation of one example with the problem that was solved, solved once more."""
        oracle = self.oracle
        return most_violated(oracle.task, oracle.examples[i], self.w, oracle.rescaling, oracle.penalty)

    def mean_row(self) -> tuple[np.ndarray, float]:
        """(z̄, b̄): the mean of the rows of all examples; z̄ is dense."""
        totals = [
            (Z.sum(axis=0), b.sum())
            for Z, b in (planes(self.oracle.task, part, self.oracle.rescaling) for part in self.parts)
        ]
        n = len(self.oracle.examples)
        return sum(z for z, _ in totals) / n, float(sum(b for _, b in totals) / n)

    def rows(self, chosen: np.ndarray) -> Iterator[tuple[int, np.ndarray, Rows, float]]:
        """``(i, ŷ, z, b)`` of the examples where ``chosen`` (n,) is true, in their order."""
        for numbers, outputs, Z, b in self.rows_by_part(chosen):
            yield from zip(numbers.tolist(), outputs, Z, b.tolist(), strict=True)

    def rows_by_part(
        self, chosen: np.ndarray
    ) -> Iterator[tuple[np.ndarray, list[np.ndarray], Rows, np.ndarray]]:
        """The same as arrays, part by part: numbers (m,), the m labellings, Z (m, d) and b (m,)."""
        first = 0
        for part in self.parts:
            wanted = np.flatnonzero(chosen[first : first + len(part.corpus)])
            if wanted.size:
                Z, b = planes(self.oracle.task, part, self.oracle.rescaling)
                yield first + wanted, [part.y_hat(i) for i in wanted.tolist()], Z[wanted], b[wanted]
            first += len(part.corpus)


def _parts(task: Task, examples: Sequence[Example]) -> list[Sequence[Example]]:
    """Consecutive examples whose tables together have at most `MOST_WORK` cells."""
    parts, begin, work = [], 0, 0.0
    for i, example in enumerate(examples):
        cells = task.work(example)
        if i > begin and work + cells > MOST_WORK:
            parts.append(examples[begin:i])
            begin, work = i, 0.0
        work += cells
    parts.append(examples[begin:])
    return parts
