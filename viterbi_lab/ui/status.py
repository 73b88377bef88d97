"""What is said about a run in a line: how it stands, how long it will take, and where the time goes."""

from __future__ import annotations

from html import escape

from viterbi_lab.ui.estimate import seconds_left, spoken
from viterbi_lab.ui.sessions.runs import Run
from viterbi_lab.ui.sessions.training import TrainingSession

CHANGED = {
    "data": "data",
    "rescaling": "rescaling",
    "sigma": "σ",
    "n": "n",
    "C": "C",
    "epsilon": "ε",
    "wrapper": "h",
    "seed": "seed",
    "trainer": "trainer",
    "own": "file",
}
"""What settings are called."""


def line(session: TrainingSession) -> str:
    """Return the status of the last run as HTML; empty if there is none."""
    run = session.current
    if run is None:
        return ""
    name = f"Run {run.number + 1}"
    if not session.is_busy:
        parts = [f"<b>{name}. {escape(run.status)}</b>"]
    else:
        verb = "Replaying" if run.recorded else "Training"
        state = f"{name} is paused" if session.is_paused else f"{verb} r{name[1:]}…"
        parts = [f"<b>{state}</b>", f"<span class='phase'>{escape(session.phase)}</span>"]
        left = None if run.recorded else seconds_left(run.passes, run.settings.epsilon)
        if left is not None and not session.is_paused:
            parts.append(f"<span class='phase'>about {spoken(left)} left</span>")
    if session.changed:
        names = ", ".join(CHANGED[name] for name in session.changed)
        parts.append(f"<span class='chip'>settings changed since this run: {names}</span>")
    parts.append(time_split(run))
    return f"<div class='status' role='status' aria-live='polite'>{''.join(parts)}</div>"


def time_split(run: Run) -> str:
    """Return how the time of a run divides into oracle, programs and looking, as HTML with a bar."""
    if not run.passes:
        return ""
    last = run.passes[-1]
    spent = {"oracle": last.oracle_seconds, "QP": last.qp_seconds}
    spent["validation and pictures"] = max(0.0, last.seconds - sum(spent.values()))
    total = sum(spent.values()) or 1.0
    bars = "".join(
        f"<i class='{name.split()[0]}' style='flex:{max(seconds / total, 1e-3):.3f}'></i>"
        for name, seconds in spent.items()
    )
    words = " · ".join(f"{name} {100 * seconds / total:.0f} %" for name, seconds in spent.items())
    return f"<span class='split'>{last.seconds:.1f} s: {words}<span class='bar'>{bars}</span></span>"
