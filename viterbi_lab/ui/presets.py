"""The examples that come with the lab: JSON files in ``assets/problems``, see ``README.md`` there."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from viterbi_lab.assets import asset
from viterbi_lab.dp import ChainScores
from viterbi_lab.ui.question import OPS, OWN, RULES, Question


@dataclass(frozen=True, eq=False)
class Preset:
    """An example.

    Attributes:
        question: what it asks.
        why: one sentence: what to look for.
    """

    question: Question
    why: str


def presets() -> dict[str, Preset]:
    """Return the examples by their titles, the worked example first."""
    folder = asset("problems")
    names = json.loads((folder / "order.json").read_text(encoding="utf-8"))
    loaded = [read(folder / f"{name}.json") for name in names]
    return {preset.question.title: preset for preset in loaded}


def read(path: Path) -> Preset:
    """Read one example.

    Raises:
        ValueError: if it is not valid JSON, lacks a field, or describes no valid problem; the message
            names the file.
    """
    try:
        return _preset(json.loads(path.read_text(encoding="utf-8")))
    except KeyError as missing:
        raise ValueError(f"{path.name} has no field {missing}. README.md beside it lists them.") from None
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path.name}: {error}") from error


def _preset(content: dict) -> Preset:
    labels, h, op = tuple(content["labels"]), content["h"], content["op"]
    if op not in OPS:
        raise ValueError(f"op is {op!r}; it is one of {', '.join(OPS)}.")
    if isinstance(h, str) and h not in RULES:
        raise ValueError(f"h is {h!r}; it is one of {', '.join(RULES)}, or a list h(0), h(1), …")
    strange = [label for label in content["y"] if label not in labels]
    if strange:
        raise ValueError(f"y holds {strange[0]!r}; the labels are {', '.join(labels)}.")
    question = Question(
        title=content["title"],
        labels=labels,
        scores=ChainScores.from_tables([np.array(table, np.float64) for table in content["g"]]),
        y=np.array([labels.index(label) for label in content["y"]], np.int64),
        rule=h if isinstance(h, str) else OWN,
        own=() if isinstance(h, str) else tuple(float(value) for value in h),
        op=op,
        offset=float(content.get("offset", 0.0)),
    )
    question.problem()  # refuses what the engine cannot take
    return Preset(question, content["why"])
