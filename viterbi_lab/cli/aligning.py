"""What ``decode`` and ``evaluate`` do with an aligner: align sequences, and compare with known alignments."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import numpy as np

from viterbi_lab.cli.inputs import read_alignments, say
from viterbi_lab.data.reading import OWN_DISK, read_sequences


def align(model: Path, data: Sequence[Path], stream: TextIO) -> None:
    """Align the first sequence of a FASTA file with each other one, and write them best first, as Stockholm.

    Raises:
        ValueError: if there is one sequence only, or a letter that the model does not know.
    """
    from viterbi_lab.aligner import Aligner, rows  # late, as all that computes: the help needs none of it
    from viterbi_lab.tasks.alignment import Comparison

    if len(data) != 1:
        raise ValueError(f"{len(data)} files were given; sequences to align are read from one.")
    (name, x), *others = read_sequences(data[0], data[0].name, OWN_DISK)
    if not others:
        raise ValueError(f"{data[0]} holds one sequence. Give it with those that it is to be aligned with.")
    aligner, comparison = Aligner.load(model), Comparison(x, tuple(z for _, z in others))
    for called, letters in [(name, x), *others]:
        unknown = "".join(sorted(set(letters) - set(aligner.task.alphabet)))
        if unknown:
            raise ValueError(
                f"{data[0]}: {called} has {unknown}, but the model knows the letters {aligner.task.alphabet} "
                "only. Leave the sequence out, or train on alignments that have them."
            )
    for found in aligner.rank(comparison):
        other = others[found.alignment.candidate][0]
        above, below = rows(comparison, found.alignment)
        i, j = found.alignment.begin
        labels = [_stretch(name, i, above), _stretch(other, j, below)]
        width = max(map(len, labels))
        stream.write(f"# STOCKHOLM 1.0\n#=GF CC score {found.score:.6g}\n")
        stream.writelines(
            f"{label:{width}}  {row}\n" for label, row in zip(labels, (above, below), strict=True)
        )
        stream.write("//\n")


def score(model: Path, data: Sequence[Path], n: int, seed: int) -> str:
    """Draw pairs of known alignments: how often is the homologue first, and how much of them is recovered?"""
    from viterbi_lab.aligner import Aligner
    from viterbi_lab.homologues import DECOYS, draw, recovered
    from viterbi_lab.tasks.alignment import Comparison, without_twins

    aligner, families = Aligner.load(model), read_alignments(list(data))
    drawn, notices = draw(families, n, np.random.default_rng(seed), alphabet=aligner.task.alphabet)
    X, Y, twins = without_twins(drawn.X, drawn.Y)
    say((*notices, *twins))
    first = sum(aligner.rank(x)[0].alignment.candidate == 0 for x in X)
    shares = [
        recovered(aligner.rank(Comparison(x.x, x.candidates[:1]))[0].alignment, y)
        for x, y in zip(X, Y, strict=True)
    ]
    return "\n".join(
        [
            f"pairs                                     {len(X)}",
            f"  homologue first, of it and {DECOYS} decoys      {100 * first / len(X):.1f} %",
            f"  pairs of letters aligned as known, mean {100 * np.mean(shares):.1f} %",
        ]
    )


def add_pairs(parser: argparse.ArgumentParser) -> None:
    """Add how many pairs are drawn."""
    parser.add_argument("--pairs", type=int, default=40, help="alignment: pairs to draw (default 40)")


def _stretch(name: str, begin: int, row: str) -> str:
    return f"{name}/{begin + 1}-{begin + len(row.replace('-', ''))}"
