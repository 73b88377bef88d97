"""Stretches of DNA with a label at every base: N between genes, E coding, I between coding parts of a gene.

A small set of real ones is shipped in ``assets/genes``; reading it needs nothing but numpy.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from viterbi_lab.assets import asset
from viterbi_lab.data.text import complaint, decode
from viterbi_lab.features import base_codes
from viterbi_lab.files import gunzipped
from viterbi_lab.limits import Limits

LABELS = "NEI"
N, E, I = range(3)  # noqa: E741 - the letters of gene finding


@dataclass(frozen=True, eq=False)
class Locus:
    """One labelled stretch of DNA, read along its genes.

    Attributes:
        name: its name, without blanks.
        sequence: T letters, T >= 1: A C G T U and the IUPAC ambiguity codes.
        y: (T,) int64, labels 0..2 for N, E, I.
        transcripts: names of the transcripts that E and I come from, without blanks.
        places: (T,) int64, the place 0..2 in its codon of each coding base, −1 elsewhere; None: not known.
    """

    name: str
    sequence: str
    y: np.ndarray
    transcripts: tuple[str, ...] = ()
    places: np.ndarray | None = None

    def __post_init__(self):
        y = np.array(self.y, dtype=np.int64)
        for word in (self.name, *self.transcripts):
            if not word or len(word.split()) != 1:
                raise ValueError(
                    f"locus {self.name!r} has the name {word!r}; names are words without blanks."
                )
        try:
            base_codes(self.sequence)
        except ValueError as fault:
            raise ValueError(f"locus {self.name}: {fault}") from fault
        if y.shape != (len(self.sequence),):
            raise ValueError(
                f"locus {self.name} has {len(self.sequence)} bases but labels of shape {y.shape}."
            )
        if y.min() < 0 or y.max() >= len(LABELS):
            raise ValueError(
                f"locus {self.name} has labels {y.min()}..{y.max()}; allowed are 0, 1, 2 for N, E, I."
            )
        if self.places is not None and np.shape(self.places) != y.shape:
            raise ValueError(
                f"locus {self.name} has {len(y)} bases but places in codons of shape {np.shape(self.places)}."
            )
        y.flags.writeable = False
        object.__setattr__(self, "y", y)

    @property
    def labels(self) -> str:
        """The labels as T letters N, E, I."""
        return "".join(LABELS[j] for j in self.y)


def write_loci(loci: Iterable[Locus], path: Path) -> None:
    """Write loci as gzipped text: for each, ``>name transcript …``, its bases, its labels N/E/I.

    The same loci give the same bytes.
    """
    lines = [
        line
        for locus in loci
        for line in (">" + " ".join((locus.name, *locus.transcripts)), locus.sequence, locus.labels)
    ]
    path.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode("ascii"), compresslevel=9, mtime=0))


def read_loci(path: Path) -> list[Locus]:
    """Read what :func:`write_loci` wrote.

    Raises:
        ValueError: if the file is not of that form; the message names it, and the line.
    """
    raw = gunzipped(path.read_bytes(), str(path), Limits.in_force("unpacked_bytes"))
    try:
        return parse_loci(decode(raw, str(path)), str(path))
    except ValueError as fault:
        raise ValueError(complaint(fault, str(path))) from fault


def parse_loci(text: str, source: str) -> list[Locus]:
    """The loci of the text of such a file; ``source`` names it in messages."""
    lines = text.splitlines()
    if len(lines) % 3:
        raise ValueError(f"{source} has {len(lines)} lines; needed are three for each locus.")
    loci = []
    for i in range(0, len(lines), 3):
        header, sequence, letters = lines[i : i + 3]
        if not header.startswith(">") or set(letters) - set(LABELS):
            raise ValueError(
                f"{source}, line {i + 1}: needed are a line '>name', one of bases and one of labels N, E, I."
            )
        name, *transcripts = header[1:].split(" ")
        loci.append(Locus(name, sequence, np.array([LABELS.index(x) for x in letters]), tuple(transcripts)))
    return loci


def is_loci(text: str) -> bool:
    """Whether text is of that form, and not FASTA: the third line holds labels, which are no bases."""
    first = text.split("\n", 3)[:3]
    if len(first) < 3 or len(first[1]) != len(first[2]):
        return False
    return bool({"E", "I"} & set(first[2])) and set(first[2]) <= set(LABELS)


def celegans_loci() -> list[Locus]:
    """The shipped loci of *C. elegans*, one protein-coding gene each; see ``assets/genes/README.md``."""
    return read_loci(asset("genes", "celegans.txt.gz"))


def fold(name: str, n_folds: int) -> int:
    """The fold 0..n_folds - 1 of a name: its MD5 as a whole number, modulo n_folds.

    A split by it depends neither on the order of the loci nor on which others there are.
    """
    return int(hashlib.md5(name.encode(), usedforsecurity=False).hexdigest(), 16) % n_folds
