"""Another view of the weights of a task: some parts are forbidden, rare ones may weigh more.

Training pays ½‖w‖² for the weights. Where one feature counts hundreds of sites of a sequence and another (a
transition into an intron) a single one, the rare one can hardly gain weight. Scaling Ψ by s > 0 in each
coordinate makes the price ½ Σ (v/s)² for the weights v = s·w of the task itself.

A forbidden part has the weight −∞: an output that uses it is never predicted and never the most violated one,
so no constraint has to be learned against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from viterbi_lab.dp import Combine
from viterbi_lab.rows import Rows, stacked, times_columns, used_columns
from viterbi_lab.tasks.base import Corpus, Example, Optima, Optimum, Task
from viterbi_lab.tasks.sequence import SequenceTask


@dataclass(frozen=True, eq=False)
class Reweighted(Task):
    """A task with Ψ' = s·Ψ and some weights fixed at −∞.

    Attributes:
        task: the task itself.
        scale: (d,) float64, s, positive and finite.
        forbidden: (d,) bool, the parts that no output may use. Only transitions and borders can be forbidden:
            whatever is forbidden must count outputs, not values of features.
    """

    task: Task
    scale: np.ndarray
    forbidden: np.ndarray

    def __post_init__(self):
        d = self.task.n_weights
        for name in ("scale", "forbidden"):
            shape = np.shape(getattr(self, name))
            if shape != (d,):
                raise ValueError(f"{name} has shape {shape}; the task has {d} weights.")
        if not (np.isfinite(self.scale).all() and (self.scale > 0).all()):
            at = int(np.argmin(np.isfinite(self.scale) & (self.scale > 0)))
            raise ValueError(f"scale[{at}] = {self.scale[at]}; scales must be positive and finite.")

    @property
    def n_weights(self) -> int:
        """As many as the task itself has."""
        return self.task.n_weights

    @property
    def sparse(self) -> bool:
        """Whether the joint features of the task itself are."""
        return self.task.sparse

    def prepare(self, X: Sequence[Any], Y: Sequence[Any]) -> tuple[Example, ...]:
        """Check training data as the task itself does; true outputs must not use forbidden parts."""
        examples = self.task.prepare(X, Y)
        for example in examples:
            used = used_columns(example.psi)
            wrong = used[self.forbidden[used]]
            if len(wrong):
                raise ValueError(
                    f"The true output of sequence {example.number} uses the part of weight {wrong[0]}, "
                    "which is forbidden."
                )
        return tuple(replace(example, psi=times_columns(example.psi, self.scale)) for example in examples)

    def prepare_input(self, x: Any, where: str = "the sequence") -> Any:
        """Check one input as the task itself does."""
        return self.task.prepare_input(x, where)

    def join(self, inputs: Sequence[Any]) -> Any:
        """Lay prepared inputs end to end as the task itself does."""
        return self.task.join(inputs)

    def work(self, example: Example) -> float:
        """About how many cells the tables of its inference have."""
        return self.task.work(example)

    def best(self, x: Any, w: np.ndarray) -> np.ndarray:
        """The best output that uses nothing forbidden."""
        return self.task.best(x, self.own_weights(w))

    def optimum(
        self, example: Example, w: np.ndarray, h: np.ndarray, combine: Combine, offset: float
    ) -> Optimum:
        """Loss-augmented inference for one example; see `Task.optimum`."""
        return self.task.optimum(example, self.own_weights(w), h, combine, offset)

    def optima(
        self,
        corpus: Corpus,
        w: np.ndarray,
        losses: Sequence[np.ndarray],
        combine: Combine,
        offsets: np.ndarray,
        threads: int,
    ) -> Optima:
        """Loss-augmented inference for all examples; see `Task.optima`."""
        return self.task.optima(corpus, self.own_weights(w), losses, combine, offsets, threads)

    def joint_feature(self, x: Any, y: np.ndarray) -> Rows:
        """s·Ψ(x, y), (d,) float64."""
        return times_columns(self.task.joint_feature(x, y), self.scale)

    def joint_features(self, corpus: Corpus, y: np.ndarray, starts: np.ndarray) -> Rows:
        """s·Ψ of all examples with other outputs; see `Task.joint_features`."""
        return times_columns(self.task.joint_features(corpus, y, starts), self.scale)

    def loss(self, y: np.ndarray, y_hat: np.ndarray) -> float:
        """Δ(y, ŷ) of the task itself."""
        return self.task.loss(y, y_hat)

    def own_weights(self, w: np.ndarray) -> np.ndarray:
        """The weights of the task itself: s·w, and −∞ where forbidden; (d,) float64."""
        return np.where(self.forbidden, -np.inf, self.scale * w)


def forbidden_parts(task: SequenceTask, allowed: np.ndarray, borders: np.ndarray) -> np.ndarray:
    """The weights of a sequence task that a grammar forbids.

    Args:
        task: the sequence task; its order of weights is that of its module.
        allowed: (N, N) bool, whether label ``j`` may follow label ``i``.
        borders: (N,) bool, whether a sequence may begin and end with a label; needs ``task.start_end`` if any
            may not.

    Returns:
        (d,) bool.

    Raises:
        ValueError: if a shape does not fit the task, or borders are restricted without weights for them.
    """
    N, first = task.n_states, task.n_states * task.n_features
    if np.shape(allowed) != (N, N) or np.shape(borders) != (N,):
        raise ValueError(
            f"allowed has shape {np.shape(allowed)}, borders {np.shape(borders)}; "
            f"needed are ({N}, {N}) and ({N},)."
        )
    if not task.start_end and not np.all(borders):
        raise ValueError("restricted borders need a task with start_end=True.")
    forbidden = np.zeros(task.n_weights, dtype=bool)
    forbidden[first : first + N * N] = ~np.ravel(allowed)
    if task.start_end:
        forbidden[first + N * N :] = ~np.tile(borders, 2)
    return forbidden


def inverse_mean_scale(examples: Sequence[Example], prior: float) -> np.ndarray:
    """Scales that measure each feature by its mean: s = 1 / (mean of Ψ over the training examples + prior).

    Args:
        examples: training examples of the task itself.
        prior: added to the mean, so that features never seen have a finite scale; positive. The larger it is,
            the more alike are the scales.

    Returns:
        (d,) float64.

    Raises:
        ValueError: if ``prior`` is not a positive number, or a feature has a negative mean.
    """
    if not (np.isfinite(prior) and prior > 0):
        raise ValueError(f"prior={prior}; it must be a positive number.")
    mean = stacked([example.psi for example in examples]).mean(axis=0)
    if mean.min() < 0:
        raise ValueError(
            f"feature {int(np.argmin(mean))} has the mean {mean.min():g}; counts are not negative."
        )
    return 1.0 / (mean + prior)
