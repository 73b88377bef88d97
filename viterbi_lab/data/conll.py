"""Tokens in columns: a token on each line, an empty line after each sentence, as in the CoNLL shared tasks.

No library is used: conllu reads the ten columns of CoNLL-U only, and none tells on which line a file differs
from what it seems to be.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from viterbi_lab.data.dataset import CONLL, DataSet, Record, on_lines
from viterbi_lab.data.entities import IO, IOB2, SCHEMES, convert, is_tag, scheme_of, strays

MARKER = "-DOCSTART-"
_NAMES_OF_COLUMNS = frozenset(
    ("id", "index", "form", "word", "token", "lemma", "pos", "upos", "xpos", "chunk", "ner", "tag", "label")
)
_NO_WORD = re.compile(r"\d+[-.]\d+")  # CoNLL-U: a token of several words, or a word that is not written


@dataclass(frozen=True)
class Columns:
    """Where in a line things are.

    Attributes:
        token: the column of the token, from 0; None: the first that does not number the tokens.
        label: the column of the label, from 0, or from the end if negative; None: there are no labels.
        separator: what separates columns: a string, or ``"blanks"`` for any blanks and tabs; None: a tab if
            every line has one, else any blanks.
        header: whether the first line names the columns; None: if it looks so.
        scheme: what the tags are turned into, one of the schemes of `viterbi_lab.data.entities`; None: they
            are left as they are.
    """

    token: int | None = None
    label: int | None = -1
    separator: str | None = None
    header: bool | None = None
    scheme: str | None = IOB2

    def __post_init__(self):
        if self.scheme is not None and self.scheme not in SCHEMES:
            raise ValueError(f"scheme={self.scheme!r}; known are {', '.join(SCHEMES)}.")


def read_conll(text: str, source: str, columns: Columns = Columns()) -> DataSet:
    """Read sentences.

    Lines of blanks and lines that begin with ``-DOCSTART-`` end a sentence. A line that begins with ``#`` and
    has another number of columns than the tokens is a comment.

    Args:
        text: the whole file, lines ended by line feeds.
        source: its name, for messages.
        columns: where things are.

    Returns:
        A record for each sentence, named by its first line; tokens as they stand, tags of entities in the
        scheme asked for.

    Raises:
        ValueError: if there is no token, a line has another number of columns than the first, a column that
            was named is not there, or a cell is empty; the message names the line.
    """
    notes: list[str] = []
    rows, begins = _rows(text, source, columns, notes)
    width = len(rows[0][1])
    label = None if columns.label is None else _column(columns.label, width, "label", source)
    token = _token_column(rows, begins, columns, width, source, notes)
    if label is not None and width == 1:
        raise ValueError(f"{source} has one column, so there is none for labels. Read it without labels.")
    if label == token:
        raise ValueError(f"{source}: column {token} cannot be both token and label. Name two columns.")
    if label is not None and width > 2 and columns.label == -1:
        notes.append(f"{source}: the label is the last of {width} columns.")
    for number, cells in rows:
        for column in (token, label):
            if column is not None and not cells[column].strip():
                raise ValueError(f"{source}, line {number}: column {column + 1} is empty.")
    sentences = [rows[a:b] for a, b in zip(begins, [*begins[1:], len(rows)], strict=True)]
    tags = None if label is None else [[cells[label] for _, cells in sentence] for sentence in sentences]
    scheme = None if tags is None else _settle_scheme(tags, sentences, columns.scheme, source, notes)
    records = []
    for place, sentence in enumerate(sentences):
        records.append(
            Record(
                f"{source}, line {sentence[0][0]}",
                tuple(cells[token] for _, cells in sentence),
                None if tags is None else tuple(tags[place]),
            )
        )
    return DataSet(CONLL, tuple(records), tuple(notes), scheme=scheme)


def _rows(
    text: str, source: str, columns: Columns, notes: list[str]
) -> tuple[list[tuple[int, list[str]]], list[int]]:
    """(line, cells) of all tokens, and the places among them where sentences begin."""
    lines = text.split("\n")
    separator = columns.separator or _separator(lines)
    split = str.split if separator == "blanks" else lambda line: line.split(separator)
    sure = next((line for line in lines if line.strip() and not line.startswith((MARKER, "#"))), "")
    width = len(split(sure))
    rows: list[tuple[int, list[str]]] = []
    begins: list[int] = []
    markers, comments, unwritten = [], [], []
    header, ended = columns.header, True
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith(MARKER):
            ended = True
            if line.strip():
                markers.append(number)
            continue
        cells = split(line)
        if line.startswith("#") and len(cells) != width:
            comments.append(number)
        elif len(cells) == 10 and _NO_WORD.fullmatch(cells[0]):
            unwritten.append(number)
        elif header or (header is None and not rows and _names_columns(cells)):
            notes.append(f"{source}, line {number}: {line.strip()!r} names the columns and is no token.")
            header = False
        elif len(cells) != width:
            how = "blanks" if separator == "blanks" else repr(separator)
            raise ValueError(
                f"{source}, line {number}: {len(cells)} columns separated by {how}, but {width} before. "
                "Every token needs the same columns; choose another separator if tokens hold blanks."
            )
        else:
            begins += [len(rows)] if ended else []
            ended = False
            rows.append((number, cells))
    if not rows:
        raise ValueError(
            f"{source} holds no token. Needed is a line for each, an empty one after a sentence."
        )
    for found, what in (
        (markers, "where documents begin, no tokens"),
        (comments, "comments"),
        (unwritten, "no words of their own (CoNLL-U), left out"),
    ):
        if found:
            notes.append(f"{source}, {on_lines(found)}: {what}.")
    return rows, begins


def _separator(lines: Sequence[str]) -> str:
    tokens = [line for line in lines if line.strip() and not line.startswith((MARKER, "#"))]
    return "\t" if tokens and all("\t" in line for line in tokens) else "blanks"


def _names_columns(cells: Sequence[str]) -> bool:
    return len(cells) > 1 and all(cell.strip().lower() in _NAMES_OF_COLUMNS for cell in cells)


def _column(column: int, width: int, what: str, source: str) -> int:
    if not -width <= column < width:
        raise ValueError(
            f"{source} has {width} columns, so there is no column {column} for the {what}. "
            f"Columns are numbered 0..{width - 1}, or from the end -1..{-width}."
        )
    return column % width


def _token_column(
    rows: list[tuple[int, list[str]]],
    begins: list[int],
    columns: Columns,
    width: int,
    source: str,
    notes: list[str],
) -> int:
    if columns.token is not None:
        return _column(columns.token, width, "token", source)
    ends = [*begins[1:], len(rows)]
    counts = width > 2 and all(
        rows[place][1][0] == str(place - begin + 1)
        for begin, end in zip(begins, ends, strict=True)
        for place in range(begin, end)
    )
    if counts:
        notes.append(f"{source}: the first column numbers the tokens; the second holds them.")
    return int(counts)


def _settle_scheme(
    tags: list[list[str]],
    sentences: list[list[tuple[int, list[str]]]],
    wanted: str | None,
    source: str,
    notes: list[str],
) -> str | None:
    """Turn the tags into the scheme that is wanted, in place, if they mark entities."""
    if wanted is None:
        return None
    strange = [
        (sentence[place][0], tag)
        for sentence, sentence_tags in zip(sentences, tags, strict=True)
        for place, tag in enumerate(sentence_tags)
        if not is_tag(tag)
    ]
    if strange:
        if any(is_tag(tag) and tag != "O" for sentence in tags for tag in sentence):
            lines = [line for line, _ in strange]
            notes.append(
                f"{source}, {on_lines(lines)}: labels such as {strange[0][1]!r} are no tags of entities, so "
                "all labels are left as they are."
            )
        return None
    found = scheme_of(tags)
    if found is None:
        if all(tag == "O" for sentence in tags for tag in sentence):
            return wanted
        guess = IOB2
        lines = [
            sentence[place][0]
            for sentence, sentence_tags in zip(sentences, tags, strict=True)
            for place in strays(sentence_tags, guess)
        ]
        notes.append(
            f"{source}, {on_lines(lines)}: tags are mixed, neither IOB1 nor {guess} nor IOBES; an entity "
            "goes on while its type stays and no B begins, as the CoNLL scorer reads it."
        )
    elif found != wanted:
        if found == IO:
            found = "IO, or IOB1 without neighbours of one type,"
        notes.append(f"{source}: tags are {found} and are turned into {wanted}.")
    for sentence in tags:
        sentence[:] = convert(sentence, wanted)
    return wanted
