"""Secondary structure of proteins: helix, strand or coil of every amino acid, in five folds.

    python -m viterbi_lab.experiments proteins CB513.tsv

The file has a row for each protein, with its letters in the column ``aa`` and their structure H, E, C in
``dssp3``. A site is described by the letters from 8 before to 8 after it. The fold of a protein is the MD5 of
its name modulo 5; it is tested there and trained on in the others. C was chosen on other proteins (TS115).

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
from viterbi_lab.losses import IDENTITY, SQRT
from viterbi_lab.recipes import WINDOW
from viterbi_lab.rescaling import MARGIN, SLACK

COIL = "C"
GAP = 0.05
WAYS = (
    Way("margin, h = k", MARGIN, 0.02),
    Way("slack, h = k", SLACK, 2e-6),
    Way("margin, h = √k", MARGIN, 0.02, SQRT),
    Way("slack, h = √k", SLACK, 3e-5, SQRT),
)
ROOT_FOLDS = 1
"""Folds on which h = √k is tried, too: to the same gap its trainings take ten times as long and more."""
LINEAR_C, PENALTY = 0.1, 1.0  # of LinearSVC; c2 of python-crfsuite, its default


def run(
    data: DataSet,
    ways: Sequence[Way] = WAYS,
    n_folds: int = 5,
    root_folds: int = ROOT_FOLDS,
    beside: Callable[[DataSet, DataSet], Sequence[Trial]] = lambda train, test: (),
    told: Callable[[str], None] = lambda line: None,
) -> list[tuple[Trial, DataSet]]:
    """Every way on every fold, after the most frequent label and what else is to stand beside them.

    Args:
        data: proteins.
        ways: to train.
        n_folds: folds.
        root_folds: the first so many have the ways with another h than k, too.
        beside: makes further trials of the data to train on and those to test on, such as `rivals`.
        told: hears of each way on each fold.

    Raises:
        ValueError: if a fold holds no protein.
    """
    trials = []
    for number in range(n_folds):
        inside, outside = (
            tuple(r for r in data.records if (fold(r.name, n_folds) == number) == wanted)
            for wanted in (True, False)
        )
        if not inside or not outside:
            raise ValueError(
                f"fold {number} of {n_folds} holds {len(inside)} of {len(data.records)} proteins."
            )
        train, test = replace(data, records=outside), replace(data, records=inside)
        for trial in (majority(train, test), *beside(train, test)):
            trials.append((trial, test))
        for way in ways if number < root_folds else [way for way in ways if way.wrapper is IDENTITY]:
            trials.append((try_way(way, train, test, gap=GAP), test))
            told(f"fold {number}, {way.name}: {trials[-1][0].seconds:.0f} s")
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


def tables(trials: Sequence[tuple[Trial, DataSet]], title: str) -> list[Table]:
    """All folds by the ways that were tried on all; then those folds on which every way was tried."""
    tests = list({id(test): test for _, test in trials}.values())
    partly = {id(test) for name, its in by_way(trials) if len(its) < len(tests) for _, test in its}
    complete = [pair for name, its in by_way(trials) if len(its) == len(tests) for pair in its]
    made = [table(complete, title)]
    if partly:
        part = [(trial, test) for trial, test in trials if id(test) in partly]
        made.append(table(part, f"{len(partly)} of these folds, {part[0][1].sites} amino acids in the first"))
    return made


def main(arguments: Sequence[str] | None = None) -> None:
    """Predict the secondary structure of proteins, in folds, by several ways to train."""
    parser = argparse.ArgumentParser(
        prog="python -m viterbi_lab.experiments proteins", description=main.__doc__
    )
    parser.add_argument("data", type=Path, help="table with columns id, aa, dssp3; may be gzipped")
    parser.add_argument("--folds", type=int, default=5, help="(default %(default)s)")
    parser.add_argument(
        "--root-folds",
        type=int,
        default=ROOT_FOLDS,
        help="on how many of them to try h = √k, which takes long (default %(default)s)",
    )
    parser.add_argument("--out", type=Path, help="write the page there, too: assets/tables/proteins.md")
    options = parser.parse_args(arguments)
    data = read(options.data, options.data.name, LETTERS, Options(letters="aa", labels="dssp3"), OWN_DISK)

    def told(line: str) -> None:
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()

    trials = run(data, n_folds=options.folds, root_folds=options.root_folds, beside=rivals, told=told)
    command = (
        f"python -m viterbi_lab.experiments proteins {options.data.name} --folds {options.folds} "
        f"--root-folds {options.root_folds}"
    )
    name = (
        f"{options.data.name}: {len(data.records)} proteins, {data.sites} amino acids, {options.folds} folds"
    )
    deliver(page("Secondary structure", command, tables(trials, name)), options.out)
