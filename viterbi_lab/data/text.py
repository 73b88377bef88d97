"""Bytes of a text file as text, or a sentence that says why not."""

from __future__ import annotations

import codecs

LONGEST = 400
"""Letters of a sentence about a file; what it quotes may be a whole file."""


def one_line(said: object) -> str:
    """What was said in one line; of one that is too long its beginning and end."""
    line = " ".join(str(said).split()) or type(said).__name__
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 100]} … {line[-97:]}"


def complaint(fault: object, *sources: str) -> str:
    """A sentence about a fault that begins with the first source, unless it names one of them."""
    said = one_line(fault)
    return said if any(source in said for source in sources) else one_line(f"{sources[0]}: {said}")


def decode(raw: bytes, source: str) -> str:
    """Decode UTF-8 (with or without a byte-order mark) and end every line by a line feed.

    Args:
        raw: the bytes of the file.
        source: the name of the file, for the message.

    Returns:
        The text; line ends of DOS (CR LF) and old Macs (CR) are replaced.

    Raises:
        ValueError: if the bytes are UTF-16, hold a zero byte, or are not UTF-8; it names file and line.
    """
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ValueError(f"{source} is UTF-16. Save it as UTF-8.")
    if b"\0" in raw:
        line = raw[: raw.index(b"\0")].count(b"\n") + 1
        raise ValueError(f"{source}, line {line}: a zero byte; this is no text, or UTF-16. Save it as UTF-8.")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = raw[: fault.start].count(b"\n") + 1
        raise ValueError(
            f"{source}, line {line}: byte 0x{raw[fault.start]:02x} is not UTF-8. Save the file as UTF-8."
        ) from fault
    return text.replace("\r\n", "\n").replace("\r", "\n")
