"""Going through a grid on all cores, so that it may be stopped at any moment and gone on with later.

Worker processes compute cells and send them back; this process alone writes files. A worker holds one end of
a pipe: when this process is gone, however it ended, the pipe closes and the worker ends too. Workers are
started anew, not forked, and with one thread for linear algebra, because sums over threads differ in their
last bits. When a worker dies, its cell has failed, another takes its place, and the others go on.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import monotonic
from typing import Any

from viterbi_lab.experiments import cell_files
from viterbi_lab.experiments.cells import run_cell
from viterbi_lab.experiments.protocol import Cell, CellResult, Protocol
from viterbi_lab.qp import SolverFailed

ONE_THREAD = {
    f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL", "BLIS", "NUMEXPR", "NUMBA")
} | {"VECLIB_MAXIMUM_THREADS": "1"}
LOOK_SECONDS = 0.2  # how often a sweep without news asks whether it is cancelled
START_SIZE = 100  # a cell of no size takes as long as so many training sequences


@dataclass(frozen=True)
class Progress:
    """How far a sweep has come.

    Attributes:
        done: cells whose results are on the disk, those of earlier runs included.
        total: cells of the grid.
        seconds_left: wall-clock time that the rest will take, by what cells like it took in this run; None
            before the first.
        cell: the one that was done last; None at the start.
        failed: cells that failed so far and why, in one sentence each. Going through the grid again tries
            them again.
        damaged: files that were no results of cells; they are computed again.
    """

    done: int
    total: int
    seconds_left: float | None = None
    cell: Cell | None = None
    failed: tuple[tuple[Cell, str], ...] = ()
    damaged: tuple[str, ...] = ()


def sweep(
    protocol: Protocol,
    cells: Sequence[Cell],
    folder: Path,
    *,
    workers: int | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[Progress]:
    """Compute the cells that are not in the folder yet.

    Two processes may go through the same folder; they do some work twice and write the same.

    Args:
        protocol: what the cells have in common.
        cells: all cells, in the order in which they are begun.
        folder: where results are and go.
        workers: processes; None: one for each core.
        cancelled: asked several times a second; True ends the sweep, and cells half computed are lost.

    Yields:
        The progress at the start, and after every cell.

    Raises:
        ValueError: if there are no workers, or the folder is of another protocol.
        OSError: if the folder cannot be written.
    """
    workers = workers if workers is not None else available_cores()
    if workers < 1:
        raise ValueError(f"workers={workers}; at least one is needed.")
    cell_files.open_folder(folder, protocol)
    done, damaged = _look_through(folder, cells)
    waiting = [cell for cell in cells if cell not in done]
    failed: list[tuple[Cell, str]] = []
    estimate = Estimate()
    yield Progress(len(done), len(cells), damaged=tuple(damaged))
    team: list[_Worker] = []
    try:
        while waiting or any(worker.cell for worker in team):
            while waiting and len(team) < workers:
                team.append(_Worker(protocol))
            for worker in team:
                if worker.cell is None and waiting:
                    worker.begin(waiting.pop(0))
            if cancelled():
                return
            busy = {worker.connection: worker for worker in team if worker.cell}
            for connection in wait(list(busy), LOOK_SECONDS):
                worker = busy[connection]
                cell, news, seconds = worker.finish()
                if isinstance(news, CellResult):
                    cell_files.write(folder, news)
                    done.add(cell)
                    estimate.add(cell, seconds)
                else:
                    failed.append((cell, news))
                if not worker.is_alive():
                    worker.stop()
                    team.remove(worker)
                running = [other.cell for other in team if other.cell]
                left = estimate.seconds([*running, *waiting], workers)
                yield Progress(len(done), len(cells), left, cell, tuple(failed), tuple(damaged))
    finally:
        for worker in team:
            worker.stop()


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass
class Estimate:
    """How long cells will take, by what cells like them took."""

    taken: dict[Cell, float] = field(default_factory=dict)

    def add(self, cell: Cell, seconds: float) -> None:
        """A cell has taken so long."""
        self.taken[cell] = seconds

    def seconds(self, cells: Sequence[Cell], workers: int) -> float | None:
        """How long these cells will take with so many workers; None if no cell has been done yet.

        A cell is expected to take what cells that differ in the data set only took; else what those of the
        same size and rescaling took; else what any took, in proportion to the number of sequences.
        """
        if not self.taken:
            return None
        alike: dict[Any, list[float]] = {}
        for cell, seconds in self.taken.items():
            for kind in _kinds(cell):
                alike.setdefault(kind, []).append(seconds)
        pace = sum(self.taken.values()) / sum(START_SIZE + cell.n for cell in self.taken)
        total = 0.0
        for cell in cells:
            known = next((alike[kind] for kind in _kinds(cell) if kind in alike), None)
            total += sum(known) / len(known) if known else pace * (START_SIZE + cell.n)
        return total / max(1, min(workers, len(cells)))


def _kinds(cell: Cell) -> tuple[Any, ...]:
    return (cell.sigma, cell.n, cell.rescaling), (cell.n, cell.rescaling)


def _look_through(folder: Path, cells: Sequence[Cell]) -> tuple[set[Cell], list[str]]:
    done, damaged = set(), []
    for cell in cells:
        try:
            cell_files.read(cell_files.place_of(folder, cell))
        except FileNotFoundError:
            continue
        except cell_files.NotACell as error:
            damaged.append(str(error))
        else:
            done.add(cell)
    return done, damaged


class _Worker:
    """A process that computes one cell after the other."""

    def __init__(self, protocol: Protocol) -> None:
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, protocol), daemon=True)
        with _one_thread():
            self._process.start()
        theirs.close()
        self.cell: Cell | None = None
        self._begun = 0.0

    def begin(self, cell: Cell) -> None:
        self.cell, self._begun = cell, monotonic()
        with suppress(OSError):  # a dead worker is found out when the answer is waited for
            self.connection.send(cell)

    def finish(self) -> tuple[Cell, CellResult | str, float]:
        """The cell, its result or why it failed, and the wall-clock seconds that took."""
        cell, self.cell = self.cell, None
        try:
            news = self.connection.recv()
        except (EOFError, OSError):
            self._process.join()
            news = f"Its process ended with code {self._process.exitcode}; a negative one is a signal."
        return cell, news, monotonic() - self._begun

    def is_alive(self) -> bool:
        return self._process.is_alive()

    def stop(self) -> None:
        self.connection.close()
        self._process.terminate()
        self._process.join()


def _work(connection: Connection, protocol: Protocol) -> None:
    """What a worker does until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the process that writes
    with suppress(EOFError, OSError):
        while True:
            cell = connection.recv()
            try:
                news = run_cell(protocol, cell)
            except (ValueError, MemoryError, SolverFailed) as error:  # any other ends the process, loudly
                news = f"{type(error).__name__}: {error}"
            connection.send(news)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let processes that are started inside use one thread for linear algebra."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(ONE_THREAD)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
