"""Fig. 7 of Bauer et al. 2014: accuracy and iterations against the number of training sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import holoviews as hv

from viterbi_lab.experiments.gathered import Gathered, Row
from viterbi_lab.experiments.trends import curve, points
from viterbi_lab.rescaling import RESCALINGS
from viterbi_lab.ui.finished.figure import Finished
from viterbi_lab.ui.finished.look import Look
from viterbi_lab.ui.palette import LIGHT, MARKERS

DASH = {"slack": "solid", "margin": "dashed"}
SIGNS = dict(zip(MARKERS, "●■▲◆▼⬢", strict=True))
"""The shapes of points, as letters have them."""


def figure7(gathered: Gathered) -> Finished:
    """Accuracy and iterations against n for every σ, slack and margin: means and standard errors."""
    sets = len({row.data_set for row in gathered.rows})

    def parts(backend: str) -> tuple[Any, ...]:
        return (
            _against_n(
                Look(backend), gathered.rows, lambda row: row.accuracy, "Right sites of test sequences"
            ),
            _against_n(
                Look(backend),
                gathered.rows,
                lambda row: row.passes,
                "Passes of training at the chosen C",
            ),
        )

    p = gathered.protocol
    return Finished(
        "figure7",
        "Fig. 7 · Accuracy and iterations against the number of training sequences",
        f"Mean and standard error over {sets} data {'set' if sets == 1 else 'sets'} of "
        f"{p.pool:,} + {p.n_validation:,} + {p.n_test:,} sequences; C of {len(p.Cs)} chosen on validation; "
        f"ε = {p.epsilon:g}. Passes are those of cutting planes. Solid: slack, dashed: margin.",
        parts,
        gathered.csv(),
    )


def _against_n(
    look: Look, rows: Sequence[Row], value: Callable[[Row], float | None], title: str
) -> hv.Overlay:
    found = points(rows, value)
    sigmas = sorted({point.sigma for point in found})
    colours = dict(zip(sigmas, LIGHT.runs * len(sigmas), strict=False))
    lines = {
        rescaling: [
            (a.n, a.mean, b.n, b.mean, colours[sigma])
            for sigma in sigmas
            for a, b in pairwise(curve(found, sigma, rescaling))
        ]
        for rescaling in RESCALINGS
    }
    bars = [(p.n, p.mean - p.error, p.n, p.mean + p.error, colours[p.sigma]) for p in found]
    shapes = dict(zip(sigmas, MARKERS * len(sigmas), strict=False))
    dots = {
        sigma: hv.Scatter([(p.n, p.mean) for p in found if p.sigma == sigma], "n", "mean") for sigma in sigmas
    }
    ends = [
        (last.n * 1.06, last.mean, f"  {SIGNS[shapes[sigma]]} σ={sigma:g}", colours[sigma])
        for sigma in sigmas
        for last in curve(found, sigma, "slack")[-1:]
    ]
    sizes = sorted({point.n for point in found})
    low, high = min(p.mean - p.error for p in found), max(p.mean + p.error for p in found)
    room = 0.06 * (high - low)
    placed = _apart(ends, 0.045 * (high - low))
    return look.chart(
        [
            *(look.segments(lines[rescaling], DASH[rescaling]) for rescaling in RESCALINGS),
            look.segments(bars, "solid"),
            *(look.dots(dots[s], colours[s], marker=shapes[s], size=7) for s in sigmas),
            look.words(placed, "left", "colour"),
        ],
        title=title,
        xlabel="training sequences n",
        ylabel="",
        logx=True,
        xlim=(sizes[0] * 0.85, sizes[-1] * (sizes[-1] / sizes[0]) ** 0.22),
        ylim=(low - room, high + room),
        xticks=[(n, str(n)) for n in sizes],
        **look.on_paper(aspect=2.2),  # else n has as much room as accuracy, and its numbers overlap
    )


def _apart(
    words: Sequence[tuple[float, float, str, str]], least: float
) -> list[tuple[float, float, str, str]]:
    """The same words with heights that differ by at least so much."""
    placed: list[tuple[float, float, str, str]] = []
    for x, y, *rest in sorted(words, key=lambda word: word[1]):
        placed.append((x, max(y, placed[-1][1] + least) if placed else y, *rest))
    return placed
