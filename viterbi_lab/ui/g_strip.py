"""The scores g under several pictures that share them, with what each answer takes from them."""

from html import escape

import numpy as np

from viterbi_lab.ui.comparison import SHORT, Column
from viterbi_lab.ui.number import shown
from viterbi_lab.ui.picture import Paint
from viterbi_lab.ui.question import Question

MOST_TABLES = 8  # sites side by side; of longer problems the current one is shown


def g_strip(found: list[Column], columns: int | None, paint: Paint) -> str:
    """Return the tables of g as HTML.

    Args:
        found: the objectives; after each score stand the letters of those whose answer takes it.
        columns: how many columns are filled; None: all, and the answers are known.
        paint: its colours.
    """
    question = found[0].question
    tables, place = question.scores.tables(), question.scores.window_order - 1
    current = place if columns is None else min(max(columns - 1, place), question.y.size - 1)
    sites = range(place, question.y.size)
    if len(sites) > MOST_TABLES or question.scores.window_order > 1:
        sites = [current]
    takers = [(SHORT[column.question.op], column.answer.y) for column in found] if columns is None else []
    drawn = "".join(
        _table(question, t, tables[t - place], takers, paint, framed=columns is not None and t == current)
        for t in sites
    )
    told = (
        "After a score: P, M, S where the plain, margin or slack answer takes it."
        if takers
        else "Framed: the column filled last."
    )
    return (
        f'<div style="display:flex;flex-wrap:wrap;gap:4px 26px;align-items:flex-end;margin-top:6px" '
        f'role="group" aria-label="Scores g">{drawn}'
        f'<span style="font-size:13px;color:{paint.muted}">{told}</span></div>'
    )


def _table(
    question: Question,
    t: int,
    table: np.ndarray,
    takers: list[tuple[str, np.ndarray]],
    paint: Paint,
    *,
    framed: bool,
) -> str:
    n, axes = question.scores.n_states, table.ndim
    rows = table.reshape(-1, n)
    heads = [np.unravel_index(r, table.shape[:-1]) for r in range(len(rows))]
    lines = []
    for head, row in zip(heads, rows, strict=True):
        cells = "".join(
            f"<td style='padding:0 5px;text-align:right'>{shown(value)}"
            f"<small style='display:inline-block;width:22px;text-align:left;color:{paint.decision}'>"
            f"{_signs(takers, t, axes, (*head, j))}</small></td>"
            for j, value in enumerate(row)
        )
        name = escape(",".join(question.labels[label] for label in head))
        lines.append(f"<tr><th style='font-weight:400;color:{paint.muted}'>{name}</th>{cells}</tr>")
    quiet = f"font-weight:400;color:{paint.muted}"
    top = "".join(
        f"<th style='{quiet};text-align:right;padding:0 27px 0 5px'>{escape(label)}</th>"
        for label in question.labels
    )
    border = f"2px solid {paint.ink}" if framed else "2px solid transparent"
    return (
        f"<table style='border-collapse:collapse;font-size:13px;line-height:18px;border:{border}'>"
        f"<tr><th><i>g</i><sub>{t + 1}</sub></th>{top}</tr>{''.join(lines)}</table>"
    )


def _signs(takers: list[tuple[str, np.ndarray]], t: int, axes: int, window: tuple) -> str:
    """The letters of the answers that have these labels at the sites that end at t."""
    return "".join(sign for sign, y in takers if tuple(y[t + 1 - axes : t + 1]) == tuple(map(int, window)))
