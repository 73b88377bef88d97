"""Loci from FASTA and GFF3 files.

As a command it makes the shipped set of genes; see ``assets/genes/README.md``::

    python -m viterbi_lab.data.annotation FOLDER_OR_TAR --out assets/genes/celegans.txt.gz --one-in 8

Reading FASTA needs Biopython: ``pip install "viterbi-lab[bio]"``.
"""

from __future__ import annotations

import argparse
import io
import sys
import tarfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from viterbi_lab.data.gff3 import Gff3, Row, read_gff3
from viterbi_lab.data.loci import Locus, fold, write_loci
from viterbi_lab.data.text import decode
from viterbi_lab.data.transcripts import (
    Transcript,
    coding_transcripts,
    codon_places,
    label_sites,
    longest_of_each_gene,
    without_overlap,
)

STRANDS = ("+", "-", "both")
FASTA, GFF3 = (".fa", ".fasta", ".fna"), (".gff3", ".gff")
_COMPLEMENT = str.maketrans("ACGTUNRYKMSWBDHVacgtunrykmswbdhv", "TGCAANYRMKSWVHDBtgcaanyrmkswvhdb")


@dataclass(frozen=True)
class Reading:
    """What was read: the loci, and a sentence for everything in the files that was read over."""

    loci: tuple[Locus, ...]
    notices: tuple[str, ...]


def read_fasta(text: str, source: str) -> list[tuple[str, str]]:
    """Names and sequences of a FASTA file, by Biopython.

    Args:
        text: the whole file.
        source: its name, for messages.

    Returns:
        (name, letters) of each record; the name is the first word of its header and may be empty. Blanks
        inside sequence lines are dropped.

    Raises:
        ModuleNotFoundError: if Biopython is not installed.
        ValueError: if text stands before the first ``>``, there is no record, a record has no sequence, or
            two have one name.
    """
    try:
        from Bio import SeqIO
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            'reading FASTA needs Biopython, which is not installed. Run: pip install "viterbi-lab[bio]"'
        ) from missing
    first = text.lstrip()[:1]
    if first != ">":
        raise ValueError(
            f"{source} does not begin with '>' but with {first!r}; FASTA records begin with '>name'."
        )
    _only_ascii_letters(text, source)
    records = [(record.id, str(record.seq)) for record in SeqIO.parse(io.StringIO(text.lstrip()), "fasta")]
    seen: dict[str, int] = {}
    for number, (name, letters) in enumerate(records, start=1):
        if not "".join(letters.split()):
            raise ValueError(f"{source}: record {number} ({name or 'without a name'}) has no sequence.")
        if name and seen.setdefault(name, number) != number:
            raise ValueError(f"{source}: records {seen[name]} and {number} are both named {name}.")
    return records


def _only_ascii_letters(text: str, source: str) -> None:
    """Refuse sequence lines with letters that are none of a sequence; Biopython would not say where."""
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.isascii() and not line.startswith(">"):
            strange = next(letter for letter in line if not letter.isascii())
            raise ValueError(f"{source}, line {number}: {strange!r} is no letter of a sequence.")


def read_annotated(gff3: Path, fasta: Path | None = None, *, strand: str = "+") -> Reading:
    """Loci of an annotation: one for each sequence, labelled N/E/I.

    Args:
        gff3: the annotation.
        fasta: its sequences; None if the annotation holds them itself after ``##FASTA``.
        strand: the strand whose genes count, ``+`` or ``-``; the others are N. With ``-`` sequences and
            labels are given as read along that strand: reverse-complemented. ``both``: either strand counts.

    Returns:
        The loci in the order of the sequences, and notices.

    Raises:
        ValueError: if a file is faulty, or annotation and sequences do not fit together; the message names
            file and line.
    """
    sequences = None if fasta is None else (fasta.read_bytes(), str(fasta))
    return annotate(gff3.read_bytes(), str(gff3), sequences, strand)


def read_collection(path: Path, *, strand: str = "+") -> Reading:
    """Loci of a folder or tar file that holds pairs of files NAME.fa and NAME.gff3.

    Args:
        path: a folder, or a tar file, compressed or not. Nothing is unpacked to the disk.
        strand: as in :func:`read_annotated`.

    Returns:
        The loci by file name, and notices.

    Raises:
        ValueError: as :func:`read_annotated`; also if a file has no partner, there is no pair, or two loci
            have one name.
    """
    if path.is_dir():
        files = {file.name: file.read_bytes() for file in path.iterdir() if file.suffix in FASTA + GFF3}
    else:
        with tarfile.open(path) as tar:
            files = {
                member.name: tar.extractfile(member).read()
                for member in tar
                if member.isfile() and PurePath(member.name).suffix in FASTA + GFF3
            }
    return read_pairs(files, str(path), strand=strand)


def read_pairs(files: Mapping[str, bytes], source: str, *, strand: str = "+") -> Reading:
    """Loci of files that belong together by their names, NAME.fa and NAME.gff3.

    Args:
        files: contents by name.
        source: where they come from, for messages.
        strand: as in :func:`read_annotated`.

    Raises:
        ValueError: as :func:`read_collection`.
    """
    loci: list[Locus] = []
    notices: list[str] = []
    for stem in sorted({str(PurePath(name).with_suffix("")) for name in files}):
        fasta = [stem + suffix for suffix in FASTA if stem + suffix in files]
        gff3 = [stem + suffix for suffix in GFF3 if stem + suffix in files]
        if len(fasta) != 1 or len(gff3) != 1:
            raise ValueError(
                f"{source}: {', '.join(fasta + gff3)} is no pair; needed is one FASTA ({', '.join(FASTA)}) "
                f"and one GFF3 ({', '.join(GFF3)}) of the same name."
            )
        reading = annotate(files[gff3[0]], gff3[0], (files[fasta[0]], fasta[0]), strand)
        loci += reading.loci
        notices += reading.notices
    if not loci:
        raise ValueError(f"{source} holds no pair of files NAME.fa and NAME.gff3.")
    names = [locus.name for locus in loci]
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise ValueError(f"{source} holds several sequences named {twice}. Names must differ.")
    return Reading(tuple(loci), tuple(notices))


def annotate(gff3: bytes, gff3_name: str, fasta: tuple[bytes, str] | None, strand: str = "+") -> Reading:
    """Loci of the bytes of an annotation and of its sequences with their name; see :func:`read_annotated`."""
    annotation = read_gff3(decode(gff3, gff3_name), gff3_name)
    if (fasta is None) == (annotation.fasta is None):
        raise ValueError(
            f"{gff3_name} holds {'no ' if fasta is None else ''}sequences after ##FASTA, and "
            f"{'no' if fasta is None else 'a'} FASTA file was given. Exactly one of them is needed."
        )
    text, source = (annotation.fasta, gff3_name) if fasta is None else (decode(*fasta), fasta[1])
    records = read_fasta(text, source)
    names = {name for name, _ in records}
    stray = next((row for row in annotation.rows if row.seqid not in names), None)
    if stray is not None:
        raise ValueError(
            f"{gff3_name}, line {stray.line}: a feature on {stray.seqid}, but {source} holds no sequence of "
            f"that name. It holds {', '.join(sorted(names)[:5])}{', …' if len(names) > 5 else ''}."
        )
    loci, notices = [], list(annotation.notices)
    for name, sequence in records:
        loci.append(_locus(name, sequence, annotation, strand, notices))
    return Reading(tuple(loci), tuple(notices))


def _locus(name: str, sequence: str, annotation: Gff3, strand: str, notices: list[str]) -> Locus:
    rows = [row for row in annotation.rows if row.seqid == name]
    _check_coordinates(name, len(sequence), rows, annotation)
    transcripts, found = coding_transcripts(rows, annotation.source)
    notices += found
    where = f"{annotation.source}, {name}"
    period = len(sequence) if any(row.is_circular for row in rows) else None
    return labelled_locus(name, sequence, longest_of_each_gene(transcripts), where, strand, notices, period)


def labelled_locus(
    name: str,
    sequence: str,
    genes: Sequence[Transcript],
    where: str,
    strand: str,
    notices: list[str],
    period: int | None = None,
) -> Locus:
    """A sequence with the labels that its transcripts give it.

    Args:
        name: of the sequence.
        sequence: its bases.
        genes: one transcript for each gene.
        where: file and sequence, for notices.
        strand: as in :func:`read_annotated`.
        notices: takes a sentence for each transcript that does not count.
        period: the length of a circular sequence, None if it is linear.

    Raises:
        ValueError: if the strand is unknown, or the sequence holds letters that are no bases.
    """
    if strand not in STRANDS:
        raise ValueError(f"strand={strand!r}; allowed are {', '.join(STRANDS)}.")
    here, elsewhere = (
        [t for t in genes if (strand in (t.strand, "both")) == wanted] for wanted in (True, False)
    )
    counted, left_out = without_overlap(here, period)
    if not counted:
        notices.append(
            f"{where}: no CDS{'' if strand == 'both' else f' on strand {strand}'}; all bases are N."
        )
    notices += [f"{where}: {t.id} lies on the other strand and does not count." for t in elsewhere]
    notices += [
        f"{where}: {id} overlaps {rival}, which codes for more, and does not count." for id, rival in left_out
    ]
    y, places = label_sites(counted, len(sequence)), codon_places(counted, len(sequence))
    if strand == "-":
        sequence, y, places = sequence.translate(_COMPLEMENT)[::-1], y[::-1], places[::-1]
    return Locus(name, sequence, y, tuple(transcript.id for transcript in counted), places)


def _check_coordinates(name: str, length: int, rows: Sequence[Row], annotation: Gff3) -> None:
    circular = any(row.is_circular for row in rows)
    first, last = annotation.regions.get(name, (1, length))
    if first == 1 and last != length:
        raise ValueError(
            f"{annotation.source}: ##sequence-region says that {name} has {last} bases, but its sequence has "
            f"{length}. Annotation and sequence are of different versions."
        )
    for row in rows:
        if row.start >= length or row.stop > (2 * length if circular else length):
            raise ValueError(
                f"{annotation.source}, line {row.line}: {row.type} {row.start + 1}..{row.stop} reaches "
                f"beyond {name}, which has {length} bases."
            )


def main(arguments: Sequence[str] | None = None) -> None:
    """The command: read a collection, keep every n-th locus by the hash of its name, write them."""
    parser = argparse.ArgumentParser(prog="python -m viterbi_lab.data.annotation", description=main.__doc__)
    parser.add_argument("source", type=Path, help="folder or tar file with pairs NAME.fa, NAME.gff3")
    parser.add_argument("--out", type=Path, required=True, help="gzipped text file to write")
    parser.add_argument(
        "--one-in", type=int, default=1, help="keep loci whose MD5 is divisible by this number"
    )
    parser.add_argument("--strand", choices=STRANDS, default="+", help="the strand whose genes count")
    options = parser.parse_args(arguments)
    reading = read_collection(options.source, strand=options.strand)
    kept = [locus for locus in reading.loci if fold(locus.name, options.one_in) == 0]
    write_loci(kept, options.out)
    for notice in reading.notices:
        sys.stderr.write(notice + "\n")
    bases = sum(len(locus.sequence) for locus in kept)
    sys.stdout.write(f"{len(kept)} of {len(reading.loci)} loci, {bases} bases, written to {options.out}\n")


if __name__ == "__main__":
    main()
