"""Arrays of NumPy in an NPZ file as a table: sites end to end, and where each sequence ends.

    X        (ΣT, F) numbers, what describes each site
    lengths  (n,) whole numbers >= 1 that add up to ΣT; missing: all sites are one sequence
    y        (ΣT,) labels, whole numbers or text; may be missing
    names    (n,) text, names of the sequences; may be missing
    columns  (F,) text, names of the features; may be missing

Nothing is believed: sizes are compared before anything is unpacked, and objects are refused, not unpickled.
"""

from __future__ import annotations

import io
import sys
import tokenize
import zipfile

import numpy as np

from viterbi_lab.data.dataset import TABLE, DataSet, Record
from viterbi_lab.data.text import one_line
from viterbi_lab.files import DAMAGED_ARCHIVE

_ARRAYS = {"X": 2, "lengths": 1, "y": 1, "names": 1, "columns": 1}  # dimensions


def read_npz(raw: bytes, source: str, most_bytes: int) -> DataSet:
    """Read the bytes of an NPZ file.

    Args:
        raw: the whole file.
        source: its name, for messages.
        most_bytes: how large its arrays may be when unpacked.

    Raises:
        ValueError: if it is damaged, too large, holds objects, lacks X, or its arrays do not fit together.
    """
    notes: list[str] = []
    arrays = unpack(raw, source, most_bytes, _ARRAYS, notes)
    if "X" not in arrays:
        raise ValueError(f"{source} holds no array X. Needed are X (sites, features), and y and lengths.")
    X = arrays["X"]
    if X.dtype.kind not in "fiub" or 0 in X.shape:
        raise ValueError(
            f"{source}: X has shape {X.shape} of {X.dtype}; needed are numbers, (sites, features)."
        )
    X = X.astype(np.float64)
    if not np.isfinite(X).all():
        t, f = np.argwhere(~np.isfinite(X))[0]
        raise ValueError(f"{source}: X[{t}, {f}] is {X[t, f]}. Features must be finite numbers.")
    n_sites, n_features = X.shape
    lengths = arrays.get("lengths", np.array([n_sites]))
    if lengths.dtype.kind not in "iu" or not len(lengths) or lengths.min() < 1 or lengths.max() > n_sites:
        raise ValueError(f"{source}: lengths must be whole numbers 1..{n_sites}, at least one.")
    if int(lengths.astype(np.int64).sum()) != n_sites:
        raise ValueError(f"{source}: lengths add up to {lengths.sum()}, but X has {n_sites} sites.")
    y = arrays.get("y")
    if y is not None and (y.dtype.kind not in "iuUb" or len(y) != n_sites):
        raise ValueError(
            f"{source}: y has {len(y)} values of {y.dtype}; needed are {n_sites} numbers or texts."
        )
    if y is not None and "" in (labels := y.astype(str).tolist()):
        raise ValueError(f"{source}: y[{labels.index('')}] is empty. Give every site a label.")
    names = _texts(arrays, "names", len(lengths), source) or [f"sequence {i}" for i in range(len(lengths))]
    columns = _texts(arrays, "columns", n_features, source) or [f"x{f}" for f in range(n_features)]
    ends = np.cumsum(lengths)
    records = tuple(
        Record(name, X[a:b], None if y is None else tuple(labels[a:b]))
        for name, a, b in zip(names, (ends - lengths).tolist(), ends.tolist(), strict=True)
    )
    return DataSet(TABLE, records, tuple(notes), columns=tuple(columns))


def _texts(arrays: dict[str, np.ndarray], name: str, count: int, source: str) -> list[str] | None:
    if name not in arrays:
        return None
    texts = arrays[name]
    if texts.dtype.kind != "U" or len(texts) != count:
        raise ValueError(
            f"{source}: {name} has {len(texts)} values of {texts.dtype}; needed are {count} texts."
        )
    return texts.tolist()


def unpack(
    raw: bytes, source: str, most_bytes: int, dimensions: dict[str, int | None], notes: list[str]
) -> dict[str, np.ndarray]:
    """Unpack the arrays of an NPZ file that mean something.

    Args:
        raw: the whole file.
        source: its name, for messages.
        most_bytes: how large its arrays may be when unpacked.
        dimensions: of each array that means something, by name; None for any number.
        notes: takes a sentence for each array that does not.

    Raises:
        ValueError: if the file is damaged or too large, or an array holds objects or has other dimensions.
    """
    contents: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            members = archive.infolist()
            size = sum(info.file_size for info in members)
            for info in members if size <= most_bytes else ():
                name = info.filename.removesuffix(".npy")
                if name not in dimensions:
                    notes.append(f"{source}: array {name[:40]!r} has no meaning here and is not read.")
                else:
                    contents[name] = archive.read(info)
    except (*DAMAGED_ARCHIVE, ValueError) as fault:
        raise ValueError(f"{source} is damaged: {one_line(fault)}") from fault
    if size > most_bytes:
        raise ValueError(f"{source} unpacks to {size} bytes; at most {most_bytes} are read.")
    twice = len(members) - len({info.filename.removesuffix(".npy") for info in members})
    if twice:
        raise ValueError(f"{source} holds {twice} arrays whose name is there before. Names must differ.")
    return {
        name: _array(content, f"{source}: {name}", dimensions[name]) for name, content in contents.items()
    }


def _array(content: bytes, where: str, dimensions: int | None) -> np.ndarray:
    stream = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(stream)
        read_header = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, fortran, dtype = read_header(stream)
    except (ValueError, KeyError, RecursionError, MemoryError, tokenize.TokenError) as fault:
        raise ValueError(f"{where} is no array of NumPy: {one_line(fault)}") from fault
    if dtype.hasobject:
        raise ValueError(f"{where} holds Python objects, which are never unpacked. Save numbers or text.")
    if dimensions is not None and len(shape) != dimensions:
        raise ValueError(f"{where} has shape {shape}; needed are {dimensions} dimensions.")
    data = content[stream.tell() :]
    count = int(np.prod(shape, dtype=object))
    if count * dtype.itemsize != len(data):
        raise ValueError(f"{where} is damaged: {len(data)} bytes are there, not those of shape {shape}.")
    array = np.frombuffer(data, dtype).reshape(shape, order="F" if fortran else "C")
    if dtype.kind == "U" and dtype.itemsize:
        letters = np.frombuffer(data, np.dtype(np.uint32).newbyteorder(dtype.byteorder))
        strange = letters[(letters > sys.maxunicode) | ((letters >= 0xD800) & (letters < 0xE000))]
        if strange.size:
            raise ValueError(f"{where} holds the number {strange[0]:#x} in a text, which is no letter.")
    return array
