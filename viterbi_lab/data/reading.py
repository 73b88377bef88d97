"""One door for files of all kinds, safe on bytes that nobody vouches for.

Sizes are limited before anything is unpacked or parsed, the kind of a file is told by what is in it, and
nothing of it is executed: no pickle, and no path in an archive is written to. Whatever is wrong with a file
ends in `BadFile` with one sentence.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePath
from typing import TypeVar

from viterbi_lab.data.annotation import FASTA, GFF3, Reading, annotate, read_fasta, read_pairs
from viterbi_lab.data.arrays import read_npz
from viterbi_lab.data.conll import read_conll
from viterbi_lab.data.dataset import CONLL, GENES, LETTERS, TABLE, TASKS, DataSet, Record
from viterbi_lab.data.families import Family, parse_family
from viterbi_lab.data.genbank import read_genbank
from viterbi_lab.data.letters import read_letters
from viterbi_lab.data.loci import Locus, is_loci, parse_loci
from viterbi_lab.data.options import AS_FOUND, Options
from viterbi_lab.data.table import read_table
from viterbi_lab.data.text import complaint, decode
from viterbi_lab.features import base_codes
from viterbi_lab.files import gunzipped
from viterbi_lab.limits import Limits as LabLimits

SUFFIXES = {
    GENES: (*FASTA, *GFF3, ".gb", ".gbk", ".genbank", ".embl", ".tar", ".tgz", ".txt", ".gz"),
    CONLL: (".conll", ".conllu", ".txt", ".tsv", ".bio", ".iob", ".gz"),
    TABLE: (".csv", ".tsv", ".txt", ".npz", ".gz"),
    LETTERS: (".csv", ".tsv", ".txt", ".gz"),
}
"""Ends of names to offer where files are chosen. What counts is what is in a file, not its name."""

ALIGNMENT = "alignment"
"""The kind of data that `read_aligned` reads: not sequences of sites, so none of ``TASKS``."""

ALIGNMENTS = (".sto", ".stk", ".sth", ".stockholm", ".aln", ".clustal", ".msf")
"""Ends of names of alignments, which count where there are several files."""

Parsed = TypeVar("Parsed")


class BadFile(ValueError):
    """A file that cannot be read as what it was said to be, with one sentence that says why."""


@dataclass(frozen=True)
class Limits:
    """How large files may be, in bytes: as they come, and unpacked, all together."""

    packed: int = LabLimits.in_force("upload_bytes")
    unpacked: int = LabLimits.in_force("unpacked_bytes")


UPLOAD = Limits()
OWN_DISK = Limits(packed=2**30, unpacked=2**32)


def read(
    source: Path | bytes | Mapping[str, bytes],
    name: str,
    task: str,
    options: Options = AS_FOUND,
    limits: Limits = UPLOAD,
) -> DataSet:
    """Read a file as data of a task.

    Args:
        source: a path, the bytes of a file, or several files by name: FASTA and GFF3 that belong together.
        name: what to call it in messages; the names of several files are their own.
        task: one of ``viterbi_lab.data.dataset.TASKS``.
        options: what the file does not say itself.
        limits: how large it may be.

    Returns:
        The data, with a note for everything that was repaired, chosen or left out.

    Raises:
        BadFile: if it is too large, cannot be read, or is no such file; its message names file and line.
        ModuleNotFoundError: if it needs Biopython, which is not installed.
    """
    if task not in TASKS:
        raise ValueError(f"task={task!r}; known are {', '.join(TASKS)}.")
    return _parsed(source, name, task, limits, lambda files: _data(files, name, task, options, limits))


def read_aligned(
    source: Path | bytes | Mapping[str, bytes], name: str, limits: Limits = UPLOAD
) -> tuple[list[Family], tuple[str, ...]]:
    """Read alignments of several sequences: a file for each, Stockholm, Clustal or MSF, maybe gzipped.

    Args:
        source: a path of a file or a folder, the bytes of a file, or several files by name.
        name: what to call it in messages.
        limits: how large it may be.

    Returns:
        A family for each file, by the name of the file, and a sentence for everything guessed or repaired.

    Raises:
        BadFile: if it is too large, cannot be read, is no alignment of two sequences or more, or two files
            have the same name.
        ModuleNotFoundError: if it needs Biopython, which is not installed.
    """
    return _parsed(source, name, ALIGNMENT, limits, _families)


def read_sequences(source: Path | bytes, name: str, limits: Limits = UPLOAD) -> list[tuple[str, str]]:
    """Names and letters, in upper case, of the records of a FASTA file, maybe gzipped.

    Raises:
        BadFile: if it is too large, cannot be read, or is no FASTA.
        ModuleNotFoundError: if it needs Biopython, which is not installed.
    """

    def parse(files: Mapping[str, bytes]) -> list[tuple[str, str]]:
        if len(files) != 1:
            raise ValueError(f"{len(files)} files were given; sequences are read from one.")
        ((one, raw),) = files.items()
        return [(called, letters.upper()) for called, letters in read_fasta(decode(raw, one), one)]

    return _parsed(source, name, ALIGNMENT, limits, parse)


def _parsed(
    source: Path | bytes | Mapping[str, bytes],
    name: str,
    task: str,
    limits: Limits,
    parse: Callable[[Mapping[str, bytes]], Parsed],
) -> Parsed:
    """What is made of the files, or one sentence."""
    files: Mapping[str, bytes] = source if isinstance(source, Mapping) else {}
    try:
        files = _unpacked(_files(source, name, task, limits), limits)
        return parse(files)
    except OSError as fault:
        raise BadFile(f"{name} cannot be read: {fault.strerror or fault}.") from fault
    except ValueError as fault:
        raise BadFile(complaint(fault, name, *files)) from fault


def _data(files: Mapping[str, bytes], name: str, task: str, options: Options, limits: Limits) -> DataSet:
    if task == GENES:
        return _genes(files, name, options)
    if len(files) != 1:
        raise ValueError(f"{len(files)} files were given; {task} are read from one.")
    ((name, raw),) = files.items()
    if task == TABLE and raw.startswith(b"PK\x03\x04"):
        return read_npz(raw, name, limits.unpacked)
    text = decode(raw, name)
    if task == CONLL:
        return read_conll(text, name, options.columns)
    if task == TABLE:
        return read_table(text, name, options.layout)
    layout = options.layout
    return read_letters(
        text, name, letters=options.letters, labels=options.labels, separator=layout.separator
    )


def _families(files: Mapping[str, bytes]) -> tuple[list[Family], tuple[str, ...]]:
    kept = {name for name in files if PurePath(name).suffix in ALIGNMENTS} if len(files) > 1 else set(files)
    ignored = [f"{name} is no alignment by its name, and not read." for name in sorted(files.keys() - kept)]
    if not kept:
        raise ValueError(f"{len(files)} files were given, none with a name in {', '.join(ALIGNMENTS)}.")
    found = [parse_family(decode(files[name], name), name) for name in sorted(kept)]
    families = sorted((family for family, _ in found), key=lambda family: family.name)
    for one, other in pairwise(families):
        if one.name == other.name:
            raise ValueError(f"two files are named {one.name}. Rename one of them.")
    for family in families:
        if len(family.rows) < 2:
            raise ValueError(f"{family.name} has one sequence, so nothing is aligned. Give at least two.")
    return families, (*ignored, *(notice for _, notices in found for notice in notices))


def _files(
    source: Path | bytes | Mapping[str, bytes], name: str, task: str, limits: Limits
) -> dict[str, bytes]:
    """The files as they come, by name, not larger than they may be."""
    if isinstance(source, Path):
        paths = sorted(path for path in source.iterdir() if path.is_file()) if source.is_dir() else [source]
        if source.is_file() and source.suffix in GFF3 and task == GENES:
            paths += [path for suffix in FASTA if (path := source.with_suffix(suffix)).is_file()]
        size = sum(path.stat().st_size for path in paths)
        if size > limits.packed:
            raise ValueError(_too_large(name, size, limits.packed))
        return {path.name: path.read_bytes() for path in paths}
    files = {name: source} if isinstance(source, bytes) else dict(source)
    if not files:
        raise ValueError("no file was given.")
    size = sum(map(len, files.values()))
    if size > limits.packed:
        raise ValueError(_too_large(name, size, limits.packed))
    return files


def _unpacked(files: Mapping[str, bytes], limits: Limits) -> dict[str, bytes]:
    """Files without compression, and the files in archives of pairs."""
    plain: dict[str, bytes] = {}
    room = limits.unpacked
    for name, raw in files.items():
        if raw.startswith(b"\x1f\x8b"):
            raw = gunzipped(raw, name, room)
            name = name.removesuffix(".gz").removesuffix(".tgz")
        elif len(raw) > room:
            raise ValueError(f"{name} and the files before it have more than {limits.unpacked:,} bytes.")
        room -= len(raw)
        if raw[257:262] == b"ustar":
            plain.update(_members(raw, name))
        else:
            plain[name] = raw
    return plain


def _members(raw: bytes, name: str) -> dict[str, bytes]:
    """FASTA and GFF3 files of a tar archive that is not compressed (any more)."""
    files: dict[str, bytes] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(raw), mode="r:") as tar:
            for member in tar:
                if member.isfile() and not member.issparse() and PurePath(member.name).suffix in FASTA + GFF3:
                    files[member.name] = tar.extractfile(member).read()
    except tarfile.TarError as fault:
        raise ValueError(f"{name} is damaged: {fault}") from fault
    if not files:
        raise ValueError(f"{name} holds no pair of files NAME.fa and NAME.gff3.")
    return files


def _too_large(name: str, size: int, most: int) -> str:
    return f"{name} has {size} bytes; at most {most} are read. Give a part of it."


def _genes(files: Mapping[str, bytes], name: str, options: Options) -> DataSet:
    if len(files) == 1:
        ((name, raw),) = files.items()
        text = decode(raw, name)
        first = next((line for line in text.split("\n") if line.strip()), "")
        if first.startswith(">") and not is_loci(text):
            return _unlabelled(text, name)
        reading = _loci(raw, text, first, name, options.strand)
        notes = reading.notices
    else:
        kept = {one: raw for one, raw in files.items() if PurePath(one).suffix in FASTA + GFF3}
        reading = read_pairs(kept, name, strand=options.strand)
        ignored = (
            f"{one} is neither FASTA nor GFF3 by its name, and not read." for one in files.keys() - kept
        )
        notes = (*sorted(ignored), *reading.notices)
    records = [Record(locus.name, locus.sequence, _labels(locus, options, name)) for locus in reading.loci]
    return DataSet(GENES, tuple(records), notes)


def _loci(raw: bytes, text: str, first: str, name: str, strand: str) -> Reading:
    """Labelled loci of one file, whose first line with anything in it tells what it is."""
    if first.startswith("LOCUS"):
        return read_genbank(text, name, strand=strand)
    if first.startswith("ID "):
        return read_genbank(text, name, strand=strand, format="embl")
    if first.startswith("##") or first.count("\t") == 8:
        return annotate(raw, name, None, strand)
    if first.startswith(">"):
        return Reading(tuple(parse_loci(text, name)), ())
    raise ValueError(
        f"{name} is neither FASTA, GFF3, GenBank nor EMBL: it begins with {first[:30]!r}. FASTA begins with "
        "'>', GFF3 with '##gff-version 3' or a row of nine columns separated by tabs."
    )


def _unlabelled(text: str, name: str) -> DataSet:
    records = []
    for place, (called, letters) in enumerate(read_fasta(text, name), start=1):
        called = called or f"record {place}"
        try:
            base_codes(letters)
        except ValueError as fault:
            raise ValueError(f"{name}, {called}: {fault}") from fault
        records.append(Record(called, letters, None))
    return DataSet(GENES, tuple(records), (f"{name} holds sequences without labels.",))


def _labels(locus: Locus, options: Options, source: str) -> tuple[str, ...]:
    if not options.phases:
        return tuple(locus.labels)
    if locus.places is None:
        raise ValueError(f"{source} does not say which place in its codon a base has. Read labels N, E, I.")
    return tuple(
        label if place < 0 else f"{label}{place}"
        for label, place in zip(locus.labels, locus.places.tolist(), strict=True)
    )
