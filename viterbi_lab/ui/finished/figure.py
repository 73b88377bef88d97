"""What every finished figure is: parts that two backends draw, words, and numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Finished:
    """One figure.

    Attributes:
        name: as in the paper, and of its files.
        title: what it shows.
        note: how its numbers came about; one or two sentences.
        parts: draws its parts for a backend, from left to right.
        csv: its numbers.
    """

    name: str
    title: str
    note: str
    parts: Callable[[str], tuple[Any, ...]]
    csv: str


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return rows under their heads as CSV."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return stream.getvalue()
