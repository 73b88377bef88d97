"""Sequences as they were read, before they are described by features: what every reader returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

GENES, CONLL, TABLE, LETTERS = TASKS = ("genes", "conll", "table", "letters")
"""Kinds of data: DNA with genes; tokens in columns; rows of numbers; strings with a letter for each site."""


@dataclass(frozen=True, eq=False)
class Record:
    """One sequence.

    Attributes:
        name: its name, for messages.
        x: T sites. Genes and letters: a string. CoNLL: T tokens. Tables: (T, F) float64.
        y: T labels, or None if the file has none.
    """

    name: str
    x: Any
    y: tuple[str, ...] | None

    def __post_init__(self):
        if not len(self.x):
            raise ValueError(f"{self.name} is empty; a sequence has at least one site.")
        if self.y is not None and len(self.y) != len(self.x):
            raise ValueError(f"{self.name} has {len(self.x)} sites but {len(self.y)} labels.")

    def __len__(self) -> int:
        return len(self.x)


@dataclass(frozen=True, eq=False)
class DataSet:
    """What was read.

    Attributes:
        task: one of ``TASKS``.
        records: the sequences, in file order; at least one.
        notes: a sentence, with file and line, for everything that was repaired, chosen or left out.
        columns: tables: the names of the F features.
        scheme: CoNLL: how the tags mark entities, see `viterbi_lab.data.entities`; None: they do not.
    """

    task: str
    records: tuple[Record, ...]
    notes: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    scheme: str | None = None

    def __post_init__(self):
        if self.task not in TASKS:
            raise ValueError(f"task={self.task!r}; known are {', '.join(TASKS)}.")
        if not self.records:
            raise ValueError("there is no sequence. Needed is at least one.")

    @property
    def labels(self) -> list[str]:
        """The different labels, sorted."""
        return sorted({label for record in self.records if record.y is not None for label in record.y})

    @property
    def is_labelled(self) -> bool:
        """Whether every sequence has labels."""
        return all(record.y is not None for record in self.records)

    @property
    def sites(self) -> int:
        """Sites of all sequences."""
        return sum(len(record) for record in self.records)


def on_lines(lines: Sequence[int]) -> str:
    """All lines, for a sentence: ``line 3``, ``lines 3, 4, 9``."""
    return f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}"
