"""A computation in the background that can be paused and cancelled, and whose results wait in a mailbox.

The work is a generator. A worker thread takes its results and puts them into the mailbox; whoever
shows them calls :meth:`Job.drain` now and then from the thread that owns the picture. So the worker
never touches a widget, and a slow reader costs memory for results only.

The work is handed a :class:`Signals` and asks it between two small steps whether to stop. That is
the whole interface, so that the same work runs in a thread of this process, here, or in a process of its own,
in :mod:`viterbi_lab.ui.workers`.
"""

import enum
import logging
import queue
import threading
import uuid
from collections.abc import Callable, Iterator

log = logging.getLogger(__name__)


class JobState(enum.Enum):
    """Where a job stands. The value is the word shown to the user."""

    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def is_over(self) -> bool:
        """Whether the worker has ended and will add nothing more."""
        return self in (JobState.FINISHED, JobState.CANCELLED, JobState.FAILED)


class Signals:
    """What the work may ask and say while it runs, and how its owner answers.

    Args:
        tell: called with every phrase.
    """

    def __init__(self, tell: Callable[[str], None] = lambda phase: None) -> None:
        self._tell = tell
        self._cancelled = threading.Event()
        self._may_go_on = threading.Event()
        self._may_go_on.set()
        self.phase = ""

    def stop(self) -> bool:
        """Whether to stop now. Waits here as long as the job is paused."""
        self._may_go_on.wait()
        return self._cancelled.is_set()

    def say(self, phase: str) -> None:
        """Name what is being done; only the latest phrase is kept."""
        self.phase = phase
        self._tell(phase)

    def pause(self) -> None:
        """Hold the work at its next look; once it was told to stop, nothing holds it."""
        if not self._cancelled.is_set():
            self._may_go_on.clear()

    def resume(self) -> None:
        """Let it go on."""
        self._may_go_on.set()

    def cancel(self) -> None:
        """Let the work stop at its next look, paused or not."""
        self._cancelled.set()
        self._may_go_on.set()

    @property
    def is_cancelled(self) -> bool:
        """Whether the work was told to stop."""
        return self._cancelled.is_set()

    @property
    def is_paused(self) -> bool:
        """Whether the work is held."""
        return not self._may_go_on.is_set()


class Job:
    """One piece of work in one worker thread.

    Args:
        work: called in the worker with a :class:`Signals`; yields the results. It should ask
            ``signals.stop()`` at least every tenth of a second, and return when that is true.
        name: what the job is called in the log.
        refusals: exceptions whose message is a sentence for the user.
    """

    def __init__(
        self,
        work: Callable[[Signals], Iterator[object]],
        name: str,
        refusals: tuple[type[Exception], ...] = (ValueError, MemoryError),
    ) -> None:
        self._work = work
        self._name = name
        self._refusals = refusals
        self._signals = Signals()
        self._mailbox: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._end: JobState | None = None
        self._error = ""
        self._thread = threading.Thread(target=self._run, name=f"job {name}", daemon=True)

    def start(self) -> None:
        """Start the worker. A job runs once."""
        self._thread.start()

    def pause(self) -> None:
        """Hold the work at its next look at the signals."""
        self._signals.pause()

    def resume(self) -> None:
        """Let a paused job go on."""
        self._signals.resume()

    def cancel(self) -> None:
        """Ask the work to stop at its next look at the signals, paused or not."""
        self._signals.cancel()

    def drain(self) -> tuple[list[object], JobState]:
        """Return the results that arrived since the last call, oldest first, and the state.

        The state is read first: once it says that the job is over, no result is left behind.
        """
        state = self.state
        return emptied(self._mailbox), state

    @property
    def state(self) -> JobState:
        """Where the job stands now."""
        if self._end is not None:
            return self._end
        if self._thread.ident is None:
            return JobState.WAITING
        return JobState.PAUSED if self._signals.is_paused else JobState.RUNNING

    @property
    def phase(self) -> str:
        """The latest phrase the work said."""
        return self._signals.phase

    @property
    def error(self) -> str:
        """One sentence on why the job failed; empty if it did not."""
        return self._error

    def join(self, timeout: float) -> bool:
        """Wait at most ``timeout`` seconds for the worker to end; return whether it did."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        end = JobState.FINISHED
        try:
            for result in self._work(self._signals):
                self._mailbox.put(result)
        except self._refusals as refusal:
            log.info("%s refused: %s", self._name, refusal)
            self._error = str(refusal)
            end = JobState.FAILED
        except Exception:  # the border of the thread: nobody above would hear of it
            number = uuid.uuid4().hex[:8]
            log.exception("%s failed, error %s", self._name, number)
            self._error = f"An error in the program ended this run. The log has the details under {number}."
            end = JobState.FAILED
        else:
            if self._signals.is_cancelled:
                end = JobState.CANCELLED
        self._end = end  # last: who sees it finds every result in the mailbox


def emptied(mailbox: queue.Queue | queue.SimpleQueue) -> list:
    """Take out all that lies in a mailbox, oldest first, without waiting."""
    found = []
    while True:
        try:
            found.append(mailbox.get_nowait())
        except queue.Empty:
            return found
