"""What a session may do with the one job that it has at a time."""

from viterbi_lab.ui.jobs import JobState
from viterbi_lab.ui.process import WorkerJob
from viterbi_lab.ui.replay import Replay


class OneJob:
    """Base of what starts jobs, one after the other, and follows the one that is going on."""

    _job: WorkerJob | Replay | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a job is going on, paused or not."""
        return self._job is not None

    @property
    def is_paused(self) -> bool:
        """Whether the job is held."""
        return self._job is not None and self._job.state is JobState.PAUSED

    @property
    def phase(self) -> str:
        """What the worker is doing now, or where in the queue the job waits."""
        return self._job.phase if self._job is not None else ""

    def pause(self) -> None:
        """Hold the job at its next look at the signals."""
        if self._job is not None:
            self._job.pause()

    def resume(self) -> None:
        """Let the job go on."""
        if self._job is not None:
            self._job.resume()

    def cancel(self) -> None:
        """End the job; what it has done stays."""
        if self._job is not None:
            self._job.cancel()
