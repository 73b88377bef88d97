"""Secondary structure of proteins: helix, strand or coil of every amino acid, in five folds.

    python -m viterbi_lab.experiments proteins CB513.tsv

The file has a row for each protein, with its letters in the column ``aa`` and their structure H, E, C in
``dssp3``. A site is described by the letters from 8 before to 8 after it. The fold of a protein is the MD5 of
its name modulo 5; it is tested there and trained on in the others. C of margin was chosen on other proteins
(TS115, five folds: 64.0 % right at 0.02, 64.6 % at 0.06); slack was tried there on one fold.

Beside the most frequent label stand, on the same features, a linear SVM that sees each site alone and
python-crfsuite, with its most probable labelling and with the most probable label of each site.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from viterbi_lab.data.dataset import LETTERS, DataSet
from viterbi_lab.data.loci import fold
from viterbi_lab.data.options import Options
from viterbi_lab.data.reading import OWN_DISK, read
from viterbi_lab.experiments.report import Table, deliver, page
from viterbi_lab.experiments.rivals import crfsuite, linear_svm
from viterbi_lab.experiments.ways import Trial, Way, by_way, majority, pooled, try_way
from viterbi_lab.features import LetterWindows
from viterbi_lab.losses import SQRT
from viterbi_lab.recipes import WINDOW
from viterbi_lab.rescaling import MARGIN, SLACK

COIL = "C"
GAP = 0.05
WAYS = (
    Way("margin, h = k", MARGIN, 0.06),
    Way("slack, h = k", SLACK, 2e-6),
    Way("margin, h = √k", MARGIN, 0.02, SQRT),
    Way("slack, h = √k", SLACK, 3e-5, SQRT),
)
COMPARED = 100
"""Proteins that all ways are trained on, to compare them: slack and h = √k take ten times as long."""
LINEAR_C, PENALTY = 0.1, 1.0  # of LinearSVC; c2 of python-crfsuite, its default


def split(data: DataSet, number: int, n_folds: int) -> tuple[DataSet, DataSet]:
    """Proteins outside a fold, to train on, and inside, to test on.

    Raises:
        ValueError: if there are none inside or none outside.
    """
    inside, outside = (
        tuple(r for r in data.records if (fold(r.name, n_folds) == number) == wanted)
        for wanted in (True, False)
    )
    if not inside or not outside:
        raise ValueError(f"fold {number} of {n_folds} holds {len(inside)} of {len(data.records)} proteins.")
    return replace(data, records=outside), replace(data, records=inside)


def run(
    data: DataSet,
    ways: Sequence[Way] = WAYS[:1],
    n_folds: int = 5,
    beside: Callable[[DataSet, DataSet], Sequence[Trial]] = lambda train, test: (),
    told: Callable[[str], None] = lambda line: None,
) -> list[tuple[Trial, DataSet]]:
    """Every way on every fold, after the most frequent label and what else is to stand beside them.

    Args:
        data: proteins.
        ways: to train.
        n_folds: folds.
        beside: makes further trials of the data to train on and those to test on, such as `rivals`.
        told: hears of each way on each fold.

    Raises:
        ValueError: if a fold holds no protein.
    """
    trials = []
    for number in range(n_folds):
        train, test = split(data, number, n_folds)
        for trial in (majority(train, test), *beside(train, test)):
            trials.append((trial, test))
        for way in ways:
            trials.append((try_way(way, train, test, gap=GAP), test))
            told(f"fold {number}, {way.name}: {trials[-1][0].seconds:.0f} s")
    return trials


def compare(
    data: DataSet,
    n_train: int,
    ways: Sequence[Way] = WAYS,
    n_folds: int = 5,
    told: Callable[[str], None] = lambda line: None,
) -> list[tuple[Trial, DataSet]]:
    """All ways on fold 0, trained on the first proteins of the others by the MD5 of their names."""
    train, test = split(data, 0, n_folds)
    first = sorted(train.records, key=lambda record: fold(record.name, 2**128))[:n_train]
    trials = [(majority(train, test), test)]
    for way in ways:
        trials.append((try_way(way, replace(train, records=tuple(first)), test, gap=GAP), test))
        told(f"{len(first)} proteins, {way.name}: {trials[-1][0].seconds:.0f} s")
    return trials


def rivals(train: DataSet, test: DataSet) -> list[Trial]:
    """LinearSVC and python-crfsuite on the features that our ways have.

    Raises:
        ModuleNotFoundError: if one is not installed: ``pip install "viterbi-lab[bench]"``.
    """
    around = WINDOW[LETTERS]
    features = LetterWindows.fit([record.x for record in train.records], -around, around)

    def describe(letters: str) -> list[list[str]]:
        return [[str(feature) for feature in site] for site in features.transform(letters)]

    alone = replace(linear_svm(train, test, features, LINEAR_C), setting=f"C = {LINEAR_C:g}")
    return [
        alone,
        *(replace(trial, setting=f"c2 = {PENALTY:g}") for trial in crfsuite(train, test, describe, PENALTY)),
    ]


def table(trials: Sequence[tuple[Trial, DataSet]], title: str) -> Table:
    """A line for each way: Q3 is the share of right sites, pooled over its folds; shares in per cent."""
    rows = []
    for name, its in by_way(trials):
        found, seconds = pooled(its, COIL)
        recalls = " / ".join(f"{100 * found.labels[label].recall:.0f}" for label in "HEC")
        rows.append(
            (
                name,
                its[0][0].setting,
                f"{100 * found.accuracy:.1f}",
                f"{100 * found.mean_accuracy:.1f}",
                recalls,
                f"{100 * found.all_segments.f1:.1f}",
                f"{seconds:.0f}",
            )
        )
    return Table(
        title,
        (
            "method",
            "C/n",
            "Q3, %",
            "mean of proteins, %",
            "recall H / E / C, %",
            "helices and strands exactly, F1 %",
            "CPU s",
        ),
        tuple(rows),
        ("Q3 is the share of right sites. A helix or strand is exact only with both ends.",),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Predict the secondary structure of proteins, in folds, by several ways to train."""
    parser = argparse.ArgumentParser(
        prog="python -m viterbi_lab.experiments proteins", description=main.__doc__
    )
    parser.add_argument("data", type=Path, help="table with columns id, aa, dssp3; may be gzipped")
    parser.add_argument("--folds", type=int, default=5, help="(default %(default)s)")
    parser.add_argument(
        "--compared",
        type=int,
        default=COMPARED,
        help="proteins to train all ways on, which takes long (default %(default)s)",
    )
    parser.add_argument("--out", type=Path, help="write the page there, too: assets/tables/proteins.md")
    options = parser.parse_args(arguments)
    data = read(options.data, options.data.name, LETTERS, Options(letters="aa", labels="dssp3"), OWN_DISK)

    def told(line: str) -> None:
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()

    name, n = options.data.name, options.folds
    compared = compare(data, options.compared, n_folds=n, told=told)
    everywhere = run(data, n_folds=n, beside=rivals, told=told)
    tables = [
        table(everywhere, f"{name}: {len(data.records)} proteins, {data.sites} amino acids, {n} folds"),
        table(compared, f"Fold 0 of {n}, trained on {options.compared} proteins"),
    ]
    command = f"python -m viterbi_lab.experiments proteins {name} --folds {n} --compared {options.compared}"
    deliver(page("Secondary structure", command, tables), options.out)
