"""The scores g under several pictures that share them, with what each answer takes from them."""

from html import escape

import numpy as np

from viterbi_lab.ui.comparison import SHORT, Column
from viterbi_lab.ui.number import shown
from viterbi_lab.ui.palette import Palette
from viterbi_lab.ui.question import Question

MOST_TABLES = 8  # sites side by side; of longer problems the current one is shown


def g_strip(found: list[Column], columns: int | None, palette: Palette) -> str:
    """Return the tables of g as HTML.

    Args:
        found: the objectives; after each score stand the letters of those whose answer takes it.
        columns: how many columns are filled; None: all, and the answers are known.
        palette: its colours.
    """
    question = found[0].question
    tables, place = question.scores.tables(), question.scores.window_order - 1
    current = place if columns is None else min(max(columns - 1, place), question.y.size - 1)
    sites = range(place, question.y.size)
    if len(sites) > MOST_TABLES or question.scores.window_order > 1:
        sites = [current]
    takers = [(SHORT[column.question.op], column.answer.y) for column in found] if columns is None else []
    drawn = "".join(
        _table(question, t, tables[t - place], takers, palette, framed=columns is not None and t == current)
        for t in sites
    )
    told = (
        "After a score: P, M, S where the plain, margin or slack answer takes it. "
        "Charts: the best value on each floor <i>k</i>; the first is max <i>L</i> and names the floors where "
        "P, M and S win. Dashed is the upper hull: with + and a loss λ<i>k</i> only floors on it can win."
        if takers
        else "Framed: the column filled last."
    )
    return (
        f'<div class="strip" role="group" aria-label="Scores g">{drawn}'
        f'<p style="color:{palette.muted}">{told}</p></div>'
    )


def _table(
    question: Question,
    t: int,
    table: np.ndarray,
    takers: list[tuple[str, np.ndarray]],
    palette: Palette,
    *,
    framed: bool,
) -> str:
    n, axes = question.scores.n_states, table.ndim
    rows = table.reshape(-1, n)
    heads = [np.unravel_index(r, table.shape[:-1]) for r in range(len(rows))]
    lines = []
    for head, row in zip(heads, rows, strict=True):
        cells = "".join(
            f"<td style='padding:0 .4em;text-align:right'>{shown(value)}"
            f"<small style='display:inline-block;width:2.1em;text-align:left;color:{palette.decision}'>"
            f"{_signs(takers, t, axes, (*head, j))}</small></td>"
            for j, value in enumerate(row)
        )
        name = escape(",".join(question.labels[label] for label in head))
        lines.append(f"<tr><th style='font-weight:400;color:{palette.muted}'>{name}</th>{cells}</tr>")
    quiet = f"font-weight:400;color:{palette.muted}"
    top = "".join(
        f"<th style='{quiet};text-align:right;padding:0 2.15em 0 .4em'>{escape(label)}</th>"
        for label in question.labels
    )
    border = f"2px solid {palette.ink}" if framed else "2px solid transparent"
    return (
        f"<table style='border-collapse:collapse;font-size:1em;line-height:1.4;border:{border}'>"
        f"<tr><th><i>g</i><sub>{t + 1}</sub></th>{top}</tr>{''.join(lines)}</table>"
    )


def _signs(takers: list[tuple[str, np.ndarray]], t: int, axes: int, window: tuple) -> str:
    """The letters of the answers that have these labels at the sites that end at t."""
    return "".join(sign for sign, y in takers if tuple(y[t + 1 - axes : t + 1]) == tuple(map(int, window)))
