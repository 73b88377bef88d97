"""Sequences and labels as people hand them over: lists, arrays, sparse matrices; labels of any hashable kind.

Here they are checked, as far as a task does not, and labels are numbered.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from viterbi_lab.tasks.encoding import ACTIVE, DENSE, SPARSE, Encoding


def encoding_of(X: Sequence[Any], active: bool) -> Encoding:
    """How inputs write their features down: as indices if that is said, else as matrices or as values."""
    if active:
        return ACTIVE
    return SPARSE if any(is_sparse(x) for x in X) else DENSE


def count_features(inputs: Sequence[Any], encoding: Encoding) -> int:
    """How many features the sites of inputs have, of which there is at least one."""
    if encoding is SPARSE:
        return next(x.shape[1] for x in inputs if is_sparse(x))
    if not all(x.ndim == 2 for x in inputs):
        return 1  # prepare says what is wrong
    if encoding is ACTIVE:
        return 1 + max(int(x.max(initial=0)) for x in inputs)
    return inputs[0].shape[1]


def is_sparse(x: Any) -> bool:
    """Whether these are features in a matrix of scipy.sparse."""
    return callable(getattr(x, "tocsr", None))


def as_input(x: Any, encoding: Encoding, where: str) -> Any:
    """The features of one sequence as a task takes them; whole numbers may stand for values."""
    if encoding is SPARSE:
        return x
    if is_sparse(x):
        raise ValueError(f"The features of {where} are sparse, those of the training were not.")
    try:
        values = np.asarray(x)
    except ValueError as error:  # rows of different length
        raise ValueError(f"The features of {where} are no table: {error}") from error
    if encoding is ACTIVE or values.dtype.kind not in "iub":
        return values
    return values.astype(np.float64)


def checked_lists(X: Sequence[Any], Y: Sequence[Sequence[Hashable]]) -> list[list[Hashable]]:
    """The labels of as many sequences as there are inputs, at least one."""
    if len(X) != len(Y):
        raise ValueError(f"X holds {len(X)} sequences, Y {len(Y)}. Give one label sequence for each.")
    if not len(X):
        raise ValueError("There is no sequence to train on. Give at least one.")
    return [as_list(labels) for labels in Y]


def as_list(labels: Any) -> list[Hashable]:
    """The labels of one sequence as Python objects."""
    return labels.tolist() if isinstance(labels, np.ndarray) else list(labels)


def distinct(labels: Iterable[Hashable]) -> list[Hashable]:
    """The different labels: sorted if they can be sorted, else in the order in which they come."""
    try:
        distinct = list(dict.fromkeys(labels))
    except TypeError as error:
        raise ValueError(f"Labels must be hashable, as text and numbers are: {error}.") from error
    for label in distinct:
        if label != label:
            raise ValueError(f"Label {label!r} does not equal itself. Replace it by a label that does.")
    try:
        return sorted(distinct)
    except TypeError:
        return distinct


def numbered(label_lists: list[list[Hashable]], classes: list[Hashable]) -> list[np.ndarray]:
    """The numbers of the labels of each sequence, (T_i,) int64."""
    number_of = {label: number for number, label in enumerate(classes)}
    for i, labels in enumerate(label_lists):
        for t, label in enumerate(labels):
            if label not in number_of:
                raise ValueError(
                    f"Label {label!r} of sequence {i}, position {t} is none of the classes {classes}."
                )
    return [np.array([number_of[label] for label in labels], dtype=np.int64) for labels in label_lists]
