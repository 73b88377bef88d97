"""A story as one HTML file that is told by keys, from ``file://`` and without a network."""

import json
from html import escape
from pathlib import Path
from string import Template

from viterbi_lab.dp import trace
from viterbi_lab.ui import program
from viterbi_lab.ui.export import packed
from viterbi_lab.ui.picture import svg
from viterbi_lab.ui.question import Question
from viterbi_lab.ui.story_file import Story
from viterbi_lab.ui.wire import h_message, problem_message

FOLDER = Path(__file__).resolve().parent


def html(story: Story) -> str:
    """Return a page that tells a story; without scripts it is a list of its sentences.

    Args:
        story: what to tell.

    Returns:
        One HTML document that refers to nothing outside itself.
    """
    beats = [
        {
            "problem": _message(beat.question),
            "h": {rule: table.tolist() for rule, table in h_message(beat.question).items()},
            "rule": beat.question.rule,
            "op": beat.question.op,
            "step": beat.step,
            "caption": {
                "number": number,
                "count": len(story.beats),
                "title": beat.title,
                "text": beat.say,
                "marks": list(beat.marks),
            },
        }
        for number, beat in enumerate(story.beats, start=1)
    ]
    spoken = "".join(f"<li><b>{escape(beat.title)}</b> {escape(beat.say)}</li>" for beat in story.beats)
    return Template((FOLDER / "story.html").read_text(encoding="utf-8")).substitute(
        title=escape(story.title),
        spoken=f"<ol>{spoken}</ol>{svg(story.beats[0].question)}",
        beats=json.dumps(beats, ensure_ascii=False).replace("<", "\\u003c"),  # no tag can end the script
        program=program.packed(),
        boot=program.boot(),
    )


def _message(question: Question) -> dict:
    tables = trace(question.problem())
    return {name: packed(value) for name, value in problem_message(question, tables).items()}
