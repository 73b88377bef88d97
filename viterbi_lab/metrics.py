"""How well predicted label sequences agree with true ones: by site, by label, by segment.

Accuracy by site hides much: nine of ten sites can be right without a single correct gene. So segments are
scored too, and strictly: a segment is a maximal run of one label, and it is correct only if label, first site
and last site all agree.

All functions take two lists of equally many sequences, each (T_i,) integers, the two of a pair of one length.

A ratio of nothing to nothing is NaN, not 0 and not 1: the precision of a label that is never predicted, the
recall of one that never occurs. F1 is 2·correct / (true + predicted), so it is 0 where only one of the two is
NaN, and NaN where both are.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

Labels = Sequence[np.ndarray]


def token_accuracy(y_true: Labels, y_pred: Labels) -> float:
    """Share of correct sites, pooled over all sequences: long sequences weigh more (B14's accuracy)."""
    true, pred = _paired(y_true, y_pred)
    return float(np.mean(np.concatenate(true) == np.concatenate(pred)))


def mean_sequence_accuracy(y_true: Labels, y_pred: Labels) -> float:
    """Share of correct sites of each sequence, averaged: every sequence weighs the same."""
    true, pred = _paired(y_true, y_pred)
    return float(np.mean([np.mean(a == b) for a, b in zip(true, pred, strict=True)]))


def mean_hamming_loss(y_true: Labels, y_pred: Labels) -> float:
    """Wrong sites of a sequence, a count, averaged: (1/n) Σ Δ_H(y_i, ŷ_i), Bauer et al. (13)."""
    true, pred = _paired(y_true, y_pred)
    return float(np.mean([np.sum(a != b) for a, b in zip(true, pred, strict=True)]))


def confusion_matrix(y_true: Labels, y_pred: Labels, n_labels: int) -> np.ndarray:
    """Sites by true label (row) and predicted label (column).

    Args:
        y_true: the true sequences, labels in ``0..n_labels - 1``.
        y_pred: the predicted sequences, likewise.
        n_labels: N, the number of labels.

    Returns:
        (N, N) int64; entry ``[i, j]`` counts the sites with true label i and predicted label j.

    Raises:
        ValueError: if the sequences do not pair up, or a label is outside ``0..n_labels - 1``.
    """
    true, pred = (np.concatenate(side) for side in _paired(y_true, y_pred))
    for name, side in (("y_true", true), ("y_pred", pred)):
        if side.min() < 0 or side.max() >= n_labels:
            raise ValueError(
                f"{name} holds labels {side.min()}..{side.max()}, but n_labels={n_labels} allows only "
                f"0..{n_labels - 1}. Number the labels from 0."
            )
    return np.bincount(true * n_labels + pred, minlength=n_labels**2).reshape(n_labels, n_labels)


@dataclass(frozen=True)
class Counts:
    """How many there truly are, how many were predicted, how many of these are correct."""

    true: int
    predicted: int
    correct: int

    @property
    def precision(self) -> float:
        """Share of the predicted which is correct; NaN if none was predicted."""
        return _ratio(self.correct, self.predicted)

    @property
    def recall(self) -> float:
        """Share of the true which was found; NaN if there is none."""
        return _ratio(self.correct, self.true)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, 2·correct / (true + predicted); NaN if both are 0."""
        return _ratio(2 * self.correct, self.true + self.predicted)


def label_scores(y_true: Labels, y_pred: Labels, n_labels: int) -> list[Counts]:
    """Counts of sites for each label 0..n_labels - 1; raises as :func:`confusion_matrix` does."""
    matrix = confusion_matrix(y_true, y_pred, n_labels)
    return [Counts(int(matrix[j].sum()), int(matrix[:, j].sum()), int(matrix[j, j])) for j in range(n_labels)]


class Segment(NamedTuple):
    """A maximal run of one label: sites ``start``, …, ``stop - 1``."""

    start: int
    stop: int
    label: int


def segments(y: np.ndarray, background: Collection[int]) -> list[Segment]:
    """The segments of one sequence (T >= 1), in order; runs of the ``background`` labels are none.

    Example:
        >>> segments(np.array([0, 2, 2, 1, 0]), background=[0])
        [Segment(start=1, stop=3, label=2), Segment(start=3, stop=4, label=1)]
    """
    bounds = np.concatenate([[0], np.flatnonzero(np.diff(y)) + 1, [len(y)]]).tolist()
    runs = (Segment(start, stop, int(y[start])) for start, stop in pairwise(bounds))
    return [run for run in runs if run.label not in background]


def segment_scores(y_true: Labels, y_pred: Labels, background: Collection[int]) -> Counts:
    """Counts of segments over all sequences; correct means same sequence, label, start and stop.

    Args:
        y_true: the true sequences.
        y_pred: the predicted sequences.
        background: labels whose runs are not segments. For exons of genes labelled N, E, I: those of N and I.

    Returns:
        The counts, with ``precision``, ``recall`` and ``f1``.

    Raises:
        ValueError: if the sequences do not pair up.
    """
    true, pred = (
        {(i, segment) for i, y in enumerate(side) for segment in segments(y, background)}
        for side in _paired(y_true, y_pred)
    )
    return Counts(len(true), len(pred), len(true & pred))


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


def _paired(y_true: Labels, y_pred: Labels) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Both as lists of (T_i,) integer arrays, T_i >= 1, of pairwise equal length."""
    if len(y_true) != len(y_pred) or len(y_true) == 0:
        raise ValueError(
            f"{len(y_true)} true and {len(y_pred)} predicted sequences; needed are equally many, not 0."
        )
    true, pred = [np.asarray(y) for y in y_true], [np.asarray(y) for y in y_pred]
    for i, (a, b) in enumerate(zip(true, pred, strict=True)):
        for name, y in (("y_true", a), ("y_pred", b)):
            if y.ndim != 1 or y.size == 0 or y.dtype.kind not in "iu":
                raise ValueError(
                    f"{name}, sequence {i} has shape {y.shape} and type {y.dtype}; "
                    "needed is (T,) integers with T >= 1."
                )
        if len(a) != len(b):
            raise ValueError(f"sequence {i} has {len(a)} true but {len(b)} predicted labels.")
    return [y.astype(np.int64) for y in true], [y.astype(np.int64) for y in pred]
