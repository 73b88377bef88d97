"""A trained model in one file: a zip archive of a JSON header and plain arrays. No pickle, no code, no types.

    header.json     what it is, in which version of the format, settings, labels, and a digest of each array
    <name>.npy      arrays of float64

A file is written beside its place and then moved there, so that a reader never sees half of one. Nothing of a
file is believed: sizes are compared before anything is read, dtypes and shapes before anything is used.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from viterbi_lab.files import DAMAGED_ARCHIVE, read_at_most, replace_file
from viterbi_lab.limits import Limits, variable

FORMAT = "viterbi_lab model"
VERSION = 1
LARGEST_HEADER = 64 * 2**20  # holds the names of a million features
LABELLER, ALIGNER = "labeller", "aligner"
HELD = {
    None: "a StructuredSVM without what makes its features. Use StructuredSVM.load",
    LABELLER: "a labeller. Use Labeller.load",
    ALIGNER: "an aligner. Use Aligner.load",
}
"""What a file holds, by the kind that its header names."""


class NotAModel(ValueError):
    """The file is no model of this program, or none that this version can read."""


def write(path: str | os.PathLike, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write a model, replacing what is there only when it is complete.

    Args:
        path: where to.
        header: anything that JSON can say, without infinities.
        arrays: float64 arrays by name.

    Raises:
        OSError: if the file cannot be written; what was there before still is.
        ValueError: if the header holds what JSON cannot say.
    """
    target = Path(path)
    contents = {name: _to_bytes(array) for name, array in arrays.items()}
    described = {
        name: {"shape": list(array.shape), "sha256": hashlib.sha256(contents[name]).hexdigest()}
        for name, array in arrays.items()
    }
    whole = {**header, "format": FORMAT, "version": VERSION, "arrays": described}
    try:
        text = json.dumps(whole, ensure_ascii=False, allow_nan=False, indent=1)
    except (TypeError, ValueError) as error:
        raise ValueError(f"The model holds something that its file cannot: {error}.") from error
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("header.json", text)
        for name, content in contents.items():
            archive.writestr(f"{name}.npy", content)
    replace_file(target, stream.getvalue())


def read(path: str | os.PathLike) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of a model file.

    Raises:
        NotAModel: if it is none, is damaged, or comes from a newer version; the message says which.
        OSError: if the file cannot be read.
    """
    try:
        stream = io.BytesIO(read_at_most(path, Limits.in_force("model_bytes"), variable("model_bytes")))
    except ValueError as error:
        raise NotAModel(str(error)) from error
    with _opened(stream, path) as archive:
        header = _header(archive, path)
        arrays = {name: _array(archive, name, about, path) for name, about in header["arrays"].items()}
    return header, arrays


def read_kind(path: str | os.PathLike, wanted: str | None) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of a file that holds a certain kind of model.

    Args:
        path: of the file.
        wanted: one of `HELD`.

    Raises:
        NotAModel: as `read` does, and if the file holds another kind.
        OSError: if the file cannot be read.
    """
    header, arrays = read(path)
    found = header.get("kind")
    if found != wanted:
        known = isinstance(found, str | None) and found in HELD
        raise NotAModel(f"{path} holds {HELD[found] if known else 'a kind of model that is not known here'}.")
    return header, arrays


def kind(path: str | os.PathLike) -> str | None:
    """What kind of model a file says that it holds, one of `HELD`; its arrays are not read.

    Raises:
        NotAModel: if it is none, is damaged, or comes from a newer version.
        OSError: if the file cannot be read.
    """
    with open(path, "rb") as file, _opened(file, path) as archive:
        return _header(archive, path).get("kind")


@contextmanager
def believed_only_if_it_fits(path: str | os.PathLike) -> Iterator[None]:
    """A header that does not say what was expected of it makes its file a damaged one.

    Raises:
        NotAModel: instead of what building a model from a wrong header or wrong arrays raises.
    """
    try:
        yield
    except NotAModel:
        raise
    except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
        raise NotAModel(f"{path} is damaged: {error!r}") from error


@contextmanager
def _opened(stream: BinaryIO, path: str | os.PathLike) -> Iterator[zipfile.ZipFile]:
    if not zipfile.is_zipfile(stream):
        raise NotAModel(f"{path} is not a model of viterbi_lab.")
    try:
        with zipfile.ZipFile(stream) as archive:
            yield archive
    except NotAModel:
        raise
    except (*DAMAGED_ARCHIVE, OSError, ValueError) as error:  # OSError: a place beyond the end of the file
        raise NotAModel(f"{path} is damaged: {error}") from error


def _header(archive: zipfile.ZipFile, path: str | os.PathLike) -> dict[str, Any]:
    try:
        header = json.loads(_member(archive, "header.json", LARGEST_HEADER))
    except (KeyError, ValueError, RecursionError) as error:
        raise NotAModel(f"{path} is not a model of viterbi_lab.") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise NotAModel(f"{path} is not a model of viterbi_lab.")
    version = header.get("version")
    if not isinstance(version, int) or version < 1:
        raise NotAModel(f"{path} is damaged: its format has version {version!r}.")
    if version > VERSION:
        raise NotAModel(
            f"{path} was written by a newer viterbi_lab (format {version}; this one reads up to {VERSION}). "
            "Update viterbi_lab."
        )
    if not isinstance(header.get("arrays"), dict):
        raise NotAModel(f"{path} is damaged: it does not describe its arrays.")
    return header


def _array(archive: zipfile.ZipFile, name: str, about: Any, path: str | os.PathLike) -> np.ndarray:
    try:
        shape = tuple(int(length) for length in about["shape"])
        size = 8 * int(np.prod(shape, dtype=object))
        content = _member(archive, f"{name}.npy", size + 1024)
        digest = about["sha256"]
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise NotAModel(f"{path} is damaged: its array {name!r} is missing or of another size.") from error
    if hashlib.sha256(content).hexdigest() != digest:
        raise NotAModel(f"{path} is damaged: the digest of its array {name!r} does not match.")
    try:
        array = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    except ValueError as error:
        raise NotAModel(f"{path} is damaged: its array {name!r} is no array.") from error
    if array.dtype != np.float64 or array.shape != shape:
        raise NotAModel(f"{path} is damaged: its array {name!r} has another type or shape.")
    return array


def _member(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """The content of a member that is not larger than it may be; KeyError if there is none."""
    info = archive.getinfo(name)
    if info.file_size > most or info.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"{name} is larger than it may be, or compressed")
    return archive.read(info)


def _to_bytes(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(array, np.float64, order="C"), allow_pickle=False)
    return stream.getvalue()
