"""Work that misbehaves, for worker processes: they find it by its name."""

import os
import signal
import sys
import time

import numpy as np


def count(n, signals):
    yield from range(n)


def beat(signals):
    """Tick until told to stop."""
    number = 0
    while not signals.stop():
        signals.say(f"tick {number}")
        yield number
        number += 1
        time.sleep(0.002)


def say_where(signals):
    """Which process this is, how it is ranked, how many threads it may use."""
    yield {
        "pid": os.getpid(),
        "nice": os.nice(0),
        "threads": {name: os.environ.get(name) for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS")},
    }


def deaf(signals):
    """Begin, and then never look at the signals again."""
    yield "begun"
    while True:
        time.sleep(0.05)


def holds_the_lock(signals):
    """Begin, and then hold the interpreter's lock in one long call."""
    yield "begun"
    10 ** (10**9)
    yield "done"


def refuse(signals):
    raise ValueError("C must be positive, got -1.")
    yield


def break_down(signals):
    yield "first"
    raise RuntimeError("secret path /home/someone")


def break_down_training(settings, known, signals):
    """In the place of a training."""
    return break_down(signals)


def greedy(signals):
    yield "begun"
    kept = []
    while True:
        kept.append(np.ones(10_000_000))


def die(number, signals):
    yield "begun"
    os.kill(os.getpid(), number)
    time.sleep(60)


def leave(signals):
    yield "begun"
    os._exit(3)


def chatter(signals):
    """What libraries print must not be taken for news."""
    print("hello from a library")  # noqa: T201
    os.write(1, b"and from its C code\n")
    sys.stdout.flush()
    yield "still understood"


def unsendable(signals):
    yield "first"
    yield lambda: None


def flood(n, signals):
    """Many results; says how many are on their way."""
    for number in range(n):
        signals.say(str(number))
        yield np.full(1000, number)
        if signals.stop():
            return


KILL = signal.SIGKILL
