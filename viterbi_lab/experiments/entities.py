"""Named entities beside python-crfsuite, on the same features and in the same run.

    python -m viterbi_lab.experiments entities wikigold.conll.txt
    python -m viterbi_lab.experiments entities wnut17train.conll emerging.test.annotated

With one file, sentences whose text has an MD5 divisible by 5 are the test. Features are words, shapes,
affixes and two neighbours on either side (`viterbi_lab.features.words`). Scores are those of whole entities.
With ``--choose`` every way, and the penalty of python-crfsuite, takes that of four C which has the largest F1
on a fifth of the training sentences; without, it has the one that was chosen so for WikiGold.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from viterbi_lab.data.conll import Columns
from viterbi_lab.data.dataset import CONLL, DataSet
from viterbi_lab.data.loci import fold
from viterbi_lab.data.options import Options
from viterbi_lab.data.reading import OWN_DISK, read
from viterbi_lab.experiments.report import Table, deliver, page
from viterbi_lab.experiments.rivals import CRFSUITE, crfsuite
from viterbi_lab.experiments.ways import Trial, Way, best_factor, by_way, pooled, try_way
from viterbi_lab.features.words import describe
from viterbi_lab.losses import SQRT
from viterbi_lab.rescaling import MARGIN, SLACK

GAP = 0.05
WAYS = (
    Way("margin, h = k", MARGIN, 0.2),
    Way("margin, h = √k", MARGIN, 0.3, SQRT),
    Way("slack, h = k", SLACK, 0.1),
    Way("slack, h = √k", SLACK, 0.2, SQRT),
)
PENALTY = 1.0
"""Of python-crfsuite, its default c2."""
CHOSEN = {
    CRFSUITE: 3.0,
    "margin, h = k": 3.0,
    "margin, h = √k": 0.3,
    "slack, h = k": 0.3,
    "slack, h = √k": 3.0,
}
"""Factors of C, and of 1/c2, that ``--choose`` took for WikiGold."""


def split(data: DataSet, n_folds: int = 5, held_out: int = 0) -> tuple[DataSet, DataSet]:
    """Sentences to train on, and those to test on, the MD5 of whose text modulo n_folds is ``held_out``."""
    parts = (
        tuple(r for r in data.records if (fold(" ".join(r.x), n_folds) == held_out) == wanted)
        for wanted in (False, True)
    )
    train, test = (replace(data, records=records) for records in parts)
    return train, test


def choose(data: DataSet, told: Callable[[str], None] = lambda line: None) -> dict[str, float]:
    """For each way the factor of its C, and of 1/c2, with the largest F1 on a fifth of the data."""
    train, validation = split(data, held_out=1)  # of one file, 0 is the test

    def f1(trial: Trial) -> float:
        return pooled([(trial, validation)], "O")[0].all_segments.f1

    def crf_at(factor: float) -> float:
        return f1(crfsuite(train, validation, describe, PENALTY / factor)[0])

    def value_of(way: Way) -> Callable[[float], float]:
        return lambda factor: f1(try_way(with_factor(way, factor), train, validation, gap=GAP))

    chosen = {CRFSUITE: best_factor(crf_at, told, CRFSUITE)}
    return chosen | {way.name: best_factor(value_of(way), told, way.name) for way in WAYS}


def with_factor(way: Way, factor: float) -> Way:
    """The way with so many times its C."""
    return replace(way, C_each=factor * way.C_each)


def run(
    train: DataSet,
    test: DataSet,
    factors: Mapping[str, float] = CHOSEN,
    told: Callable[[str], None] = lambda line: None,
) -> list[tuple[Trial, DataSet]]:
    """python-crfsuite, then every way, each at a factor of its C; ``told`` hears of each."""
    c2 = PENALTY / factors[CRFSUITE]
    trial = replace(crfsuite(train, test, describe, c2)[0], setting=f"c2 = {c2:.2g}")
    trials = [(trial, test)]
    for way in WAYS:
        trials.append((try_way(with_factor(way, factors[way.name]), train, test, gap=GAP), test))
        told(f"{way.name}: {trials[-1][0].seconds:.0f} s")
    return trials


def table(trials: Sequence[tuple[Trial, DataSet]], title: str) -> Table:
    """A line for each way; shares of entities in per cent, right only with type, first and last token."""
    rows = []
    for name, its in by_way(trials):
        found, seconds = pooled(its, "O")
        entities = found.all_segments
        shares = (entities.precision, entities.recall, entities.f1, found.accuracy)
        rows.append((name, its[0][0].setting, *(f"{100 * share:.1f}" for share in shares), f"{seconds:.0f}"))
    return Table(
        title,
        ("method", "C/n", "precision, %", "recall, %", "F1, %", "right tokens, %", "CPU s"),
        tuple(rows),
        ("An entity is right only with its type, its first and its last token.",),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Find named entities, by several ways to train and by python-crfsuite."""
    parser = argparse.ArgumentParser(
        prog="python -m viterbi_lab.experiments entities", description=main.__doc__
    )
    parser.add_argument("train", type=Path, help="tokens in columns, the tag in the last; may be gzipped")
    parser.add_argument("test", type=Path, nargs="?", help="default: a fifth of the first file")
    parser.add_argument("--choose", action="store_true", help="choose C on a fifth of the training sentences")
    parser.add_argument("--out", type=Path, help="write the page there, too")
    options = parser.parse_args(arguments)
    files = [options.train] if options.test is None else [options.train, options.test]
    read_as = Options(Columns())
    train, *others = [read(file, file.name, CONLL, read_as, OWN_DISK) for file in files]
    train, test = split(train) if not others else (train, others[0])
    factors = choose(train, _say) if options.choose else CHOSEN
    trials = run(train, test, factors, _say)
    title = f"{files[0].name}: {len(train.records)} sentences to train on, {len(test.records)} to test on"
    command = " ".join(
        ["python -m viterbi_lab.experiments entities", *(file.name for file in files)]
        + ["--choose"] * options.choose
    )
    deliver(page("Entities", command, [table(trials, title)]), options.out)


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
