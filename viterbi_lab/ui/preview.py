"""One training sequence as a picture, for a page on which nothing has been trained yet."""

from __future__ import annotations

import numpy as np

from viterbi_lab.data.genes import generate
from viterbi_lab.data.loci import celegans_loci
from viterbi_lab.ui.settings import CELEGANS, GENES

WIDTH, LEFT, ROW, RIBBON = 720, 92, 46, 30  # px
DRAWN_SIGMAS = 2.5  # of noise above and below a label that fit into a row


def picture(data: str, sigma: float, seed: int) -> str:
    """Return an SVG picture of a sequence and its true labels, in the colours of the text around it.

    Args:
        data: `GENES` or `CELEGANS`; of other data there is no picture.
        sigma: σ of the synthetic signals.
        seed: of the synthetic sequence.
    """
    if data == GENES:
        rng = np.random.default_rng(seed)
        pair = next(
            pair for pair in generate(50, sigma=sigma, rng=rng) if np.count_nonzero(np.diff(pair.y)) > 1
        )
        return _svg(list(pair.x.T), 1 + DRAWN_SIGMAS * sigma, pair.y, "genes", ("", "gene"))
    if data == CELEGANS:
        locus = max(celegans_loci()[:20], key=lambda locus: np.count_nonzero(np.diff(locus.y)))
        return _svg([], 1.0, locus.y, locus.name, ("", "exon", "intron"))
    return ""


def _svg(signals: list[np.ndarray], largest: float, y: np.ndarray, name: str, labels: tuple[str, ...]) -> str:
    """Signals as lines above each other, and the labels as blocks below: label 1 high, the others lower."""
    step = (WIDTH - LEFT - 4) / y.size
    parts = []
    for row, signal in enumerate(signals):
        middle = ROW * row + ROW / 2
        heights = middle - np.clip(signal / largest, -1, 1) * (ROW / 2 - 2)
        points = " ".join(f"{LEFT + (t + 0.5) * step:.1f},{height:.1f}" for t, height in enumerate(heights))
        parts.append(_name(middle, f"signal {row + 1}"))
        parts.append(f"<polyline points='{points}' fill='none' stroke='currentColor' opacity='.6'/>")
    top = ROW * len(signals) + 6
    parts.append(_name(top + RIBBON / 2, name))
    parts.append(
        f"<rect x='{LEFT}' y='{top + RIBBON - 3}' width='{y.size * step:.1f}' height='3' fill='currentColor' "
        "opacity='.5'/>"
    )
    starts = np.flatnonzero(np.r_[True, np.diff(y) != 0])
    for start, stop in zip(starts, np.r_[starts[1:], y.size], strict=True):
        label, x, width = int(y[start]), LEFT + start * step, (stop - start) * step
        if label:
            height = RIBBON if label == 1 else RIBBON / 2
            parts.append(
                f"<rect x='{x:.1f}' y='{top + RIBBON - height}' width='{width:.1f}' height='{height}' "
                "fill='currentColor'/>"
            )
        if width > 8 * len(labels[label]):
            place = f"x='{x + width / 2:.1f}' y='{top + RIBBON + 16}' text-anchor='middle'"
            parts.append(f"<text {place}>{labels[label]}</text>")
    height = top + RIBBON + 22
    return (
        f"<svg viewBox='0 0 {WIDTH} {height}' width='100%' role='img' font-size='12.5' fill='currentColor' "
        f"aria-label='A training sequence with {y.size} sites and its true labels'>{''.join(parts)}</svg>"
    )


def _name(y: float, text: str) -> str:
    return f"<text x='{LEFT - 10}' y='{y:.1f}' text-anchor='end' dominant-baseline='middle'>{text}</text>"
