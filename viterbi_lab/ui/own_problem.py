"""A problem that somebody brings, as JSON, CSV or NPZ; what is wrong with it is told by its place."""

import codecs
import json
from dataclasses import dataclass

from viterbi_lab.data.text import decode
from viterbi_lab.ui import presets, problem_arrays, problem_file, problem_table
from viterbi_lab.ui.question import Question

MOST_BYTES = 8_000_000  # of a file, and of the arrays in it; a websocket message has at most 20 MB
MOST_WORK = 2e9  # additions of Algorithm 1 that a page may wait for, about a second
ZIP = b"PK"


@dataclass(frozen=True, eq=False)
class Brought:
    """What a file held.

    Attributes:
        question: the problem.
        notes: sentences about what was not taken for granted.
    """

    question: Question
    notes: tuple[str, ...]


def read(raw: bytes, name: str) -> Brought:
    """Read a problem.

    Args:
        raw: the bytes of a file, or of a text that was pasted.
        name: what errors call it.

    Raises:
        ValueError: if it is too large, too long to be decoded here, or describes no valid problem; the
            message names line and column, the field, or the array and index.
    """
    if len(raw) > MOST_BYTES:
        raise ValueError(f"{name} has {len(raw)} bytes; at most {MOST_BYTES} are read.")
    if raw.startswith(ZIP):
        question, notes = problem_arrays.read(raw, name, MOST_BYTES)
        return Brought(_short(question, name), tuple(notes))
    text = decode(raw, name)
    if not text.strip():
        raise ValueError(f"{name} is empty. Give a problem as JSON, CSV or NPZ.")
    if text.lstrip().startswith(("{", "[")):
        question, notes = problem_file.read_text(text, name), []
    else:
        question, notes = problem_table.read_text(text, name)
    if raw.startswith(codecs.BOM_UTF8):
        notes.append("It begins with a byte order mark.")
    if b"\r" in raw:
        notes.append("Its lines end by CR.")
    return Brought(_short(question, name), tuple(notes))


def _short(question: Question, name: str) -> Question:
    T, N, order = question.size
    if float(T) * question.largest_cost * N ** (max(1, order) + 1) > MOST_WORK:
        raise ValueError(
            f"{name}: T = {T:,} sites of N = {N} labels take too long to decode while a page waits. Use "
            "viterbi_lab.decode."
        )
    return question


def examples() -> dict[str, bytes]:
    """Return the worked example in each format, by file name; `read` brings the same problem back."""
    question = next(iter(presets.presets().values())).question
    content = json.dumps(problem_file.content_of(question), ensure_ascii=False, indent=1)
    return {
        "example.json": content.encode(),
        "example.csv": problem_table.text_of(question).encode(),
        "example.npz": problem_arrays.bytes_of(question),
    }
