"""What a training job does: prepare the data, take iterates, and look at sequences it has not trained on.

It runs in the worker of a :class:`~viterbi_lab.ui.jobs.Job`; each :class:`~viterbi_lab.ui.passes.Pass` holds
everything that a picture of that pass needs, so that nothing is computed where the pictures are drawn.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from viterbi_lab.iterate import Iterate, Status
from viterbi_lab.oracle import predict
from viterbi_lab.rescaling import RESCALINGS
from viterbi_lab.ui.attack import Attack, attack
from viterbi_lab.ui.datasets import data_of
from viterbi_lab.ui.jobs import Signals
from viterbi_lab.ui.names import DataSet
from viterbi_lab.ui.own_data import OwnData
from viterbi_lab.ui.passes import Card, News, Pass
from viterbi_lab.ui.settings import TRAINERS, Settings
from viterbi_lab.ui.window import readable
from viterbi_lab.working_set import WorkingSet


def train(
    settings: Settings, known: WorkingSet | None, own: OwnData | None, signals: Signals
) -> Iterator[News]:
    """Train, one pass at a time.

    Args:
        settings: what to train.
        known: constraints of a run of the same program, see `Settings.same_program`, to start from; this run
            adds its own to them. None: from nothing.
        own: the visitor's file, where the settings ask for it.
        signals: asked before every oracle call and every validation sequence.

    Yields:
        The card first, news of every pass of the trainer, and the final status last.
    """
    signals.say("preparing the data")
    data = data_of(settings, own)
    yield News(card=Card.of(data))
    begin = time.perf_counter()
    if known is None:
        known = WorkingSet.of(data.task, len(data.examples))
    phase = _Phase(signals)
    done = 0
    for iterate in TRAINERS[settings.trainer](
        data.task,
        data.examples,
        C=settings.C,
        relative_gap=settings.epsilon,
        rescaling=RESCALINGS[settings.rescaling],
        working_set=known,
        cancelled=signals.stop,
        progress=phase.oracle,
    ):
        if iterate.number > done:  # a cancelled training repeats its last complete pass
            done = iterate.number
            signals.say(f"pass {done} · validation sequences")
            seen = _look(iterate, data, settings, known, signals, begin)
            if seen is not None:
                yield News(seen=seen, w=iterate.w)
        if iterate.status is not Status.RUNNING:
            yield News(status=iterate.status, known=known)
        phase.number = done + 1
        signals.say(f"pass {done} · QP, {iterate.planes} constraints")


class _Phase:
    """Says where in a pass the trainer is."""

    def __init__(self, signals: Signals) -> None:
        self.number = 1
        self._signals = signals

    def oracle(self, done: int, n: int) -> None:
        self._signals.say(f"pass {self.number} · oracle {done}/{n}")


def _look(
    iterate: Iterate,
    data: DataSet,
    settings: Settings,
    known: WorkingSet,
    signals: Signals,
    begin: float,
) -> Pass | None:
    """Return what a person sees of an iterate; None if cancelled meanwhile."""
    predictions = []
    for x, _ in data.validation:
        if signals.stop():
            return None
        predictions.append(data.names.labelled(predict(data.task, x, iterate.w)))
    right = np.concatenate([p == y for p, (_, y) in zip(predictions, data.validation, strict=True)])
    worst = iterate.worst
    return Pass(
        number=iterate.number,
        seconds=time.perf_counter() - begin,
        lower=iterate.lower,
        upper=iterate.upper,
        gap=iterate.relative_gap,
        planes=iterate.planes,
        oracle_calls=iterate.oracle_calls,
        oracle_seconds=iterate.oracle_seconds,
        qp_seconds=iterate.qp_seconds,
        accuracy=float(right.mean()),
        prediction=predictions[data.shown].astype(np.int16),
        worst=Attack.of(worst, float(worst.example.psi @ iterate.w), readable(worst.problem, worst.y_hat)),
        followed=attack(data, data.followed, iterate.w, settings.rescaling),
        support=_support(known, settings.C),
        weights=data.weights(iterate.w),
    )


def _support(known: WorkingSet, C: float) -> np.ndarray:
    """(n,) float32: how much of its C/n each example uses."""
    mass = np.bincount(known.owners, known.multipliers, known.n_examples)
    return (mass * known.n_examples / C).astype(np.float32)
