"""Training the machines of Tsochantaridis et al. to a share of their objective, by the clock."""

from __future__ import annotations

import time
from collections.abc import Sequence

from viterbi_lab.block_coordinate import iterates
from viterbi_lab.iterate import Iterate
from viterbi_lab.rescaling import Variant
from viterbi_lab.tasks.base import Example, Task


def train(
    task: Task, examples: Sequence[Example], variant: Variant, c: float, relative_gap: float
) -> tuple[Iterate, float]:
    """Train a machine from nothing.

    Args:
        task: joint feature map and loss.
        examples: to train on.
        variant: one of ``viterbi_lab.rescaling.VARIANTS``.
        c: C/n.
        relative_gap: by what share of the objective the optimum may be lower at the end.

    Returns:
        The last iterate, and the seconds that the training took by the clock.
    """
    begin = time.perf_counter()
    *_, last = iterates(
        task,
        examples,
        C=c * len(examples),
        relative_gap=relative_gap,
        rescaling=variant.rescaling,
        penalty=variant.penalty,
    )
    return last, time.perf_counter() - begin
