"""Rows of a GFF3 file: nine columns, read strictly, every fault named by file and line.

Why not an established reader: on our odd files (``tests/data/odd``) gffutils 0.14 took a row without tabs for
one long sequence name and eight columns for nine, shifted; bcbio-gff 0.7 dropped a row and stopped with a
bare AssertionError at ``foo==bar``; neither says on which line. Labels made from such rows would be wrong.

What is odd but harmless (an attribute without ``=``, a repeated directive) is read over and listed in
``Gff3.notices``.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote

_COLUMNS = "seqid, source, type, start, end, score, strand, phase, attributes"


@dataclass(frozen=True)
class Row:
    """One feature.

    Attributes:
        line: its line in the file, from 1.
        seqid: the sequence it lies on.
        type: e.g. ``CDS``, ``mRNA``, ``gene``.
        start: first site, from 0 (the file counts from 1).
        stop: one past the last site.
        strand: ``+``, ``-``, ``.`` or ``?``.
        phase: 0, 1, 2, or None where the file has a dot.
        id: the ID attribute, or None.
        parents: the Parent attribute, split at commas; empty if there is none.
        is_circular: whether the row says ``Is_circular=true``.
    """

    line: int
    seqid: str
    type: str
    start: int
    stop: int
    strand: str
    phase: int | None
    id: str | None
    parents: tuple[str, ...]
    is_circular: bool


@dataclass(frozen=True)
class Gff3:
    """What a file holds.

    Attributes:
        source: the name of the file.
        rows: its features, in file order.
        regions: ``##sequence-region`` directives: seqid → (first site, last site), counted from 1.
        fasta: the text after ``##FASTA``, or None.
        notices: one sentence, with file and line, for everything that was read over.
    """

    source: str
    rows: tuple[Row, ...]
    regions: dict[str, tuple[int, int]]
    fasta: str | None
    notices: tuple[str, ...]


def read_gff3(text: str, source: str) -> Gff3:
    """Read the text of a GFF3 file.

    Args:
        text: the whole file, lines ended by line feeds.
        source: the name of the file, for messages.

    Returns:
        Rows, regions, embedded sequences and notices.

    Raises:
        ValueError: if the file is not GFF3 (other version, GFF2 or GTF attributes, blanks for tabs), or a row
            has not nine columns, a start below 1, an end below its start, or an unknown strand or phase.
    """
    rows: list[Row] = []
    regions: dict[str, tuple[int, int]] = {}
    notices: list[str] = []
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        where = f"{source}, line {number}"
        if line.startswith("##FASTA") or line.startswith(">"):
            first = number if line.startswith("##") else number - 1
            return Gff3(source, tuple(rows), regions, "\n".join(lines[first:]), tuple(notices))
        if line.startswith("##"):
            _read_directive(line, where, regions, notices)
        elif line.strip() and not line.startswith("#"):
            rows.append(_read_row(line, number, where, notices))
    return Gff3(source, tuple(rows), regions, None, tuple(notices))


def _read_directive(line: str, where: str, regions: dict[str, tuple[int, int]], notices: list[str]) -> None:
    name, *values = line[2:].split()[:4] or [""]
    if name == "gff-version" and not (values and values[0].split(".")[0] == "3"):
        raise ValueError(f"{where}: {line.strip()!r}; only version 3 is read. Convert the file to GFF3.")
    if name != "sequence-region":
        return
    if len(values) != 3 or not (values[1].isdecimal() and values[2].isdecimal()):
        notices.append(f"{where}: {line.strip()!r} has no name, start and end, and is read over.")
        return
    seqid, region = unquote(values[0]), (int(values[1]), int(values[2]))
    if seqid in regions and regions[seqid] != region:
        raise ValueError(
            f"{where}: {seqid} was {regions[seqid]} before and is {region} now. Keep one of them."
        )
    if seqid in regions:
        notices.append(f"{where}: the region of {seqid} is given a second time.")
    regions[seqid] = region


def _read_row(line: str, number: int, where: str, notices: list[str]) -> Row:
    fields = line.split("\t")
    if len(fields) == 1:
        raise ValueError(f"{where}: no tab in {line[:40]!r}; GFF3 separates its nine columns by tabs.")
    if len(fields) != 9:
        raise ValueError(f"{where}: {len(fields)} columns; GFF3 has nine: {_COLUMNS}.")
    seqid, _, kind, start, end, score, strand, phase, attributes = (field.strip() for field in fields)
    if not (start.isdecimal() and end.isdecimal() and 1 <= int(start) <= int(end)):
        raise ValueError(
            f"{where}: start {start!r}, end {end!r}; needed are whole numbers with 1 <= start <= end. "
            "GFF3 counts from 1; files that count from 0 must be shifted."
        )
    if score != "." and not _is_number(score):
        raise ValueError(f"{where}: score {score!r} is neither a number nor a dot.")
    if strand not in ("+", "-", ".", "?"):
        raise ValueError(f"{where}: strand {strand!r}; allowed are + - . ?")
    if phase not in ("0", "1", "2", "."):
        raise ValueError(f"{where}: phase {phase!r}; allowed are 0 1 2 and a dot.")
    pairs = _read_attributes(attributes, where, notices)
    return Row(
        line=number,
        seqid=unquote(seqid),
        type=unquote(kind),
        start=int(start) - 1,
        stop=int(end),
        strand=strand,
        phase=None if phase == "." else int(phase),
        id=unquote(pairs["ID"]) if pairs.get("ID") else None,
        parents=tuple(unquote(name) for name in pairs.get("Parent", "").split(",") if name),
        is_circular=pairs.get("Is_circular", "").lower() == "true",
    )


def _read_attributes(column: str, where: str, notices: list[str]) -> dict[str, str]:
    """key=value pairs, still escaped: a comma or semicolon that is meant is written %2C or %3B."""
    pairs: dict[str, str] = {}
    strange: list[str] = []
    for piece in (piece.strip() for piece in column.split(";")):
        key, equals, value = piece.partition("=")
        if not equals:
            strange += [piece] if piece and column != "." else []
        elif key in pairs and key in ("ID", "Parent"):
            raise ValueError(f"{where}: {key} is given twice. Several parents are separated by commas.")
        else:
            pairs[key] = value
    if strange and not pairs:
        raise ValueError(
            f"{where}: attributes {column[:60]!r} are not key=value pairs; this is GFF2 or GTF. "
            "Convert the file to GFF3."
        )
    notices += [f"{where}: attribute {piece!r} has no '=' and is read over." for piece in strange]
    return pairs


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
