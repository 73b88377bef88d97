"""The picture as pixels, a PNG, and the play-through as an animated GIF for slides.

Needs the extra ``pictures``: resvg draws the SVG, Pillow joins the frames. A frame takes about 0.1 s of
processor time at 1000×600 on one shared core.
"""

import io
from importlib.util import find_spec

from viterbi_lab.ui import picture
from viterbi_lab.ui.question import Question

MOST_FRAMES = 120  # of a film: longer problems go column by column
SECONDS, LAST_SECONDS = 0.7, 3.0  # that a frame, and the answer, stand still
COLOURS = 128


def png(question: Question, *, scale: float = 2.0) -> bytes:
    """Return the finished trellis as a PNG.

    Args:
        question: what is asked.
        scale: pixels for one pixel of the SVG picture.

    Raises:
        ValueError: if the problem is too big to be drawn, or the extra is not installed.
        NoFeasibleLabelling: if every labelling is forbidden.
    """
    return _pixels(picture.svg(question), scale)


def gif(question: Question, *, scale: float = 1.0) -> bytes:
    """Return the play-through as an animated GIF: every step of a short problem, every column of a long one.

    Args:
        question: what is asked.
        scale: pixels for one pixel of the SVG picture.

    Raises:
        ValueError: as `png`.
        NoFeasibleLabelling: as `png`.
    """
    from PIL import Image  # late: only this needs it

    frames = [
        Image.open(io.BytesIO(_pixels(picture.svg(question, step=step), scale)))
        .convert("RGB")
        .quantize(COLOURS)
        for step in steps(question)
    ]
    target = io.BytesIO()
    still = [round(1000 * SECONDS)] * (len(frames) - 1) + [round(1000 * LAST_SECONDS)]
    frames[0].save(target, "GIF", save_all=True, append_images=frames[1:], duration=still, loop=0)
    return target.getvalue()


def steps(question: Question) -> list[int]:
    """Return the steps that a film shows, from 0 to the answer."""
    ends, total = picture.events(question)
    if total < MOST_FRAMES:
        return list(range(total + 1))
    return [0, *ends, ends[-1] + 1, total]


def available() -> bool:
    """Whether the extra is installed."""
    return find_spec("resvg_py") is not None and find_spec("PIL") is not None


def _pixels(svg: str, scale: float) -> bytes:
    if not available():
        raise ValueError("PNG and GIF need the extra pictures: pip install viterbi-lab[pictures]")
    import resvg_py  # late: an optional dependency

    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=scale))
