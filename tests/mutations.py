"""Damage: bytes and lines as bad disks, editors and ill-meaning people leave them, in endless variety."""

import gzip
import io
import os
import zipfile

import numpy as np

EVERYTHING = os.environ.get("VITERBI_LAB_FULL") == "1"
TOKENS = (
    b"null", b"true", b"-1", b"0", b"1e999", b"NaN", b"Infinity", b"[]", b"{}", b'""', b"[" * 2000, b"\x00",
    b"9" * 400, b'"\\ud800"', b'"-inf"', b"__import__('os')", b"\xff\xfe", b"PK\x05\x06", b"PK\x03\x04",
    b"\t", b"\n", b"\r", b" ", b",", b";", b">", b"<", b"=", b"(", b")" * 40, b"..", b"//", b"\x0b", b"\x85",
    b"\xc2\x85", b"\xe2\x80\xa8", b"99999999999", b"1.5", b"-0", b"%00", b'"', b"'", b"##FASTA\n", b"O",
    b"(S " * 2000, b"#=GC SS_cons ", b"ID ",
)  # fmt: skip


def mutated(content: bytes, rng: np.random.Generator) -> bytes:
    """The content with one to three kinds of damage: to some of its bytes, or to whole lines."""
    for _ in range(int(rng.integers(1, 4))):
        content = (_bytes_mutated if rng.random() < 0.7 else _lines_mutated)(content, rng)
    return content


def _bytes_mutated(content: bytes, rng: np.random.Generator) -> bytes:
    """Flipped, removed, doubled, cut off, or with something strange put in or over it."""
    content = bytearray(content)
    a, b = sorted(rng.integers(0, len(content) + 1, size=2).tolist())
    b = min(b, a + int(rng.integers(1, 40)))
    match int(rng.integers(6)):
        case 0:
            content[a:b] = bytes(rng.integers(0, 256, b - a, dtype=np.uint8))
        case 1:
            del content[a:b]
        case 2:
            content[a:a] = content[a:b]
        case 3:
            del content[a:]
        case 4:
            content[a:b] = TOKENS[int(rng.integers(len(TOKENS)))]
        case 5:
            content[a:a] = TOKENS[int(rng.integers(len(TOKENS)))]
    return bytes(content)


def _lines_mutated(content: bytes, rng: np.random.Generator) -> bytes:
    """A line removed, doubled or moved."""
    lines = content.split(b"\n")
    line = lines.pop(int(rng.integers(len(lines))))
    for _ in range(int(rng.integers(3))):
        lines.insert(int(rng.integers(len(lines) + 1)), line)
    return b"\n".join(lines)


def mutated_inside(content: bytes, rng: np.random.Generator) -> bytes:
    """Gzipped content, every other time with the damage under the compression."""
    if rng.random() < 0.5:
        return mutated(content, rng)
    return gzip.compress(mutated(gzip.decompress(content), rng), 1)


def mutated_member(content: bytes, rng: np.random.Generator) -> bytes:
    """A zip archive, most times with the damage in one of its members, whose checksum is then right."""
    if rng.random() < 0.3:
        return mutated(content, rng)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    damaged = sorted(members)[int(rng.integers(len(members)))]
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, member in members.items():
            archive.writestr(name, mutated(member, rng) if name == damaged else member)
    return stream.getvalue()
