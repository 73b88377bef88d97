"""Data sets of Bauer et al. 2014, Section IV-B, drawn as a protocol says, with their features."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from viterbi_lab.data.genes import SignalSequence, splits
from viterbi_lab.dp import Combine
from viterbi_lab.experiments.protocol import Protocol
from viterbi_lab.features import HistogramBins
from viterbi_lab.tasks.base import Corpus, Example
from viterbi_lab.tasks.sequence import ACTIVE, SequenceTask


@dataclass(frozen=True, eq=False)
class Sheet:
    """Sequences to be labelled, and their true labels (ΣT,), which labelling does not see."""

    task: SequenceTask
    corpus: Corpus
    truth: np.ndarray

    def right(self, w: np.ndarray) -> int:
        """How many sites argmax_ŷ ⟨w, Ψ(x, ŷ)⟩ labels as they are; Bauer et al. (5).

        All at once, as loss-augmented inference without a loss. Ties go to the labelling with most 0, as if
        no site were in a gene, and not to the truth.
        """
        n = len(self.corpus)
        nothing = [np.zeros(len(example.h)) for example in self.corpus.examples]
        found = self.task.optima(self.corpus, w, nothing, Combine.PLUS, np.zeros(n), 1)
        return int(np.count_nonzero(found.y == self.truth))


@dataclass(frozen=True, eq=False)
class Data:
    """One data set at one σ, with its features."""

    task: SequenceTask
    bins: HistogramBins
    train: list[SignalSequence]
    validation: Sheet
    test: Sheet

    def examples(self, n: int) -> tuple[Example, ...]:
        """The first n training sequences, prepared."""
        part = self.train[:n]
        return self.task.prepare(self.bins.transform_all([s.x for s in part]), [s.y for s in part])


@lru_cache(maxsize=1)  # the cells of one data set and σ come one after the other
def draw(protocol: Protocol, data_set: int, sigma: float) -> Data:
    """Data set number ``data_set`` at σ; all its training sequences place the bins."""
    drawn = splits(
        sigma=sigma,
        rng=np.random.default_rng([protocol.seed, data_set]),
        n_train=protocol.pool,
        n_validation=protocol.n_validation,
        n_test=protocol.n_test,
        T=protocol.T,
        r=protocol.r,
        mode=protocol.mode,
    )
    bins = HistogramBins.fit([s.x for s in drawn.train], protocol.n_bins)
    task = SequenceTask(2, bins.n_features, start_end=True, encoding=ACTIVE)

    def sheet(part: list[SignalSequence]) -> Sheet:
        unseen = [np.zeros_like(s.y) for s in part]
        corpus = task.gather(task.prepare(bins.transform_all([s.x for s in part]), unseen))
        return Sheet(task, corpus, np.concatenate([s.y for s in part]))

    return Data(task, bins, drawn.train, sheet(drawn.validation), sheet(drawn.test))
