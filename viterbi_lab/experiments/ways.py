"""Several ways to train on the same features, beside each other on the same data."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from viterbi_lab.block_coordinate import iterates
from viterbi_lab.data.dataset import DataSet
from viterbi_lab.evaluation import Evaluation, evaluate
from viterbi_lab.iterate import Status
from viterbi_lab.losses import IDENTITY, Wrapper
from viterbi_lab.recipes import prepare
from viterbi_lab.rescaling import Rescaling

FACTORS = (0.1, 0.3, 1.0, 3.0)
"""Of the C of each way, to choose from."""


@dataclass(frozen=True)
class Way:
    """One way to train.

    Attributes:
        name: how tables call it.
        rescaling: SLACK or MARGIN.
        C_each: C/n, what a slack of one sequence costs.
        wrapper: h of the loss h∘Δ_H.
        settings: of `viterbi_lab.recipes.prepare`.
    """

    name: str
    rescaling: Rescaling
    C_each: float
    wrapper: Wrapper = IDENTITY
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Trial:
    """What came of one way on one division of the data.

    Attributes:
        way: its name.
        predicted: the labels of the test sequences.
        seconds: processor time of the training.
        setting: the value of what was chosen for it, ``–`` for nothing.
    """

    way: str
    predicted: tuple[tuple[str, ...], ...]
    seconds: float
    setting: str = "–"


def try_way(way: Way, train: DataSet, test: DataSet, *, gap: float, max_passes: int = 200) -> Trial:
    """Train to a share of the objective, whose miss the setting tells, and label the test sequences."""
    begin = time.process_time()
    prepared = prepare(train, wrapper=way.wrapper, **way.settings)
    *_, last = iterates(
        prepared.task,
        prepared.examples,
        C=way.C_each * len(prepared.examples),
        relative_gap=gap,
        rescaling=way.rescaling,
        max_passes=max_passes,
    )
    seconds = time.process_time() - begin
    missed = "" if last.status is Status.CONVERGED else f" (gap {100 * last.relative_gap:.0f} %)"
    predicted = tuple(prepared.labeller(last.w).label_all(test))
    return Trial(way.name, predicted, seconds, f"{way.C_each:.2g}{missed}")


def best_factor(value_at: Callable[[float], float], told: Callable[[str], None], what: str) -> float:
    """The factor of C, one of `FACTORS`, with the largest value; of equals the smallest.

    Args:
        value_at: trains with the factor and says how good that is on data for the choice.
        told: hears every value.
        what: is chosen for.
    """
    values = {}
    for factor in FACTORS:
        values[factor] = value_at(factor)
        told(f"{what}, {factor:g} times its C: {values[factor]:.4f}")
    return max(values, key=lambda factor: values[factor])


def majority(train: DataSet, test: DataSet) -> Trial:
    """Label every site by the label most frequent in training."""
    labels = [label for record in train.records for label in record.y or ()]
    label = max(sorted(set(labels)), key=labels.count)
    return Trial("most frequent label", tuple((label,) * len(record) for record in test.records), 0.0)


def pooled(trials: Sequence[tuple[Trial, DataSet]], background: str) -> tuple[Evaluation, float]:
    """Scores of one way over all its tests together, and its training time.

    Args:
        trials: of one way, each with the data it was tested on.
        background: the label whose runs are no segments.
    """
    true = [record.y for _, test in trials for record in test.records]
    predicted = [labels for trial, _ in trials for labels in trial.predicted]
    scheme = trials[0][1].scheme
    return (
        evaluate(true, predicted, background=background, scheme=scheme),
        sum(trial.seconds for trial, _ in trials),
    )


def by_way(trials: Sequence[tuple[Trial, DataSet]]) -> Iterator[tuple[str, list[tuple[Trial, DataSet]]]]:
    """The trials of each way, in the order in which ways first came."""
    for name in dict.fromkeys(trial.way for trial, _ in trials):
        yield name, [(trial, test) for trial, test in trials if trial.way == name]
