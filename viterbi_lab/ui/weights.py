"""The weights of a label sequence model as tables for people: features, transitions, first and last label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from viterbi_lab.tasks.sequence import SequenceTask


@dataclass(frozen=True)
class Inputs:
    """What people call the features that are shown.

    Attributes:
        groups: names of groups of features that stand side by side, each with the names of its features.
        shown: the numbers of these features, in the same order.
    """

    groups: tuple[tuple[str, tuple[str, ...]], ...]
    shown: tuple[int, ...]

    def __post_init__(self) -> None:
        named = sum(len(names) for _, names in self.groups)
        if named != len(self.shown):
            raise ValueError(f"{named} features are named, but {len(self.shown)} are shown.")


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights of one pass; forbidden parts have −inf.

    Attributes:
        features: (N, m) float32, of the features that are shown, for each state.
        steps: (N + 1, N + 1) float32, from a state (row) to the next (column); the last row holds the weights
            of the first state, the last column those of the last one; 0 where there are none.
    """

    features: np.ndarray
    steps: np.ndarray

    @classmethod
    def of(cls, task: SequenceTask, w: np.ndarray, inputs: Inputs) -> Weights:
        """Take apart the weights of a task, in the order of `viterbi_lab.tasks.sequence`.

        Args:
            task: says what stands where.
            w: (d,) float64; −inf for what is forbidden.
            inputs: which features are shown.
        """
        N, F = task.n_states, task.n_features
        start, end = w[N * F + N * N :].reshape(2, N) if task.start_end else np.zeros((2, N))
        return cls.of_chain(
            w[: N * F].reshape(N, F), w[N * F : N * F + N * N].reshape(N, N), start, end, inputs
        )

    @classmethod
    def of_chain(
        cls,
        emissions: np.ndarray,
        transitions: np.ndarray,
        start: np.ndarray,
        end: np.ndarray,
        inputs: Inputs,
    ) -> Weights:
        """Choose what is shown of weights (N, F), (N, N), (N,) and (N,); −inf for what is forbidden."""
        steps = np.block([[transitions, end[:, np.newaxis]], [start, np.zeros(1)]])
        return cls(emissions[:, list(inputs.shown)].astype(np.float32), steps.astype(np.float32))
