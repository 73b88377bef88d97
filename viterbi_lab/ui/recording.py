"""A recorded run as a file: what a run told, pass by pass, to be shown again without computing.

The file is gzipped JSON, ``{"format": "viterbi-lab run", "version": 1, …}``. It holds numbers, labels and
names; nothing in it is executed. Reading checks every value.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from viterbi_lab.data.text import one_line
from viterbi_lab.files import gunzipped
from viterbi_lab.iterate import Status
from viterbi_lab.rescaling import RESCALINGS
from viterbi_lab.ui import problem_file
from viterbi_lab.ui.attack import Attack
from viterbi_lab.ui.entry import Entry, labels_of
from viterbi_lab.ui.names import Names
from viterbi_lab.ui.passes import Card, Pass
from viterbi_lab.ui.question import Question
from viterbi_lab.ui.settings import CELEGANS, GENES, OWN, TRAINERS, WRAPPERS, Settings
from viterbi_lab.ui.weights import Inputs, Weights
from viterbi_lab.ui.window import Window

FORMAT, VERSION = "viterbi-lab run", 1
MOST_BYTES = 64 * 2**20  # of the text
MOST_PASSES, MOST_EXAMPLES, LONGEST, MOST_STATES, MOST_SHOWN = 5000, 100_000, 100_000, 200, 2000
MOST_WEIGHTS, MOST_KEPT = 10**9, 20_000
COUNTED = ("planes", "oracle_calls")
MEASURED = ("seconds", "lower", "upper", "oracle_seconds", "qp_seconds")


@dataclass(frozen=True, eq=False)
class Recording:
    """What is kept of a run.

    Attributes:
        settings: what it was started with.
        card: about its data.
        passes: at least one.
        status: how it ended.
        w: (d,) float64, the last weights; None if there are more than `MOST_KEPT`.
    """

    settings: Settings
    card: Card
    passes: tuple[Pass, ...]
    status: Status
    w: np.ndarray | None


def write(recording: Recording) -> bytes:
    """Return the content of a file; the same recording gives the same bytes."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "settings": asdict(recording.settings),
        "status": recording.status.name,
        "w": None if recording.w is None or recording.w.size > MOST_KEPT else recording.w.tolist(),
        "card": _card_content(recording.card),
        "passes": [_pass_content(seen, recording.card.names) for seen in recording.passes],
    }
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return gzip.compress(text.encode("utf-8"), mtime=0)


def read(content: bytes, name: str) -> Recording:
    """Read what `write` wrote.

    Args:
        content: of the file.
        name: what errors call it.

    Raises:
        ValueError: if it is no recorded run, of another version, too large, or not consistent; the message
            names the file and the place in it.
    """
    try:
        return _recording(Entry(json.loads(_unpacked(content)), "The run"))
    except RecursionError:
        raise ValueError(f"{name}: brackets are nested too deep.") from None
    except (ValueError, OverflowError) as error:
        raise ValueError(one_line(f"{name}: {error}")) from error


def _unpacked(content: bytes) -> bytes:
    try:
        return gunzipped(content, "it", MOST_BYTES)
    except ValueError as fault:
        raise ValueError(f"{fault} A recorded run is what “Save run” wrote.") from fault


def _card_content(card: Card) -> dict[str, Any]:
    names, inputs = card.names, card.inputs
    return {
        "labels": names.labels,
        "heights": names.heights,
        "states": names.states,
        "label_of": names.label_of,
        "n_examples": card.n_examples,
        "n_weights": card.n_weights,
        "truth": labels_of(card.truth),
        "groups": inputs.groups,
        "shown": inputs.shown,
    }


def _pass_content(seen: Pass, names: Names) -> dict[str, Any]:
    return {
        "number": seen.number,
        **{name: getattr(seen, name) for name in (*COUNTED, *MEASURED, "gap", "accuracy")},
        "prediction": labels_of(seen.prediction),
        "worst": _attack_content(seen.worst, names),
        "followed": _attack_content(seen.followed, names),
        "support": _short(seen.support),
        "features": [_short(row) for row in seen.weights.features],
        "steps": [_short(row) for row in seen.weights.steps],
    }


def _attack_content(found: Attack, names: Names) -> dict[str, Any]:
    window = found.window
    states = tuple(names.states[state] for state in window.states)
    question = Question.of(window.problem, window.title, states)
    return {
        "example": found.example,
        "y": labels_of(found.y),
        "y_hat": labels_of(found.y_hat),
        "value": found.value,
        "k": found.k,
        "leads": _short(found.leads),
        "first": window.first,
        "problem": problem_file.content_of(question),
    }


def _short(values: np.ndarray) -> list[float | None]:
    """Values of float32 in as few digits as tell them apart; null for −inf."""
    return [None if value == -np.inf else float(str(value)) for value in values]


def _recording(run: Entry) -> Recording:
    run["format"].one_of(FORMAT)
    if run["version"].whole(0, 10**6) != VERSION:
        raise ValueError(f"The run has version {run['version'].value}; this program reads version {VERSION}.")
    run.only("format", "version", "settings", "status", "w", "card", "passes")
    card = _card(run["card"])
    passes = tuple(_pass(entry, card) for entry in run["passes"])
    if not 1 <= len(passes) <= MOST_PASSES:
        raise ValueError(f"The run has {len(passes)} passes; it has 1..{MOST_PASSES}.")
    for before, after in pairwise(passes):
        if after.number <= before.number or after.seconds < before.seconds:
            raise ValueError(f"Pass {after.number} follows pass {before.number}, or comes before it in time.")
    status = Status[run["status"].one_of(*(status.name for status in Status))]
    w = None if run["w"].value is None else run["w"].scores(card.n_weights)
    return Recording(_settings(run["settings"]), card, passes, status, w)


def _settings(entry: Entry) -> Settings:
    entry.only(*Settings.__dataclass_fields__)
    return Settings(
        data=entry["data"].one_of(GENES, CELEGANS, OWN),
        rescaling=entry["rescaling"].one_of(*RESCALINGS),
        sigma=entry["sigma"].number(0.0),
        n=entry["n"].whole(1, MOST_EXAMPLES),
        C=entry["C"].number(1e-300),
        epsilon=entry["epsilon"].number(1e-300),
        wrapper=entry["wrapper"].one_of(*WRAPPERS),
        seed=entry["seed"].whole(0, 2**63),
        trainer=entry["trainer"].one_of(*TRAINERS),
        own=entry["own"].text(),
    )


def _card(entry: Entry) -> Card:
    labels = tuple(name.text() for name in entry["labels"])
    states = tuple(name.text() for name in entry["states"])
    if not 1 <= len(states) <= MOST_STATES or len(set(states)) != len(states):
        raise ValueError(f"The card names {len(states)} states; there are 1..{MOST_STATES}, all different.")
    heights = tuple(height.number(0.0, 1.0) for height in entry["heights"])
    label_of = tuple(label.whole(0, len(labels) - 1) for label in entry["label_of"])
    if len(heights) != len(labels) or len(label_of) != len(states):
        raise ValueError("The card must give a height for each label, and a label for each state.")
    n_weights = entry["n_weights"].whole(1, MOST_WEIGHTS)
    groups = tuple(_group(group) for group in entry["groups"])
    shown = tuple(feature.whole(0, n_weights - 1) for feature in entry["shown"])
    if len(shown) > MOST_SHOWN:
        raise ValueError(f"The card shows {len(shown)} features; at most {MOST_SHOWN} can be drawn.")
    return Card(
        names=Names(labels, heights, states, label_of),
        inputs=Inputs(groups, shown),
        n_examples=entry["n_examples"].whole(1, MOST_EXAMPLES),
        n_weights=n_weights,
        truth=entry["truth"].labels(None, len(labels), LONGEST),
    )


def _group(entry: Entry) -> tuple[str, tuple[str, ...]]:
    members = list(entry)
    if len(members) != 2:
        raise ValueError(f"{entry.where} is a pair: the name of a group, and the names of its features.")
    return members[0].text(), tuple(name.text() for name in members[1])


def _pass(entry: Entry, card: Card) -> Pass:
    N = len(card.names.states)
    return Pass(
        number=entry["number"].whole(1, 10**9),
        **{name: entry[name].whole(0, 10**12) for name in COUNTED},
        **{name: entry[name].number() for name in MEASURED},
        gap=entry["gap"].number(),
        accuracy=entry["accuracy"].number(0.0, 1.0),
        prediction=entry["prediction"].labels(card.truth.size, len(card.names.labels), LONGEST),
        worst=_attack(entry["worst"], card),
        followed=_attack(entry["followed"], card),
        support=entry["support"].scores(card.n_examples).astype(np.float32),
        weights=Weights(
            _table(entry["features"], N, len(card.inputs.shown)), _table(entry["steps"], N + 1, N + 1)
        ),
    )


def _table(entry: Entry, rows: int, columns: int) -> np.ndarray:
    table = [row.scores(columns) for row in entry]
    if len(table) != rows:
        raise ValueError(f"{entry.where} has {len(table)} rows; it has {rows}.")
    return np.array(table, np.float32).reshape(rows, columns)


def _attack(entry: Entry, card: Card) -> Attack:
    N = len(card.names.states)
    y = entry["y"].labels(None, N, LONGEST)
    leads = entry["leads"].scores(len(list(entry["leads"]))).astype(np.float32)
    k = entry["k"].whole(0, leads.size - 1)
    if not np.isfinite(leads[[0, k]]).all():
        raise ValueError(f"{entry.where} has no lead of the truth or of the most violated labelling.")
    question = problem_file.question_of(entry["problem"].value)
    known = card.names.states
    states = tuple(known.index(name) for name in question.labels if name in known)
    if len(states) != len(question.labels) or list(states) != sorted(states):
        raise ValueError(
            f"{entry.where} has a problem whose labels are not states of the card, in their order."
        )
    window = Window(question.problem(), question.title, entry["first"].whole(0, y.size - 1), states)
    if window.first + window.problem.y.size > y.size:
        raise ValueError(f"{entry.where} has a window that reaches beyond its {y.size} sites.")
    return Attack(
        example=entry["example"].whole(0, card.n_examples - 1),
        y=y,
        y_hat=entry["y_hat"].labels(y.size, N, LONGEST),
        value=entry["value"].number(),
        k=k,
        leads=leads,
        window=window,
    )
