"""Tables of experiments: text for people, made by a command and kept in ``assets/tables``."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes:
        title: what it shows.
        columns: their heads.
        rows: cells as text, as many as columns.
        notes: sentences below it.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def markdown(self) -> str:
        """The table alone, in Markdown."""
        lines = [self.columns, ("---",) * len(self.columns), *self.rows]
        return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def mean_and_error(values: Sequence[float], *, scale: float = 1.0, digits: int = 1) -> str:
    """``12.3 ± 0.4``: the mean of repeats and its standard error; without the error if there is one only.

    Example:
        >>> mean_and_error([0.10, 0.14, 0.12], scale=100)
        '12.0 ± 1.2'
    """
    numbers = scale * np.asarray(values, dtype=np.float64)
    mean = f"{numbers.mean():.{digits}f}"
    if numbers.size < 2:
        return mean
    return f"{mean} ± {numbers.std(ddof=1) / np.sqrt(numbers.size):.{digits}f}"


def page(title: str, command: str, tables: Sequence[Table]) -> str:
    """All tables of an experiment as one Markdown page, with the command and the versions that made it."""
    made = ", ".join(f"{name} {version(name)}" for name in ("viterbi-lab", "numpy", "numba"))
    parts = [
        f"# {title}",
        f"Made by `{command}` with Python {platform.python_version()}, {made}.\n"
        "Seconds are of one shared core.",
    ]
    for table in tables:
        parts += [f"## {table.title}", table.markdown(), "\n".join(table.notes)]
    return "\n\n".join(part for part in parts if part) + "\n"


def deliver(text: str, out: Path | None) -> None:
    """Print a page, and write it into a file if one is named, and the folder of that if there is none."""
    sys.stdout.write(text)
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")
