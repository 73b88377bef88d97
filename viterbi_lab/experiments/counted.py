"""Weights of alignments that are counted, not learned: the rival of T04, section 4.4, and BLOSUM62.

The rival takes Π(a, b) = log P(a, b) / (P(a) P(b)) from the known alignments with a pseudo-count; that leaves
the gap costs open.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from viterbi_lab.homologues import Homologues
from viterbi_lab.tasks.alignment import AlignmentTask
from viterbi_lab.tasks.graph import Parts

PSEUDO_COUNT = 0.05
BLOSUM_GAPS = (-11.0, -1.0)  # as BLAST has them


def log_odds(task: AlignmentTask, data: Homologues) -> np.ndarray:
    """Π of the generative model as (A²,) float64, from the known alignments."""
    A = len(task.alphabet)
    psi = sum(example.psi for example in task.prepare(data.X, data.Y))
    P = psi[: A * A].reshape(A, A) + PSEUDO_COUNT
    P /= P.sum()
    return np.log(P / np.outer(P.sum(axis=1), P.sum(axis=0))).ravel()


def leads(task: AlignmentTask, inputs: Sequence[Parts], w: np.ndarray) -> np.ndarray:
    """By how much the homologue, candidate 0, scores above the best decoy; (n,) float64."""
    scores = np.array([task.candidate_scores(x, w) for x in inputs])
    return scores[:, 0] - scores[:, 1:].max(axis=1)


def best_gaps(task: AlignmentTask, data: Homologues, Pi: np.ndarray) -> np.ndarray:
    """Π with the gap costs (open, extend) whose homologues lead most, those with fewest errors first."""
    inputs = [task.prepare_input(x) for x in data.X]
    tried = [np.append(Pi, [-gap, -gap * share]) for gap in (1.0, 2.0, 4.0, 8.0) for share in (0.1, 0.3, 1.0)]
    found = [leads(task, inputs, w) for w in tried]
    return tried[max(range(len(tried)), key=lambda g: (-(found[g] <= 0).sum(), found[g].mean()))]


def blosum62(task: AlignmentTask) -> np.ndarray:
    """BLOSUM62, as Biopython has it, with the gap costs of BLAST, as weights of a task with affine gaps."""
    from Bio.Align import substitution_matrices  # late: only this experiment needs it

    matrix = substitution_matrices.load("BLOSUM62")
    return np.array([*(matrix[a, b] for a in task.alphabet for b in task.alphabet), *BLOSUM_GAPS])
