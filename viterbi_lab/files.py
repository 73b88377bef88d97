"""Files that are whole or not there: written beside their place and moved, and never read beyond a size."""

from __future__ import annotations

import gzip
import io
import os
import struct
import tempfile
import time
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path

DAMAGED_ARCHIVE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError)
"""What zipfile raises of bytes that are no whole archive, or are locked or packed in an unknown way."""

HOUR = 3600.0  # seconds after which what a killed process left behind is removed


class NotWritten(OSError):
    """A file could not be written; what was there before is untouched."""

    def __init__(self, place: Path, reason: OSError) -> None:
        what = reason.strerror or str(reason)
        super().__init__(f"{place} could not be written: {what}. What was there before is untouched.")
        self.errno = reason.errno  # after the base class, which sets it by its own arguments


def replace_file(place: str | os.PathLike, content: bytes) -> None:
    """Write a file so that a reader, and a machine that dies, sees the old one or the new one.

    Args:
        place: where to.
        content: all of it.

    Raises:
        NotWritten: for want of space, rights or a folder; the message says which.
    """
    place = Path(place)
    try:
        _remove_leftovers(place)
        handle, beside = tempfile.mkstemp(prefix=f".{place.name}.", suffix=".part", dir=place.parent)
    except OSError as reason:
        raise NotWritten(place, reason) from reason
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(beside, 0o644)
        os.replace(beside, place)
    except BaseException as reason:
        with suppress(OSError):
            os.unlink(beside)
        if isinstance(reason, OSError):
            raise NotWritten(place, reason) from reason
        raise
    _sync_folder(place.parent)


def read_at_most(place: str | os.PathLike, most: int, variable: str) -> bytes:
    """The bytes of a file that is not larger than it may be.

    Args:
        place: where it is.
        most: bytes.
        variable: the environment variable that allows more, for the message.

    Raises:
        ValueError: if it is larger; nothing of it has been read.
        OSError: if it cannot be read.
    """
    with open(place, "rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        content = b"" if size > most else stream.read(most + 1)
    if max(size, len(content)) > most:
        raise ValueError(
            f"{place} has {size:,} bytes, and {variable} allows {most:,}. Choose a smaller file."
        )
    return content


def gunzipped(content: bytes, source: str, most: int) -> bytes:
    """Unpack what gzip packed.

    Args:
        content: all of it.
        source: what errors call it.
        most: bytes that may come out; no more are ever unpacked.

    Raises:
        ValueError: if it is damaged, or more would come out.
    """
    try:
        unpacked = gzip.GzipFile(fileobj=io.BytesIO(content)).read(most + 1)
    except (OSError, EOFError, zlib.error) as fault:
        raise ValueError(f"{source} is damaged: {fault}.") from fault
    if len(unpacked) > most:
        raise ValueError(f"{source} unpacks to more than {most:,} bytes, which is not read.")
    return unpacked


def _remove_leftovers(place: Path) -> None:
    """Remove what processes left behind that were killed while they wrote this file."""
    for leftover in place.parent.glob(f".{place.name}.*.part"):
        with suppress(FileNotFoundError):  # another process removes it, too
            if time.time() - leftover.stat().st_mtime > HOUR:
                leftover.unlink()


def _sync_folder(folder: Path) -> None:
    """Let the name, too, survive a machine that dies; Windows keeps it by itself."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
