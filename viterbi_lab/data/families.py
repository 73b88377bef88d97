"""Families of proteins whose sequences are aligned with each other, as Pfam gives them.

Reading needs Biopython: ``pip install "viterbi-lab[bio]"``. Five seed alignments come with the lab, see
``assets/alignments/README.md``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from viterbi_lab.assets import asset
from viterbi_lab.data.alignments import read_alignment
from viterbi_lab.data.text import decode


@dataclass(frozen=True)
class Family:
    """Sequences aligned with each other.

    Attributes:
        name: of the family.
        names: of its sequences.
        rows: for each sequence its letters in upper case, with ``-`` for gaps; all of one length.
    """

    name: str
    names: tuple[str, ...]
    rows: tuple[str, ...]

    @property
    def sequences(self) -> tuple[str, ...]:
        """The sequences without gaps."""
        return tuple(row.replace("-", "") for row in self.rows)


def parse_family(text: str, source: str) -> tuple[Family, tuple[str, ...]]:
    """The alignment in a text, named after its source, and what was guessed or repaired.

    Raises:
        ModuleNotFoundError: if Biopython is not installed.
        ValueError: if it is neither Stockholm, Clustal nor MSF.
    """
    found = read_alignment(text, source)
    return Family(Path(source).stem, found.names, tuple(row.upper() for row in found.rows)), found.notices


def read_family(path: Path) -> Family:
    """The alignment of a file, named after it: Stockholm, Clustal or MSF.

    Raises:
        ModuleNotFoundError: if Biopython is not installed.
        ValueError: if the file is no text, or none of the three.
    """
    return parse_family(decode(path.read_bytes(), str(path)), str(path))[0]


def read_families(paths: Iterable[Path]) -> list[Family]:
    """The alignments of several files."""
    return [read_family(path) for path in paths]


def shipped_families() -> list[Family]:
    """The seed alignments of Pfam that come with the lab, by name."""
    return read_families(sorted(asset("alignments").glob("*.sto")))
