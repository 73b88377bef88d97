"""Results of a grid on disk: a folder with a JSON file for each cell that is done, and one for the protocol.

A file is written beside its place, brought to the disk, and then moved there: whenever the power goes, a cell
is either done or not begun. Each carries a digest of its numbers, without the seconds that they took; the
digest of a folder is that of all of these, so it does not depend on how the grid was gone through.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

from viterbi_lab.experiments.protocol import Cell, CellResult, Count, OnPath, Protocol
from viterbi_lab.files import replace_file

FORMAT = "viterbi_lab cell of Fig. 7"
PROTOCOL_FORMAT = "viterbi_lab protocol of Fig. 7"
VERSION = 1
LARGEST = 2**20  # bytes; a cell of 15 values of C has 5 kB
LEFT_OVER_SECONDS = 3600.0


class NotACell(ValueError):
    """The file is no result of a cell, or it is damaged."""


class OtherProtocol(ValueError):
    """The folder holds results of another protocol."""


def open_folder(folder: Path, protocol: Protocol) -> None:
    """Make a folder for the results of a protocol, or go on with one.

    Files that a process left half written an hour ago or earlier are removed.

    Raises:
        OtherProtocol: if it holds results of another protocol.
        OSError: if it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / "protocol.json"
    wanted = {"format": PROTOCOL_FORMAT, "version": VERSION, **_plain(protocol)}
    if place.exists():
        found = _json(place)
        if found != wanted:
            different = sorted(
                key for key in wanted | found if wanted.get(key, place) != found.get(key, place)
            )
            raise OtherProtocol(
                f"{folder} holds results of another protocol; it differs in {', '.join(different)}. "
                "Choose another folder, or the settings of this one."
            )
    else:
        _replace(place, wanted)
    for left in folder.glob(".*.part"):
        with contextlib.suppress(FileNotFoundError):  # another process may tidy up, too
            if time.time() - left.stat().st_mtime > LEFT_OVER_SECONDS:
                left.unlink()


def read_protocol(folder: Path) -> Protocol:
    """The protocol of a folder.

    Raises:
        NotACell: if the folder says none.
        OSError: if it cannot be read.
    """
    found = _json(folder / "protocol.json")
    if found.pop("format", None) != PROTOCOL_FORMAT or found.pop("version", None) != VERSION:
        raise NotACell(f"{folder / 'protocol.json'} is no protocol that this version can read.")
    try:
        return Protocol(**{**found, "Cs": tuple(found["Cs"])})
    except (TypeError, KeyError) as error:
        raise NotACell(f"{folder / 'protocol.json'} is no protocol: {error}.") from error


def place_of(folder: Path, cell: Cell) -> Path:
    """Where the result of a cell lies."""
    return folder / f"set{cell.data_set:03}-sigma{cell.sigma:g}-n{cell.n:05}-{cell.rescaling}.json"


def write(folder: Path, result: CellResult) -> None:
    """Put a result into its place, complete or not at all.

    Raises:
        OSError: if it cannot be written; what was there before still is.
    """
    numbers = numbers_of(result)
    whole = {
        "format": FORMAT,
        "version": VERSION,
        "made_with": {name: metadata.version(name) for name in ("viterbi-lab", "numpy", "numba")},
        "sha256": digest_of(numbers),
        "seconds": result.seconds,
        "numbers": numbers,
    }
    _replace(place_of(folder, result.cell), whole)


def read(place: Path) -> CellResult:
    """The result in a file.

    Raises:
        NotACell: if it is none, or damaged; the message says so.
        OSError: if it cannot be read.
    """
    found = _json(place)
    if found.get("format") != FORMAT:
        raise NotACell(f"{place} is no result of a cell.")
    if found.get("version") != VERSION:
        raise NotACell(f"{place} has format {found.get('version')!r}; this version reads {VERSION}.")
    try:
        numbers = dict(found["numbers"])
        if digest_of(numbers) != found["sha256"]:
            raise NotACell(f"{place} is damaged: its digest does not match.")
        one_slack = numbers["one_slack"]
        result = CellResult(
            cell=Cell(**numbers.pop("cell")),
            path=tuple(OnPath(**point) for point in numbers.pop("path")),
            n_slack=Count(**numbers.pop("n_slack")),
            n_slack_fixed=Count(**numbers.pop("n_slack_fixed")),
            one_slack=None if numbers.pop("one_slack") is None else Count(**one_slack),
            seconds=float(found["seconds"]),
            **numbers,
        )
    except (TypeError, KeyError) as error:
        raise NotACell(f"{place} is damaged: {error}.") from error
    if place_of(place.parent, result.cell) != place:
        raise NotACell(f"{place} holds the result of {result.cell}.")
    return result


def read_all(folder: Path) -> list[CellResult]:
    """All results of a folder, in the order of the grid.

    Raises:
        NotACell: if one of the files is none; it may be removed, and the grid gone through again.
    """
    return sorted((read(place) for place in folder.glob("set*.json")), key=lambda result: result.cell)


def digest(results: Iterable[CellResult]) -> str:
    """The digest of all numbers of these results; not of the seconds that they took."""
    return digest_of({str(result.cell): digest_of(numbers_of(result)) for result in results})


def numbers_of(result: CellResult) -> dict[str, Any]:
    """What is the same at every repetition, as JSON can say it."""
    numbers = _plain(result)
    del numbers["seconds"]
    return numbers


def digest_of(numbers: Mapping[str, Any]) -> str:
    """The SHA-256 of numbers, however their keys are ordered."""
    text = json.dumps(numbers, sort_keys=True, ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: Any) -> dict[str, Any]:
    """A dataclass as it comes back from JSON: tuples are lists."""
    return json.loads(json.dumps(asdict(value), allow_nan=False))


def _json(place: Path) -> dict[str, Any]:
    if place.stat().st_size > LARGEST:
        raise NotACell(f"{place} has {place.stat().st_size} bytes; at most {LARGEST} are read.")
    try:
        found = json.loads(place.read_text(encoding="utf-8"))
    except ValueError as error:
        raise NotACell(f"{place} is damaged: {error}.") from error
    if not isinstance(found, dict):
        raise NotACell(f"{place} is no result of a cell.")
    return found


def _replace(place: Path, content: Mapping[str, Any]) -> None:
    replace_file(place, json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1).encode())
