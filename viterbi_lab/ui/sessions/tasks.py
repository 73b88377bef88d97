"""The state of the Tasks view: an application, its runs, and which inference is on the stage. No widgets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import param

from viterbi_lab.block_coordinate import iterates
from viterbi_lab.iterate import Status
from viterbi_lab.qp import SolverFailed
from viterbi_lab.rescaling import VARIANTS
from viterbi_lab.ui.applications import APPLICATIONS, Application
from viterbi_lab.ui.jobs import JobState, Signals
from viterbi_lab.ui.sessions.one_job import OneJob
from viterbi_lab.ui.warmup import WORKERS

PREDICTION, VIOLATED = "prediction", "most violated"
COSTS = (0.1, 1.0, 10.0, 100.0, 1000.0)
EPSILON = 0.01  # share of the objective at which a run ends


@dataclass(frozen=True)
class Settings:
    """What a run is determined by."""

    application: int
    machine: str
    C: float

    def __str__(self) -> str:
        name = APPLICATIONS[self.application].name.partition(":")[0]
        return f"{name} · {self.machine} · C={self.C:g}"


@dataclass(frozen=True, eq=False)
class TaskPass:
    """One pass of a training, with what a person looks at.

    Attributes:
        number: from 1.
        lower: the dual value: no weights have an objective below it.
        upper: the objective of the weights.
        gap: share of the objective by which it may exceed the optimum.
        planes: constraints in the working set.
        score: share of right answers on held-out data.
        w: (d,) float64, the weights.
    """

    number: int
    lower: float
    upper: float
    gap: float
    planes: int
    score: float
    w: np.ndarray


@dataclass(eq=False)
class TaskRun:
    """One training, from its start on.

    Attributes:
        number: from 0, in the order of starting.
        settings: what it was started with.
        passes: what it did so far; only grows.
        status: how it ended, in one sentence; empty while it goes on.
        word: the same in one word.
        visible: whether the charts show it.
    """

    number: int
    settings: Settings
    passes: list[TaskPass] = field(default_factory=list)
    status: str = ""
    word: str = "training"
    visible: bool = True


class TasksSession(OneJob, param.Parameterized):
    """What one visitor looks at and trains in the Tasks view. One run at a time."""

    application = param.Selector(default=0, objects=list(range(len(APPLICATIONS))), doc="Which application.")
    shown = param.Integer(default=0, bounds=(0, None), doc="Which held-out input.")
    own = param.String(default="", doc="An input that the visitor typed; empty for none.")
    asked = param.Selector(default=PREDICTION, objects=[PREDICTION, VIOLATED], doc="What is inferred.")
    machine = param.Selector(default="SVM_2_Ds", objects=list(VARIANTS), doc="One of the machines of T04.")
    C = param.Selector(default=10.0, objects=list(COSTS), doc="What slacks cost.")
    after = param.Integer(default=0, bounds=(0, None), doc="Weights after this pass; 0 before training.")
    scene = param.String(default="", doc="What is on the stage, as JSON.")
    error = param.String(default="", doc="Why the typed input cannot be shown; empty if it can.")

    def __init__(self, owner: str = "", **params) -> None:
        super().__init__(**params)
        self._owner = owner  # whose turn it is in the queue of the workers
        self.runs: list[TaskRun] = []
        self._draw()

    @property
    def current(self) -> Application:
        """The application that is chosen."""
        return APPLICATIONS[self.application]

    @property
    def settings(self) -> Settings:
        """What a run started now would be determined by."""
        return Settings(self.application, self.machine, self.C)

    @property
    def latest(self) -> TaskRun | None:
        """The last run of the application that is chosen."""
        return next(
            (run for run in reversed(self.runs) if run.settings.application == self.application), None
        )

    @property
    def own_runs(self) -> list[TaskRun]:
        """The runs of the application that is chosen."""
        return [run for run in self.runs if run.settings.application == self.application]

    @property
    def w(self) -> np.ndarray:
        """(d,) float64, the weights on the stage."""
        run = self.latest
        if run is not None and 0 < self.after <= len(run.passes):
            return run.passes[self.after - 1].w
        return np.zeros(self.current.task(False).n_weights)

    @param.depends("application", watch=True)
    def _turn_to(self) -> None:
        """Another application begins with its first input and its last weights."""
        run = self.latest
        with param.parameterized.batch_call_watchers(self):
            self.shown, self.own = 0, ""
            self.after = len(run.passes) if run else 0
        self._draw()

    @param.depends("shown", "asked", "machine", "after", "own", watch=True)
    def _draw(self) -> None:
        """Bring the stage in line with what is asked; what cannot be shown leaves it as it is."""
        variant, application = VARIANTS[self.machine], self.current
        task = application.task(variant.zero_one)
        rescaling = variant.rescaling if self.asked == VIOLATED else None
        shown = min(self.shown, len(application.titles) - 1)
        try:
            scene = application.draw(task, shown, self.own.strip(), rescaling, self.w)
        except ValueError as refused:
            self.error = str(refused)
            return
        self.error = ""
        self.scene = scene.json()

    def train(self) -> None:
        """Start a run with the present settings, unless one is going on."""
        if self.is_busy:
            return
        run = TaskRun(len(self.runs), self.settings)
        self.runs.append(run)
        self._job = WORKERS.job(
            partial(train, run.settings),
            f"training {run.settings}",
            refusals=(ValueError, MemoryError, SolverFailed),
            owner=self._owner,
        )
        self._job.start()
        self.after = 0

    def close(self) -> None:
        """The visitor has gone: nobody waits for the run."""
        self.cancel()

    def toggle(self, number: int) -> None:
        """Hide a run, or show it again.

        Raises:
            ValueError: if there is no run of that number.
        """
        if not 0 <= number < len(self.runs):
            raise ValueError(f"There is no run {number + 1}; there are {len(self.runs)}.")
        self.runs[number].visible = not self.runs[number].visible

    def drain(self) -> bool:
        """Take in what the worker has said since the last call; whether that was anything."""
        if self._job is None:
            return False
        run = self.runs[-1]
        sent, state = self._job.drain()
        passes = [item for item in sent if isinstance(item, TaskPass)]
        run.passes += passes
        for item in sent:
            if isinstance(item, Status):
                run.status, run.word = item.value, item.name.lower()
        if state.is_over:
            if state is JobState.FAILED:
                run.status, run.word = self._job.error, state.value
            elif not run.status:  # cancelled before the trainer had begun
                run.status, run.word = Status.CANCELLED.value, Status.CANCELLED.name.lower()
            self._job = None
        else:
            run.word = "paused" if state is JobState.PAUSED else "training"
        if passes and run is self.latest:
            self.after = len(run.passes)  # the stage follows the training
        return bool(sent) or state.is_over


def train(settings: Settings, signals: Signals) -> Iterator[TaskPass | Status]:
    """Train an application, one pass at a time; the work of a job.

    Args:
        settings: what to train.
        signals: asked before every part of a pass.

    Yields:
        A pass after every pass of the trainer, and the final status last.
    """
    signals.say("preparing the data")
    application, variant = APPLICATIONS[settings.application], VARIANTS[settings.machine]
    task = application.task(variant.zero_one)
    done = 0
    for iterate in iterates(
        task,
        application.examples(task),
        C=settings.C,
        relative_gap=EPSILON,
        rescaling=variant.rescaling,
        penalty=variant.penalty,
        cancelled=signals.stop,
    ):
        if iterate.number > done:  # a cancelled training repeats its last complete pass
            done = iterate.number
            signals.say(f"pass {done}, {iterate.planes} constraints")
            score = application.score(task, iterate.w)
            yield TaskPass(
                done,
                iterate.lower,
                iterate.upper,
                iterate.relative_gap,
                iterate.planes,
                score,
                iterate.w,
            )
        if iterate.status is not Status.RUNNING:
            yield iterate.status
