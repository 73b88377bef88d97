"""The compiled kernels, loaded once for each process while the first page already says so.

The first run on a machine compiles them, which takes up to a minute; later ones read them from numba's cache.
The server steps and compares; it trains in worker processes, which load what that needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from threading import Lock

import numpy as np

from viterbi_lab.dp import ChainProblem, ChainScores, Combine, best_scores, decode, trace
from viterbi_lab.rescaling import SLACK
from viterbi_lab.ui.applications import APPLICATIONS
from viterbi_lab.ui.jobs import Job, JobState, Signals
from viterbi_lab.ui.settings import BLOCKS, GENES, PLANES, Settings
from viterbi_lab.ui.training import train
from viterbi_lab.ui.workers import Workers


def warm_up(signals: Signals) -> Iterator[None]:
    """Step and compare once, as the views do; then let workers get ready."""
    for order in range(3):
        tables = [np.zeros((2,) * (min(t, order) + 1)) for t in range(3)]
        for op in Combine:
            problem = ChainProblem(
                ChainScores.from_tables(tables, order=order), np.zeros(3, int), -np.arange(4.0), op
            )
            trace(problem)
            decode(problem)
            best_scores(problem)
    for application in APPLICATIONS:
        task = application.task(False)
        application.draw(task, 0, "", SLACK, np.zeros(task.n_weights))
    WORKERS.warm()
    yield None


def load_training(signals: Signals) -> Iterator[None]:
    """Train once, as a worker does."""
    for rescaling, wrapper, trainer in (
        ("slack", "k", BLOCKS),
        ("margin", "k", PLANES),
        ("margin", "0/1", BLOCKS),
    ):
        small = Settings(
            GENES, rescaling, 1.0, n=2, C=1.0, epsilon=0.5, wrapper=wrapper, seed=0, trainer=trainer
        )
        yield from (None for _ in train(small, None, None, signals))


WORKERS = Workers(first=load_training)
"""The worker processes of this server; none before they are needed."""


class WarmUp:
    """The one warm-up of this process."""

    def __init__(self) -> None:
        self._job = Job(warm_up, "warm-up of the kernels")
        self._lock = Lock()

    def start_once(self) -> None:
        """Begin, unless it was begun before; returns at once."""
        with self._lock:
            if self._job.state is JobState.WAITING:
                self._job.start()

    @property
    def ready(self) -> bool:
        """Whether the kernels are loaded. A failed warm-up counts: the views will say what is wrong."""
        return self._job.state.is_over


KERNELS = WarmUp()
