"""Alignments of several sequences, by Biopython: Stockholm, Clustal and MSF files."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass, field

from viterbi_lab.data.text import one_line

FORMATS = {"# STOCKHOLM": "stockholm", "CLUSTAL": "clustal", "!!": "msf", "PileUp": "msf"}
"""How files begin, and what Biopython calls them."""

GAPS = ".~"
"""Signs for gaps beside ``-``; lower case letters of Stockholm stay as they are."""

_FAULTS = (ValueError, AssertionError, IndexError, KeyError, TypeError, NotImplementedError)
"""What Biopython's parsers raise of files that are damaged."""


@dataclass(frozen=True)
class Alignment:
    """Sequences under each other.

    Attributes:
        names: of the n sequences.
        rows: n strings of one length, ``-`` for gaps.
        columns: strings of that length that describe the columns, by name, such as the structure ``SS_cons``.
        notices: what Biopython guessed or repaired.
    """

    names: tuple[str, ...]
    rows: tuple[str, ...]
    columns: dict[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()


def read_alignment(text: str, source: str) -> Alignment:
    """Read the one alignment of a file.

    Args:
        text: the whole file, lines ended by line feeds.
        source: its name, for messages.

    Raises:
        ModuleNotFoundError: if Biopython is not installed.
        ValueError: if it is none of the three, or cannot be read.
    """
    try:
        from Bio import AlignIO
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            'reading alignments needs Biopython, which is not installed. Run: pip install "viterbi-lab[bio]"'
        ) from missing
    format = next((name for begin, name in FORMATS.items() if text.lstrip().startswith(begin)), None)
    if format is None:
        raise ValueError(f"{source} is neither Stockholm, Clustal nor MSF: it begins with {text[:20]!r}.")
    if not text.strip().partition("\n")[2].strip():  # of such a Clustal file Biopython would read for ever
        raise ValueError(f"{source} has nothing below its first line.")
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            found = AlignIO.read(io.StringIO(text), format)
        except _FAULTS as fault:
            raise ValueError(f"{source}: Biopython cannot read the alignment: {one_line(fault)}") from fault
    gaps = str.maketrans(GAPS, "-" * len(GAPS))
    return Alignment(
        tuple(record.id for record in found),
        tuple(str(record.seq).translate(gaps) for record in found),
        {
            {"secondary_structure": "SS_cons"}.get(name, name): str(value)
            for name, value in found.column_annotations.items()
        },
        tuple(f"{source}: {one_line(warning.message)}" for warning in warned),
    )
