"""One job for a worker process, and the pipes to that process, as the supervisor holds them."""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Protocol

from viterbi_lab.limits import Limits, variable
from viterbi_lab.ui.jobs import JobState, Signals, emptied
from viterbi_lab.ui.worker import CANCEL, COMMAND, PAUSE, RESUME, Order, Over, Phase, Result

POLITE_SECONDS = 0.7  # from the wish to cancel to the end of the process, which then is not asked again
TICK = 0.1  # seconds between two looks at clocks
MAILBOX = 200  # results that wait; a reader that is slower holds the work
ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "RAYON_NUM_THREADS",
)
DEAD = (OSError, EOFError, pickle.UnpicklingError, AttributeError, ImportError)
"""What reading from a worker raises if it is dead, or writes what this process cannot read."""

Work = Callable[[Signals], Iterator[Any]]


class Process:
    """One worker process and the pipes to it."""

    def __init__(self) -> None:
        self._popen = subprocess.Popen(
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **dict.fromkeys(ONE_THREAD, "1")},
            start_new_session=True,  # Ctrl+C is for the server, which ends its workers itself
        )
        self._lock = threading.Lock()

    @property
    def pid(self) -> int:
        """The number by which the system knows it."""
        return self._popen.pid

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended."""
        return self._popen.poll() is None

    def send(self, message: Order | str) -> None:
        """Tell the worker something; one that is dead hears nothing, which is noticed where news are read."""
        content = pickle.dumps(message)
        with self._lock, suppress(BrokenPipeError, ValueError):  # ValueError: closed
            self._popen.stdin.write(content)
            self._popen.stdin.flush()

    def receive(self) -> Result | Phase | Over:
        """Wait for the next news. Raises EOFError or UnpicklingError once the worker is dead."""
        return pickle.load(self._popen.stdout)

    def kill(self) -> None:
        """End the process, and wait until it is gone."""
        self._popen.kill()
        self._popen.wait()

    def discard(self) -> None:
        """End it and close its pipes; from the thread that receives."""
        self.kill()
        with self._lock, suppress(BrokenPipeError):
            self._popen.stdin.close()
        self._popen.stdout.close()


class Supervisor(Protocol):
    """What a job asks of who runs it."""

    def enter(self, job: WorkerJob) -> None:
        """Put the job into the queue, or end it with a refusal."""

    def forget(self, job: WorkerJob) -> None:
        """Take a cancelled job out of the queue, if it is there."""

    def where(self, job: WorkerJob) -> str:
        """Say where in the queue it stands."""


class WorkerJob:
    """One piece of work for a worker process; to be used as :class:`~viterbi_lab.ui.jobs.Job` is.

    Args:
        workers: who will run it.
        work: a function of a module, or a ``partial`` of one; what it yields must travel between processes.
        name: what the job is called in the log.
        refusals: exceptions whose message is a sentence for the user.
        owner: whose job it is, for the queue.
    """

    def __init__(
        self, workers: Supervisor, work: Work, name: str, refusals: tuple[type[Exception], ...], owner: str
    ) -> None:
        self.name, self.owner = name, owner
        self._work = pickle.dumps((work, refusals))  # what cannot travel is refused here
        self._workers = workers
        self._wishes = threading.Lock()  # they reach the worker in their order, and after the work
        self._mailbox: queue.Queue[Any] = queue.Queue(MAILBOX)
        self._over = threading.Event()
        self._end: JobState | None = None
        self._error = ""
        self.said = ""
        self._process: Process | None = None
        self._paused_at: float | None = None
        self.cancelled_at: float | None = None
        self.begun_at: float | None = None
        self.verdict = ""  # why the supervisor ends it

    def start(self) -> None:
        """Go to the queue. If that is full the job fails at once, and says so."""
        self._workers.enter(self)

    def pause(self) -> None:
        """Hold the work at its next look at the signals."""
        with self._wishes:
            if self._paused_at is None:
                self._paused_at = time.monotonic()
            self._tell(PAUSE)

    def resume(self) -> None:
        """Let a paused job go on."""
        with self._wishes:
            self._paused_at = None
            self._tell(RESUME)

    def cancel(self) -> None:
        """End the work, paused or not: at its next look at the signals, or its process within a second."""
        with self._wishes:
            if self.cancelled_at is None:
                self.cancelled_at = time.monotonic()
            self._tell(CANCEL)
        self._workers.forget(self)

    def drain(self) -> tuple[list[Any], JobState]:
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
        if self._process is None:
            return JobState.WAITING
        return JobState.RUNNING if self._paused_at is None else JobState.PAUSED

    @property
    def phase(self) -> str:
        """The latest phrase the work said, or the place in the queue."""
        if self.state is not JobState.WAITING:
            return self.said
        return self._workers.where(self)

    @property
    def error(self) -> str:
        """One sentence on why the job failed; empty if it did not."""
        return self._error

    def join(self, timeout: float) -> bool:
        """Wait at most ``timeout`` seconds for the job to end; return whether it did."""
        return self._over.wait(timeout)

    def _tell(self, wish: str) -> None:
        if self._process is not None and self._end is None:
            self._process.send(wish)

    def begin(self, process: Process, job_bytes: int) -> None:
        """Hand the work and the wishes so far to a worker."""
        with self._wishes:
            process.send(Order(self._work, job_bytes))
            self._process = process
            if self._paused_at is not None:
                process.send(PAUSE)
            if self.cancelled_at is not None:
                process.send(CANCEL)

    def finish(self, end: JobState, error: str = "") -> None:
        """Nothing more will come."""
        self._error = error
        self._end = end  # last: who sees it finds every result in the mailbox
        self._over.set()

    def put(self, value: Any) -> None:
        """Put a result into the mailbox; while that is full, wait, unless the job has to end."""
        while True:
            try:
                return self._mailbox.put(value, timeout=TICK)
            except queue.Full:
                if self.verdict or self.cancelled_at is not None:
                    return None

    def give_up(self, now: float, limits: Limits, others_wait: bool) -> bool:
        """Whether the process has to go, because of this job; says why."""
        if self.cancelled_at is not None:
            return now - self.cancelled_at > POLITE_SECONDS
        if self.begun_at is not None and now - self.begun_at > limits.job_seconds:
            self.verdict = (
                f"Stopped after {limits.job_seconds} seconds, the limit for one job "
                f"({variable('job_seconds')}). What it found so far stays."
            )
        elif others_wait and self._paused_at is not None and now - self._paused_at > limits.pause_seconds:
            self.verdict = (
                f"Stopped: it was paused for more than {limits.pause_seconds} seconds "
                f"({variable('pause_seconds')}) while others waited. What it found so far stays."
            )
        return bool(self.verdict)
