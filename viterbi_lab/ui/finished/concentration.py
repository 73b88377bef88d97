"""Fig. 5 of Bauer et al. 2014: where the loss-augmented scores are large."""

from __future__ import annotations

from typing import Any

import holoviews as hv
import numpy as np

from viterbi_lab.experiments.concentration import Heat
from viterbi_lab.ui.finished.figure import Finished, table
from viterbi_lab.ui.finished.look import Look
from viterbi_lab.ui.palette import LIGHT


def figure5(heat: Heat) -> Finished:
    """Two maps over t and k: max_j L_{t,k}(j) + k and max_j L_{t,k}(j) · k."""

    def parts(backend: str) -> tuple[Any, ...]:
        look = Look(backend)
        length = int(heat.t[-1])
        return tuple(
            look.chart(
                [
                    look.image(hv.Image((heat.t, heat.k, getattr(heat, name).T), ["t", "k"], "value")),
                    look.dots(
                        hv.Scatter([(length, heat.best_k[name])], "t", "k"),
                        LIGHT.decision,
                        marker="circle",
                        size=9,
                    ),
                ],
                title=f"{sign}, largest at k = {heat.best_k[name]:,}",
                xlabel="sites t",
                ylabel="errors k",
                xlim=(0, length * 1.02),
                ylim=(0, length * 1.02),
            )
            for name, sign in (("margin", "Margin, max L + k"), ("slack", "Slack, max L · k"))
        )

    t, k = np.meshgrid(heat.t, heat.k, indexing="ij")
    inside = k <= t
    return Finished(
        "figure5",
        "Fig. 5 · Where the loss-augmented scores are large",
        f"Mean over {heat.sets} random problems, N = 4, T = {int(heat.t[-1]):,}. "
        "Above half of the largest value: "
        f"{heat.share_above_half('margin'):.0%} of the triangle for margin, "
        f"{heat.share_above_half('slack'):.0%} for slack.",
        parts,
        table(
            ("t", "k", "margin", "slack"),
            zip(
                t[inside].tolist(),
                k[inside].tolist(),
                heat.margin[inside].tolist(),
                heat.slack[inside].tolist(),
                strict=True,
            ),
        ),
    )
