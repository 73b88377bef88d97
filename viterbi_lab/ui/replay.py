"""Showing a recorded run again: it looks like a job to the session, but computes nothing."""

from __future__ import annotations

import time
from collections.abc import Callable

from viterbi_lab.ui.jobs import JobState
from viterbi_lab.ui.passes import Card, News
from viterbi_lab.ui.recording import Recording

SHORTEST, LONGEST = 0.25, 1.5  # seconds between two passes: slow enough to see, and nobody waits


class Replay:
    """Brings the passes of a recording one after another, at about the pace at which they came.

    It has the methods of `viterbi_lab.ui.jobs.Job` that a session uses.

    Args:
        recording: what to show.
        clock: seconds that only grow.
    """

    error = ""

    def __init__(self, recording: Recording, clock: Callable[[], float] = time.monotonic) -> None:
        self._recording = recording
        self._clock = clock
        self._due: list[float] = []
        elapsed = before = 0.0
        for seen in recording.passes:
            elapsed += min(max(seen.seconds - before, SHORTEST), LONGEST)
            before = seen.seconds
            self._due.append(elapsed)
        self._told = 0
        self._card: Card | None = recording.card
        self._played = 0.0  # seconds before the last start or pause
        self._since: float | None = None
        self._end: JobState | None = None

    def start(self) -> None:
        """Begin."""
        self._since = self._clock()

    def pause(self) -> None:
        """Stand still."""
        self._played, self._since = self._position, None

    def resume(self) -> None:
        """Go on."""
        self._since = self._clock()

    def cancel(self) -> None:
        """End here."""
        self._end = self._end or JobState.CANCELLED

    @property
    def state(self) -> JobState:
        """Where the replay stands."""
        return self._end or (JobState.PAUSED if self._since is None else JobState.RUNNING)

    @property
    def phase(self) -> str:
        """Which pass is shown."""
        return f"recorded, pass {self._told} of {len(self._due)}"

    def drain(self) -> tuple[list[News], JobState]:
        """Return what has come since the last call, and the state."""
        if self._end is not None:
            return [], self._end
        news = [News(card=self._card)] if self._card else []
        self._card = None
        while self._told < len(self._due) and self._due[self._told] <= self._position:
            self._told += 1
            is_last = self._told == len(self._due)
            w = self._recording.w if is_last else None
            news.append(News(seen=self._recording.passes[self._told - 1], w=w))
        if self._told == len(self._due):
            news.append(News(status=self._recording.status))
            self._end = JobState.FINISHED
        return news, self.state

    @property
    def _position(self) -> float:
        return self._played + (0.0 if self._since is None else self._clock() - self._since)
