"""Going through a grid: nothing is lost, nothing is half done, and a second attempt comes to the same."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from viterbi_lab.experiments import cell_files
from viterbi_lab.experiments.cells import run_cell
from viterbi_lab.experiments.protocol import Cell, Protocol, grid
from viterbi_lab.experiments.sweep import Estimate, sweep

SMALL = Protocol(pool=12, n_validation=8, n_test=8, Cs=(1e-3, 1e-1, 10.0), one_slack_up_to=0)
CELLS = grid(2, (2.0,), (4, 8))
KILLS = 10 if os.environ.get("VITERBI_LAB_FULL") == "1" else 2
SWEEP = f"""
import multiprocessing, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
from test_sweep import CELLS, SMALL
from viterbi_lab.experiments.sweep import sweep

if __name__ == "__main__":
    for progress in sweep(SMALL, CELLS, Path(sys.argv[1]), workers=2):
        print(progress.done, *(child.pid for child in multiprocessing.active_children()), flush=True)
"""


@pytest.fixture(scope="module")
def complete(tmp_path_factory):
    """A folder whose grid was gone through without interruption, and its digest."""
    folder = tmp_path_factory.mktemp("complete")
    *_, last = sweep(SMALL, CELLS, folder, workers=2)
    assert (last.done, last.failed) == (len(CELLS), ())
    return folder, cell_files.digest(cell_files.read_all(folder))


def killed(folder, after):
    """Begin a sweep, kill -9 it after so many seconds from its first cell on; the pids of its workers."""
    process = subprocess.Popen(
        [sys.executable, "-c", SWEEP, str(folder)], stdout=subprocess.PIPE, text=True, env={**os.environ}
    )
    first, *_ = process.stdout.readline().split()
    workers = []
    if int(first) < len(CELLS):
        _, *workers = process.stdout.readline().split()
        time.sleep(after)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    return [int(pid) for pid in workers]


def is_there(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
def test_killed_and_gone_on_with_it_comes_to_the_same_digest(complete, tmp_path, rng):
    for _ in range(KILLS):
        killed(tmp_path, after=0.3 * rng.random())
    before = len(list(tmp_path.glob("set*.json")))
    assert before >= 1
    *_, last = sweep(SMALL, CELLS, tmp_path, workers=1)
    assert last.done == len(CELLS)
    assert cell_files.digest(cell_files.read_all(tmp_path)) == complete[1]


@pytest.mark.slow
def test_no_worker_outlives_the_process_that_writes(tmp_path):
    workers = killed(tmp_path, after=0.0)
    assert workers
    deadline = time.monotonic() + 60  # a worker finishes its cell first
    while any(map(is_there, workers)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(map(is_there, workers))


def test_workers_come_to_the_numbers_of_this_process(complete):
    _, digest = complete
    here = [run_cell(SMALL, cell) for cell in CELLS]
    assert cell_files.digest(here) == digest


def test_a_cell_that_is_there_is_not_computed_again(complete):
    folder, _ = complete
    before = {place: place.stat().st_mtime_ns for place in folder.iterdir()}
    (only,) = sweep(SMALL, CELLS, folder)
    assert only.done == len(CELLS)
    assert {place: place.stat().st_mtime_ns for place in folder.iterdir()} == before


def test_a_damaged_file_is_named_and_computed_again(complete, tmp_path):
    folder, digest = complete
    for place in folder.iterdir():
        (tmp_path / place.name).write_bytes(place.read_bytes())
    victim = cell_files.place_of(tmp_path, CELLS[1])
    victim.write_bytes(victim.read_bytes()[:700])
    first, *_, last = sweep(SMALL, CELLS, tmp_path, workers=1)
    assert victim.name in first.damaged[0]
    assert (first.done, last.done) == (len(CELLS) - 1, len(CELLS))
    assert cell_files.digest(cell_files.read_all(tmp_path)) == digest


def test_a_killed_worker_fails_one_cell_and_the_others_go_on(tmp_path):
    steps = sweep(SMALL, CELLS, tmp_path, workers=1)
    next(steps)
    next(steps)  # the first cell is done, the worker waits
    (worker,) = multiprocessing.active_children()
    os.kill(worker.pid, signal.SIGKILL)
    *_, last = steps
    (failed,) = last.failed
    assert failed[0] == CELLS[1]
    assert "ended with code -9" in failed[1]
    assert last.done == len(CELLS) - 1
    *_, again = sweep(SMALL, CELLS, tmp_path, workers=1)
    assert (again.done, again.failed) == (len(CELLS), ())


def test_a_cell_that_cannot_be_computed_fails_with_its_sentence(tmp_path):
    *_, last = sweep(SMALL, [Cell(0, 2.0, 13, "slack"), CELLS[0]], tmp_path, workers=1)
    ((cell, why),) = last.failed
    assert cell.n == 13
    assert "a data set has 12" in why
    assert last.done == 1


def test_cancelling_leaves_whole_files_only(tmp_path):
    asked = iter([False, False, True])
    for _ in sweep(SMALL, CELLS, tmp_path, workers=1, cancelled=lambda: next(asked, True)):
        pass
    assert len(cell_files.read_all(tmp_path)) < len(CELLS)
    assert not list(tmp_path.glob(".*"))
    assert not multiprocessing.active_children()


def test_another_protocol_does_not_go_into_the_same_folder(complete):
    folder, _ = complete
    with pytest.raises(ValueError, match="differs in n_test, seed"):
        next(
            sweep(
                Protocol(pool=12, n_validation=8, n_test=9, Cs=SMALL.Cs, seed=1, one_slack_up_to=0),
                CELLS,
                folder,
            )
        )
    assert cell_files.read_protocol(folder) == SMALL


def test_no_workers_are_refused(tmp_path):
    with pytest.raises(ValueError, match="workers=0"):
        next(sweep(SMALL, CELLS, tmp_path, workers=0))


def test_an_estimate_takes_cells_alike_before_others():
    estimate = Estimate()
    assert estimate.seconds(CELLS, 1) is None
    estimate.add(Cell(0, 1.0, 100, "slack"), 2.0)
    estimate.add(Cell(0, 5.0, 100, "slack"), 6.0)
    assert estimate.seconds([Cell(1, 5.0, 100, "slack")], 1) == 6.0
    assert estimate.seconds([Cell(1, 2.0, 100, "slack")], 1) == 4.0
    assert estimate.seconds([Cell(1, 5.0, 300, "margin")], 1) == pytest.approx(8.0)  # 8 s for 2·(100 + 100)
    assert estimate.seconds([Cell(i, 5.0, 100, "slack") for i in range(1, 5)], 2) == 12.0
    assert estimate.seconds([], 2) == 0.0


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda text: text[:-5], "is damaged"),
        (lambda text: text.replace('"test_right": ', '"test_right": 1'), "digest does not match"),
        (lambda text: text.replace("cell of Fig. 7", "thing"), "is no result of a cell"),
        (lambda text: text.replace('"version": 1', '"version": 2'), "has format 2"),
        (lambda text: "[]", "is no result"),
        (lambda text: " " * 2**21, "at most"),
    ],
)
def test_a_file_that_is_no_result_is_refused_by_a_sentence(complete, tmp_path, damage, sentence):
    place = cell_files.place_of(complete[0], CELLS[0])
    copy = tmp_path / place.name
    copy.write_text(damage(place.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(cell_files.NotACell, match=sentence):
        cell_files.read(copy)


def test_a_result_in_the_place_of_another_is_refused(complete, tmp_path):
    place = cell_files.place_of(tmp_path, CELLS[1])
    place.write_bytes(cell_files.place_of(complete[0], CELLS[0]).read_bytes())
    with pytest.raises(cell_files.NotACell, match="holds the result of"):
        cell_files.read(place)


def test_a_full_disk_leaves_what_was_there(complete, tmp_path, monkeypatch):
    result = cell_files.read(cell_files.place_of(complete[0], CELLS[0]))
    cell_files.write(tmp_path, result)
    before = cell_files.place_of(tmp_path, CELLS[0]).read_bytes()

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"(?i)no space"):
        cell_files.write(tmp_path, result)
    assert cell_files.place_of(tmp_path, CELLS[0]).read_bytes() == before
    assert [place.name for place in tmp_path.iterdir()] == [cell_files.place_of(tmp_path, CELLS[0]).name]
