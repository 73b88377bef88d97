"""The arguments that say which data to read and how, and the reading of them."""

import argparse
import sys
from pathlib import Path

from viterbi_lab.data.conll import Columns
from viterbi_lab.data.dataset import TASKS, DataSet
from viterbi_lab.data.entities import IOB2, SCHEMES
from viterbi_lab.data.reading import OWN_DISK, Options, read
from viterbi_lab.data.table import Layout

FAULTS = (OSError, ValueError, ModuleNotFoundError)
"""What reading, training and labelling raise, each with a sentence."""


def add_data(parser: argparse.ArgumentParser) -> None:
    """Add the files and what they do not say themselves."""
    parser.add_argument(
        "data",
        type=Path,
        nargs="+",
        help="genes: FASTA and GFF3 (two files, a folder or tar of pairs, or GFF3 with ##FASTA), GenBank, "
        "EMBL; conll: columns; table: CSV, TSV or NPZ; letters: a table of strings. Each may be gzipped",
    )
    conll = parser.add_argument_group("conll")
    conll.add_argument(
        "--token", type=int, metavar="COLUMN", help="column of the token, from 0 (default: found)"
    )
    conll.add_argument(
        "--tag", type=int, default=-1, metavar="COLUMN", help="column of the label (default: the last)"
    )
    conll.add_argument(
        "--scheme", choices=(*SCHEMES, "none"), default=IOB2, help=f"turn tags into this (default {IOB2})"
    )
    tables = parser.add_argument_group("table and letters")
    tables.add_argument("--separator", help="between columns (default: found)")
    tables.add_argument("--sequence", metavar="NAME", help="column that names the sequence (default: found)")
    tables.add_argument("--order", metavar="NAME", help="column that numbers its sites (default: found)")
    tables.add_argument(
        "--features", nargs="+", metavar="NAME", help="columns of numbers (default: all others)"
    )
    tables.add_argument("--letters", metavar="NAME", help="column of letters (default: found)")
    tables.add_argument("--label", metavar="NAME", help="column of labels (default: found)")
    tables.add_argument("--decimal", choices=(".", ","), help="decimal sign (default: found)")
    genes = parser.add_argument_group("genes")
    genes.add_argument(
        "--strand", choices=("+", "-", "both"), default="+", help="the strand whose genes count (default +)"
    )
    genes.add_argument("--phases", action="store_true", help="label coding bases by their place in the codon")


def add_task(parser: argparse.ArgumentParser) -> None:
    """Add the kind of data."""
    parser.add_argument("--task", choices=TASKS, required=True, help="the kind of data")


def read_data(chosen: argparse.Namespace, task: str, *, labelled: bool) -> DataSet:
    """Read the data and print its notes to stderr.

    Raises:
        BadFile: if a file cannot be read as what it should be.
        ValueError: if labels are missing where they are needed.
    """
    separator = {"\\t": "\t", "tab": "\t"}.get(chosen.separator, chosen.separator)
    options = Options(
        Columns(
            chosen.token,
            chosen.tag if labelled else None,  # to label tokens their tags are not needed
            separator,
            scheme=None if chosen.scheme == "none" else chosen.scheme,
        ),
        Layout(
            chosen.sequence,
            chosen.order,
            chosen.label,
            None if chosen.features is None else tuple(chosen.features),
            separator,
            chosen.decimal,
        ),
        chosen.letters,
        chosen.label,
        chosen.strand,
        chosen.phases,
    )
    paths: list[Path] = chosen.data
    source = paths[0] if len(paths) == 1 else {path.name: path.read_bytes() for path in paths}
    data = read(source, str(paths[0].name), task, options, OWN_DISK)
    for note in data.notes:
        print(note, file=sys.stderr)
    if labelled and not data.is_labelled:
        raise ValueError(f"{paths[0]} holds no labels, which are needed here.")
    return data


def complain(command: str, error: Exception) -> int:
    """Say in one sentence what went wrong; the exit code."""
    print(f"viterbi-lab {command}: {error}", file=sys.stderr)
    return 1
