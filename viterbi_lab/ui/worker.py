"""A process that runs jobs for the server, one at a time: `COMMAND` starts it.

Orders come in by the standard input and news go out by the standard output, as pickles: both ends are the
same program on the same machine. When the server is gone, the input ends and so does the worker.
"""

from __future__ import annotations

import os
import pickle
import queue
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from viterbi_lab.limits import variable
from viterbi_lab.ui.jobs import Signals

NICENESS = 10  # the page comes first
PAUSE, RESUME, CANCEL = "pause", "resume", "cancel"
COMMAND = (sys.executable, "-c", "from viterbi_lab.ui.worker import main; main()")
"""Not ``-m``: the classes below would then be others there than here."""


@dataclass(frozen=True)
class Order:
    """What a worker is to do.

    Attributes:
        work: the pickle of a function that is called with `Signals` and yields results, and of the
            exceptions whose message is a sentence for the user. Both are found by name, so live in modules.
        job_bytes: by how much the memory of the worker may grow.
    """

    work: bytes
    job_bytes: int

    def unpacked(self) -> tuple[Callable[[Signals], Iterator[Any]], tuple[type[Exception], ...]]:
        """The work and its refusals. Raises what importing their modules raises."""
        return pickle.loads(self.work)


@dataclass(frozen=True)
class Result:
    """One result of the work."""

    value: Any


@dataclass(frozen=True)
class Phase:
    """What is being done now."""

    text: str


@dataclass(frozen=True)
class Over:
    """The work has ended.

    Attributes:
        refusal: why it could not be done, as a sentence; empty if it was.
        trace: the traceback of an error of the program; empty without one.
    """

    refusal: str = ""
    trace: str = ""


class Worker:
    """The one worker of this process.

    Args:
        inbox: where orders come from.
        outbox: where news go to.
    """

    def __init__(self, inbox: BinaryIO, outbox: BinaryIO) -> None:
        self._inbox, self._outbox = inbox, outbox
        self._orders: queue.SimpleQueue[tuple[Order, Signals]] = queue.SimpleQueue()

    def run(self) -> None:
        """Do what is ordered until the server is gone."""
        threading.Thread(target=self._listen, daemon=True).start()
        while True:
            order, signals = self._orders.get()
            self._tell(self._do(order, signals))

    def _listen(self) -> None:
        signals = Signals()
        while True:
            try:
                heard = pickle.load(self._inbox)
            except EOFError:
                os._exit(0)  # nobody waits for what the main thread is doing
            if isinstance(heard, Order):
                signals = Signals(lambda text: self._tell(Phase(text)))
                self._orders.put((heard, signals))
            else:
                {PAUSE: signals.pause, RESUME: signals.resume, CANCEL: signals.cancel}[heard]()

    def _do(self, order: Order, signals: Signals) -> Over:
        refusals = ()
        try:
            work, refusals = order.unpacked()
            _limit_memory(order.job_bytes)
            for value in work(signals):
                self._tell(Result(value))
        except refusals as refusal:
            return Over(str(refusal))
        except MemoryError:
            return Over(_too_greedy(order.job_bytes))
        except Exception:  # noqa: BLE001 - the border of the process: nobody above would hear of it
            return Over(trace=traceback.format_exc())
        return Over()

    def _tell(self, news: Result | Phase | Over) -> None:
        content = pickle.dumps(news, pickle.HIGHEST_PROTOCOL)  # whole, before the first byte is written
        self._outbox.write(content)
        self._outbox.flush()


def _too_greedy(job_bytes: int) -> str:
    return (
        f"This job needs more memory than the {job_bytes:,} bytes that one may use "
        f"({variable('job_bytes')}). Choose fewer or shorter examples."
    )


def _limit_memory(more: int) -> None:
    """Let this process grow by ``more`` bytes from now on, where the system can count (Linux)."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        return
    import resource  # Unix only

    used = int(statm.read_text().split()[0]) * resource.getpagesize()
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = used + more if hard == resource.RLIM_INFINITY else min(used + more, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def main() -> None:
    """Run the worker over the standard streams; what a library prints goes to the log."""
    outbox = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    if hasattr(os, "nice"):  # not on Windows
        os.nice(NICENESS)
    Worker(sys.stdin.buffer, outbox).run()
