"""Data of one run as everything in the lab sees them, with the names of their labels and features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from viterbi_lab.tasks.base import Example, Task
from viterbi_lab.ui.weights import Inputs, Weights


@dataclass(frozen=True)
class Names:
    """What people call the labels, and the states that the chain is made of.

    Attributes:
        labels: names of the labels, by their number; label 0 is the background.
        heights: how high a label is drawn, from 0 to 1; all different.
        states: (N,) short names of the states.
        label_of: (N,) the label of each state.
    """

    labels: tuple[str, ...]
    heights: tuple[float, ...]
    states: tuple[str, ...]
    label_of: tuple[int, ...]

    def labelled(self, states: np.ndarray) -> np.ndarray:
        """(T,) the labels of a sequence of states."""
        return np.asarray(self.label_of)[states]


@dataclass(frozen=True, eq=False)
class DataSet:
    """Data of one run, prepared.

    Attributes:
        names: of labels and states.
        inputs: names of the features.
        task: the joint feature map and the loss.
        weights: makes tables for people of the weights (d,) of the task.
        examples: to train on.
        validation: pairs (x, labels), never trained on.
    """

    names: Names
    inputs: Inputs
    task: Task
    weights: Callable[[np.ndarray], Weights]
    examples: tuple[Example, ...]
    validation: tuple[tuple[np.ndarray, np.ndarray], ...]

    @property
    def followed(self) -> int:
        """The training example to follow through a run: that with most changes of label."""
        return _liveliest([self.names.labelled(example.y) for example in self.examples])

    @property
    def shown(self) -> int:
        """The validation sequence to show."""
        return _liveliest([y for _, y in self.validation])


def _liveliest(labels: Sequence[np.ndarray]) -> int:
    """The number of the first sequence with most changes of label: something to look at."""
    return int(np.argmax([np.count_nonzero(np.diff(y)) for y in labels]))
