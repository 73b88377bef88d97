"""The supervisor of the worker processes, and the queue before them.

One job runs in one worker. A worker that dies takes its own job with it and no other, and is replaced; the
same process then serves job after job, because starting one takes seconds. Waiting jobs are taken fairly:
first of the visitor who has fewest running, then of the one who was served longest ago.
"""

from __future__ import annotations

import atexit
import logging
import pickle
import threading
import time
import uuid
from collections import Counter

from viterbi_lab.limits import Limits, variable
from viterbi_lab.ui.jobs import JobState
from viterbi_lab.ui.process import DEAD, TICK, Process, Work, WorkerJob
from viterbi_lab.ui.worker import Order, Over, Phase, Result

log = logging.getLogger(__name__)

DIED = "The process of this job was ended from outside, most likely for want of memory. Other jobs go on."


class Workers:
    """The worker processes of this server. Nothing is started before the first job or :meth:`warm`.

    Args:
        limits: how many, and what jobs may use; by default those in force when the first job comes.
        first: work that makes a new worker ready, for instance by loading kernels.
    """

    def __init__(self, limits: Limits | None = None, first: Work | None = None) -> None:
        self._limits = limits
        self._first = None if first is None else pickle.dumps((first, ()))
        self._changed = threading.Condition()
        self._waiting: list[WorkerJob] = []
        self._running: dict[Process, WorkerJob] = {}
        self._processes: list[Process] = []
        self._serial = 0
        self._served: dict[str, int] = {}  # when each owner was served last, of those present
        self._preparing = 0
        self._threads: list[threading.Thread] = []
        self._closed = False

    def job(
        self, work: Work, name: str, refusals: tuple[type[Exception], ...] = (ValueError,), owner: str = ""
    ) -> WorkerJob:
        """Return a job that these workers will run once it is started."""
        return WorkerJob(self, work, name, refusals, owner)

    def warm(self) -> None:
        """Start the workers, unless they are, so that the first job need not wait for that."""
        with self._changed:
            self._start_threads()

    @property
    def pids(self) -> list[int]:
        """The numbers of the worker processes that live now."""
        return [process.pid for process in list(self._processes) if process.is_alive]

    def close(self) -> None:
        """End all workers; their jobs count as cancelled."""
        with self._changed:
            self._closed = True
            waiting, self._waiting = self._waiting, []
            self._changed.notify_all()
        for job in waiting:
            job.finish(JobState.CANCELLED)
        for process in list(self._processes):
            process.kill()

    def _start_threads(self) -> None:
        if self._threads:
            return
        self._limits = self._limits or Limits.from_environment()
        for number in range(self._limits.n_workers):
            self._threads.append(
                threading.Thread(target=self._serve, name=f"supervisor of worker {number}", daemon=True)
            )
        self._threads.append(threading.Thread(target=self._watch, name="clock of the jobs", daemon=True))
        for thread in self._threads:
            thread.start()
        atexit.register(self.close)

    def enter(self, job: WorkerJob) -> None:
        """Put a job into the queue, or end it with a refusal: too many of its owner, or of all."""
        with self._changed:
            self._start_threads()
            of_owner = sum(other.owner == job.owner for other in (*self._waiting, *self._running.values()))
            refusal = ""
            if job.cancelled_at is not None or self._closed:
                job.finish(JobState.CANCELLED)
            elif of_owner >= self._limits.jobs_per_user:
                refusal = (
                    f"You have {of_owner} jobs that run or wait, and {variable('jobs_per_user')} allows "
                    f"{self._limits.jobs_per_user}. Wait for one of them or cancel it."
                )
            elif len(self._waiting) >= self._limits.queued_jobs:
                refusal = (
                    f"{len(self._waiting)} jobs wait already, and {variable('queued_jobs')} allows "
                    f"{self._limits.queued_jobs}. Try again in a few minutes."
                )
            else:
                self._waiting.append(job)
                self._changed.notify_all()
        if refusal:
            job.finish(JobState.FAILED, refusal)

    def forget(self, job: WorkerJob) -> None:
        """Take a cancelled job out of the queue, if it is there."""
        with self._changed:
            if job not in self._waiting:
                return
            self._waiting.remove(job)
        job.finish(JobState.CANCELLED)

    def _in_order(self) -> list[WorkerJob]:
        """Waiting jobs in the order in which they will be taken."""
        busy = Counter(job.owner for job in self._running.values())
        served = dict(self._served)
        left, ordered = list(self._waiting), []
        while left:
            next_ = min(left, key=lambda job: (busy[job.owner], served.get(job.owner, 0)))
            left.remove(next_)
            ordered.append(next_)
            busy[next_.owner] += 1
            served[next_.owner] = self._serial + len(ordered)
        return ordered

    def _take(self, process: Process | None) -> WorkerJob | None:
        """Take the next job out of the queue for a process, if there is one."""
        with self._changed:
            job = next(iter(self._in_order()), None)
            if job is None:
                return None
            self._waiting.remove(job)
            if process is not None:
                self._running[process] = job
                self._serial += 1
                present = {other.owner for other in (*self._waiting, *self._running.values())}
                self._served = {owner: n for owner, n in self._served.items() if owner in present}
                self._served[job.owner] = self._serial
                job.begun_at = time.monotonic()
                self._changed.notify_all()  # the clock
            return job

    def where(self, job: WorkerJob) -> str:
        """Say where a job stands in the queue; nothing if it does not."""
        with self._changed:
            ordered = self._in_order()
            if job not in ordered:
                return ""
            ahead = ordered.index(job)
            if ahead == 0 and self._preparing:
                return "preparing a worker, which compiles kernels the first time on a machine"
            return f"waiting for a free worker, {ahead} ahead" if ahead else "waiting for a free worker, next"

    def _serve(self) -> None:
        """Keep one worker and give it job after job; runs in a thread of its own."""
        process = self._new_process()
        while True:
            with self._changed:
                while not self._waiting and not self._closed:
                    self._changed.wait()
                if self._closed:
                    return
            if process is not None and not process.is_alive:  # killed while idle: nobody need notice
                self._discard(process)
                process = None
            process = process or self._new_process()
            job = self._take(process)
            if job is None:
                continue
            if process is None:
                job.finish(JobState.FAILED, "No worker process could be started. The log has the details.")
                continue
            if not self._run(process, job):
                self._discard(process)
                process = self._new_process()

    def _discard(self, process: Process) -> None:
        process.discard()
        self._processes.remove(process)

    def _new_process(self) -> Process | None:
        """A worker that is ready, or None if it could not be started."""
        if self._closed:
            return None
        with self._changed:
            self._preparing += 1
        process = None
        try:
            process = Process()
            self._processes.append(process)
            if self._closed:
                process.kill()
            if self._first is not None:
                process.send(Order(self._first, self._limits.job_bytes))
                while not isinstance(news := process.receive(), Over):
                    pass
                if news.trace:
                    log.error("A worker is not ready: %s", news.trace)
        except DEAD as error:
            if not self._closed:
                log.error("A worker did not start: %r", error)
            if process is not None:
                self._discard(process)
            return None
        finally:
            with self._changed:
                self._preparing -= 1
        return process

    def _run(self, process: Process, job: WorkerJob) -> bool:
        """Run a job to its end; return whether the worker can take another."""
        try:
            job.begin(process, self._limits.job_bytes)
            while not isinstance(news := process.receive(), Over):
                if isinstance(news, Result):
                    job.put(news.value)
                elif isinstance(news, Phase):
                    job.said = news.text
        except DEAD:
            news = None
        with self._changed:
            del self._running[process]
        if news is None:
            if job.cancelled_at is not None or self._closed:
                job.finish(JobState.CANCELLED)
            else:
                log.warning("The worker of %s died: %s", job.name, job.verdict or "killed from outside")
                job.finish(JobState.FAILED, job.verdict or DIED)
            return False
        if news.trace:
            number = uuid.uuid4().hex[:8]
            log.error("%s failed, error %s\n%s", job.name, number, news.trace)
            job.finish(
                JobState.FAILED,
                f"An error in the program ended this run. The log has the details under {number}.",
            )
            return False
        if news.refusal:
            log.info("%s refused: %s", job.name, news.refusal)
            job.finish(JobState.FAILED, news.refusal)
            return False
        job.finish(JobState.FINISHED if job.cancelled_at is None else JobState.CANCELLED)
        return True

    def _watch(self) -> None:
        """Kill the workers of jobs whose time is up; runs in a thread of its own."""
        while not self._closed:
            with self._changed:
                while not self._running and not self._closed:
                    self._changed.wait()
                running, others_wait = dict(self._running), bool(self._waiting)
            now = time.monotonic()
            for process, job in running.items():
                if job.give_up(now, self._limits, others_wait):
                    process.kill()
            time.sleep(TICK)
