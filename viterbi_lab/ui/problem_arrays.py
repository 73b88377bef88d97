"""Problems as NPZ files: arrays as NumPy saves them, labels and sites counted from 0.

    g       (T, N, N) numbers: g[t, i, j] from label i to label j; (T, N, N, N) for order 2, and so on
    y       (T,) whole numbers 0..N-1
    h       (T+1,) numbers h(0)..h(T); may be missing: h(k) = k
    labels  (N,) text; may be missing: 1..N
    op      text: times, plus or plain; may be missing: times

No label stands before the first site, so g[0] repeats itself over i.
"""

import io

import numpy as np

from viterbi_lab.data.arrays import unpack
from viterbi_lab.data.text import one_line
from viterbi_lab.dp import ChainScores
from viterbi_lab.ui.question import OPS, OWN, Question

DIMENSIONS = {"g": None, "y": 1, "h": 1, "labels": 1, "op": 0}
MOST_ORDER = 8


def read(raw: bytes, name: str, most_bytes: int) -> tuple[Question, list[str]]:
    """Read a problem from the bytes of an NPZ file.

    Args:
        raw: the whole file.
        name: what errors call it.
        most_bytes: how large its arrays may be when unpacked.

    Returns:
        The problem, and a sentence for each array that was not used.

    Raises:
        ValueError: if it is damaged, too large or holds objects, or describes no valid problem; the message
            names the array and the index.
    """
    notes: list[str] = []
    arrays = unpack(raw, name, most_bytes, DIMENSIONS, notes)
    try:
        return _question(arrays, name), notes
    except (ValueError, OverflowError) as error:
        raise ValueError(one_line(f"{name}: {error}")) from None


def bytes_of(question: Question) -> bytes:
    """Return a problem as `read` reads it.

    Raises:
        ValueError: if it has a constant, excludes y or has costs, for which the arrays have no place.
    """
    if question.offset or question.kmin or question.cost is not None:
        raise ValueError("Only g, y, h and ⊙ can be written as NPZ; save the problem as JSON.")
    scores = question.scores
    N, T, order = scores.n_states, scores.length, max(1, scores.order)
    g = np.zeros((T,) + (N,) * (order + 1))
    first, *windows = scores.tables()
    place = scores.window_order - 1
    g[place] = first  # the first ℓ' sites carry their sum at the last of them
    for t, window in enumerate(windows, start=place + 1):
        g[t] = window
    out = io.BytesIO()
    np.savez_compressed(
        out, g=g, y=question.y, h=question.h, labels=np.array(question.labels), op=np.array(question.op)
    )
    return out.getvalue()


def _question(arrays: dict[str, np.ndarray], name: str) -> Question:
    for needed in ("g", "y"):
        if needed not in arrays:
            raise ValueError(
                f"there is no array {needed}. Needed are g and y; h, labels and op may be there."
            )
    g = _numbers(arrays["g"], "g", forbid=True)
    T, N, order = g.shape[0] if g.ndim else 0, g.shape[-1] if g.ndim else 0, g.ndim - 2
    if not 1 <= order <= MOST_ORDER or g.shape[1:] != (N,) * (order + 1) or T < 1:
        raise ValueError(f"g has shape {g.shape}; it is (T, N, N), or (T, N, N, N) for order 2.")
    y = arrays["y"]
    if y.dtype.kind not in "iu" or y.shape != (T,):
        raise ValueError(f"y has shape {y.shape} of {y.dtype}; it is ({T},) of whole numbers.")
    outside = np.flatnonzero((y < 0) | (y >= N))
    if outside.size:
        raise ValueError(f"y[{outside[0]}] is {y[outside[0]]}; labels are 0..{N - 1}.")
    labels = _names(arrays.get("labels"), N)
    question = Question(
        title=name,
        labels=labels,
        scores=ChainScores.from_tables([_table(g[t], t, order) for t in range(T)], order=order),
        y=y.astype(np.int64),
        op=_op(arrays.get("op")),
    )
    if "h" not in arrays:
        return question
    h = _numbers(arrays["h"], "h", forbid=False)
    if h.shape != (T + 1,):
        raise ValueError(f"h has shape {h.shape}; it is ({T + 1},), the values h(0)..h({T}).")
    return Question(
        title=name,
        labels=labels,
        scores=question.scores,
        y=question.y,
        op=question.op,
        rule="k" if np.array_equal(h, np.arange(T + 1)) else OWN,
        own=tuple(h.tolist()),
    )


def _table(table: np.ndarray, t: int, order: int) -> np.ndarray:
    """The table of one site without the axes of labels before the first site."""
    for axis in range(order - min(t, order)):
        if not (table == table[:1]).all():
            raise ValueError(
                f"g[{t}] differs along its axis {axis}, but no label stands there before site {t}: repeat it."
            )
        table = table[0]
    return table


def _numbers(array: np.ndarray, name: str, *, forbid: bool) -> np.ndarray:
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} holds {array.dtype}; it is an array of numbers.")
    values = array.astype(np.float64)
    wrong = np.argwhere(~np.isfinite(values) & ~(np.isneginf(values) & forbid))
    if wrong.size:
        where = ", ".join(map(str, wrong[0]))
        advice = "a finite number, or -inf to forbid a step" if forbid else "a finite number"
        raise ValueError(f"{name}[{where}] is {values[tuple(wrong[0])]}; it is {advice}.")
    return values


def _names(array: np.ndarray | None, N: int) -> tuple[str, ...]:
    if array is None:
        return tuple(str(n + 1) for n in range(N))
    if array.dtype.kind != "U" or array.shape != (N,):
        raise ValueError(f"labels has shape {array.shape} of {array.dtype}; it is ({N},) of texts.")
    names = tuple(array.tolist())
    for n, label in enumerate(names):
        if not label or label in names[:n]:
            raise ValueError(f"labels[{n}] is {label!r}: it is empty, or stands there twice.")
    return names


def _op(array: np.ndarray | None) -> str:
    if array is None:
        return "times"
    if array.dtype.kind != "U" or array.item() not in OPS:
        raise ValueError(f"op is {array.item()!r}; it is one of {', '.join(OPS)}.")
    return array.item()
