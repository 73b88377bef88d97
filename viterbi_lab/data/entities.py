"""Entities as tags of tokens: the schemes IO, IOB1, IOB2 and IOBES, and what they say.

A tag is ``O`` or a prefix and a type, ``B-PER``. I goes on with an entity, B begins one, E ends one, S is one
of a single token. IO has no B: neighbours of one type are one entity. IOB1 writes B only where an entity
follows one of the same type, IOB2 and IOBES at every beginning.

Faulty tags, such as an I after O in IOB2, are read as the scorer of the CoNLL-2000 shared task reads them: an
entity goes on while the type stays the same and neither a B or S begins nor an E or S ends it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

IO, IOB1, IOB2, IOBES = SCHEMES = ("IO", "IOB1", "IOB2", "IOBES")
OUTSIDE = "O"
_TAG = re.compile(r"([BIES])-((?:(?!,[BIES]-).)+)", re.DOTALL)  # not B-x,I-y: two tags in one


class Entity(NamedTuple):
    """Tokens ``start``, …, ``stop - 1`` with their type."""

    start: int
    stop: int
    type: str


def is_tag(tag: str) -> bool:
    """Whether it is ``O``, or one of B, I, E, S with a type."""
    return tag == OUTSIDE or _TAG.fullmatch(tag) is not None


def entities(tags: Sequence[str]) -> list[Entity]:
    """The entities of one sequence of tags, in order; any scheme, faults as the module says.

    Raises:
        ValueError: if a tag is neither ``O`` nor a prefix and a type.

    Example:
        >>> entities(["I-PER", "B-PER", "I-PER", "O", "S-LOC"])
        [Entity(start=0, stop=1, type='PER'), Entity(start=1, stop=3, type='PER'), Entity(start=4, stop=5, type='LOC')]
    """  # noqa: E501 - a doctest shows a line as it is printed
    found: list[Entity] = []
    start, open_type = 0, None
    for place, tag in enumerate([*tags, OUTSIDE]):
        prefix, kind = _split(tag, place)
        if open_type is not None and (kind != open_type or prefix in "BS"):
            found.append(Entity(start, place, open_type))
            open_type = None
        if open_type is None and kind is not None:
            start, open_type = place, kind
        if prefix in ("E", "S"):
            found.append(Entity(start, place + 1, kind))
            open_type = None
    return found


def tags_of(found: Iterable[Entity], length: int, scheme: str = IOB2) -> list[str]:
    """The tags of entities.

    Args:
        found: entities, in order, that do not overlap.
        length: T.
        scheme: one of ``SCHEMES``.

    Returns:
        T tags.

    Raises:
        ValueError: if the scheme is unknown, or IO cannot tell two neighbours of one type apart.
    """
    if scheme not in SCHEMES:
        raise ValueError(f"scheme={scheme!r}; known are {', '.join(SCHEMES)}.")
    tags = [OUTSIDE] * length
    before = Entity(-1, -1, "")
    for entity in found:
        start, stop, kind = entity
        tags[start:stop] = [f"I-{kind}"] * (stop - start)
        touches = before.stop == start and before.type == kind
        if touches and scheme == IO:
            raise ValueError(
                f"IO cannot tell apart the two {kind} that meet at token {start} (from 0). Use IOB2."
            )
        if scheme in (IOB2, IOBES) or (scheme == IOB1 and touches):
            tags[start] = f"B-{kind}"
        if scheme == IOBES:
            tags[stop - 1] = f"E-{kind}" if stop - start > 1 else f"S-{kind}"
        before = entity
    return tags


def scheme_of(sequences: Iterable[Sequence[str]]) -> str | None:
    """The strictest scheme that all tags obey: IOBES, IOB2, IO, IOB1, or None if they mark no entities.

    Of files that obey several, IO is named where there is no B, and IOB2 where every entity begins with B.
    A mixture, where an entity begins with I after O and another with B after O, is ``None`` as well.
    """
    sequences = list(sequences)
    if not all(is_tag(tag) for tags in sequences for tag in set(tags)):
        return None
    prefixes = {tag[0] for tags in sequences for tag in tags} - {OUTSIDE}
    if not prefixes:
        return None
    if prefixes == {"I"}:
        return IO
    candidates = (IOBES,) if prefixes & {"E", "S"} else (IOB2, IOB1)
    for scheme in candidates:
        if not any(strays(tags, scheme) for tags in sequences):
            return scheme
    return None


def strays(tags: Sequence[str], scheme: str) -> list[int]:
    """The tokens, from 0, whose tags are not as the scheme would write the entities that they are read as."""
    should = tags_of(entities(tags), len(tags), scheme)
    return [place for place, (tag, right) in enumerate(zip(tags, should, strict=True)) if tag != right]


def convert(tags: Sequence[str], scheme: str) -> list[str]:
    """The same entities in another scheme, from any of them."""
    return tags_of(entities(tags), len(tags), scheme)


def may_follow(before: str | None, after: str | None, scheme: str) -> bool:
    """Whether a tag may follow another in a scheme; None stands for the begin and the end of a sentence.

    Example:
        >>> [may_follow(before, "I-PER", IOB2) for before in ("O", "B-PER", "B-LOC", None)]
        [False, True, False, False]
    """
    if scheme not in (IOB2, IOBES):
        return True
    prefix, kind = _split(before or OUTSIDE, 0)
    next_prefix, next_kind = _split(after or OUTSIDE, 0)
    if next_prefix in ("I", "E"):
        return prefix in ("B", "I") and kind == next_kind
    return scheme == IOB2 or prefix not in ("B", "I")


def _split(tag: str, place: int) -> tuple[str, str | None]:
    if tag == OUTSIDE:
        return OUTSIDE, None
    match = _TAG.fullmatch(tag)
    if match is None:
        raise ValueError(
            f"tag {tag!r} of token {place} (from 0) is neither O nor B-, I-, E- or S- with a type."
        )
    return match[1], match[2]
