"""Where a reader is, as the query of an address: the view, the problem with ⊙ and h, and the step.

``?view=step&example=worked_example&op=plus&h=sqrt&step=27``. A problem that is no example any more is packed
into ``problem=``. Reading a query solves at most one problem that is small enough to be drawn.
"""

import base64
import binascii
import json
import zlib
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, quote

from viterbi_lab.ui import problem_file, typed
from viterbi_lab.ui.drawable import MOST_SITES, too_big
from viterbi_lab.ui.presets import Preset
from viterbi_lab.ui.question import CAPPED, OPS, OWN, Question

VIEWS = ("step", "compare", "train", "tasks", "scale", "story")
KEYS = ("view", "beat", "example", "problem", "op", "h", "step")
RULE_TOKENS = {"k": "k", "sqrt": "√k", "square": "k²", "zero-one": "0/1"}
CAP = "cap-"  # cap-3 is h(k) = min(k, 3)
PASSED = ("hide", "theme")  # others read these
MOST_LETTERS = 8_000  # of a query; many programs that pass links on cut longer ones
MOST_BYTES = 500_000  # of an unpacked problem
MOST_STEPS = 1_000_000  # of any problem that can be drawn


@dataclass(frozen=True)
class Place:
    """Where a reader is.

    Attributes:
        view: one of `VIEWS`.
        question: what is on the stage; None where a link leaves that open.
        preset: title of the example it was made from, or another text where there is none.
        step: events done.
        beat: which beat of the story, from 1.
    """

    view: str
    question: Question | None = None
    preset: str = ""
    step: int = 0
    beat: int = 1


def written(place: Place, examples: dict[str, Preset]) -> str:
    """Return the query that `read` turns into the same place.

    Raises:
        ValueError: if the problem is too long for a link.
    """
    if place.view in ("train", "tasks"):
        return f"view={place.view}"
    if place.view == "story":
        return f"view=story&beat={place.beat}"
    question = place.question
    example = examples.get(place.preset)
    if example is not None and _same_problem(question, example.question):
        problem = f"example={example.name}"
    else:
        problem = f"problem={_packed(question)}"
    h = quote(_h_token(question), safe="*(),")
    query = f"view={place.view}&{problem}&op={question.op}&h={h}&step={place.step}"
    if len(query) > MOST_LETTERS:
        raise ValueError(
            f"This problem needs a link of {len(query)} letters; {MOST_LETTERS} are the most that arrive "
            "everywhere. Save it as JSON instead."
        )
    return query


def read(query: str, examples: dict[str, Preset]) -> tuple[Place, list[str]]:
    """Return the place of a query, and a sentence for everything in it that could not be used.

    What cannot be used is left open; ⊙ or h without a problem belong to the first example.

    Args:
        query: what follows the ? of an address.
        examples: by title.
    """
    place, complaints = Place(VIEWS[0]), []
    if len(query) > MOST_LETTERS:
        return place, [f"The link has {len(query)} letters; {MOST_LETTERS} are read. It was not used."]
    given: dict[str, str] = {}
    for key, value in parse_qsl(query, keep_blank_values=True):
        if key in PASSED:
            continue
        if key not in KEYS:
            complaints.append(f"The link names “{_short(key)}”, which is none of {', '.join(KEYS)}.")
        elif key in given:
            complaints.append(f"The link gives {key} twice; the first is used.")
        else:
            given[key] = value
    if given.keys() & {"op", "h", "step"} and not given.keys() & {"example", "problem"}:
        given["example"] = next(iter(examples.values())).name
    for key, value in sorted(given.items(), key=lambda item: KEYS.index(item[0])):
        try:
            place = _TAKE[key](place, value, examples)
        except ValueError as error:
            complaints.append(f"The link's {key} could not be used: {error}")
    return place, complaints


def _take_view(place: Place, value: str, _examples: dict[str, Preset]) -> Place:
    if value not in VIEWS:
        raise ValueError(f"“{_short(value)}” is none of {', '.join(VIEWS)}.")
    return replace(place, view=value)


def _take_example(place: Place, value: str, examples: dict[str, Preset]) -> Place:
    for title, example in examples.items():
        if example.name == value:
            return replace(place, question=example.question, preset=title)
    names = ", ".join(example.name for example in examples.values())
    raise ValueError(f"“{_short(value)}” is none of {names}.")


def _take_problem(place: Place, value: str, _examples: dict[str, Preset]) -> Place:
    return replace(place, question=_unpacked(value), preset="")


def _take_op(place: Place, value: str, _examples: dict[str, Preset]) -> Place:
    if place.question is None:
        raise ValueError("its problem could not be read.")
    if value not in OPS:
        raise ValueError(f"“{_short(value)}” is none of {', '.join(OPS)}.")
    return replace(place, question=replace(place.question, op=value))


def _take_h(place: Place, value: str, _examples: dict[str, Preset]) -> Place:
    question = place.question
    if question is None:
        raise ValueError("its problem could not be read.")
    if value in RULE_TOKENS:
        changed = replace(question, rule=RULE_TOKENS[value])
    elif value.startswith(CAP):
        changed = replace(question, rule=CAPPED, cap=_count(value.removeprefix(CAP), 1, MOST_SITES))
    else:
        own, formula = typed.wrapper(value, question)
        changed = replace(question, rule=OWN, own=own, formula=formula)
    return replace(place, question=changed)


def _take_step(place: Place, value: str, _examples: dict[str, Preset]) -> Place:
    return replace(place, step=_count(value, 0, MOST_STEPS))


def _take_beat(place: Place, value: str, _examples: dict[str, Preset]) -> Place:
    return replace(place, beat=_count(value, 1, 999))


_TAKE = {
    "view": _take_view,
    "beat": _take_beat,
    "example": _take_example,
    "problem": _take_problem,
    "op": _take_op,
    "h": _take_h,
    "step": _take_step,
}


def _same_problem(question: Question, example: Question) -> bool:
    """Whether only ⊙ and h differ, and the title, which random scores change."""
    ours, theirs = (
        {**problem_file.content_of(one), "title": "", "h": "", "op": ""} for one in (question, example)
    )
    return ours == theirs


def _h_token(question: Question) -> str:
    for token, rule in RULE_TOKENS.items():
        if rule == question.rule:
            return token
    return f"{CAP}{question.cap}" if question.rule == CAPPED else typed.written_wrapper(question)


def _packed(question: Question) -> str:
    text = json.dumps(problem_file.content_of(question), ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def _unpacked(text: str) -> Question:
    damaged = ValueError("it is damaged, perhaps cut off on its way.")
    unpack = zlib.decompressobj()
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        raw = unpack.decompress(packed, MOST_BYTES)
    except (binascii.Error, zlib.error):
        raise damaged from None
    if len(raw) == MOST_BYTES and not unpack.eof:
        raise ValueError(f"it is larger than {MOST_BYTES} bytes.")
    if not unpack.eof:
        raise damaged
    try:
        content = json.loads(raw.decode())
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise damaged from None
    try:
        question = problem_file.question_of(content)
    except (ValueError, OverflowError) as error:
        raise ValueError(str(error)) from None
    complaint = too_big(*question.size, question.largest_cost)
    if complaint:
        raise ValueError(complaint)
    return question


def _count(text: str, least: int, most: int) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9 or not least <= int(text) <= most:
        raise ValueError(f"“{_short(text)}” is no whole number from {least} to {most}.")
    return int(text)


def _short(text: str) -> str:
    return text if len(text) <= 30 else f"{text[:30]}…"
