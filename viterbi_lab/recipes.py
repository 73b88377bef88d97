"""From data as they were read to a task that can be trained, and from its weights to a labeller.

genes      bases from 20 before to 10 after a site and the three codons it may belong to; the states of a
           gene with their grammar, features measured by their mean (`viterbi_lab.data.gene_states`)
conll      the words of a sentence by look and neighbours; tags that break their scheme are never given
table      bins of the values, or the values themselves, of a site and its neighbours
letters    the letters around a site
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from viterbi_lab.data.dataset import CONLL, GENES, LETTERS, DataSet
from viterbi_lab.data.entities import may_follow
from viterbi_lab.data.gene_states import ALLOWED, BORDERS, LABEL_OF_STATE, STATES, to_states
from viterbi_lab.data.loci import LABELS
from viterbi_lab.features import (
    HistogramBins,
    KmerWindow,
    KmerWindows,
    LetterWindows,
    ValueWindows,
    WordFeatures,
)
from viterbi_lab.labeller import Builder, Labeller
from viterbi_lab.losses import IDENTITY, Wrapper
from viterbi_lab.tasks.base import Example, Task
from viterbi_lab.tasks.reweighted import Reweighted, forbidden_parts, inverse_mean_scale
from viterbi_lab.tasks.sequence import ACTIVE, DENSE, SPARSE, SequenceTask

AROUND_BASES = KmerWindows((KmerWindow(k=1, first=-20, last=10), KmerWindow(k=3, first=-2, last=0)))
PRIOR = 0.05  # of the means that features of genes are measured by
WINDOW = {CONLL: 2, LETTERS: 8}
"""Neighbours on either side that describe a site, unless said otherwise; 0 for tables."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """What is trained, and how its weights become a labeller.

    Attributes:
        task: the joint feature map and the loss.
        examples: to train on.
        labeller: makes a labeller of weights (d,).
        notes: a sentence for each record that could not be trained on.
    """

    task: Task
    examples: tuple[Example, ...]
    labeller: Callable[[np.ndarray], Labeller]
    notes: tuple[str, ...]


def prepare(
    data: DataSet,
    *,
    wrapper: Wrapper = IDENTITY,
    window: int | None = None,
    bins: int | None = 10,
    grammar: bool = True,
) -> Prepared:
    """Describe the sites of labelled data and number their states.

    Args:
        data: labelled data of any kind.
        wrapper: h of the loss h∘Δ_H.
        window: neighbours on either side that describe a site; None: as `WINDOW` says. Not for genes.
        bins: tables: so many bins of each value; None: the values themselves.
        grammar: genes: train the states of a gene, not the labels alone.

    Raises:
        ValueError: if a record has no labels, or none can be trained on.
    """
    bare = next((record.name for record in data.records if record.y is None), None)
    if bare is not None:
        raise ValueError(f"{bare} has no labels. Train on labelled data.")
    if data.task == GENES and grammar and set(data.labels) <= set(LABELS):
        return _genes(data, wrapper)
    builder, encoding = _builder(data, WINDOW.get(data.task, 0) if window is None else window, bins)
    labels = data.labels
    number = {label: place for place, label in enumerate(labels)}
    task = SequenceTask(len(labels), builder.n_features, wrapper, start_end=True, encoding=encoding)
    examples = task.prepare(
        [builder.transform(record.x) for record in data.records],
        [np.array([number[label] for label in record.y]) for record in data.records],
    )
    allowed = np.array([[_may(data, before, after) for after in labels] for before in labels])
    borders = [_may(data, None, label) for label in labels] + [_may(data, label, None) for label in labels]
    forbidden = forbidden_parts(task, allowed, np.ones(len(labels), dtype=bool))
    forbidden[-len(borders) :] = ~np.array(borders)

    def labeller(w: np.ndarray) -> Labeller:
        return _labeller(data, task, builder, labels, labels, np.where(forbidden, -np.inf, w))

    return Prepared(task, examples, labeller, ())


def _may(data: DataSet, before: str | None, after: str | None) -> bool:
    return data.scheme is None or may_follow(before, after, data.scheme)


def _genes(data: DataSet, wrapper: Wrapper) -> Prepared:
    """The states of a gene; loci that they cannot describe, such as parts of genes, are left out."""
    X, Y, notes = [], [], []
    for record in data.records:
        try:
            states = to_states(np.array([LABELS.index(label) for label in record.y]))
        except ValueError as fault:
            notes.append(f"{record.name} is left out: {fault}")
            continue
        X.append(AROUND_BASES.transform(record.x))
        Y.append(states)
    if not X:
        raise ValueError(
            f"no sequence can be described by the states of a gene, for example: {notes[0]} "
            "Train on labels alone."
        )
    plain = SequenceTask(len(STATES), AROUND_BASES.n_features, wrapper, start_end=True, encoding=ACTIVE)
    scale = inverse_mean_scale(plain.prepare(X, Y), PRIOR)
    task = Reweighted(plain, scale, forbidden_parts(plain, ALLOWED, BORDERS))
    labels = [LABELS[label] for label in LABEL_OF_STATE]

    def labeller(w: np.ndarray) -> Labeller:
        return _labeller(data, plain, AROUND_BASES, STATES, labels, task.own_weights(w))

    return Prepared(task, task.prepare(X, Y), labeller, tuple(notes))


def _builder(data: DataSet, window: int, bins: int | None) -> tuple[Builder, Any]:
    inputs = [record.x for record in data.records]
    if data.task == GENES:
        return AROUND_BASES, ACTIVE
    if data.task == CONLL:
        return WordFeatures.fit(inputs, window), SPARSE
    if data.task == LETTERS:
        return LetterWindows.fit(inputs, -window, window), ACTIVE
    if bins is None:
        return ValueWindows.fit(inputs, -window, window), DENSE
    if window:
        raise ValueError("bins describe a site alone. Use values (bins=None) to describe its neighbours.")
    return HistogramBins.fit(inputs, bins), ACTIVE


def _labeller(
    data: DataSet,
    task: SequenceTask,
    builder: Builder,
    states: Sequence[str],
    labels: Sequence[str],
    w: np.ndarray,
) -> Labeller:
    """A labeller of the weights of a sequence task with borders, in the order of its module."""
    N, first = task.n_states, task.n_states * task.n_features
    return Labeller(
        data.task,
        builder,
        task.encoding,
        tuple(states),
        tuple(labels),
        w[:first].reshape(N, task.n_features),
        w[first : first + N * N].reshape(N, N),
        w[first + N * N : first + N * N + N],
        w[first + N * N + N :],
        {"columns": list(data.columns), "scheme": data.scheme},
    )
