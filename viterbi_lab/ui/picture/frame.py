"""What stands around the cells: the floors with their numbers, and the labels above."""

from html import escape

from viterbi_lab.ui.palette import Palette
from viterbi_lab.ui.picture.layout import BELOW, HEAD, LEFT, Layout, every
from viterbi_lab.ui.picture.marks import italic, text
from viterbi_lab.ui.picture.moment import Moment

NAMED_ROW = 11  # px; lower rows have no room for the name of their state


def floors(moment: Moment, at: Layout, palette: Palette) -> str:
    """Return the lanes, their k, and the names of their rows."""
    parts, step = [], every(at.lane, 13)
    band = step if at.lane < 6 else 1  # floors that share a shade where one alone is only a hair
    for k in range(0, at.floors, band):
        height = min(band, at.floors - k) * at.lane
        top = HEAD + (at.floors - k) * at.lane - height
        fill = palette.lanes[k // band % 2]
        parts.append(f'<rect y="{top:.1f}" width="{at.width}" height="{height:.1f}" fill="{fill}"/>')
        if k % step == 0:
            middle = min(at.height - BELOW - 7.0, top + height - at.lane / 2)
            parts.append(text(22, middle, f"{italic('k')} = {k}", anchor="start", bold=True))
        if at.row >= NAMED_ROW:
            parts += [
                text(LEFT - 6, at.y(k, s), moment.name(s), anchor="end", size=11, fill=palette.muted)
                for s in range(at.states)
            ]
    middle = HEAD + (at.height - HEAD - BELOW) / 2
    label = text(0, 0, "wrong labels so far", size=11, fill=palette.muted)
    parts.append(f'<g transform="translate(10 {middle:.1f}) rotate(-90)">{label}</g>')
    return "".join(parts)


def head(moment: Moment, at: Layout, palette: Palette) -> str:
    """Return the sites, their true labels, and those of the answer that are known; wrong ones underlined."""
    question, answer = moment.question, moment.tables.decoding.y
    labels, truth = question.labels, question.y
    parts = [
        text(12, 12, italic("t"), anchor="start", size=11, fill=palette.muted),
        text(12, 30, f"true {italic('y')}", anchor="start", size=12, fill=palette.muted),
        text(12, 49, f"best {italic('ŷ')}", anchor="start", size=12, fill=palette.muted),
    ]
    step = 1 if at.gap >= 17 else every(at.gap, 26)
    for t in range(at.length):
        x, wrong, known = at.x(t), answer[t] != truth[t], t >= moment.first_known
        if t == 0 or (t + 1) % step == 0:
            parts.append(text(x, 12, str(t + 1), size=11, fill=palette.muted))
        if at.letters:
            parts.append(text(x, 30, escape(labels[truth[t]]), bold=True, fill=palette.truth))
            if known:
                fill = palette.decision if wrong else palette.truth
                parts.append(text(x, 49, escape(labels[answer[t]]), bold=True, fill=fill, underlined=wrong))
            continue
        parts.append(_tick(at, t, 36, truth[t], question.scores.n_states, palette.edge))
        if known:
            fill = palette.decision if wrong else palette.edge
            parts.append(_tick(at, t, 56, answer[t], question.scores.n_states, fill))
    return "".join(parts)


def _tick(at: Layout, t: int, foot: int, label: int, n_states: int, fill: str) -> str:
    """A label where there is no room for a letter: the higher, the later in the alphabet."""
    height, width = 2 + 12 * label / max(1, n_states - 1), max(1.0, at.gap - 0.6)
    return (
        f'<rect x="{at.x(t) - width / 2:.1f}" y="{foot - height:.1f}" width="{width:.1f}" '
        f'height="{height:.1f}" fill="{fill}"/>'
    )
