"""The state of the Train view: settings, runs, and the job that is running. It knows no widgets."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import partial

import param

from viterbi_lab.cutting_plane import Status
from viterbi_lab.data.genes import SIGMAS
from viterbi_lab.qp import SolverFailed
from viterbi_lab.rescaling import RESCALINGS
from viterbi_lab.ui.jobs import Job, JobState
from viterbi_lab.ui.training import CELEGANS, GENES, WRAPPERS, Pass, Settings, most_examples, train

DECADES = tuple(10.0**exponent for exponent in range(-8, 7))  # the paper's grid of C
EPSILONS = (10.0, 1.0, 0.5, 0.1, 0.05, 0.01)


@dataclass(eq=False)
class Run:
    """One training, from its start on.

    Attributes:
        number: from 0, in the order of starting.
        settings: what it was started with.
        passes: what it did so far; only the last one still has its inference problems.
        status: how it ended, in one sentence; empty while it goes on.
        word: the same in one word.
        visible: whether the charts show it.
    """

    number: int
    settings: Settings
    passes: list[Pass] = field(default_factory=list)
    status: str = ""
    word: str = "training"
    visible: bool = True

    def take(self, seen: Pass) -> None:
        """Add a pass. The one before gives up its problems: those of all passes would fill the memory."""
        if self.passes:
            self.passes[-1] = self.passes[-1].without_problems()
        self.passes.append(seen)


class TrainingSession(param.Parameterized):
    """Settings and runs of one visitor. One run at a time; the earlier ones stay for comparison."""

    data = param.Selector(default=GENES, objects=[GENES, CELEGANS], doc="What to learn.")
    rescaling = param.Selector(default="slack", objects=list(RESCALINGS), doc="How the loss enters.")
    sigma = param.Selector(default=2.0, objects=list(SIGMAS), doc="Noise σ of the synthetic signals.")
    n = param.Integer(default=40, bounds=(2, most_examples(GENES)), doc="Training examples.")
    C = param.Selector(default=0.1, objects=list(DECADES), doc="What slacks cost.")
    epsilon = param.Selector(default=0.1, objects=list(EPSILONS), doc="Stop when no violation is above it.")
    wrapper = param.Selector(default="k", objects=list(WRAPPERS), doc="The loss is h of the wrong sites.")
    seed = param.Integer(default=1, bounds=(0, 2**31 - 1), doc="Seed of the data.")

    def __init__(self, **params) -> None:
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

    def train(self) -> None:
        """Start a run with the present settings, unless one is going on."""
        if self.is_busy:
            return
        run = Run(len(self.runs), self.settings)
        self.runs.append(run)
        self._job = Job(
            partial(train, run.settings),
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

    def drain(self) -> list[Pass]:
        """Take what the worker has sent since the last call into the current run, and return its passes."""
        if self._job is None:
            return []
        run = self.current
        sent, state = self._job.drain()
        passes = [item for item in sent if isinstance(item, Pass)]
        for seen in passes:
            run.take(seen)
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
        return passes

    def toggle(self, number: int) -> None:
        """Hide a run, or show it again.

        Raises:
            ValueError: if there is no run of that number.
        """
        if not 0 <= number < len(self.runs):
            raise ValueError(f"There is no run {number + 1}; there are {len(self.runs)}.")
        self.runs[number].visible = not self.runs[number].visible
