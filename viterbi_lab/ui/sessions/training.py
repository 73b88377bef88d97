"""The state of the Train view: settings, runs, and the job that is running. It knows no widgets."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import partial

import numpy as np
import param

from viterbi_lab.data.genes import SIGMAS
from viterbi_lab.iterate import Status
from viterbi_lab.qp import SolverFailed
from viterbi_lab.rescaling import RESCALINGS
from viterbi_lab.ui.datasets import most_examples
from viterbi_lab.ui.jobs import Job, JobState
from viterbi_lab.ui.passes import Card, News, Pass
from viterbi_lab.ui.settings import CELEGANS, GENES, TRAINERS, WRAPPERS, Settings
from viterbi_lab.ui.training import train
from viterbi_lab.working_set import WorkingSet

DECADES = tuple(10.0**exponent for exponent in range(-8, 7))  # the paper's grid of C
EPSILONS = (0.1, 0.05, 0.01, 0.005, 0.001)  # shares of the objective
SUGGESTED_C = {
    (GENES, "slack"): 0.1,
    (GENES, "margin"): 0.1,
    (CELEGANS, "slack"): 1e-4,  # slacks of loci with 800 sites are large
    (CELEGANS, "margin"): 1.0,
}


@dataclass(eq=False)
class Run:
    """One training, from its start on.

    Attributes:
        number: from 0, in the order of starting.
        settings: what it was started with.
        continues: the number of the run whose constraints it started from; None if from nothing.
        card: about its data; None before they are prepared.
        passes: what it did so far; only grows.
        w: (d,) float64, the weights of the last pass; None before the first.
        known: the constraints it found, once it is over.
        status: how it ended, in one sentence; empty while it goes on.
        word: the same in one word.
        visible: whether the charts show it.
    """

    number: int
    settings: Settings
    continues: int | None = None
    card: Card | None = None
    passes: list[Pass] = field(default_factory=list)
    w: np.ndarray | None = None
    known: WorkingSet | None = None
    status: str = ""
    word: str = "training"
    visible: bool = True

    def hear(self, news: News) -> None:
        """Take in what the worker says."""
        self.card = news.card or self.card
        if news.seen is not None:
            self.passes.append(news.seen)
            self.w = news.w
        if news.status is not None:
            self.status, self.word = news.status.value, news.status.name.lower()
            self.known = news.known


class TrainingSession(param.Parameterized):
    """Settings and runs of one visitor. One run at a time; the earlier ones stay for comparison."""

    data = param.Selector(default=GENES, objects=[GENES, CELEGANS], doc="What to learn.")
    rescaling = param.Selector(default="slack", objects=list(RESCALINGS), doc="How the loss enters.")
    sigma = param.Selector(default=2.0, objects=list(SIGMAS), doc="Noise σ of the synthetic signals.")
    n = param.Integer(default=40, bounds=(2, most_examples(GENES)), doc="Training examples.")
    C = param.Selector(default=0.1, objects=list(DECADES), doc="What slacks cost.")
    epsilon = param.Selector(
        default=0.01, objects=list(EPSILONS), doc="Stop when the gap is below this share of the objective."
    )
    wrapper = param.Selector(default="k", objects=list(WRAPPERS), doc="The loss is h of the wrong sites.")
    seed = param.Integer(default=1, bounds=(0, 2**31 - 1), doc="Seed of the data.")
    trainer = param.Selector(objects=list(TRAINERS), doc="How the optimum is approached.")

    def __init__(self, **params) -> None:
        self._suggested = SUGGESTED_C[GENES, "slack"]
        super().__init__(**params)
        self.runs: list[Run] = []
        self._job: Job | None = None

    @param.depends("data", watch=True)
    def _fit_n(self) -> None:
        """Offer only as many examples as there are."""
        most = most_examples(self.data)
        bounds = (self.param.n.bounds[0], most)
        if self.n > most:
            self.n = most
        self.param.n.bounds = bounds

    @param.depends("data", "rescaling", watch=True)
    def _suggest_cost(self) -> None:
        """Bring C to the scale of the data, unless the visitor chose one."""
        before, self._suggested = self._suggested, SUGGESTED_C[self.data, self.rescaling]
        if before == self.C:
            self.C = self._suggested

    @property
    def settings(self) -> Settings:
        """What a run started now would be determined by."""
        return Settings(**{name: getattr(self, name) for name in Settings.__dataclass_fields__})

    @property
    def current(self) -> Run | None:
        """The run that was started last."""
        return self.runs[-1] if self.runs else None

    @property
    def is_busy(self) -> bool:
        """Whether a run is going on, paused or not."""
        return self._job is not None

    @property
    def is_paused(self) -> bool:
        """Whether the run is held."""
        return self._job is not None and self._job.state is JobState.PAUSED

    @property
    def phase(self) -> str:
        """What the worker is doing now."""
        return self._job.phase if self._job is not None else ""

    @property
    def changed(self) -> tuple[str, ...]:
        """Names of the settings that differ from those of the last run."""
        if self.current is None:
            return ()
        now, then = asdict(self.settings), asdict(self.current.settings)
        return tuple(name for name in now if now[name] != then[name])

    @property
    def can_continue(self) -> bool:
        """Whether the last run can go on, or its constraints be of use, under the present settings."""
        last = self.current
        if self.is_busy or last is None or last.known is None:
            return False
        unfinished = last.word != Status.CONVERGED.name.lower()
        return self.settings.same_program(last.settings) and (unfinished or self.settings != last.settings)

    def train(self) -> None:
        """Start a run with the present settings from nothing, unless one is going on."""
        if not self.is_busy:
            self._start(Run(len(self.runs), self.settings), None)

    def continue_training(self) -> None:
        """Start a run with the present settings from the constraints of the last one, if they hold."""
        if self.can_continue:
            last = self.current
            self._start(Run(len(self.runs), self.settings, continues=last.number), last.known)

    def _start(self, run: Run, known: WorkingSet | None) -> None:
        for earlier in self.runs:
            earlier.known = None  # large, and the new run goes on with them or nobody does
        self.runs.append(run)
        self._job = Job(
            partial(train, run.settings, known),
            f"training {run.settings}",
            refusals=(ValueError, MemoryError, SolverFailed),
        )
        self._job.start()

    def pause(self) -> None:
        """Hold the run within one example."""
        if self._job is not None:
            self._job.pause()

    def resume(self) -> None:
        """Let the run go on."""
        if self._job is not None:
            self._job.resume()

    def cancel(self) -> None:
        """End the run within one example; what it has done stays."""
        if self._job is not None:
            self._job.cancel()

    def close(self) -> None:
        """The visitor has gone: nobody waits for the run."""
        self.cancel()

    def drain(self) -> bool:
        """Take in what the worker has said since the last call; whether that was anything."""
        if self._job is None:
            return False
        run = self.current
        sent, state = self._job.drain()
        for news in sent:
            run.hear(news)
        if state.is_over:
            if state is JobState.FAILED:
                run.status, run.word = self._job.error, state.value
            elif not run.status:  # cancelled before the trainer had begun
                run.status, run.word = Status.CANCELLED.value, Status.CANCELLED.name.lower()
            self._job = None
        else:
            run.word = "paused" if state is JobState.PAUSED else "training"
        return bool(sent)

    def toggle(self, number: int) -> None:
        """Hide a run, or show it again.

        Raises:
            ValueError: if there is no run of that number.
        """
        if not 0 <= number < len(self.runs):
            raise ValueError(f"There is no run {number + 1}; there are {len(self.runs)}.")
        self.runs[number].visible = not self.runs[number].visible
