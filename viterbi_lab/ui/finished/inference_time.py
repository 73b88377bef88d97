"""Fig. 4 of Bauer et al. 2014: what inference costs as sequences grow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import holoviews as hv

from viterbi_lab.experiments.scaling import EXHAUSTIVE, PAPER_SECONDS, PROGRAMS, Timing, slope
from viterbi_lab.ui.finished.figure import Finished, table
from viterbi_lab.ui.finished.look import Look
from viterbi_lab.ui.palette import LIGHT

PROGRAM_COLOURS = dict(zip(PROGRAMS, LIGHT.runs, strict=False))


def figure4(timings: Sequence[Timing]) -> Finished:
    """Time of one inference against T, both logarithmic, with fitted slopes and the times in the paper."""

    def parts(backend: str) -> tuple[Any, ...]:
        look = Look(backend)
        elements = []
        for program, colour in PROGRAM_COLOURS.items():
            measured = sorted((t.T, t.seconds) for t in timings if t.program == program)
            if measured:
                elements += [
                    look.curve(hv.Curve(measured, "T", "seconds"), colour, "solid"),
                    look.dots(hv.Scatter(measured, "T", "seconds"), colour),
                    look.words([(*measured[-1], f"   {growth(program, timings)}")], "left"),
                ]
        printed = [
            (T, seconds, 2.5 * seconds, f"paper: {seconds:g} s") for (_, T), seconds in PAPER_SECONDS.items()
        ]
        elements += [
            look.dots(hv.Scatter([p[:2] for p in printed], "T", "seconds"), LIGHT.ink, marker="x", size=10),
            look.words([(T, above, text) for T, _, above, text in printed], "center"),
        ]
        return (
            look.chart(
                elements,
                title="Time of one inference, seconds",
                xlabel="sites T",
                ylabel="",
                logx=True,
                logy=True,
                xlim=(1.5, 1_500_000),
                ylim=(3e-6, 1e3),
            ),
        )

    return Finished(
        "figure4",
        "Fig. 4 · What inference costs as sequences grow",
        "Processor time of one call on this machine, the least of several; random scores, N = 4. "
        "Crosses: the paper, on a Core 2 Duo of 3 GHz.",
        parts,
        table(("program", "T", "seconds"), ((t.program, t.T, t.seconds) for t in timings)),
    )


def growth(program: str, timings: Sequence[Timing]) -> str:
    """The name of a program and, once it can be fitted, how its time grows."""
    grows = slope(timings, program)
    if grows is None:
        return program
    return f"{program}: " + (f"×{grows:.1f} per site" if program == EXHAUSTIVE else f"T^{grows:.2f}")
