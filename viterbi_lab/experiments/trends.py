"""What the results of a grid say: means over data sets, and which statements of the paper they bear out.

Bauer et al. say of their Fig. 7 that accuracy grows with the number of training sequences, that the number of
iterations falls with it, and that margin rescaling is comparable to slack rescaling on these data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from viterbi_lab.experiments.agreement import Agreement
from viterbi_lab.experiments.gathered import Gathered, Row
from viterbi_lab.rescaling import RESCALINGS

SHOWN = (10, 50, 200, 1000)
"""Numbers of training sequences in the table."""


@dataclass(frozen=True)
class Point:
    """A mean over data sets.

    Attributes:
        sigma: σ.
        n: training sequences.
        rescaling: ``"slack"`` or ``"margin"``.
        mean: of the value.
        error: standard error of the mean; 0 for a single data set.
        count: data sets.
    """

    sigma: float
    n: int
    rescaling: str
    mean: float
    error: float
    count: int


def points(rows: Sequence[Row], value: Callable[[Row], float | None]) -> list[Point]:
    """The mean of a value over the data sets, for each σ, n and rescaling; rows with None are left out."""
    groups: dict[tuple[float, int, str], list[float]] = {}
    for row in rows:
        number = value(row)
        if number is not None:
            groups.setdefault((row.sigma, row.n, row.rescaling), []).append(float(number))
    return [
        Point(
            *key,
            float(np.mean(values)),
            float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0,
            len(values),
        )
        for key, values in sorted(groups.items())
    ]


def curve(found: Sequence[Point], sigma: float, rescaling: str) -> list[Point]:
    """The points of one σ and rescaling by ascending n."""
    return sorted(
        (p for p in found if p.sigma == sigma and p.rescaling == rescaling), key=lambda point: point.n
    )


def account(gathered: Gathered) -> list[str]:
    """What was trained, how long that took, and how near cvxpy came to it, a sentence each."""
    rows, protocol = gathered.rows, gathered.protocol
    sets, sigmas, sizes = ({getattr(row, name) for row in rows} for name in ("data_set", "sigma", "n"))
    minutes = sum(row.seconds for row in rows) / 60
    return [
        f"{_several(len(sets), 'data set')} of {protocol.pool} + {protocol.n_validation} + {protocol.n_test} "
        f"sequences, {len(sigmas)} σ, {len(sizes)} n from {min(sizes)} to {max(sizes)}, {len(protocol.Cs)} "
        f"values of C chosen on validation, slack and margin, ε = {protocol.epsilon:g}.",
        f"{len(rows)} cells took {minutes:.0f} minutes of processor time on one core.",
        _agreed(gathered.agreements),
    ]


def table(gathered: Gathered) -> str:
    """Accuracy and iterations for the README, a line for each σ, in Markdown; of many n those of `SHOWN`."""
    rows = [row for row in gathered.rows if row.n in SHOWN] or gathered.rows
    sizes = " / ".join(str(n) for n in sorted({row.n for row in rows}))
    accuracy = points(rows, lambda row: 100 * row.accuracy)
    passes, fixed = points(rows, lambda row: row.passes), points(rows, lambda row: row.passes_fixed)
    columns = (
        ("right sites, slack, %", accuracy, "slack", "{:.1f}"),
        ("margin, %", accuracy, "margin", "{:.1f}"),
        ("passes at the chosen C, slack", passes, "slack", "{:.0f}"),
        ("margin", passes, "margin", "{:.0f}"),
        (f"passes at C = {gathered.protocol.C_fixed:g}, slack", fixed, "slack", "{:.0f}"),
    )
    lines = [
        f"| σ | {' | '.join(name for name, *_ in columns)} |",
        "|---" * (len(columns) + 1) + "|",
    ]
    for sigma in sorted({row.sigma for row in rows}):
        cells = [
            " / ".join(form.format(point.mean) for point in curve(found, sigma, rescaling))
            for _, found, rescaling, form in columns
        ]
        lines.append(f"| {sigma:g} | {' | '.join(cells)} |")
    return f"n = {sizes}:\n\n" + "\n".join(lines)


def statements(gathered: Gathered) -> list[str]:
    """What holds of the paper's statements and what does not, a sentence each, with numbers."""
    rows = gathered.rows
    accuracy = points(rows, lambda row: 100 * row.accuracy)
    apart = _differences(accuracy)
    largest = max(apart, key=lambda key: abs(apart[key]))
    return [
        f"Accuracy grows with n: {_verdict(accuracy, rising=True)}",
        f"Accuracy falls with σ: {_falls_with_sigma(accuracy)}",
        "Iterations fall with n, passes at the chosen C: "
        + _verdict(points(rows, lambda row: row.passes), rising=False),
        f"The same at C = {gathered.protocol.C_fixed:g} for all: "
        + _verdict(points(rows, lambda row: row.passes_fixed), rising=False),
        "Margin comparable to slack: the largest difference of the means is "
        f"{abs(apart[largest]):.2f} points, at σ={largest[0]:g}, n={largest[1]}, "
        f"in favour of {'slack' if apart[largest] > 0 else 'margin'}.",
        f"The chosen C lies inside the grid: {_inside(rows)}",
        f"With one slack for all examples iterations fall with n, too: {_one_slack(rows)}",
    ]


def _verdict(found: Sequence[Point], *, rising: bool) -> str:
    """How many curves go the stated way from the least n to the largest, and at every step between."""
    curves = {
        (sigma, rescaling): curve(found, sigma, rescaling)
        for sigma in sorted({p.sigma for p in found})
        for rescaling in RESCALINGS
    }
    sign = 1 if rising else -1
    ends = {key for key, c in curves.items() if sign * (c[-1].mean - c[0].mean) > 0}
    steps = {key for key, c in curves.items() if all(sign * (b.mean - a.mean) > 0 for a, b in pairwise(c))}
    against = ", ".join(_called(key) for key in curves if key not in ends)
    if 0 < 2 * len(ends) < len(curves):
        against = "the others; only for " + ", ".join(_called(key) for key in curves if key in ends)
    text = (
        f"from the smallest n to the largest in {len(ends)} of {len(curves)} curves, "
        f"at every step in {len(steps)}"
    )
    return f"{text}; not for {against}." if against else f"{text}."


def _called(curve: tuple[float, str]) -> str:
    sigma, rescaling = curve
    return f"σ={sigma:g} {rescaling}"


def _falls_with_sigma(found: Sequence[Point]) -> str:
    columns = [
        [p.mean for p in sorted(found, key=lambda p: p.sigma) if (p.n, p.rescaling) == key]
        for key in sorted({(p.n, p.rescaling) for p in found})
    ]
    right = sum(all(b < a for a, b in pairwise(column)) for column in columns)
    return f"at every step in {right} of {len(columns)} columns of n and rescaling."


def _agreed(agreements: Sequence[Agreement]) -> str:
    if not agreements:
        return "No cell was trained once more by cvxpy."
    return (
        f"On {len(agreements)} cells cvxpy with Clarabel came to the same objectives, the largest "
        f"difference being {max(agreement.difference for agreement in agreements):.0e} of them."
    )


def _one_slack(rows: Sequence[Row]) -> str:
    counted = [row for row in rows if row.one_slack is not None]
    if not counted:
        return "they were not counted."
    stopped = [row.one_slack for row in counted if not row.one_slack_converged]
    text = f"n up to {max(row.n for row in counted)}, {_verdict(points(counted, _iterations), rising=False)}"
    if not stopped:
        return text
    return f"{text} {len(stopped)} of {len(counted)} trainings were not done after {max(stopped)}."


def _iterations(row: Row) -> float | None:
    return row.one_slack


def _several(count: int, what: str) -> str:
    return f"{count} {what}{'s' if count > 1 else ''}"


def _inside(rows: Sequence[Row]) -> str:
    outer = [row for row in rows if row.border_gain is not None]
    text = f"in {len(rows) - len(outer)} of {len(rows)} cells"
    if not outer:
        return f"{text}."
    places = " or ".join(f"{C:g}" for C in sorted({row.C for row in outer}))
    gain = 100 * max(row.border_gain for row in outer)
    return (
        f"{text}; in the others it is {places}, "
        f"on validation at most {gain:.2f} points above the best inside."
    )


def _differences(found: Sequence[Point]) -> dict[tuple[float, int], float]:
    """Slack minus margin by (σ, n)."""
    means = {(p.sigma, p.n, p.rescaling): p.mean for p in found}
    return {
        (sigma, n): means[sigma, n, "slack"] - means[sigma, n, "margin"]
        for sigma, n, rescaling in means
        if rescaling == "slack" and (sigma, n, "margin") in means
    }
