"""The data of a run, prepared for training and named for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from viterbi_lab.data.gene_states import LABEL_OF_STATE, STATES, to_states
from viterbi_lab.data.genes import generate
from viterbi_lab.data.loci import Locus, celegans_loci, fold
from viterbi_lab.experiments.celegans import FEATURES, gene_task
from viterbi_lab.features import HistogramBins, KmerWindow
from viterbi_lab.losses import Wrapper
from viterbi_lab.tasks.base import Example, Task
from viterbi_lab.tasks.sequence import ACTIVE, SequenceTask
from viterbi_lab.ui.settings import GENES, WRAPPERS, Settings
from viterbi_lab.ui.weights import Inputs, Weights

VALIDATION_GENES = 200
N_FOLDS = 5  # of the real loci; fold 0 is for validation
MOST_KEPT = 4  # prepared data sets in memory


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
        chain: the task whose weights people look at; ``task`` itself, or what it is made from.
        own_weights: makes the weights of ``chain`` from those of ``task``; −inf for what is forbidden.
        examples: to train on.
        validation: pairs (x, labels), never trained on.
    """

    names: Names
    inputs: Inputs
    task: Task
    chain: SequenceTask
    own_weights: Callable[[np.ndarray], np.ndarray]
    examples: tuple[Example, ...]
    validation: tuple[tuple[np.ndarray, np.ndarray], ...]

    def weights(self, w: np.ndarray) -> Weights:
        """The weights w of the task, for people."""
        return Weights.of(self.chain, self.own_weights(w), self.inputs)

    @property
    def followed(self) -> int:
        """The training example to follow through a run: that with most changes of label."""
        return _liveliest([self.names.labelled(example.y) for example in self.examples])

    @property
    def shown(self) -> int:
        """The validation sequence to show."""
        return _liveliest([y for _, y in self.validation])


def most_examples(data: str) -> int:
    """Return how many training examples a data set can give."""
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


def data_of(settings: Settings) -> DataSet:
    """Return the data of a run. Raises as `prepare`."""
    return prepare(settings.data, settings.n, settings.sigma, settings.seed, settings.wrapper)


def _liveliest(labels: Sequence[np.ndarray]) -> int:
    """The number of the first sequence with most changes of label: something to look at."""
    return int(np.argmax([np.count_nonzero(np.diff(y)) for y in labels]))


def _synthetic_genes(n: int, sigma: float, seed: int, wrapper: Wrapper) -> DataSet:
    draw = partial(generate, sigma=sigma, rng=np.random.default_rng(seed))
    validation, train_on = draw(VALIDATION_GENES), draw(n)  # this order: more examples keep the validation
    bins = HistogramBins.fit([x for x, _ in train_on])
    task = SequenceTask(2, bins.n_features, wrapper, start_end=True, encoding=ACTIVE)
    return DataSet(
        names=Names(labels=("no gene", "gene"), heights=(0.18, 1.0), states=("−", "+"), label_of=(0, 1)),
        inputs=Inputs(
            groups=tuple(
                (f"signal {signal + 1}", tuple(f"bin {b + 1}" for b in range(bins.n_bins)))
                for signal in range(len(bins.edges))
            ),
            shown=tuple(range(bins.n_features)),
        ),
        task=task,
        chain=task,
        own_weights=_as_they_are,
        examples=task.prepare(bins.transform_all([x for x, _ in train_on]), [y for _, y in train_on]),
        validation=tuple((bins.transform(x), y) for x, y in validation),
    )


def _as_they_are(w: np.ndarray) -> np.ndarray:
    return w


def _bases_around(window: KmerWindow) -> Inputs:
    """The bases before and after a site; their features come first among all."""
    offsets = range(window.first, window.last + 1)
    return Inputs(
        groups=tuple((f"{offset:+d}" if offset else "0", tuple("ACGT?")) for offset in offsets),
        shown=tuple(range(window.n_features)),
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
    return DataSet(
        names=Names(
            labels=("between genes", "exon", "intron"),
            heights=(0.18, 1.0, 0.5),
            states=STATES,
            label_of=tuple(LABEL_OF_STATE.tolist()),
        ),
        inputs=_bases_around(FEATURES.windows[0]),
        task=task,
        chain=task.task,
        own_weights=task.own_weights,
        examples=task.prepare(X, Y),
        validation=tuple((FEATURES.transform(locus.sequence), locus.y) for locus in validation),
    )
