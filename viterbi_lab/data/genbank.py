"""Loci from GenBank and EMBL records, by Biopython: ``pip install "viterbi-lab[bio]"``.

CDS features become transcripts as those of GFF3 do; a feature ``gene`` is no evidence of coding. What a
location can say beyond GFF3:

- complement(join()) and join(complement(), …) are the same;
- on a circular record it may go over the origin and on at the first base;
- ``<`` and ``>`` mark genes of which only a part lies on the record;
- /ribosomal_slippage: the ribosome skips or repeats a base between two parts, which is no intron;
- /trans_splicing: the parts come from several molecules. What lies between them is unknown, so such a CDS
  does not count.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from viterbi_lab.data.annotation import Reading, labelled_locus
from viterbi_lab.data.text import one_line
from viterbi_lab.data.transcripts import Transcript

FORMATS = {"genbank": "LOCUS", "embl": "ID"}
"""Formats by Biopython's names, and the word that begins a record."""

_FEATURE = {"genbank": re.compile(r" {5}(\S+)"), "embl": re.compile(r"FT {3}(\S+)")}
_BASES = {"genbank": re.compile(r"^ORIGIN", re.MULTILINE), "embl": re.compile(r"^SQ ", re.MULTILINE)}
_NO_NAME = (".", "<unknown id>", "NO_SV_NUMBER")
_FAULTS = (ValueError, AssertionError, IndexError, KeyError, TypeError, AttributeError)
"""What Biopython raises on faulty records, as far as damaged files have shown."""


def read_genbank(text: str, source: str, *, strand: str = "+", format: str = "genbank") -> Reading:
    """Loci of records: one for each that holds bases.

    Args:
        text: the whole file, lines ended by line feeds.
        source: its name, for messages.
        strand: the strand whose genes count, as in `viterbi_lab.data.annotation.read_annotated`.
        format: ``"genbank"`` or ``"embl"``.

    Returns:
        The loci in the order of the records, and notices: of what Biopython guessed, of CDS that do not
        count, and of records that hold no bases.

    Raises:
        ModuleNotFoundError: if Biopython is not installed.
        ValueError: if this is no such file, a record cannot be read, or none holds bases.
    """
    loci: list = []
    notices: list[str] = []
    for record, first_line, lines in _records(text, source, format, notices):
        name = record.id if record.id not in _NO_NAME else record.name
        where = f"{source}, line {first_line}"
        if any(name == locus.name for locus in loci):
            raise ValueError(f"{where}: a second record is named {name}. Names must differ.")
        places = [place for place, key in lines if key == "CDS"]
        features = [feature for feature in record.features if feature.type == "CDS"]
        if len(places) != len(features):
            places = [first_line] * len(features)
        transcripts = []
        for feature, line in zip(features, places, strict=True):
            transcript = transcript_of(feature, record, f"{source}, line {line}", notices)
            transcripts += [] if transcript is None else [transcript]
        period = len(record) if _is_circular(record) else None
        loci.append(labelled_locus(name, str(record.seq), transcripts, where, strand, notices, period))
    if not loci:
        raise ValueError(f"{source} holds no bases to label. {' '.join(notices)}".strip())
    return Reading(tuple(loci), tuple(notices))


def transcript_of(feature: Any, record: Any, where: str, notices: list[str]) -> Transcript | None:
    """The transcript of a CDS feature of Biopython, or None with a notice if it does not count.

    Args:
        feature: the feature.
        record: its record.
        where: file and line, for notices.
        notices: takes a sentence for everything that is not as it should be.
    """
    about, location = feature.qualifiers, feature.location
    names = (about.get(key, [""])[0] for key in ("protein_id", "locus_tag", "gene", "label", "product"))
    name = "_".join(next(filter(None, names), f"CDS at {where}").split())
    strand = None if location is None else location.strand
    length = len(record)
    fault = None
    if location is None:
        fault = "has a location that Biopython cannot read"
    elif "pseudo" in about or "pseudogene" in about:
        fault = "is a pseudogene"
    elif "trans_splicing" in about or strand is None:
        fault = "is trans-spliced, so what lies between its parts is unknown,"
    elif any(part.ref is not None for part in location.parts):
        fault = "lies partly on another record"
    elif any(part.end > length for part in location.parts):
        fault = f"reaches beyond the {length} bases of the record"
    if fault is not None:
        notices.append(f"{where}: {name} {fault} and does not count.")
        return None
    along = location.parts if strand > 0 else location.parts[::-1]
    spans = _unwrapped(
        [(int(part.start), int(part.end)) for part in along], length if _is_circular(record) else None
    )
    if spans is None:  # sorted, they would make introns of what lies between molecules
        notices.append(f"{where}: the parts of {name} are not in order, so it does not count.")
        return None
    gaps = tuple((a_stop, b_start) for (_, a_stop), (b_start, _) in pairwise(spans) if a_stop < b_start)
    slips = "ribosomal_slippage" in about
    if slips and gaps:
        notices.append(f"{where}: where the ribosome slips in {name}, skipped bases are labelled E.")
    begin, end = (
        type(location.start).__name__ != "ExactPosition",
        type(location.end).__name__ != "ExactPosition",
    )
    start = about.get("codon_start", ["1"])[0]
    if start not in ("1", "2", "3"):
        notices.append(f"{where}: codon_start {start!r} of {name} is none of 1, 2, 3; taken as 1.")
        start = "1"
    return Transcript(
        name,
        (name, where),  # each CDS stands for itself: of those that overlap the longest counts
        "+" if strand > 0 else "-",
        tuple(spans),
        () if slips else gaps,
        gaps if slips else (),
        int(start) - 1,
        (begin, end) if strand > 0 else (end, begin),
    )


def _unwrapped(spans: list[tuple[int, int]], period: int | None) -> list[tuple[int, int]] | None:
    """Spans in ascending order, beyond the period after the origin; None if they are in no order."""
    turned, turn = [], 0
    for start, stop in spans:
        if turned and start + turn < turned[-1][0] and period is not None and turn == 0:
            turn = period
        if turned and start + turn < turned[-1][0]:
            return None
        turned.append((start + turn, stop + turn))
    if period is not None and turned[-1][1] - turned[0][0] > period:
        return None
    return turned


def _is_circular(record: Any) -> bool:
    return record.annotations.get("topology") == "circular"


def _records(
    text: str, source: str, format: str, notices: list[str]
) -> Iterator[tuple[Any, int, list[tuple[int, str]]]]:
    """Records that hold bases, with the first line of each, and the lines and keys of its features."""
    try:
        from Bio import SeqIO
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            'reading GenBank needs Biopython, which is not installed. Run: pip install "viterbi-lab[bio]"'
        ) from missing
    lines = text.split("\n")
    begins = [number for number, line in enumerate(lines) if line.split(" ")[0] == FORMATS[format]]
    if not begins or any(line.strip() for line in lines[: begins[0]]):
        raise ValueError(f"{source} does not begin with {FORMATS[format]}, as {format} files do.")
    for begin, end in pairwise([*begins, len(lines)]):
        chunk = "\n".join(lines[begin:end])
        where = f"{source}, line {begin + 1}"
        if format == "genbank" and re.search(r"\d aa\b", lines[begin]):
            notices.append(f"{where}: a record of a protein, left out.")
            continue
        if not _BASES[format].search(chunk):
            notices.append(f"{where}: a record without bases, left out.")
            continue
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                record = SeqIO.read(io.StringIO(chunk), format)
                str(record.seq)
            except _FAULTS as fault:
                raise ValueError(f"{where}: Biopython cannot read the record: {one_line(fault)}") from fault
        notices += [f"{where}: {one_line(warning.message)}" for warning in warned]
        found = ((begin + place, _FEATURE[format].match(line)) for place, line in enumerate(lines[begin:end]))
        yield record, begin + 1, [(place + 1, match[1]) for place, match in found if match]
