"""``viterbi-lab decode``: label sequences with a trained model."""

import argparse
import csv
import io
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TextIO

from viterbi_lab.cli.aligning import align
from viterbi_lab.cli.inputs import AS_TRAINED, FAULTS, add_data, complain, options_of, read_data
from viterbi_lab.data.dataset import CONLL, GENES, LETTERS, DataSet


def add(commands: argparse._SubParsersAction) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "decode",
        help="label sequences with a model that train wrote",
        description="Writes genes as GFF3, tokens as CoNLL columns, tables and letters as TSV. An aligner "
        "aligns the first sequence of a FASTA file with each other one: Stockholm, the best first.",
    )
    parser.add_argument("model", type=Path, help="file that train wrote")
    parser.add_argument("-o", "--output", type=Path, help="file to write (default: standard output)")
    add_data(parser, AS_TRAINED)
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace) -> int:
    from tqdm import tqdm  # late, as all that computes: the help needs none of it

    from viterbi_lab.labeller import Labeller
    from viterbi_lab.model_file import ALIGNER, kind

    try:
        if kind(chosen.model) == ALIGNER:
            return _align(chosen)
        labeller = Labeller.load(chosen.model)
        options = options_of(chosen, labeller.read_as.without_labels())
        data = read_data(chosen.data, labeller.task, options)
        progress = tqdm(labeller.label_all(data), total=len(data.records), unit="sequence", disable=None)
        labels = list(progress)  # before a file is opened: what is there is not lost to a fault
        if chosen.output is None:
            _write(data, labels, sys.stdout)
        else:
            with open(chosen.output, "w", encoding="utf-8", newline="") as stream:
                _write(data, labels, stream)
    except FAULTS as error:
        return complain("decode", error)
    return 0


def _align(chosen: argparse.Namespace) -> int:
    text = io.StringIO()
    align(chosen.model, chosen.data, text)  # before a file is opened: what is there is not lost to a fault
    if chosen.output is None:
        sys.stdout.write(text.getvalue())
    else:
        chosen.output.write_text(text.getvalue(), encoding="utf-8", newline="")
    return 0


def _write(data: DataSet, labels: Sequence[Sequence[str]], stream: TextIO) -> None:
    rows = csv.writer(stream, delimiter="\t", lineterminator="\n")
    if data.task == GENES:
        stream.write("##gff-version 3\n")
    elif data.task == LETTERS:
        rows.writerow(["id", "letters", "labels"])
    elif data.task != CONLL:
        rows.writerow(["sequence", "position", "label"])
    for record, y in zip(data.records, labels, strict=True):
        if data.task == GENES:
            _write_genes(record.name, y, rows)
        elif data.task == CONLL:
            stream.writelines(f"{token}\t{label}\n" for token, label in zip(record.x, y, strict=True))
            stream.write("\n")
        elif data.task == LETTERS:
            rows.writerow([record.name, record.x, "".join(y)])
        else:
            rows.writerows([record.name, t, label] for t, label in enumerate(y, start=1))


def _write_genes(name: str, y: Sequence[str], rows: Any) -> None:
    """A CDS row for each run of coding bases; a gene goes from one N to the next."""
    coding = [label.startswith("E") for label in y]
    edges = [t for t in range(len(y) + 1) if (t > 0 and coding[t - 1]) != (t < len(y) and coding[t])]
    gene, phase = 0, 0
    for (first, stop), before in zip(list(pairwise(edges))[::2], [None, *edges[1::2]], strict=False):
        if before is None or "N" in y[before:first]:
            gene, phase = gene + 1, 0
        rows.writerow([name, "viterbi-lab", "CDS", first + 1, stop, ".", "+", phase, f"ID={name}.{gene}"])
        phase = (phase - (stop - first)) % 3
