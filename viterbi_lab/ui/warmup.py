"""The compiled kernels, loaded once for the whole process while the first page already says so.

The first run on a machine compiles them, which takes up to a minute; later ones read them from numba's cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from threading import Lock

import numpy as np

from viterbi_lab.dp import ChainProblem, ChainScores, Combine, trace
from viterbi_lab.ui.jobs import Job, JobState, Signals
from viterbi_lab.ui.training import GENES, Settings, train


def warm_up(signals: Signals) -> Iterator[None]:
    """Use everything once, as the two views do."""
    for order in range(3):
        tables = [np.zeros((2,) * (min(t, order) + 1)) for t in range(3)]
        for op in Combine:
            trace(
                ChainProblem(
                    ChainScores.from_tables(tables, order=order), np.zeros(3, int), -np.arange(4.0), op
                )
            )
    for rescaling, wrapper in (("slack", "k"), ("margin", "k"), ("margin", "0/1")):
        small = Settings(GENES, rescaling, sigma=1.0, n=2, C=1.0, epsilon=10.0, wrapper=wrapper, seed=0)
        for _ in train(small, signals):
            pass
    yield None


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
