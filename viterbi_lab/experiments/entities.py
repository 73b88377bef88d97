"""Named entities beside python-crfsuite, on the same features and in the same run.

    python -m viterbi_lab.experiments entities wnut17train.conll emerging.test.annotated
    python -m viterbi_lab.experiments entities wikigold.conll.txt

With one file, sentences whose text has an MD5 divisible by 5 are the test. Features are words, shapes,
affixes and two neighbours on either side (`viterbi_lab.features.words`). Scores are those of whole entities.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from viterbi_lab.data.conll import Columns
from viterbi_lab.data.dataset import CONLL, DataSet
from viterbi_lab.data.loci import fold
from viterbi_lab.data.options import Options
from viterbi_lab.data.reading import OWN_DISK, read
from viterbi_lab.experiments.ways import Trial, Way, by_way, pooled, try_way
from viterbi_lab.features.words import describe
from viterbi_lab.losses import SQRT
from viterbi_lab.rescaling import MARGIN, SLACK

GAP = 0.05
WAYS = (
    Way("margin, h = k", MARGIN, 0.2),
    Way("margin, h = √k", MARGIN, 0.3, SQRT),
    Way("slack, h = k", SLACK, 0.1),
)
PENALTY = 1.0
"""Of python-crfsuite, its default c2: of ½‖w‖² twice as much, with the likelihood summed."""


def split(data: DataSet, n_folds: int = 5) -> tuple[DataSet, DataSet]:
    """Sentences to train on, and those to test on: the MD5 of their text is divisible by ``n_folds``."""
    parts = (
        tuple(r for r in data.records if (fold(" ".join(r.x), n_folds) == 0) == wanted)
        for wanted in (False, True)
    )
    train, test = (replace(data, records=records) for records in parts)
    return train, test


def crfsuite(train: DataSet, test: DataSet, c2: float = PENALTY) -> Trial:
    """A conditional random field by python-crfsuite, on the features that `WordFeatures` numbers.

    Raises:
        ModuleNotFoundError: if it is not installed: ``pip install "viterbi-lab[bench]"``.
    """
    import pycrfsuite  # only here

    begin = time.process_time()
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"c1": 0.0, "c2": c2})
    for record in train.records:
        trainer.append(describe(record.x), record.y)
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "model")
        trainer.train(model)
        seconds = time.process_time() - begin
        tagger = pycrfsuite.Tagger()
        tagger.open(model)
        predicted = tuple(tuple(tagger.tag(describe(record.x))) for record in test.records)
        tagger.close()
    return Trial("python-crfsuite", predicted, seconds, "converged")


def run(train: DataSet, test: DataSet, ways: Sequence[Way] = WAYS) -> list[tuple[Trial, DataSet]]:
    """python-crfsuite, then every way."""
    return [(crfsuite(train, test), test)] + [(try_way(way, train, test, gap=GAP), test) for way in ways]


def table(trials: Sequence[tuple[Trial, DataSet]]) -> str:
    """A line for each way; shares of entities in per cent, right only with type, first and last token."""
    lines = [f"{'method':16} {'precision':>9} {'recall':>7} {'F1':>6}  {'right tokens':>12}  processor s"]
    for name, its in by_way(trials):
        found, seconds = pooled(its, "O")
        all_of_them = found.all_segments
        lines.append(
            f"{name:16} {100 * all_of_them.precision:9.1f} {100 * all_of_them.recall:7.1f}"
            f" {100 * all_of_them.f1:6.1f}  {100 * found.accuracy:12.1f}  {seconds:11.0f}"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Find named entities, by several ways to train and by python-crfsuite."""
    parser = argparse.ArgumentParser(
        prog="python -m viterbi_lab.experiments entities", description=main.__doc__
    )
    parser.add_argument("train", type=Path, help="tokens in columns, the tag in the last; may be gzipped")
    parser.add_argument("test", type=Path, nargs="?", help="default: a fifth of the first file")
    options = parser.parse_args(arguments)
    read_as = Options(Columns())
    data = read(options.train, options.train.name, CONLL, read_as, OWN_DISK)
    if options.test is None:
        data, test = split(data)
    else:
        test = read(options.test, options.test.name, CONLL, read_as, OWN_DISK)
    sys.stdout.write(
        f"{len(data.records)} sentences to train on, {len(test.records)} to test on\n"
        f"{table(run(data, test))}\n"
    )
