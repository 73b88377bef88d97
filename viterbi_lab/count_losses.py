"""Losses of label sequences that are no sum over sites: F1, precision, recall, Jaccard.

Each is a function of two sums: how many positive sites were missed (fn), and how many labels are wrongly
positive (fp). Inference follows one whole-number cost, so both are written as one, fn + (P + 1) · fp with P
the number of positive sites, and h tells them apart again at the end. So Algorithm 1 is exact for these
losses, too, with slack and with margin rescaling; it takes as much longer as there are pairs of counts,
O(T · P (T − P) · N²). This is the way of Bauer, Nakajima and Müller (arXiv:1912.12090) on the engine that is
there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from viterbi_lab.tasks.base import Example


@dataclass(frozen=True)
class CountLoss:
    """A loss 1 − quality(tp, fp, fn).

    Attributes:
        name: what reports call it.
        quality: maps three arrays of counts to a share in 0..1; 1 for the truth.
    """

    name: str
    quality: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]

    def value(self, y: np.ndarray, y_hat: np.ndarray, positive: Collection[int]) -> float:
        """The loss of one labelling (T,) where ``y`` is true."""
        true, found, right = np.isin(y, list(positive)), np.isin(y_hat, list(positive)), y == y_hat
        tp, fp, fn = (found & right).sum(), (found & ~right).sum(), (true & ~right).sum()
        return float(1.0 - self.quality(*np.atleast_1d(tp, fp, fn))[0])

    def tables(
        self, y: np.ndarray, n_states: int, positive: Collection[int]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Costs and wrapper for Algorithm 1.

        Args:
            y: (T,) int64, the true labels.
            n_states: N.
            positive: the labels that are to be found. One in the place of another counts in both sums.

        Returns:
            ``cost`` (T, N) int64, and ``h`` (K + 1,) float64: the loss of a labelling is h of its sum of
            costs. The truth costs 0, and h(0) = 0.

        Example:
            >>> cost, h = F1.tables(np.array([1, 0]), 2, positive=[1])
            >>> cost
            array([[1, 0],
                   [0, 2]])
            >>> h.round(3)
            array([0.   , 1.   , 0.333, 1.   ])
        """
        is_positive = np.isin(np.arange(n_states), list(positive))
        wrong = np.arange(n_states) != y[:, np.newaxis]
        P = int(is_positive[y].sum())
        cost = (wrong & is_positive[y][:, np.newaxis]) + (P + 1) * (wrong & is_positive)
        fp, fn = np.divmod(np.arange(int(cost.max(axis=1).sum()) + 1), P + 1)
        return cost, 1.0 - self.quality(P - fn, fp, fn)


def with_count_loss(
    examples: Sequence[Example], loss: CountLoss, *, n_states: int, positive: Collection[int]
) -> tuple[Example, ...]:
    """Prepared examples of label sequences with another loss.

    Args:
        examples: what ``SequenceTask.prepare`` returned.
        loss: F1, PRECISION, RECALL, JACCARD, or another.
        n_states: N.
        positive: the labels that are to be found, each in 0..N-1.

    Raises:
        ValueError: if there is no positive label, or one is out of range.
    """
    outside = [label for label in positive if label not in range(n_states)]
    if not positive or outside:
        raise ValueError(
            f"positive={list(positive)}; it must name at least one of the {n_states} labels "
            f"0..{n_states - 1}, and no other."
        )
    tables = (loss.tables(example.y, n_states, positive) for example in examples)
    return tuple(
        replace(example, cost=cost, h=h) for example, (cost, h) in zip(examples, tables, strict=True)
    )


def _share(part: np.ndarray, whole: np.ndarray, of_nothing: np.ndarray | float) -> np.ndarray:
    return np.where(whole > 0, part / np.maximum(whole, 1), of_nothing)


def _f_beta(beta: float, tp: np.ndarray, fp: np.ndarray, fn: np.ndarray) -> np.ndarray:
    weighted = (1 + beta**2) * tp
    return _share(weighted, weighted + beta**2 * fn + fp, 1.0)


def _precision(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray) -> np.ndarray:
    return _share(tp, tp + fp, (tp + fn == 0).astype(float))  # nothing found is right if there is nothing


def _recall(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray) -> np.ndarray:
    return _share(tp, tp + fn, 1.0)


def _jaccard(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray) -> np.ndarray:
    return _share(tp, tp + fp + fn, 1.0)


def f_beta(beta: float) -> CountLoss:
    """1 − F_β; β > 1 counts missed sites more than wrongly positive ones."""
    if not (np.isfinite(beta) and beta > 0):
        raise ValueError(f"beta={beta}; it must be a positive number.")
    return CountLoss(f"F{beta:g}", partial(_f_beta, beta))


F1 = f_beta(1.0)
PRECISION = CountLoss("precision", _precision)
RECALL = CountLoss("recall", _recall)
JACCARD = CountLoss("jaccard", _jaccard)
COUNT_LOSSES = {loss.name: loss for loss in (F1, PRECISION, RECALL, JACCARD)}
