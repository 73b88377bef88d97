"""The trainings of one visitor: shared by all pages that are open, and found again by a reload."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from viterbi_lab.iterate import Status
from viterbi_lab.limits import Limits
from viterbi_lab.qp import SolverFailed
from viterbi_lab.ui.jobs import JobState
from viterbi_lab.ui.own_data import OwnData
from viterbi_lab.ui.passes import Card, News, Pass
from viterbi_lab.ui.recording import Recording
from viterbi_lab.ui.replay import Replay
from viterbi_lab.ui.sessions.one_job import OneJob
from viterbi_lab.ui.settings import Settings
from viterbi_lab.ui.training import train
from viterbi_lab.ui.warmup import WORKERS
from viterbi_lab.working_set import WorkingSet


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
        end: the same as the trainer says it; None if it goes on, or the trainer could not say it.
        visible: whether the charts show it.
        recorded: whether it is shown from a recording.
        own: the visitor's file that it was trained on, if it was.
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
    recorded: bool = False
    own: OwnData | None = None
    end: Status | None = None

    @property
    def recording(self) -> Recording | None:
        """The run for a file; None if it goes on, failed, or has no pass."""
        if self.end is None or not self.passes:
            return None
        return Recording(self.settings, self.card, tuple(self.passes), self.end, self.w)

    def hear(self, news: News) -> None:
        """Take in what the worker says."""
        self.card = news.card or self.card
        if news.seen is not None:
            self.passes.append(news.seen)
            self.w = news.w
        if news.status is not None:
            self.end, self.known = news.status, news.known
            self.status, self.word = news.status.value, news.status.name.lower()


class Runs(OneJob):
    """The runs of one visitor, one at a time, and the job that is running.

    Pages come and go by `enter` and `leave`. When the last one has left, nobody waits for the job any more.

    Args:
        visitor: whose they are; anything that is unique, by default a new name.

    Attributes:
        all: the runs, in the order of starting.
        pages: how many pages look at them.
    """

    def __init__(self, visitor: str | None = None) -> None:
        self.all: list[Run] = []
        self._visitor = visitor or uuid.uuid4().hex
        self.pages = 0

    def enter(self) -> None:
        """One more page looks at these runs."""
        self.pages += 1

    def leave(self) -> bool:
        """A page has gone; return whether it was the last, with which the job ends."""
        self.pages -= 1
        if self.pages > 0:
            return False
        self.cancel()
        return True

    def train(self, settings: Settings, own: OwnData | None = None, continued: Run | None = None) -> None:
        """Start a run, unless one is going on.

        Args:
            settings: what to train.
            own: the visitor's file, where the settings ask for it.
            continued: the run from whose constraints to start; None: from nothing.
        """
        if self.is_busy:
            return
        known = None if continued is None else continued.known
        number = None if continued is None else continued.number
        self._add(Run(len(self.all), settings, number, own=own))
        self._job = WORKERS.job(
            partial(train, settings, known, own),
            f"training {settings}",
            refusals=(ValueError, MemoryError, SolverFailed),
            owner=self._visitor,
        )
        self._job.start()

    def replay(self, recording: Recording) -> None:
        """Show a recorded run, unless a run is going on."""
        if self.is_busy:
            return
        self._add(Run(len(self.all), recording.settings, recorded=True))
        self._job = Replay(recording)
        self._job.start()

    def _add(self, run: Run) -> None:
        for earlier in self.all:
            earlier.known = None  # large, and the new run goes on with them or nobody does
        self.all.append(run)

    def drain(self) -> None:
        """Take what the worker has sent since the last call into the current run."""
        if self._job is None:
            return
        run = self.all[-1]
        sent, state = self._job.drain()
        for news in sent:
            run.hear(news)
        if state.is_over:
            if state is JobState.FAILED:
                run.status, run.word = self._job.error, state.value
            elif not run.status:  # cancelled before the trainer had begun, or ended with its process
                run.status, run.word = Status.CANCELLED.value, Status.CANCELLED.name.lower()
            self._job = None
        elif not run.status:  # else the worker is about to say that it is over
            run.word = "training" if state is JobState.RUNNING else state.value


class Visitors:
    """The runs of all visitors who have a page open."""

    def __init__(self) -> None:
        self._runs: dict[str, Runs] = {}

    @property
    def pages(self) -> int:
        """How many pages are open."""
        return sum(runs.pages for runs in self._runs.values())

    @property
    def are_full(self) -> bool:
        """Whether as many pages are open as may be."""
        return self.pages >= Limits.in_force("sessions")

    def enter(self, visitor: str) -> Runs:
        """Return the runs of a visitor, to whom one more page was opened."""
        runs = self._runs.setdefault(visitor, Runs(visitor))
        runs.enter()
        return runs

    def leave(self, visitor: str) -> None:
        """A page of a visitor was closed; with the last one, the runs are forgotten."""
        if self._runs[visitor].leave():
            del self._runs[visitor]


VISITORS = Visitors()
