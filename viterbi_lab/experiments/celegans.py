"""Genes of C. elegans: train on some loci, decode others, and count what is right.

    python -m viterbi_lab.experiments celegans
    python -m viterbi_lab.experiments celegans --loci smallgenes.tar.gz

Every site is described by the bases from 20 before to 10 after it and by the three codons that it may belong
to. Two models read them: one with a state for each label N, E, I, and one with the states of a gene and a
grammar of what may follow what (`viterbi_lab.data.gene_states`), whose features are measured by their mean
(`viterbi_lab.tasks.reweighted`), by margin and by slack, and by margin for the root of the number of wrong
sites. Windows, C and the prior of the scales were chosen on loci with ``fold(name, 5) == 1``; those with 0
are for the test alone.
"""

from __future__ import annotations

import argparse
import sys
import tarfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from viterbi_lab.block_coordinate import iterates
from viterbi_lab.data.annotation import read_collection
from viterbi_lab.data.gene_states import ALLOWED, BORDERS, STATES, to_labels, to_states
from viterbi_lab.data.loci import LABELS, E, Locus, celegans_loci, fold, read_loci
from viterbi_lab.features import KmerWindow, KmerWindows
from viterbi_lab.losses import IDENTITY, SQRT, Wrapper
from viterbi_lab.metrics import Counts, label_scores, segment_scores, token_accuracy
from viterbi_lab.oracle import predict
from viterbi_lab.rescaling import MARGIN, SLACK, Rescaling
from viterbi_lab.tasks.base import Task
from viterbi_lab.tasks.reweighted import Reweighted, forbidden_parts, inverse_mean_scale
from viterbi_lab.tasks.sequence import ACTIVE, SequenceTask

FEATURES = KmerWindows((KmerWindow(k=1, first=-20, last=10), KmerWindow(k=3, first=-2, last=0)))
EPSILON = 20  # wrong sites, by h; a locus has 800
PRIOR = 0.05  # sites of a locus


@dataclass(frozen=True)
class Result:
    """How one method labels the test loci.

    Attributes:
        method: its name.
        n_train: loci it was trained on.
        n_test: loci it was tested on.
        error: share of wrong sites, pooled.
        labels: counts of sites for N, E and I.
        exons: counts of coding segments, right only with both ends.
        whole_genes: loci without any wrong site.
        status: how the training ended.
        seconds: wall-clock time of the training.
    """

    method: str
    n_train: int
    n_test: int
    error: float
    labels: tuple[Counts, ...]
    exons: Counts
    whole_genes: int
    status: str
    seconds: float


@dataclass(frozen=True)
class Model:
    """What is trained: the states of the chain, and how the loss enters.

    Attributes:
        method: its name.
        build: makes the task from training inputs and their states.
        encode: states of a sequence of labels.
        decode: labels of a sequence of states.
        rescaling: SLACK or MARGIN.
        C: what slacks cost.
        wrapper: h.
    """

    method: str
    build: Callable[[list[np.ndarray], list[np.ndarray], Wrapper], Task]
    encode: Callable[[np.ndarray], np.ndarray]
    decode: Callable[[np.ndarray], np.ndarray]
    rescaling: Rescaling
    C: float
    wrapper: Wrapper = IDENTITY


def label_task(X: list[np.ndarray], Y: list[np.ndarray], wrapper: Wrapper = IDENTITY) -> Task:
    """One state for each label, every transition allowed."""
    return SequenceTask(len(LABELS), FEATURES.n_features, wrapper, start_end=True, encoding=ACTIVE)


def gene_task(X: list[np.ndarray], Y: list[np.ndarray], wrapper: Wrapper = IDENTITY) -> Task:
    """The states of a gene with their grammar; features measured by their mean over the training loci."""
    task = SequenceTask(len(STATES), FEATURES.n_features, wrapper, start_end=True, encoding=ACTIVE)
    scale = inverse_mean_scale(task.prepare(X, Y), PRIOR)
    return Reweighted(task, scale, forbidden_parts(task, ALLOWED, BORDERS))


def unchanged(y: np.ndarray) -> np.ndarray:
    """Labels that are states themselves."""
    return y


MODELS = (
    Model("labels N/E/I, margin", label_task, unchanged, unchanged, MARGIN, C=1.0),
    Model("gene states, margin", gene_task, to_states, to_labels, MARGIN, C=3.0),
    Model("gene states, slack", gene_task, to_states, to_labels, SLACK, C=1e-4),
    Model("gene states, margin, √", gene_task, to_states, to_labels, MARGIN, C=15.0, wrapper=SQRT),
)


def split(loci: Sequence[Locus], n_train: int | None = None) -> tuple[list[Locus], list[Locus]]:
    """Loci to train on and to test on: the test has ``fold(name, 5) == 0``.

    Args:
        loci: all of them.
        n_train: how many to train on, the first by the hash of their names; None means all.

    Raises:
        ValueError: if there are fewer to train on, or none to test on.
    """
    loci = sorted(loci, key=lambda locus: fold(locus.name, 2**128))
    rest = [locus for locus in loci if fold(locus.name, 5) != 0]
    test = [locus for locus in loci if fold(locus.name, 5) == 0]
    train = rest[:n_train]
    if not train or not test or len(train) < (n_train or 1):
        raise ValueError(
            f"{len(rest)} loci to train on and {len(test)} to test on; needed are {n_train or 1} and 1."
        )
    return train, test


def majority(train: Sequence[Locus], test: Sequence[Locus]) -> Result:
    """Label every site by the label most frequent in training."""
    label = int(np.bincount(np.concatenate([locus.y for locus in train])).argmax())
    predicted = [np.full(len(locus.y), label) for locus in test]
    return _result(f"always {LABELS[label]}", train, test, predicted, "", 0.0)


def train_and_test(model: Model, train: Sequence[Locus], test: Sequence[Locus]) -> Result:
    """Train a model to ε = h(20 wrong sites) and label the test loci."""
    begin = time.perf_counter()
    X = [FEATURES.transform(locus.sequence) for locus in train]
    Y = [model.encode(locus.y) for locus in train]
    task = model.build(X, Y, model.wrapper)
    examples = task.prepare(X, Y)
    epsilon = float(model.wrapper.table(EPSILON)[EPSILON])
    *_, last = iterates(task, examples, C=model.C, epsilon=epsilon, rescaling=model.rescaling)
    seconds = time.perf_counter() - begin
    predicted = [model.decode(predict(task, FEATURES.transform(locus.sequence), last.w)) for locus in test]
    return _result(model.method, train, test, predicted, last.status.name.lower(), seconds)


def run(
    loci: Sequence[Locus], *, n_train: int | None = None, models: Sequence[Model] = MODELS
) -> list[Result]:
    """The majority label and all models on the same loci."""
    train, test = split(loci, n_train)
    return [majority(train, test), *(train_and_test(model, train, test) for model in models)]


def table(results: Sequence[Result]) -> str:
    """The results as text, a line for each method; shares in per cent, ``–`` for shares of nothing."""
    header = (
        f"{'method':22} {'train':>5} {'wrong sites':>11}   {'recall N/E/I':>14} {'precision N/E/I':>16}"
        f"   {'exons P/R/F1':>14} {'whole genes':>11}   training"
    )
    return "\n".join([header, *map(_line, results)])


def main(arguments: Sequence[str] | None = None) -> None:
    """Train on loci of C. elegans, label others, print how many sites, exons and genes are right."""
    parser = argparse.ArgumentParser(
        prog="python -m viterbi_lab.experiments.celegans", description=main.__doc__
    )
    parser.add_argument(
        "--loci",
        type=Path,
        help="folder or tar of FASTA and GFF3 pairs, or a file of viterbi_lab.data.annotation; "
        "default: the shipped loci",
    )
    parser.add_argument(
        "--train", type=int, help="train on so many loci; default: all that are not for the test"
    )
    options = parser.parse_args(arguments)
    loci = celegans_loci() if options.loci is None else _read(options.loci)
    sys.stdout.write(table(run(loci, n_train=options.train)) + "\n")


def _read(path: Path) -> Sequence[Locus]:
    return read_collection(path).loci if path.is_dir() or tarfile.is_tarfile(path) else read_loci(path)


def _result(
    method: str,
    train: Sequence[Locus],
    test: Sequence[Locus],
    predicted: list[np.ndarray],
    status: str,
    seconds: float,
) -> Result:
    true = [locus.y for locus in test]
    return Result(
        method,
        len(train),
        len(test),
        1.0 - token_accuracy(true, predicted),
        tuple(label_scores(true, predicted, len(LABELS))),
        segment_scores(true, predicted, background=[j for j in range(len(LABELS)) if j != E]),
        sum(np.array_equal(a, b) for a, b in zip(true, predicted, strict=True)),
        status,
        seconds,
    )


def _line(result: Result) -> str:
    exons = result.exons
    recall, precision = ([getattr(c, share) for c in result.labels] for share in ("recall", "precision"))
    return (
        f"{result.method:22} {result.n_train:5} {100 * result.error:9.1f} %"
        f"   {_percent(recall):>14} {_percent(precision):>16}"
        f"   {_percent([exons.precision, exons.recall, exons.f1]):>14}"
        f" {result.whole_genes:5} of {result.n_test:<3}"
        + (f"   {result.status}, {result.seconds:.1f} s" if result.status else "")
    )


def _percent(shares: Sequence[float]) -> str:
    return " ".join(f"{100 * share:4.0f}" if np.isfinite(share) else "   –" for share in shares)


if __name__ == "__main__":
    main()
