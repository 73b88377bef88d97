"""The arguments that say which data to read and how, and the reading of them."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from viterbi_lab.data.conll import Columns
from viterbi_lab.data.dataset import TASKS, DataSet
from viterbi_lab.data.entities import IOB2, SCHEMES
from viterbi_lab.data.families import Family
from viterbi_lab.data.options import AS_FOUND, Options
from viterbi_lab.data.reading import ALIGNMENT, OWN_DISK, read, read_aligned
from viterbi_lab.data.table import Layout

FAULTS = (OSError, ValueError, ModuleNotFoundError)
"""What reading, training and labelling raise, each with a sentence."""
AS_TRAINED = "What is not given is as it was in training."


def add_data(parser: argparse.ArgumentParser, otherwise: str = "") -> None:
    """Add the files and what they do not say themselves.

    Args:
        parser: of a command.
        otherwise: where what is not given comes from, to be said in the help.
    """
    parser.add_argument(
        "data",
        type=Path,
        nargs="+",
        help="genes: FASTA and GFF3 (two files, a folder or tar of pairs, or GFF3 with ##FASTA), GenBank, "
        "EMBL; conll: columns; table: CSV, TSV or NPZ; letters: a table of strings; alignment: Stockholm, "
        "Clustal or MSF, several files or a folder. Each may be gzipped",
    )
    conll = parser.add_argument_group("conll", otherwise)
    conll.add_argument(
        "--token", type=int, metavar="COLUMN", help="column of the token, from 0 (default: found)"
    )
    conll.add_argument("--tag", type=int, metavar="COLUMN", help="column of the label (default: the last)")
    conll.add_argument("--scheme", choices=(*SCHEMES, "none"), help=f"turn tags into this (default {IOB2})")
    tables = parser.add_argument_group("table and letters", otherwise)
    tables.add_argument("--separator", help="between columns (default: found)")
    tables.add_argument("--sequence", metavar="NAME", help="column that names the sequence (default: found)")
    tables.add_argument("--order", metavar="NAME", help="column that numbers its sites (default: found)")
    tables.add_argument(
        "--features", nargs="+", metavar="NAME", help="columns of numbers (default: all others)"
    )
    tables.add_argument("--letters", metavar="NAME", help="column of letters (default: found)")
    tables.add_argument("--label", metavar="NAME", help="column of labels (default: found)")
    tables.add_argument("--decimal", choices=(".", ","), help="decimal sign (default: found)")
    genes = parser.add_argument_group("genes", otherwise)
    genes.add_argument(
        "--strand", choices=("+", "-", "both"), help="the strand whose genes count (default +)"
    )
    genes.add_argument(
        "--phases",
        action=argparse.BooleanOptionalAction,
        help="label coding bases by their place in the codon",
    )


def add_task(parser: argparse.ArgumentParser) -> None:
    """Add the kind of data."""
    parser.add_argument("--task", choices=(*TASKS, ALIGNMENT), required=True, help="the kind of data")


def options_of(chosen: argparse.Namespace, kept: Options = AS_FOUND) -> Options:
    """How to read the data: as the arguments say, and as a model has kept where they say nothing."""

    def said(given: Any, otherwise: Any) -> Any:
        return otherwise if given is None else given

    columns, layout = kept.columns, kept.layout
    separator = {"\\t": "\t", "tab": "\t"}.get(chosen.separator, chosen.separator)
    return Options(
        Columns(
            said(chosen.token, columns.token),
            said(chosen.tag, columns.label),
            said(separator, columns.separator),
            scheme=None if chosen.scheme == "none" else said(chosen.scheme, columns.scheme),
        ),
        Layout(
            said(chosen.sequence, layout.sequence),
            said(chosen.order, layout.order),
            said(chosen.label, layout.label),
            layout.features if chosen.features is None else tuple(chosen.features),
            said(separator, layout.separator),
            said(chosen.decimal, layout.decimal),
        ),
        said(chosen.letters, kept.letters),
        said(chosen.label, kept.labels),
        said(chosen.strand, kept.strand),
        said(chosen.phases, kept.phases),
    )


def read_data(paths: list[Path], task: str, options: Options) -> DataSet:
    """Read the data and print its notes to stderr.

    Raises:
        BadFile: if a file cannot be read as what it should be.
    """
    data = read(_source(paths), paths[0].name, task, options, OWN_DISK)
    say(data.notes)
    return data


def read_alignments(paths: list[Path]) -> list[Family]:
    """Read alignments of several sequences and print notes to stderr.

    Raises:
        BadFile: if a file cannot be read as what it should be.
    """
    families, notes = read_aligned(_source(paths), paths[0].name, OWN_DISK)
    say(notes)
    return families


def say(notes: Sequence[str]) -> None:
    """Print notes to stderr."""
    for note in notes:
        print(note, file=sys.stderr)


def labelled(data: DataSet, path: Path) -> DataSet:
    """The data, if they have labels.

    Raises:
        ValueError: if labels are missing.
    """
    if not data.is_labelled:
        raise ValueError(f"{path} holds no labels, which are needed here.")
    return data


def _source(paths: list[Path]) -> Path | dict[str, bytes]:
    if len(paths) == 1:
        return paths[0]
    names = [path.name for path in paths]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"two files are named {twice}. Rename one of them.")
    return {path.name: path.read_bytes() for path in paths}


def complain(command: str, error: Exception) -> int:
    """Say in one sentence what went wrong; the exit code."""
    print(f"viterbi-lab {command}: {error}", file=sys.stderr)
    return 1
