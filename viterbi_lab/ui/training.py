"""What a training job does: prepare the data, take iterates, and look at sequences it has not trained on.

It runs in a worker process (:mod:`viterbi_lab.ui.workers`); each :class:`Pass` it yields holds everything
that a picture of that pass needs, so that nothing is computed where the pictures are drawn. What is yielded
travels between processes and is kept for every pass, so it holds labels and weights, but no data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from viterbi_lab.cutting_plane import Iterate, Status, iterates
from viterbi_lab.data.genes import generate
from viterbi_lab.data.loci import LABELS, celegans_loci, fold
from viterbi_lab.dp import ChainProblem
from viterbi_lab.experiments.celegans import FEATURES
from viterbi_lab.features import HistogramBins
from viterbi_lab.losses import IDENTITY, SQRT, SQUARE, ZERO_ONE, Wrapper, capped
from viterbi_lab.oracle import Violation, most_violated, predict
from viterbi_lab.qp import WorkingSet
from viterbi_lab.rescaling import RESCALINGS, Rescaling
from viterbi_lab.tasks.base import Example
from viterbi_lab.tasks.sequence import ACTIVE, SequenceTask
from viterbi_lab.ui.jobs import Signals

GENES, CELEGANS = "genes", "celegans"
HELD_OUT_GENES = 200
N_FOLDS = 5  # of the real loci; fold 0 is held out
WRAPPERS: dict[str, Wrapper] = {
    "k": IDENTITY,
    "√k": SQRT,
    "k²": SQUARE,
    "0/1": ZERO_ONE,
    "min(k, 10)": capped(10),
}


@dataclass(frozen=True)
class Settings:
    """What a run is determined by."""

    data: str
    rescaling: str
    sigma: float
    n: int
    C: float
    epsilon: float
    wrapper: str
    seed: int

    def __str__(self) -> str:
        source = f"genes σ={self.sigma:g}" if self.data == GENES else "C. elegans"
        return (
            f"{self.rescaling} · {source} · n={self.n} · C={self.C:g} · ε={self.epsilon:g} · "
            f"h={self.wrapper} · seed {self.seed}"
        )


@dataclass(frozen=True)
class LabelNames:
    """What the labels of a data set are called, by their number.

    Attributes:
        labels: in words.
        codes: in a letter or two.
        heights: how high each is drawn, from 0 to 1; all different.
    """

    labels: tuple[str, ...]
    codes: tuple[str, ...]
    heights: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class DataSet:
    """Data of one run, prepared.

    Attributes:
        names: of the labels.
        task: the joint feature map and the loss.
        examples: to train on.
        held_out: pairs (x, y), never trained on.
    """

    names: LabelNames
    task: SequenceTask
    examples: tuple[Example, ...]
    held_out: tuple[tuple[np.ndarray, np.ndarray], ...]


@dataclass(frozen=True, eq=False)
class Attack:
    """The labelling by which the oracle attacks one training example: a `Violation` without its features.

    Attributes:
        number: of the example in the training data, from 0.
        y: (T,) int64, its true labels.
        y_hat: (T,) int64, the most violated labelling.
        value: the exact slack that it needs.
        k: the number of its wrong sites.
        problem: what the oracle solved; kept for the last pass only, None for earlier ones.
    """

    number: int
    y: np.ndarray
    y_hat: np.ndarray
    value: float
    k: int
    problem: ChainProblem | None

    @classmethod
    def of(cls, violation: Violation) -> Attack:
        """Return what is shown of a violation."""
        example = violation.example
        return cls(
            example.number, example.y, violation.y_hat, violation.value, violation.k, violation.problem
        )


@dataclass(frozen=True, eq=False)
class Pass:
    """One pass of a training, with what a person looks at.

    Attributes:
        iterate: the trainer's own account, without its ``worst``.
        excess: by how much the worst constraint exceeds its slack; training ends when it is at most ε.
        accuracy: share of right sites in the held-out sequences.
        worst: the most violated labelling of all examples.
        followed: the most violated labelling of one example, the same at every pass.
        truth: (T,) int64, the labels of one held-out sequence, the same at every pass.
        prediction: (T,) int64, what the weights of this pass predict for it.
        names: of the labels.
    """

    iterate: Iterate
    excess: float
    accuracy: float
    worst: Attack
    followed: Attack
    truth: np.ndarray
    prediction: np.ndarray
    names: LabelNames

    def without_problems(self) -> Pass:
        """Return what is kept of a pass when the next one has come."""
        return replace(
            self,
            worst=replace(self.worst, problem=None),
            followed=replace(self.followed, problem=None),
        )


def most_examples(data: str) -> int:
    """Return how many training examples a data set can give."""
    return 500 if data == GENES else len(_split_loci()[0])


def prepare(settings: Settings) -> DataSet:
    """Return the data of a run; the same settings give the same data.

    Raises:
        ValueError: if the data set has fewer examples than are asked for.
    """
    wrapper = WRAPPERS[settings.wrapper]
    if settings.data == GENES:
        return _synthetic_genes(settings.n, settings.sigma, settings.seed, wrapper)
    return _loci(settings.n, settings.seed, wrapper)


def train(settings: Settings, signals: Signals) -> Iterator[Pass | Status]:
    """Train, one pass at a time.

    Args:
        settings: what to train.
        signals: asked before every oracle call and every held-out sequence.

    Yields:
        A pass after every pass of the trainer, and the final status last.
    """
    signals.say("preparing the data")
    data, rescaling = prepare(settings), RESCALINGS[settings.rescaling]
    known = WorkingSet(len(data.examples), data.task.n_weights)
    followed = data.examples[_liveliest([example.y for example in data.examples])]
    shown = _liveliest([y for _, y in data.held_out])
    phase = _Phase(signals)
    done = 0
    for iterate in iterates(
        data.task,
        data.examples,
        C=settings.C,
        epsilon=settings.epsilon,
        rescaling=rescaling,
        working_set=known,
        cancelled=signals.stop,
        progress=phase.oracle,
    ):
        if iterate.number > done:  # a cancelled training repeats its last complete pass
            done = iterate.number
            signals.say(f"pass {done} · held-out sequences")
            seen = _look(iterate, data, rescaling, known, followed, shown, signals)
            if seen is not None:
                yield seen
        if iterate.status is not Status.RUNNING:
            yield iterate.status
        phase.number = done + 1
        signals.say(f"pass {done} · QP, {iterate.planes} constraints")


class _Phase:
    """Says where in a pass the trainer is."""

    def __init__(self, signals: Signals) -> None:
        self.number = 1
        self._signals = signals

    def oracle(self, done: int, n: int) -> None:
        self._signals.say(f"pass {self.number} · oracle {done}/{n}")


def _look(
    iterate: Iterate,
    data: DataSet,
    rescaling: Rescaling,
    known: WorkingSet,
    followed: Example,
    shown: int,
    signals: Signals,
) -> Pass | None:
    """Return what a person sees of an iterate; None if cancelled meanwhile."""
    predictions = []
    for x, _ in data.held_out:
        if signals.stop():
            return None
        predictions.append(predict(data.task, x, iterate.w))
    right = np.concatenate([p == y for p, (_, y) in zip(predictions, data.held_out, strict=True)])
    return Pass(
        iterate=replace(iterate, worst=None),
        excess=_excess(iterate, known),
        accuracy=float(right.mean()),
        worst=Attack.of(iterate.worst),
        followed=Attack.of(most_violated(data.task, followed, iterate.w, rescaling)),
        truth=data.held_out[shown][1],
        prediction=predictions[shown],
        names=data.names,
    )


def _excess(iterate: Iterate, known: WorkingSet) -> float:
    """max_i (max_ŷ H_i(ŷ) − ξ_i): the exact slacks less those of the constraints known before the pass."""
    before = len(known) - iterate.added
    slack = np.zeros(known.n_examples)
    np.maximum.at(slack, known.owners[:before], known.violations(iterate.w)[:before])
    return float(np.max(iterate.slack - slack))


def _liveliest(labels: Sequence[np.ndarray]) -> int:
    """The number of the first sequence with most changes of label: something to look at."""
    return int(np.argmax([np.count_nonzero(np.diff(y)) for y in labels]))


def _synthetic_genes(n: int, sigma: float, seed: int, wrapper: Wrapper) -> DataSet:
    draw = partial(generate, sigma=sigma, rng=np.random.default_rng(seed))
    held_out, train_on = draw(HELD_OUT_GENES), draw(n)  # this order: more examples keep the held-out ones
    bins = HistogramBins.fit([x for x, _ in train_on])
    task = SequenceTask(2, bins.n_features, wrapper, start_end=True, encoding=ACTIVE)
    return DataSet(
        names=LabelNames(labels=("no gene", "gene"), codes=("−", "+"), heights=(0.18, 1.0)),
        task=task,
        examples=task.prepare(bins.transform_all([x for x, _ in train_on]), [y for _, y in train_on]),
        held_out=tuple((bins.transform(x), y) for x, y in held_out),
    )


def _split_loci() -> tuple[list, list]:
    """The real loci: to train on, and held out."""
    loci = celegans_loci()
    return (
        [locus for locus in loci if fold(locus.name, N_FOLDS) != 0],
        [locus for locus in loci if fold(locus.name, N_FOLDS) == 0],
    )


def _loci(n: int, seed: int, wrapper: Wrapper) -> DataSet:
    train_on, held_out = _split_loci()
    if n > len(train_on):
        raise ValueError(f"n={n}, but there are {len(train_on)} loci to train on. Choose a smaller n.")
    chosen = np.random.default_rng(seed).permutation(len(train_on))[:n]
    task = SequenceTask(len(LABELS), FEATURES.n_features, wrapper, start_end=True, encoding=ACTIVE)
    return DataSet(
        names=LabelNames(
            labels=("between genes", "exon", "intron"), codes=tuple(LABELS), heights=(0.18, 1.0, 0.5)
        ),
        task=task,
        examples=task.prepare(
            [FEATURES.transform(train_on[i].sequence) for i in chosen], [train_on[i].y for i in chosen]
        ),
        held_out=tuple((FEATURES.transform(locus.sequence), locus.y) for locus in held_out),
    )
