"""Where machine code is kept. A damaged, locked or crowded folder costs nothing but compiling."""

import os
import stat
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from viterbi_lab.dp import ChainProblem, ChainScores, Combine, trace
from viterbi_lab.dp.compile import cache_directory

MODULE = """
from viterbi_lab.dp.compile import kernel

@kernel
def twice(x):
    return 2 * x
"""
USE = "from small import twice; print(twice(21), sum(twice.stats.cache_hits.values()))"
JIT_OFF = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


@pytest.fixture
def home(tmp_path):
    """A folder with a module that has one small kernel."""
    (tmp_path / "small.py").write_text(MODULE)
    (tmp_path / "cache").mkdir()
    return tmp_path


def start(home, **environment):
    return subprocess.Popen(
        [
            sys.executable,
            "-c",
            "from small import twice; print(twice(21), sum(twice.stats.cache_hits.values()))",
        ],
        cwd=home,
        env={**os.environ, "NUMBA_CACHE_DIR": str(home / "cache"), "NUMBA_DISABLE_JIT": "0", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(home, **environment):
    """The number the kernel gives, and how often the cache was of use."""
    process = start(home, **environment)
    said, complaint = process.communicate(timeout=300)
    assert process.returncode == 0, complaint
    number, hits = said.split()
    return int(number), int(hits)


def kept(home):
    return sorted((home / "cache").rglob("*.nb?"))


def test_the_second_start_finds_the_machine_code(home):
    assert run(home) == (42, 0)
    assert run(home) == (42, 1)


@pytest.mark.parametrize(("ending", "damage"), [(".nbi", None), (".nbc", None), (".nbi", b"garbage")])
def test_a_damaged_file_is_compiled_again_and_mended(home, ending, damage):
    run(home)
    for path in kept(home):
        if path.suffix == ending:
            path.write_bytes(path.read_bytes()[:40] if damage is None else damage)
    assert run(home) == (42, 0)
    assert run(home) == (42, 1)


def test_the_folder_is_private(home, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(home / "cache"))
    assert stat.S_IMODE(cache_directory().stat().st_mode) == 0o700


def test_without_a_folder_that_can_be_written_kernels_are_compiled_every_time(home):
    (home / "file").write_text("no folder")
    assert run(home, NUMBA_CACHE_DIR=str(home / "file")) == (42, 0)
    assert run(home, NUMBA_CACHE_DIR=str(home / "file")) == (42, 0)


def test_twelve_cold_starts_at_once_give_twelve_answers(home):
    processes = [start(home) for _ in range(12)]
    for process in processes:
        said, complaint = process.communicate(timeout=300)
        assert said.split()[0] == "42", complaint
    assert run(home) == (42, 1)


@pytest.mark.skipif(JIT_OFF, reason="plain Python holds the lock")
def test_other_threads_go_on_while_a_kernel_works(monkeypatch):
    """Not asserted in seconds: the kernel must not hold the lock for most of its time."""
    T = 1500
    scores = ChainScores.homogeneous(np.zeros((T, 3)), np.zeros((3, 3)))
    problem = ChainProblem(scores, np.zeros(T, int), np.sqrt(np.arange(T + 1.0)), Combine.TIMES)
    monkeypatch.setenv("VITERBI_LAB_TRACE_BYTES", str(10**9))
    trace(problem)  # compiled and in memory
    worker = threading.Thread(target=lambda: [trace(problem) for _ in range(5)])
    gaps, last = [], time.perf_counter()
    worker.start()
    begin = last
    while worker.is_alive():
        time.sleep(0.001)
        now = time.perf_counter()
        gaps.append(now - last)
        last = now
    assert max(gaps) < max(0.1, 0.5 * (last - begin))
