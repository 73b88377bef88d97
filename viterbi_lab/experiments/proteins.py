"""Secondary structure of proteins: helix, strand or coil of every amino acid, in five folds.

    python -m viterbi_lab.experiments proteins CB513.tsv

The file has a row for each protein, with its letters in the column ``aa`` and their structure H, E, C in
``dssp3``. A site is described by the letters from 8 before to 8 after it. The fold of a protein is the MD5 of
its name modulo 5; it is tested there and trained on in the others. C was chosen on other proteins (TS115).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from viterbi_lab.data.dataset import LETTERS, DataSet
from viterbi_lab.data.loci import fold
from viterbi_lab.data.options import Options
from viterbi_lab.data.reading import OWN_DISK, read
from viterbi_lab.evaluation import Evaluation
from viterbi_lab.experiments.ways import Trial, Way, by_way, majority, pooled, try_way
from viterbi_lab.losses import SQRT
from viterbi_lab.rescaling import MARGIN, SLACK

COIL = "C"
GAP = 0.05
WAYS = (
    Way("margin, h = k", MARGIN, 0.02),
    Way("margin, h = √k", MARGIN, 0.2, SQRT),
    Way("slack, h = k", SLACK, 2e-6),
    Way("slack, h = √k", SLACK, 1e-4, SQRT),
)


def run(data: DataSet, ways: Sequence[Way] = WAYS, n_folds: int = 5) -> list[tuple[Trial, DataSet]]:
    """Every way on every fold, after the most frequent label.

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
        trials.append((majority(train, test), test))
        trials += [(try_way(way, train, test, gap=GAP), test) for way in ways]
    return trials


def table(trials: Sequence[tuple[Trial, DataSet]]) -> str:
    """A line for each way: Q3 is the share of right sites, pooled; shares in per cent."""
    lines = [f"{'method':16} {'Q3':>5} {'mean':>5}  {'recall H/E/C':>14}  {'segments F1':>11}  processor s"]
    for name, its in by_way(trials):
        found, seconds = pooled(its, COIL)
        lines.append(
            f"{name:16} {100 * found.accuracy:5.1f} {100 * found.mean_accuracy:5.1f}  {_recalls(found):>14}  "
            f"{100 * found.all_segments.f1:11.1f}  {seconds:11.0f}"
        )
    return "\n".join(lines)


def _recalls(found: Evaluation) -> str:
    return " ".join(f"{100 * found.labels[name].recall:4.0f}" for name in "HEC")


def main(arguments: Sequence[str] | None = None) -> None:
    """Predict the secondary structure of proteins, in folds, by several ways to train."""
    parser = argparse.ArgumentParser(
        prog="python -m viterbi_lab.experiments proteins", description=main.__doc__
    )
    parser.add_argument("data", type=Path, help="table with columns id, aa, dssp3; may be gzipped")
    parser.add_argument("--folds", type=int, default=5, help="(default 5)")
    options = parser.parse_args(arguments)
    data = read(options.data, options.data.name, LETTERS, Options(letters="aa", labels="dssp3"), OWN_DISK)
    sys.stdout.write(table(run(data, n_folds=options.folds)) + "\n")
