"""Pictures of the last pass: labels, errors and score, support, weights; a click leads to the stepper."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

import numpy as np
import panel as pn
import panel_material_ui as pmui
from bokeh.plotting import figure

from viterbi_lab.ui.attack import Attack
from viterbi_lab.ui.charts.plane import PlaneChart
from viterbi_lab.ui.charts.ribbons import Ribbon, Ribbons
from viterbi_lab.ui.charts.support import SupportChart
from viterbi_lab.ui.charts.weights import WeightCharts
from viterbi_lab.ui.palette import Palette
from viterbi_lab.ui.passes import Card, Pass
from viterbi_lab.ui.sessions.runs import Run
from viterbi_lab.ui.settings import WRAPPERS
from viterbi_lab.ui.views.texts import html
from viterbi_lab.ui.views.together import soon

LABELS, PLANE, SUPPORT, WEIGHTS = "Labels", "Errors and score", "Support", "Weights"
ROOM = {"sizing_mode": "stretch_both", "styles": {"min-height": "190px"}}
"""Of a picture. Panel would add up a ``min_height`` of all pictures, also of those that are not shown."""

WORST, FOLLOWED = "most violated", "the same"
HINTS = {
    PLANE: "Each dot is the best labelling with k errors. No dot lies beyond the dashed line: "
    "there H is as large as for the most violated one.",
    SUPPORT: "Click a bar to open the most violated labelling of that example in the stepper.",
    WEIGHTS: "Area says how large: filled is positive, hollow negative, × forbidden. "
    "Click a square to open a place where it counts.",
}

Opener = Callable[[int, int | None], None]
"""Called with a training example and a site of it, or None for the place that shows most."""


class Pictures:
    """What is shown of the last pass of a run.

    Args:
        palette: the theme.
        open_attack: opens the most violated labelling that is shown in the stepper.
        open_example: opens that of any example.

    Attributes:
        parts: the switch, what the pictures mean, and the pictures, to stand below each other.
    """

    def __init__(self, palette: Palette, open_attack: Callable[[], None], open_example: Opener) -> None:
        self._palette = palette
        self._open_attack, self._open_example = open_attack, open_example
        self._run: Run | None = None
        self._askable = True
        self._ribbons = Ribbons(palette, self._ribbon_clicked)
        self._plane = PlaneChart(palette, self._plane_clicked)
        self._support = SupportChart(palette, self._support_clicked)
        self._weights = WeightCharts(palette, self._step_clicked, self._feature_clicked)
        self._which = pmui.RadioButtonGroup(
            options=[LABELS, PLANE, SUPPORT, WEIGHTS],
            value=LABELS,
            size="small",
            sizing_mode="stretch_width",
            margin=0,
            styles={"max-width": "470px"},
        )
        self._choice = pmui.RadioButtonGroup(
            options=[WORST, FOLLOWED], value=WORST, size="small", width=196, margin=0
        )
        self._opener = pmui.Button(
            label="Open in stepper", variant="outlined", size="small", width=132, margin=(0, 0, 0, 12)
        )
        self._which.param.watch(self._changed, "value")
        self._choice.param.watch(self._changed, "value")
        self._opener.on_click(self._opened)
        self._note = html("", margin=(4, 0, 0, 0))
        self._panes = {
            LABELS: pn.Row(_pane(self._ribbons.figure), **ROOM),
            PLANE: pn.Row(_pane(self._plane.figure), sizing_mode="stretch_both", visible=False),
            SUPPORT: pn.Row(_pane(self._support.figure), sizing_mode="stretch_both", visible=False),
            WEIGHTS: pn.Row(
                _pane(self._weights.steps, sizing_mode="stretch_height", width=300),
                _pane(self._weights.features),
                visible=False,
                **ROOM,
            ),
        }
        self._example = pn.Row(
            html("<div class='legend'>Training example:</div>", sizing_mode=None, width=112, margin=(8, 0)),
            self._choice,
            margin=0,
        )
        self.parts = (
            pn.Row(
                self._which,
                pn.Row(self._example, self._opener, margin=0),
                sizing_mode="stretch_width",
                margin=0,
                styles={
                    "display": "grid",
                    "grid-template-columns": "repeat(auto-fit, minmax(470px, auto))",
                    "justify-content": "space-between",
                },
            ),
            self._note,
            *self._panes.values(),
        )

    def show(self, run: Run, askable: bool) -> None:
        """Draw the last pass of a run, which has one.

        Args:
            run: whose.
            askable: whether `open_example` can open any example.
        """
        self._run, self._askable = run, askable
        self._draw()

    def repaint(self, palette: Palette) -> None:
        """Take the colours of a theme."""
        self._palette = palette
        for chart in (self._ribbons, self._plane, self._support, self._weights):
            chart.repaint(palette)
        if self._run is not None:
            self._draw()

    @property
    def attack(self) -> Attack:
        """The most violated labelling that is shown."""
        return self._seen.worst if self._choice.value == WORST else self._seen.followed

    @property
    def _seen(self) -> Pass:
        return self._run.passes[-1]

    def _draw(self) -> None:
        which = self._which.value
        for name, pane in self._panes.items():
            pane.visible = name == which
        self._example.visible = self._opener.visible = which in (LABELS, PLANE)
        self._note.object = _legend(self._run.card, self._palette) if which == LABELS else self._hint(which)
        {
            LABELS: self._draw_ribbons,
            PLANE: self._draw_plane,
            SUPPORT: self._draw_support,
            WEIGHTS: self._draw_weights,
        }[which]()

    def _hint(self, which: str) -> str:
        later = "" if self._askable or which == PLANE else " A recording has no data to open."
        return f"<div class='legend'>{escape(HINTS[which] + later)}</div>"

    def _draw_ribbons(self) -> None:
        names, truth, found = self._run.card.names, self._run.card.truth, self.attack
        y = names.labelled(found.y)
        rows = [
            Ribbon(f"example {found.example + 1}, truth y", y, y),
            Ribbon("most violated ŷ", names.labelled(found.y_hat), y),
            Ribbon("validation, truth", truth, truth),
            Ribbon("validation, predicted", self._seen.prediction, truth),
        ]
        self._ribbons.draw(rows, names.labels, names.heights, self._palette)

    def _draw_plane(self) -> None:
        found, settings = self.attack, self._run.settings
        h = WRAPPERS[settings.wrapper].table(found.leads.size - 1)
        if settings.rescaling == "margin":
            level = found.value - h
        else:
            level = np.full(h.size, np.inf)
            np.divide(found.value, h, out=level, where=h > 0)
            level -= 1.0
        self._plane.draw(
            f"Training example {found.example + 1} after pass {self._seen.number}",
            found.leads,
            found.k,
            found.value,
            level,
            self._palette,
        )

    def _draw_support(self) -> None:
        self._support.draw(self._seen.support)

    def _draw_weights(self) -> None:
        card = self._run.card
        self._weights.draw(self._seen.weights, card.names.states, card.inputs, self._palette)

    def _changed(self, *_events) -> None:
        if self._run is not None:
            soon(self._draw)

    # clicks

    def _opened(self, _event) -> None:
        self._open_attack()

    def _plane_clicked(self) -> None:
        self._open_attack()

    def _ribbon_clicked(self, row: int, site: int) -> None:
        if row < 2:  # the validation sequence has no most violated labelling
            self._open_example(self.attack.example, site)

    def _support_clicked(self, number: int) -> None:
        self._open_example(number, None)

    def _step_clicked(self, before: int, after: int) -> None:
        """Open the followed example where ŷ or y takes this step; the border stands before and after all."""
        found, N = self._seen.followed, len(self._run.card.names.states)
        for path in (found.y_hat, found.y):
            bordered = np.r_[N, path, N]
            taken = np.flatnonzero((bordered[:-1] == before) & (bordered[1:] == after))
            if taken.size:
                self._open_example(found.example, min(int(taken[0]), path.size - 1))
                return

    def _feature_clicked(self, state: int, _feature: int) -> None:
        """Open the followed example where ŷ or y is in this state."""
        found = self._seen.followed
        for path in (found.y_hat, found.y):
            taken = np.flatnonzero(path == state)
            if taken.size:
                self._open_example(found.example, int(taken[0]))
                return


def _pane(fig: figure, **options) -> pn.pane.Bokeh:
    return pn.pane.Bokeh(fig, **{"sizing_mode": "stretch_both", "margin": 0, **options})


def _legend(card: Card, palette: Palette) -> str:
    """Return the legend of the ribbons: height says the label, hatching that it is wrong."""
    names = card.names
    entries = [
        f"<span>{_swatch(height, palette.edge if number == 0 else palette.ink, '')}{escape(name)}</span>"
        for number, (name, height) in enumerate(zip(names.labels, names.heights, strict=True))
    ]
    stripes = "".join(
        f"<path d='M{x} 14 l14 -14' stroke='{palette.background}' stroke-width='1.5'/>"
        for x in (-7, 0, 7, 14)
    )
    entries.append(f"<span>{_swatch(1.0, palette.decision, stripes)}hatched: differs from the truth</span>")
    return f"<div class='legend'>{''.join(entries)}</div>"


def _swatch(height: float, colour: str, stripes: str) -> str:
    top = 14 * (1 - height)
    return (
        f"<svg width='22' height='14' aria-hidden='true'>"
        f"<rect y='{top:.1f}' width='22' height='{14 - top:.1f}' fill='{colour}'/>{stripes}</svg>"
    )
