"""The finished trellis as an SVG picture, drawn without a browser: floors, best edges, path and final values.

It is the still picture of what the stage draws step by step, for papers and slides.
"""

from html import escape

import numpy as np

from viterbi_lab.dp import trace
from viterbi_lab.ui.number import shown
from viterbi_lab.ui.palette import LIGHT, Palette
from viterbi_lab.ui.picture.cells import cells, edges, path
from viterbi_lab.ui.picture.frame import floors, head
from viterbi_lab.ui.picture.last_column import last_column
from viterbi_lab.ui.picture.layout import BARE_RIGHT, RIGHT, Layout
from viterbi_lab.ui.picture.marks import SANS
from viterbi_lab.ui.picture.moment import Moment
from viterbi_lab.ui.picture.this_step import this_step
from viterbi_lab.ui.question import Question
from viterbi_lab.ui.words import undrawable

LEAST = 320  # px of width and height


def svg(
    question: Question,
    *,
    width: int = 1000,
    height: int = 600,
    values: bool = True,
    palette: Palette = LIGHT,
    step: int | None = None,
) -> str:
    """Return the picture of a solved problem, or of a step on the way there.

    Args:
        question: what is asked.
        width: in pixels, at least 320.
        height: in pixels, at least 320.
        values: whether to draw what the last column is worth under ⊙ and h.
        palette: its colours.
        step: events done, as the stage counts them: cells, the maximum, the path; by default all.

    Returns:
        An SVG document that refers to nothing outside itself.

    Raises:
        ValueError: if the picture would be too small, or the problem too big to be drawn.
        NoFeasibleLabelling: if every labelling is forbidden.
    """
    if width < LEAST or height < LEAST:
        raise ValueError(f"A picture of {width}×{height} px is too small; it needs at least {LEAST}×{LEAST}.")
    if refusal := undrawable(question):
        raise ValueError(refusal)
    tables = trace(question.problem())
    n_floors, n_states = tables.L.shape[1:]
    moment = Moment.of(question, tables, step)
    at = Layout(width, height, question.scores.length, n_floors, n_states, RIGHT if values else BARE_RIGHT)
    parts = [part(moment, at, palette) for part in (floors, head, edges, path, cells, this_step)]
    if values and moment.judged:
        parts.append(last_column(moment, at, palette))
    answer = tables.decoding
    spoken = (
        f"Trellis with T = {at.length} sites, N = {question.scores.n_states} labels. "
        f"The best value is {shown(answer.value)} with {answer.k} wrong labels."
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(spoken)}" '
        f'font-family="{SANS}" font-size="13" text-anchor="middle" fill="{palette.ink}">'
        f"<title>{escape(question.title)}</title>"
        f'<rect width="100%" height="100%" fill="{palette.background}"/>{"".join(parts)}</svg>\n'
    )


def events(question: Question) -> tuple[list[int], int]:
    """Return how many events are done at the end of every column, and how many there are in all.

    Raises:
        NoFeasibleLabelling: if every labelling is forbidden.
    """
    tables = trace(question.problem())
    filled = np.isfinite(tables.L).sum(axis=(1, 2))
    ends = np.cumsum(filled)[filled > 0]
    return ends.tolist(), int(ends[-1]) + 1 + len(tables.path)
