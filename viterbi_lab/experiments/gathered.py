"""The results of a grid in one small file: a line for each cell, as it comes with the lab.

The whole path over C stays in the folder of the sweep; here are the chosen C and what was counted.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from viterbi_lab.assets import asset
from viterbi_lab.experiments.agreement import Agreement
from viterbi_lab.experiments.cells import COUNT_TRAINER, PATH_TRAINER
from viterbi_lab.experiments.protocol import Cell, CellResult, Protocol

FORMAT = "viterbi_lab results of Fig. 7"
VERSION = 1


@dataclass(frozen=True)
class Row:
    """One cell of the grid; attributes as in `Cell`, `CellResult` and `Count`.

    Attributes:
        data_set: from 0.
        sigma: σ.
        n: training sequences.
        rescaling: ``"slack"`` or ``"margin"``.
        C: the chosen one.
        border_gain: validation accuracy of the chosen C less that of the best C inside the grid, where the
            chosen one is its first or last; None where it lies inside.
        accuracy: share of right sites in the test sequences.
        unconverged: trainings on the path that ended without reaching their goal.
        passes: of the cutting-plane training with n slacks, from nothing, at the chosen C.
        oracle_calls: of that training.
        constraints: at its end.
        passes_fixed: the same at the C that all cells have in common.
        one_slack: iterations with one slack at the chosen C; None where they were not counted.
        one_slack_converged: whether these reached the goal.
        seconds: of processor time, for all trainings of the cell.
    """

    data_set: int
    sigma: float
    n: int
    rescaling: str
    C: float
    border_gain: float | None
    accuracy: float
    unconverged: int
    passes: int
    oracle_calls: int
    constraints: int
    passes_fixed: int
    one_slack: int | None
    one_slack_converged: bool | None
    seconds: float

    @classmethod
    def of(cls, result: CellResult, protocol: Protocol) -> Row:
        """The row of a cell."""
        cell, counted = result.cell, result.n_slack
        return cls(
            cell.data_set,
            cell.sigma,
            cell.n,
            cell.rescaling,
            result.C,
            _border_gain(result, protocol.n_validation * protocol.T),
            result.accuracy,
            sum(not _converged(point) for point in result.path)
            + (not _converged(counted))
            + (not _converged(result.n_slack_fixed)),
            counted.passes,
            counted.oracle_calls,
            counted.constraints,
            result.n_slack_fixed.passes,
            None if result.one_slack is None else result.one_slack.passes,
            None if result.one_slack is None else _converged(result.one_slack),
            round(result.seconds, 2),
        )


def _border_gain(result: CellResult, sites: int) -> float | None:
    if result.C not in (result.path[0].C, result.path[-1].C):
        return None
    best = max(point.validation_right for point in result.path)
    inside = max((point.validation_right for point in result.path[1:-1]), default=0)
    return (best - inside) / sites


def _converged(training: Any) -> bool:
    return training.status == "CONVERGED"


COLUMNS = tuple(field.name for field in fields(Row))


@dataclass(frozen=True)
class Gathered:
    """Results of a grid.

    Attributes:
        protocol: what all cells have in common.
        rows: in the order of the grid.
        agreements: objectives of a sample of cells, by the fast trainer and by cvxpy.
        digest: of all numbers of the cells, see `cell_files.digest`.
        made_with: versions of programs, and the processor.
    """

    protocol: Protocol
    rows: tuple[Row, ...]
    agreements: tuple[Agreement, ...]
    digest: str
    made_with: dict[str, str]

    def csv(self) -> str:
        """All rows as CSV with a header."""
        lines = [",".join(COLUMNS)]
        lines += [",".join(_word(getattr(row, column)) for column in COLUMNS) for row in self.rows]
        return "\n".join(lines) + "\n"


def complete(cells: Iterable[Cell], results: Iterable[CellResult]) -> list[CellResult]:
    """The results of those data sets of which all cells are there."""
    wanted = set(cells)
    found = {result.cell: result for result in results if result.cell in wanted}
    missing = {cell.data_set for cell in wanted - set(found)}
    return sorted(
        (result for cell, result in found.items() if cell.data_set not in missing),
        key=lambda result: result.cell,
    )


def sample(results: Sequence[CellResult], n: int = 50) -> list[tuple[Cell, float]]:
    """Cells of the first data set with their chosen C, one for each σ and rescaling, to be checked."""
    return [(r.cell, r.C) for r in results if r.cell.data_set == 0 and r.cell.n == n]


def gather(
    protocol: Protocol, results: Sequence[CellResult], agreements: Sequence[Agreement], digest: str
) -> Gathered:
    """Put results together.

    Raises:
        ValueError: if there are none.
    """
    if not results:
        raise ValueError("No data set is complete yet. Go through the grid first.")
    made_with = {
        name: metadata.version(name) for name in ("viterbi-lab", "numpy", "numba", "cvxpy", "clarabel")
    }
    made_with |= {"python": platform.python_version(), "processor": f"{platform.machine()}, one core"}
    return Gathered(
        protocol, tuple(Row.of(result, protocol) for result in results), tuple(agreements), digest, made_with
    )


def write(gathered: Gathered, place: Path) -> None:
    """Write the file, a line for each cell.

    Raises:
        OSError: if it cannot be written.
    """
    head = {
        "format": FORMAT,
        "version": VERSION,
        "protocol": asdict(gathered.protocol),
        "trainers": {"path": PATH_TRAINER, "counts": COUNT_TRAINER},
        "made_with": gathered.made_with,
        "digest": gathered.digest,
        "agreements": [asdict(agreement) for agreement in gathered.agreements],
        "columns": COLUMNS,
    }
    text = json.dumps(head, ensure_ascii=False, allow_nan=False, indent=1)
    rows = ",\n".join(json.dumps([getattr(row, column) for column in COLUMNS]) for row in gathered.rows)
    beside = place.with_name(f".{place.name}.part")
    beside.write_text(f'{text[:-2]},\n "rows": [\n{rows}\n]}}\n', encoding="utf-8")
    os.replace(beside, place)


def read(place: Path) -> Gathered:
    """Read what `write` wrote.

    Raises:
        ValueError: if it is something else.
        OSError: if it cannot be read.
    """
    found = json.loads(place.read_text(encoding="utf-8"))
    if not isinstance(found, dict) or (found.get("format"), found.get("version")) != (FORMAT, VERSION):
        raise ValueError(f"{place} holds no results of Fig. 7 that this version can read.")
    if tuple(found["columns"]) != COLUMNS:
        raise ValueError(f"{place} has the columns {found['columns']}; this version reads {list(COLUMNS)}.")
    protocol = found["protocol"]
    return Gathered(
        Protocol(**{**protocol, "Cs": tuple(protocol["Cs"])}),
        tuple(Row(*row) for row in found["rows"]),
        tuple(
            Agreement(Cell(**a["cell"]), a["C"], tuple(a["fast"]), tuple(a["reference"]))
            for a in found["agreements"]
        ),
        found["digest"],
        found["made_with"],
    )


@cache
def shipped() -> Gathered:
    """The results that come with the lab."""
    return read(asset("experiments", "figure7.json"))


def _word(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
