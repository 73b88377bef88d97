"""One cell of the protocol of Bauer et al. 2014, Section IV-B.

Models are trained for all C along a path, each from the planes of the one before; the C with most right sites
in the validation sequences is chosen, the smallest of equals; its model labels the test sequences.

How many iterations training takes is counted in trainings of their own, from nothing, because a path spreads
them over all C: passes of the cutting-plane training with a slack for each example, at the chosen C and at
one that is the same for all cells; and, where n is small enough, iterations with one slack for all examples.
The paper says neither which of these its Fig. 7 counts, nor ε.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from viterbi_lab import block_coordinate, cutting_plane
from viterbi_lab.experiments.drawn import draw
from viterbi_lab.experiments.protocol import Cell, CellResult, Count, OnPath, Protocol
from viterbi_lab.formulation import N_SLACK, ONE_SLACK, Formulation
from viterbi_lab.iterate import Iterate
from viterbi_lab.rescaling import RESCALINGS

PATH_TRAINER = "block_coordinate: pairwise sweeps, interior point where they take too long"
COUNT_TRAINER = "cutting_plane: interior_point"


def run_cell(protocol: Protocol, cell: Cell) -> CellResult:
    """Train along the path, choose C, test, and count iterations.

    Raises:
        ValueError: if the cell wants more training sequences than there are, or another setting is wrong.
        SolverFailed: if no solver can handle a quadratic program.
    """
    begin = time.process_time()
    if cell.n > protocol.pool:
        raise ValueError(f"n={cell.n}, but a data set has {protocol.pool} training sequences.")
    data = draw(protocol, cell.data_set, cell.sigma)
    examples, rescaling = data.examples(cell.n), RESCALINGS[cell.rescaling]
    path: list[OnPath] = []
    best: tuple[OnPath, np.ndarray] | None = None
    goal = {"epsilon": protocol.epsilon, "rescaling": rescaling}
    for C, last in block_coordinate.path(data.task, examples, protocol.Cs, **goal):
        path.append(OnPath(validation_right=data.validation.right(last.w), **_account(C, last)))
        if best is None or path[-1].validation_right > best[0].validation_right:
            best = path[-1], last.w
    chosen, w = best

    def count(C: float, formulation: Formulation, most: int = 500) -> Count:
        *_, last = cutting_plane.iterates(
            data.task, examples, C=C, formulation=formulation, max_passes=most, **goal
        )
        return Count(**_account(C, last))

    return CellResult(
        cell=cell,
        path=tuple(path),
        C=chosen.C,
        test_right=data.test.right(w),
        test_sites=len(data.test.truth),
        n_slack=count(chosen.C, N_SLACK),
        n_slack_fixed=count(protocol.C_fixed, N_SLACK),
        one_slack=count(chosen.C, ONE_SLACK, protocol.one_slack_most)
        if cell.n <= protocol.one_slack_up_to
        else None,
        seconds=time.process_time() - begin,
    )


def _account(C: float, last: Iterate) -> dict[str, Any]:
    return {
        "C": C,
        "status": last.status.name,
        "passes": last.number,
        "oracle_calls": last.oracle_calls,
        "constraints": last.planes,
        "objective": last.upper,
        "relative_gap": last.relative_gap,
    }
