"""The trainers by their names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from viterbi_lab import block_coordinate, cutting_plane
from viterbi_lab.formulation import N_SLACK, ONE_SLACK
from viterbi_lab.iterate import Iterate
from viterbi_lab.tasks.base import Example, Task
from viterbi_lab.working_set import WorkingSet

FAST, PAPER, PAPER_ONE_SLACK = TRAINERS = ("block_coordinate", "cutting_plane", "one_slack")


def owners(trainer: str, n: int) -> int:
    """How many slacks n examples have."""
    return 1 if trainer == PAPER_ONE_SLACK else n


def iterates(
    trainer: str,
    task: Task,
    examples: Sequence[Example],
    planes: WorkingSet,
    *,
    solver: str,
    seed: int,
    **settings: Any,
) -> Iterator[Iterate]:
    """Train by the trainer of that name.

    Args:
        trainer: one of ``TRAINERS``.
        task: joint feature map and loss.
        examples: to train on.
        planes: the constraints to begin with, and to add to.
        solver: of the quadratic programs, see `viterbi_lab.qp.ladder`; not for the fast trainer.
        seed: of the order of examples, for the fast trainer only.
        settings: what all of them take.

    Raises:
        ValueError: if there is no trainer of that name.
    """
    if trainer not in TRAINERS:
        raise ValueError(f"trainer={trainer!r}; known are {', '.join(TRAINERS)}.")
    if trainer == FAST:
        return block_coordinate.iterates(task, examples, working_set=planes, seed=seed, **settings)
    formulation = ONE_SLACK if trainer == PAPER_ONE_SLACK else N_SLACK
    return cutting_plane.iterates(
        task, examples, formulation=formulation, solver=solver, working_set=planes, **settings
    )
