"""From annotated features to labels: which transcript of a gene counts, and what lies between its parts.

Of each gene the transcript with most coding bases counts, and of overlapping genes on one strand the one
with most coding bases; ties go to the ID that comes first in the alphabet. The CDS parts of these transcripts
are E, the gaps between them I, all else N. Only CDS features count: a gene without one is not coding, and
introns that reads of RNA suggest are no annotation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from viterbi_lab.data.gff3 import Row
from viterbi_lab.data.loci import E, I, N


@dataclass(frozen=True)
class Transcript:
    """The coding parts of one transcript.

    Attributes:
        id: the ID of the transcript, or of the CDS if that has no parent.
        gene: the IDs of its genes; its own ID if it has none.
        strand: ``+`` or ``-``.
        parts: (start, stop) of the CDS parts from 0, by start. On a circular sequence they go on beyond T.
        introns: (start, stop) of the gaps between them.
        skipped: (start, stop) of gaps where the ribosome slips; they are coding, but in no codon.
        lead: coding bases before the first whole codon, 0..2.
        partial: whether the gene goes on beyond the sequence, before its first base and after its last,
            along the strand.
    """

    id: str
    gene: tuple[str, ...]
    strand: str
    parts: tuple[tuple[int, int], ...]
    introns: tuple[tuple[int, int], ...]
    skipped: tuple[tuple[int, int], ...] = ()
    lead: int = 0
    partial: tuple[bool, bool] = (False, False)

    @property
    def coding_length(self) -> int:
        """Bases of all parts."""
        return sum(stop - start for start, stop in self.parts)

    @property
    def span(self) -> tuple[int, int]:
        """From the first to one past the last coding base."""
        return self.parts[0][0], max(stop for _, stop in self.parts)


def coding_transcripts(rows: Sequence[Row], source: str) -> tuple[list[Transcript], list[str]]:
    """Group the CDS features of one sequence into transcripts.

    CDS rows belong together by their parent, or by their own ID if they name none. A parent that is not among
    the rows is a transcript of which only a piece was cut out with the sequence; its CDS do not count. A gap
    between two parts is an intron only where a row of the transcript covers it: trans-spliced transcripts
    have several rows far apart.

    Args:
        rows: all features of the sequence.
        source: the file they come from, for messages.

    Returns:
        The transcripts with at least one CDS, by first appearance; and a sentence for each missing parent and
        for each phase that does not follow from the parts before it (phases are not used).

    Raises:
        ValueError: if the parts of a transcript lie on both strands or on none, one lies outside of it, or no
            CDS has its parent among the rows.
    """
    rows_of: dict[str, list[Row]] = {}
    for row in rows:
        if row.id is not None and row.type != "CDS":
            rows_of.setdefault(row.id, []).append(row)
    parts_of: dict[str, list[Row]] = {}
    missing: dict[str, None] = {}
    for row in rows:
        if row.type != "CDS":
            continue
        if not row.parents:
            parts_of.setdefault(row.id or f"CDS_line_{row.line}", []).append(row)
        for parent in row.parents:
            if parent in rows_of:
                parts_of.setdefault(parent, []).append(row)
            else:
                missing[parent] = None
    if missing and not parts_of:
        raise ValueError(
            f"{source}: no CDS has its parent in the file; missing are {', '.join([*missing][:3])}. Keep the "
            "rows of the transcripts, or remove the Parent attributes."
        )
    transcripts = [
        _transcript(name, parts, rows_of.get(name, []), source) for name, parts in parts_of.items()
    ]
    notices = [f"{source}: {name} has CDS but no row of its own and does not count." for name in missing]
    for name, parts in parts_of.items():
        notices += _phase_notices(name, parts, source)
    return transcripts, notices


def _transcript(name: str, parts: list[Row], own_rows: list[Row], source: str) -> Transcript:
    strands = {row.strand for row in parts}
    where = f"{source}, line {parts[0].line}"
    if len(strands) > 1:
        lines = ", ".join(str(row.line) for row in parts)
        raise ValueError(
            f"{source}, lines {lines}: the CDS parts of {name} lie on several strands; such a transcript "
            "cannot be labelled along one strand. Remove it."
        )
    strand = strands.pop()
    if strand not in "+-":
        raise ValueError(f"{where}: the CDS of {name} has strand {strand!r}; + or - is needed.")
    for part in parts:
        if own_rows and not any(row.start <= part.start and part.stop <= row.stop for row in own_rows):
            raise ValueError(
                f"{source}, line {part.line}: CDS {part.start + 1}..{part.stop} lies outside of its parent "
                f"{name} (line {own_rows[0].line})."
            )
    spans = sorted({(row.start, row.stop) for row in parts})
    gaps = [(a_stop, b_start) for (_, a_stop), (b_start, _) in pairwise(spans) if a_stop < b_start]
    introns = [
        (start, stop)
        for start, stop in gaps
        if not own_rows or any(row.start <= start and stop <= row.stop for row in own_rows)
    ]
    gene = tuple(dict.fromkeys(parent for row in own_rows for parent in row.parents if parent != name))
    first = min(parts, key=lambda row: row.start if strand == "+" else -row.stop)
    return Transcript(name, gene or (name,), strand, tuple(spans), tuple(introns), lead=first.phase or 0)


def _phase_notices(name: str, parts: list[Row], source: str) -> list[str]:
    """A part of L bases and phase p is followed, along the strand, by one of phase (p − L) mod 3."""
    along = sorted(parts, key=lambda row: row.start, reverse=parts[0].strand == "-")
    return [
        f"{source}, line {b.line}: phase {b.phase} of a CDS of {name} does not follow from the part before "
        f"(phase {a.phase}, {a.stop - a.start} bases). Phases are not used."
        for a, b in pairwise(along)
        if a.phase is not None and b.phase is not None and (a.phase - (a.stop - a.start) - b.phase) % 3
    ]


def longest_of_each_gene(transcripts: Sequence[Transcript]) -> list[Transcript]:
    """Of each gene the transcript with most coding bases, by position; ties go to the first ID."""
    best: dict[tuple[str, ...], Transcript] = {}
    for transcript in sorted(transcripts, key=_longest_first):
        best.setdefault(transcript.gene, transcript)
    return sorted(best.values(), key=lambda transcript: transcript.span)


def without_overlap(
    transcripts: Sequence[Transcript], period: int | None = None
) -> tuple[list[Transcript], list[tuple[str, str]]]:
    """Disjoint transcripts: longest first, those that share a site with one already taken are left out.

    Args:
        transcripts: of one strand.
        period: the length of a circular sequence, on which spans go on at the start; None: it is linear.

    Returns:
        The transcripts taken, by position, and for each left out its ID and that of one it overlaps.
    """
    turns = (0,) if period is None else (-period, 0, period)
    taken: list[Transcript] = []
    left_out: list[tuple[str, str]] = []
    for transcript in sorted(transcripts, key=_longest_first):
        start, stop = transcript.span
        rival = next(
            (
                other
                for other in taken
                if any(start < other.span[1] + turn and other.span[0] + turn < stop for turn in turns)
            ),
            None,
        )
        if rival is None:
            taken.append(transcript)
        else:
            left_out.append((transcript.id, rival.id))
    return sorted(taken, key=lambda transcript: transcript.span), left_out


def label_sites(transcripts: Sequence[Transcript], length: int) -> np.ndarray:
    """Labels of a sequence in its own direction.

    Args:
        transcripts: those that count; a part that ends beyond T goes on at the start (circular sequences).
        length: T, the length of the sequence.

    Returns:
        (T,) int64: 0 = N, 1 = E, 2 = I.
    """
    y = np.full(length, N, dtype=np.int64)
    for transcript in transcripts:
        for label, spans in ((I, transcript.introns), (E, transcript.parts + transcript.skipped)):
            for start, stop in spans:
                y[np.arange(start, stop) % length] = label
    return y


def codon_places(transcripts: Sequence[Transcript], length: int) -> np.ndarray:
    """The place of each coding base in its codon, along the strand of its transcript.

    Args:
        transcripts: those that count.
        length: T, the length of the sequence.

    Returns:
        (T,) int64: 0, 1, 2 for coding bases, −1 elsewhere. A base that the ribosome skips has the place of
        the one before it; one that it reads twice has that of the second reading.
    """
    places = np.full(length, -1, dtype=np.int64)
    for transcript in transcripts:
        forward = transcript.strand == "+"
        count = -transcript.lead
        for start, stop in transcript.parts if forward else reversed(transcript.parts):
            sites = np.arange(start, stop) if forward else np.arange(stop - 1, start - 1, -1)
            places[sites % length] = (count + np.arange(len(sites))) % 3
            count += len(sites)
        for start, stop in transcript.skipped:
            places[np.arange(start, stop) % length] = places[(start - 1 if forward else stop) % length]
    return places


def _longest_first(transcript: Transcript) -> tuple[int, str]:
    return -transcript.coding_length, transcript.id
