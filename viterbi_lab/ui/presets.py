"""The examples that come with the lab: JSON files in ``assets/problems``, see ``README.md`` there."""

import json
from dataclasses import dataclass
from pathlib import Path

from viterbi_lab.assets import asset
from viterbi_lab.ui import problem_file
from viterbi_lab.ui.question import Question


@dataclass(frozen=True, eq=False)
class Preset:
    """An example.

    Attributes:
        question: what it asks.
        why: one sentence: what to look for.
        name: of its file, in ASCII letters, for links.
    """

    question: Question
    why: str
    name: str


def presets() -> dict[str, Preset]:
    """Return the examples by their titles, the worked example first."""
    folder = asset("problems")
    names = json.loads((folder / "order.json").read_text(encoding="utf-8"))
    loaded = [read(folder / f"{name}.json") for name in names]
    return {preset.question.title: preset for preset in loaded}


def read(path: Path) -> Preset:
    """Read one example.

    Raises:
        ValueError: as `problem_file.read`, or if it lacks its sentence ``why``.
    """
    question = problem_file.read(path)
    content = json.loads(path.read_text(encoding="utf-8"))
    if "why" not in content:
        raise ValueError(f"{path.name}: There is no field 'why', one sentence: what to look for.")
    return Preset(question, content["why"], path.stem)
