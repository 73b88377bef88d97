"""What to do with sequences that are too long to train on: refuse them, split them, or keep what is labelled.

Loss-augmented inference takes time and memory for T·(K + 1) cells, so a sequence ten times as long costs a
hundred times as much. Labelling needs no such table and is not limited.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from viterbi_lab.data.dataset import DataSet, Record

REFUSE, SPLIT, WINDOW = CHOICES = ("refuse", "split", "window")
LONGEST = 5000
FLANK = 100


def background_of(data: DataSet) -> str:
    """The label of what is between segments: ``O`` or ``N`` if there is one, else the most frequent label."""
    counts = Counter(label for record in data.records for label in record.y or ())
    return next((label for label in ("O", "N") if label in counts), max(counts, key=counts.get))


def shortened(data: DataSet, choice: str, longest: int = LONGEST, background: str | None = None) -> DataSet:
    """Data without sequences longer than they may be.

    Args:
        data: labelled data.
        choice: ``"refuse"``: there must be none. ``"split"``: into pieces, cut between sites of the
            background, as late as possible. ``"window"``: the segments with 100 sites of background on either
            side; the rest is left out.
        longest: sites a sequence may have, at least 2.
        background: the label of what is between segments; None: `background_of` the data.

    Returns:
        The data, with a note for each sequence that was cut.

    Raises:
        ValueError: if a long sequence is refused, or its segments leave no place to cut.
    """
    if choice not in CHOICES:
        raise ValueError(f"long={choice!r}; known are {', '.join(CHOICES)}.")
    if longest < 2:
        raise ValueError(f"longest={longest}; at least 2 sites are needed.")
    if all(len(record) <= longest for record in data.records):
        return data
    background = background_of(data) if background is None else background
    records: list[Record] = []
    notes = list(data.notes)
    for record in data.records:
        if len(record) <= longest:
            records.append(record)
            continue
        if choice == REFUSE:
            raise ValueError(
                f"{record.name} has {len(record)} sites; up to {longest} are trained on. Choose 'split' (cut "
                f"between sites of {background}), 'window' (keep what is near other labels), or raise the "
                "limit."
            )
        quiet = np.array([label == background for label in record.y])
        spans = _split(quiet, longest) if choice == SPLIT else _windows(quiet, longest)
        if spans is None:
            raise ValueError(
                f"{record.name} has more than {longest} sites without a place to cut between sites of "
                f"{background}. Raise the limit."
            )
        kept = sum(stop - start for start, stop in spans)
        notes.append(
            f"{record.name}: {len(record)} sites, cut into {len(spans)} pieces; {len(record) - kept} sites "
            f"of {background} left out."
        )
        records += [
            Record(f"{record.name}:{start + 1}-{stop}", record.x[start:stop], record.y[start:stop])
            for start, stop in spans
        ]
    return replace(data, records=tuple(records), notes=tuple(notes))


def _split(quiet: Sequence[bool], longest: int) -> list[tuple[int, int]] | None:
    """Spans that cover everything, cut where both neighbours are background."""
    cuts = 1 + np.flatnonzero(quiet[:-1] & quiet[1:])
    spans, start = [], 0
    while len(quiet) - start > longest:
        place = int(np.searchsorted(cuts, start + longest, side="right")) - 1
        if place < 0 or cuts[place] <= start:
            return None
        spans.append((start, int(cuts[place])))
        start = int(cuts[place])
    return [*spans, (start, len(quiet))]


def _windows(quiet: Sequence[bool], longest: int) -> list[tuple[int, int]] | None:
    """Spans around segments of other labels; segments whose windows meet share one if it is not too long."""
    edges = np.flatnonzero(np.diff(~quiet, prepend=False, append=False)).tolist()
    groups: list[tuple[int, int]] = []
    for start, stop in zip(edges[::2], edges[1::2], strict=True):
        if groups:
            first, last = groups[-1]
            meet = start - last <= 2 * FLANK and stop - first + 2 * FLANK <= longest
            if meet or start - last < 2:  # a single site cannot be background of both
                groups[-1] = (first, stop)
                continue
        groups.append((start, stop))
    middles = [(a_stop + b_start) // 2 for (_, a_stop), (b_start, _) in pairwise(groups)]
    spans = [
        (max(low, start - FLANK), min(high, stop + FLANK))
        for (start, stop), low, high in zip(groups, [0, *middles], [*middles, len(quiet)], strict=True)
    ]
    return spans if all(stop - start <= longest for start, stop in spans) else None
