"""Stories as JSON files: beats for a talk, each one state of the stage with one sentence.

The format is described in ``assets/stories/README.md``. A beat is solved when it is read, so a story that
opens can be told to its end.
"""

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from viterbi_lab.assets import asset
from viterbi_lab.data.text import decode, one_line
from viterbi_lab.dp import Trace, trace
from viterbi_lab.files import read_at_most
from viterbi_lab.limits import Limits, variable
from viterbi_lab.ui import problem_file, strict_json, typed
from viterbi_lab.ui.drawable import too_big
from viterbi_lab.ui.question import OPS, OWN, RULES, Question

NEEDED, OPTIONAL = ("title", "say"), ("problem", "op", "h", "step", "point")
PARTS = ("truth", "card", "scores", "steps", "final")
POINTS = ("floor", "site", "cell", "path", "part")
MOST_BEATS = 60
MOST_TITLE, MOST_SAY = 60, 300  # letters: a title and a sentence must fit above the stage


@dataclass(frozen=True, eq=False)
class Beat:
    """One state of the stage, and what is said about it.

    Attributes:
        title: a few words.
        say: one sentence.
        question: what is on the stage.
        step: events done.
        marks: what to frame, as ``framesHtml`` in ``drawing.js`` takes it, counted from 0.
    """

    title: str
    say: str
    question: Question
    step: int
    marks: tuple[dict, ...]


@dataclass(frozen=True, eq=False)
class Story:
    """A talk.

    Attributes:
        title: what it is about.
        beats: in their order, at least one.
        text: the file it was read from.
    """

    title: str
    beats: tuple[Beat, ...]
    text: str


def bundled() -> Story:
    """Return the story that comes with the lab."""
    return read(asset("stories", "ten_minutes.json"))


def read(path: Path) -> Story:
    """Read a story.

    Raises:
        ValueError: as `read_bytes`.
        OSError: if it cannot be read.
    """
    return read_bytes(read_at_most(path, Limits.in_force("story_bytes"), variable("story_bytes")), path.name)


def read_bytes(raw: bytes, name: str) -> Story:
    """Read a story from the bytes of a file; ``name`` is what errors call it.

    Raises:
        ValueError: as `read_text`, or if it is too large or no UTF-8.
    """
    most = Limits.in_force("story_bytes")
    if len(raw) > most:
        raise ValueError(f"{name} has {len(raw):,} bytes, and {variable('story_bytes')} allows {most:,}.")
    return read_text(decode(raw, name), name)


def read_text(text: str, name: str) -> Story:
    """Read a story from the text of a file; ``name`` is what errors call it.

    Raises:
        ValueError: if it is not valid JSON, lacks a field, or a beat cannot be shown; the message names the
            beat and the field, or line and column.
    """
    try:
        return _story(strict_json.parse(text), text)
    except ValueError as error:
        raise ValueError(one_line(f"{name}: {error}")) from None


def beat_text(question: Question, step: int) -> str:
    """Return a state of the stage as one beat, to be put into a file and given its sentence."""
    content = problem_file.content_of(question)
    beat = {
        "title": question.title[:MOST_TITLE],
        "say": "What is seen here.",
        "problem": content,
        "step": step,
        "point": [],
    }
    return json.dumps(beat, ensure_ascii=False)


def _story(content: object, text: str) -> Story:
    if not isinstance(content, dict) or content.keys() != {"title", "beats"}:
        raise ValueError("A story is an object with the fields title and beats, and no others.")
    beats = content["beats"]
    if not isinstance(beats, list) or not 1 <= len(beats) <= MOST_BEATS:
        raise ValueError(f"beats is a list of 1 to {MOST_BEATS} beats.")
    told: list[Beat] = []
    for number, beat in enumerate(beats, start=1):
        try:
            told.append(_beat(beat, told[-1].question if told else None))
        except (ValueError, OverflowError) as error:
            raise ValueError(f"beat {number}: {error}") from None
    return Story(_text(content["title"], "title", MOST_TITLE), tuple(told), text)


def _beat(content: object, before: Question | None) -> Beat:
    if not isinstance(content, dict):
        raise ValueError(f"A beat is an object with the fields {', '.join(NEEDED)}.")
    for field in NEEDED:
        if field not in content:
            raise ValueError(f"There is no field {field!r}.")
    strange = content.keys() - {*NEEDED, *OPTIONAL}
    if strange:
        raise ValueError(f"The field {min(strange)!r} is unknown. There are {', '.join(NEEDED + OPTIONAL)}.")
    question = _question(content, before)
    solved = trace(question.problem())
    points = content.get("point", [])
    if not isinstance(points, list):
        raise ValueError("point is a list of places to frame.")
    return Beat(
        title=_text(content["title"], "title", MOST_TITLE),
        say=_text(content["say"], "say", MOST_SAY),
        question=question,
        step=_step(content.get("step", 0), solved),
        marks=tuple(_mark(point, f"point {n}", question, solved) for n, point in enumerate(points, start=1)),
    )


def _text(value: object, field: str, most: int) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{field} is {value!r}; it is a text.")
    if len(value) > most:
        raise ValueError(f"{field} has {len(value)} letters; at most {most} fit above the stage.")
    return value


def _question(content: dict, before: Question | None) -> Question:
    given = content.get("problem")
    if given is None and before is None:
        raise ValueError("There is no field 'problem'; only a later beat may go on with the one before.")
    if given is None:
        question = before
    elif isinstance(given, str):
        question = _example(given)
    else:
        question = problem_file.question_of(given)
    complaint = too_big(*question.size, question.largest_cost)
    if complaint:
        raise ValueError(complaint)
    if "op" in content:
        if content["op"] not in OPS:
            raise ValueError(f"op is {content['op']!r}; it is one of {', '.join(OPS)}.")
        question = replace(question, op=content["op"])
    if "h" in content:
        h = _text(content["h"], "h", MOST_SAY)
        if h in RULES:
            return replace(question, rule=h)
        own, formula = typed.wrapper(h, question)
        return replace(question, rule=OWN, own=own, formula=formula)
    return question


def _example(name: str) -> Question:
    names = json.loads(asset("problems", "order.json").read_text(encoding="utf-8"))
    if name not in names:
        raise ValueError(f"problem is {name!r}; it is a problem {{…}}, or one of {', '.join(names)}.")
    return problem_file.read(asset("problems", f"{name}.json"))


def _step(value: object, solved: Trace) -> int:
    """Events done: a number, or ``start``, ``t=3`` for the end of a column, ``maximise``, ``end``."""
    columns = np.isfinite(solved.L).sum(axis=(1, 2))
    cells, first = int(columns.sum()), int(np.flatnonzero(columns)[0])
    T = columns.size
    last = cells + 1 + T - first
    named = {"start": 0, "maximise": cells + 1, "end": last}
    if isinstance(value, str) and value in named:
        return named[value]
    column = re.fullmatch(r"t=(\d{1,6})", value) if isinstance(value, str) else None
    if column and first < int(column[1]) <= T:
        return int(columns[: int(column[1])].sum())
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= last:
        return value
    raise ValueError(
        f"step is {value!r}; it is a whole number from 0 to {last}, start, t={first + 1} to t={T}, "
        "maximise, or end."
    )


def _mark(point: object, where: str, question: Question, solved: Trace) -> dict:
    """What the stage frames, counted from 0."""
    if not isinstance(point, dict) or len(point) != 1 or next(iter(point)) not in POINTS:
        raise ValueError(f"{where} is an object with one of the fields {', '.join(POINTS)}.")
    ((kind, value),) = point.items()
    T = question.scores.length
    if kind == "part":
        if value not in PARTS:
            raise ValueError(f"{where}: part is {value!r}; it is one of {', '.join(PARTS)}.")
        return {"part": value}
    if kind == "floor":
        return {"floor": _whole(value, f"{where}: floor", 0, question.largest_cost)}
    if kind == "site":
        return {"site": _whole(value, f"{where}: site", 1, T) - 1}
    if kind == "path":
        return {"path": _labels(value, f"{where}: path", T, question.labels)}
    return {"cell": _cell(value, f"{where}: cell", question, solved)}


def _cell(value: object, where: str, question: Question, solved: Trace) -> list[int]:
    window, n = question.scores.window_order, question.scores.n_states
    if not isinstance(value, dict) or value.keys() != {"site", "floor", "labels"}:
        raise ValueError(f"{where} is an object with the fields site, floor and labels.")
    t = _whole(value["site"], f"{where}: site", window, question.scores.length) - 1
    k = _whole(value["floor"], f"{where}: floor", 0, question.largest_cost)
    labels = _labels(value["labels"], f"{where}: labels", window, question.labels)
    state = sum(label * n**age for age, label in enumerate(labels))
    if not np.isfinite(solved.L[t, k, state]):
        raise ValueError(f"{where}: no prefix reaches it: L is undefined there.")
    return [t, k, state]


def _whole(value: object, where: str, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(f"{where} is {value!r}; it is a whole number from {least} to {most}.")
    return value


def _labels(value: object, where: str, count: int, names: tuple[str, ...]) -> list[int]:
    if not isinstance(value, list) or len(value) != count or any(label not in names for label in value):
        raise ValueError(f"{where} is {value!r}; it is a list of {count} of the labels {', '.join(names)}.")
    return [names.index(label) for label in value]
