"""What the worker of a training tells: a card about the data, then a pass at a time, and how it ended.

All of it is small and can be sent from one process to another; a `Pass` can also be stored in a file.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from viterbi_lab.iterate import Status
from viterbi_lab.ui.attack import Attack
from viterbi_lab.ui.names import DataSet, Names
from viterbi_lab.ui.weights import Inputs, Weights
from viterbi_lab.working_set import WorkingSet


@dataclass(frozen=True, eq=False)
class Card:
    """What stays the same through a run.

    Attributes:
        names: of labels and states.
        inputs: names of the features.
        n_examples: training examples.
        n_weights: d.
        truth: (T,) int16, the labels of the validation sequence that is shown.
    """

    names: Names
    inputs: Inputs
    n_examples: int
    n_weights: int
    truth: np.ndarray

    @classmethod
    def of(cls, data: DataSet) -> Card:
        """Describe a data set."""
        _, truth = data.validation[data.shown]
        return cls(data.names, data.inputs, len(data.examples), data.task.n_weights, truth.astype(np.int16))


@dataclass(frozen=True, eq=False)
class Pass:
    """One pass of a training, with what a person looks at.

    Attributes:
        number: from 1.
        seconds: wall-clock time since the data were ready, pauses included.
        lower: the dual value: no weights have an objective below it.
        upper: the objective of the weights of this pass.
        gap: how far ``upper`` may be above the optimum, as a share of it.
        planes: constraints in the working set.
        oracle_calls: so far.
        oracle_seconds: so far.
        qp_seconds: so far, in quadratic programs or dual ascent.
        accuracy: share of right labels in the validation sequences.
        prediction: (T,) int16, what the weights predict for the validation sequence that is shown.
        worst: the labelling that exceeds its slack most.
        followed: the most violated labelling of one example, the same at every pass.
        support: (n,) float32, the dual weight of every example as a share of the most it can have, C/n.
        weights: for people to look at.
    """

    number: int
    seconds: float
    lower: float
    upper: float
    gap: float
    planes: int
    oracle_calls: int
    oracle_seconds: float
    qp_seconds: float
    accuracy: float
    prediction: np.ndarray
    worst: Attack
    followed: Attack
    support: np.ndarray
    weights: Weights


@dataclass(frozen=True, eq=False)
class News:
    """What the worker says at once; what it does not tell is None.

    Attributes:
        card: about the data; first of all.
        seen: a pass.
        w: (d,) float64, the weights of that pass.
        status: how the training ended; last of all.
        known: the constraints found, with multipliers: what another run can start from.
    """

    card: Card | None = None
    seen: Pass | None = None
    w: np.ndarray | None = None
    status: Status | None = None
    known: WorkingSet | None = None
