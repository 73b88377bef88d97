"""The state of the Scale view: which figure is shown, what was measured, and the job that measures."""

from __future__ import annotations

import uuid
from functools import partial

import param

from viterbi_lab.experiments.concentration import Heat
from viterbi_lab.experiments.scaling import Timing
from viterbi_lab.ui.jobs import JobState
from viterbi_lab.ui.measuring import HEAT_LENGTHS, LONGEST, map_scores, time_programs
from viterbi_lab.ui.sessions.one_job import OneJob
from viterbi_lab.ui.warmup import WORKERS

FIGURES = {
    "7": "Fig. 7 · accuracy, iterations",
    "4": "Fig. 4 · time against T",
    "5": "Fig. 5 · large scores",
    "6": "Fig. 6 · an example",
}
MEASURED = ("4", "5")


class ScaleSession(OneJob, param.Parameterized):
    """Figures 4 to 7 on one page. Two of them are measured on request, one at a time.

    Args:
        visitor: whose measurements these are; anything that is unique, by default a new name.
        params: settings.
    """

    figure = param.Selector(default="7", objects=list(FIGURES), doc="What is shown.")
    longest = param.Selector(default=6400, objects=list(LONGEST), doc="Largest T of Algorithm 1 in Fig. 4.")
    length = param.Selector(default=2000, objects=list(HEAT_LENGTHS), doc="T of Fig. 5.")

    def __init__(self, visitor: str | None = None, **params) -> None:
        super().__init__(**params)
        self._visitor = visitor or uuid.uuid4().hex
        self._measured = ""
        self._ends: dict[str, str] = {}
        self.timings: list[Timing] = []
        self.heat: Heat | None = None

    @property
    def can_measure(self) -> bool:
        """Whether the figure that is shown is one that is measured, and nothing is going on."""
        return self.figure in MEASURED and not self.is_busy

    @property
    def status(self) -> str:
        """How the last measurement of the figure that is shown ended; empty if there was none."""
        return self._ends.get(self.figure, "")

    def measure(self) -> None:
        """Measure what is shown, unless something is being measured."""
        if not self.can_measure:
            return
        self._measured = self.figure
        if self.figure == "4":
            self.timings = []
            work = partial(time_programs, self.longest)
        else:
            work = partial(map_scores, self.length)
        self._job = WORKERS.job(
            work, f"measuring Fig. {self.figure}", refusals=(ValueError, MemoryError), owner=self._visitor
        )
        self._job.start()

    def close(self) -> None:
        """The visitor has gone: nobody waits for the measurement."""
        self.cancel()

    def drain(self) -> bool:
        """Take what the worker has sent since the last call; return whether a figure has changed."""
        if self._job is None:
            return False
        sent, state = self._job.drain()
        for result in sent:
            if isinstance(result, Timing):
                self.timings.append(result)
            else:
                self.heat = result
        if state.is_over:
            name = f"Fig. {self._measured}"
            self._ends[self._measured] = {
                JobState.FINISHED: f"{name} is measured.",
                JobState.CANCELLED: f"{name} was cancelled.",
            }.get(state, self._job.error)
            self._job = None
        return bool(sent)
