"""Fig. 6 of Bauer et al. 2014: a synthetic gene sequence, and the diagram of its states."""

from __future__ import annotations

from typing import Any

import holoviews as hv
import numpy as np

from viterbi_lab.data.genes import SignalSequence
from viterbi_lab.experiments.example import STATES, TRANSITIONS
from viterbi_lab.ui.finished.figure import Finished, table
from viterbi_lab.ui.finished.look import Look
from viterbi_lab.ui.palette import LIGHT

NODES = {"start": (0.0, 0.5), "−": (1.0, 0.0), "+": (1.0, 1.0), "end": (2.0, 0.5)}
RADIUS = 0.16


def figure6(example: SignalSequence) -> Finished:
    """One sequence: its labels, its signals, and the diagram of its states."""
    x, y = example
    T, r = x.shape
    names = [f"signal {f + 1}" for f in range(r)] + ["labels"]

    def parts(backend: str) -> tuple[Any, ...]:
        look = Look(backend)
        reach = float(np.abs(x).max())
        heights = [-1.1 * f for f in range(r)] + [1.1]
        sites = np.arange(1, T + 1)
        elements = [
            look.curve(hv.Curve((sites, heights[f] + 0.5 * x[:, f] / reach), "t", "row"), LIGHT.edge, "solid")
            for f in range(r)
        ]
        corners = np.repeat(np.arange(T + 1) + 0.5, 2)[1:-1]
        labels = hv.Area((corners, np.full(2 * T, 0.8), 0.8 + 0.6 * np.repeat(y, 2)), "t", ["base", "row"])
        elements += [
            look.area(labels, LIGHT.decision),
            look.curve(hv.Curve((corners, 0.8 + 0.6 * np.repeat(y, 2)), "t", "row"), LIGHT.decision, "solid"),
        ]
        sequence = look.chart(
            elements,
            title="One sequence: labels and four signals",
            xlabel="site t",
            ylabel="",
            yticks=list(zip(heights, names, strict=True)),
            xlim=(0.5, T + 0.5),
            ylim=(min(heights) - 0.7, 1.7),
            **look.on_paper(aspect=1.4),
        )
        return sequence, _diagram(look)

    columns = ("site", "label", *(f"signal_{f + 1}" for f in range(r)))
    rows = ((t + 1, "+" if y[t] else "-", *x[t].tolist()) for t in range(T))
    return Finished(
        "figure6",
        "Fig. 6 · A synthetic gene sequence and its states",
        "Blocks of + on a ground of −; each signal is ±1 with noise of σ = 2. "
        "Start and end have no signal and never count as errors.",
        parts,
        table(columns, rows),
    )


def _diagram(look: Look) -> hv.Overlay:
    """Which state may follow which."""
    arrows = [_arrow(NODES[a], NODES[b]) for a, b in TRANSITIONS]
    angle = np.linspace(0, 2 * np.pi, 60)
    round_ = np.column_stack([np.cos(angle), np.sin(angle)]) * RADIUS
    return look.chart(
        [
            look.path([arrow[:-3] for arrow in arrows]),
            look.polygons([arrow[-3:] for arrow in arrows], LIGHT.edge, LIGHT.edge),
            look.polygons([round_ + np.array(NODES[s]) for s in STATES], LIGHT.surface, LIGHT.ink),
            look.words([(*NODES[s], s) for s in STATES], "center"),
        ],
        title="What may follow what",
        xlabel="",
        ylabel="",
        xaxis=None,
        yaxis=None,
        xlim=(-0.35, 2.35),
        ylim=(-0.65, 1.65),
        aspect="equal",
        show_grid=False,
    )


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> np.ndarray:
    """The points of an arrow between two nodes, or around one; the last three are its head."""
    if start == end:
        away = 1.0 if start[1] > 0.5 else -1.0
        angle = np.linspace(-0.35, 1.35, 40) * np.pi
        line = np.column_stack([0.13 * np.cos(angle), away * (RADIUS + 0.1 + 0.13 * np.sin(angle))])
        line = line + np.array(start)
    else:
        a, b = np.array(start), np.array(end)
        along = (b - a) / np.linalg.norm(b - a)
        side = np.array([-along[1], along[0]]) * (0.07 if a[0] == b[0] else 0.0)  # there and back lie apart
        line = np.array([a + side + along * RADIUS, b + side - along * (RADIUS + 0.02)])
    direction = (line[-1] - line[-2]) / np.linalg.norm(line[-1] - line[-2])
    across = np.array([-direction[1], direction[0]])
    back = line[-1] - 0.09 * direction
    return np.vstack([line, line[-1], back + 0.045 * across, back - 0.045 * across])
