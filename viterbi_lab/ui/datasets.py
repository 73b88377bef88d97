"""The data of a run: synthetic genes, genes of C. elegans, or what a visitor brings."""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np

from viterbi_lab.data.gene_states import LABEL_OF_STATE, STATES, to_states
from viterbi_lab.data.genes import generate
from viterbi_lab.data.loci import Locus, celegans_loci, fold
from viterbi_lab.experiments.celegans import FEATURES, gene_task
from viterbi_lab.features import HistogramBins
from viterbi_lab.losses import Wrapper
from viterbi_lab.tasks.sequence import ACTIVE, SequenceTask
from viterbi_lab.ui import own_data
from viterbi_lab.ui.feature_names import bases_around, inputs_of
from viterbi_lab.ui.names import DataSet, Names
from viterbi_lab.ui.own_data import OwnData
from viterbi_lab.ui.settings import GENES, OWN, WRAPPERS, Settings
from viterbi_lab.ui.weights import Weights

VALIDATION_GENES = 200
N_FOLDS = 5  # of the real loci; fold 0 is for validation
MOST_KEPT = 4  # prepared data sets in memory


def most_examples(data: str, own: OwnData | None = None) -> int:
    """Return how many training examples a data set can give; of a visitor's own, 0 before there is a file."""
    if data == OWN:
        return 0 if own is None else own_data.most_examples(own)
    return 500 if data == GENES else len(_split_loci()[0])


@lru_cache(maxsize=MOST_KEPT)
def prepare(data: str, n: int, sigma: float, seed: int, wrapper: str) -> DataSet:
    """Return a data set; the same arguments, see `Settings`, give the same data.

    Raises:
        ValueError: if the data set has fewer examples than are asked for.
    """
    if data == GENES:
        return _synthetic_genes(n, sigma, seed, WRAPPERS[wrapper])
    return _loci(n, seed, WRAPPERS[wrapper])


def data_of(settings: Settings, own: OwnData | None = None) -> DataSet:
    """Return the data of a run.

    Args:
        settings: of the run.
        own: the visitor's file, where the data are `OWN`.

    Raises:
        ValueError: as `prepare` and `viterbi_lab.ui.own_data.prepared`.
    """
    if settings.data == OWN:
        return own_data.prepared(own, settings.n, settings.seed, WRAPPERS[settings.wrapper])
    return prepare(settings.data, settings.n, settings.sigma, settings.seed, settings.wrapper)


def _synthetic_genes(n: int, sigma: float, seed: int, wrapper: Wrapper) -> DataSet:
    draw = partial(generate, sigma=sigma, rng=np.random.default_rng(seed))
    validation, train_on = draw(VALIDATION_GENES), draw(n)  # this order: more examples keep the validation
    bins = HistogramBins.fit([x for x, _ in train_on])
    task = SequenceTask(2, bins.n_features, wrapper, start_end=True, encoding=ACTIVE)
    examples = task.prepare(bins.transform_all([x for x, _ in train_on]), [y for _, y in train_on])
    inputs = inputs_of(bins, (), examples, task.n_states)
    return DataSet(
        names=Names(labels=("no gene", "gene"), heights=(0.18, 1.0), states=("−", "+"), label_of=(0, 1)),
        inputs=inputs,
        task=task,
        weights=partial(Weights.of, task, inputs=inputs),
        examples=examples,
        validation=tuple((bins.transform(x), y) for x, y in validation),
    )


def _split_loci() -> tuple[list[Locus], list[Locus]]:
    """The real loci: to train on, and for validation."""
    loci = celegans_loci()
    return (
        [locus for locus in loci if fold(locus.name, N_FOLDS) != 0],
        [locus for locus in loci if fold(locus.name, N_FOLDS) == 0],
    )


def _loci(n: int, seed: int, wrapper: Wrapper) -> DataSet:
    train_on, validation = _split_loci()
    if n > len(train_on):
        raise ValueError(f"n={n}, but there are {len(train_on)} loci to train on. Choose a smaller n.")
    chosen = np.random.default_rng(seed).permutation(len(train_on))[:n]
    X = [FEATURES.transform(train_on[i].sequence) for i in chosen]
    Y = [to_states(train_on[i].y) for i in chosen]
    task = gene_task(X, Y, wrapper)
    inputs = bases_around(FEATURES.windows[0])
    return DataSet(
        names=Names(
            labels=("between genes", "exon", "intron"),
            heights=(0.18, 1.0, 0.5),
            states=STATES,
            label_of=tuple(LABEL_OF_STATE.tolist()),
        ),
        inputs=inputs,
        task=task,
        weights=lambda w: Weights.of(task.task, task.own_weights(w), inputs),
        examples=task.prepare(X, Y),
        validation=tuple((FEATURES.transform(locus.sequence), locus.y) for locus in validation),
    )
