"""Pairs of real sequences whose alignment Pfam knows; the test has other families than the training."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from viterbi_lab.data.families import Family
from viterbi_lab.experiments.counted import best_gaps, blosum62, leads, log_odds
from viterbi_lab.experiments.report import Table, mean_and_error
from viterbi_lab.homologues import DECOYS, draw, recovered, train
from viterbi_lab.tasks.alignment import AlignmentTask, Comparison

TRAIN_FAMILIES, TEST_FAMILIES = ("fn3", "RRM_1"), ("Caudal_act", "Pkinase", "LuxC")
PAIRS = {"train": 20, "test": 20}


def run_real(families: Sequence[Family], seeds: Sequence[int]) -> list[tuple[str, list[float], list[float]]]:
    """Learned, counted and BLOSUM62 weights on real pairs: errors and shares of recovered pairs by seed."""
    task = AlignmentTask(affine=True)
    outcomes: dict[str, tuple[list[float], list[float]]] = {}
    for seed in seeds:
        rng = np.random.default_rng(seed)
        data, _ = draw(families, PAIRS["train"], rng, chosen=TRAIN_FAMILIES)
        test, _ = draw(families, PAIRS["test"], rng, chosen=TEST_FAMILIES)
        counted = log_odds(task, data)
        machines = {
            "learned, SVM_2": train(task, data).w,
            "counted, gap costs by lead": best_gaps(task, data, counted),
            "BLOSUM62, gap costs 11 and 1": blosum62(task),
        }
        inputs = [task.prepare_input(x) for x in test.X]
        for name, w in machines.items():
            errors, shares = outcomes.setdefault(name, ([], []))
            errors.append(float((leads(task, inputs, w) <= 0).mean()))
            alone = [task.prepare_input(Comparison(x.x, x.candidates[:1])) for x in test.X]
            shares.append(
                float(
                    np.mean(
                        [
                            recovered(task.output(x, task.best(x, w)), y)
                            for x, y in zip(alone, test.Y, strict=True)
                        ]
                    )
                )
            )
    return [(name, *values) for name, values in outcomes.items()]


def real_table(outcomes: Sequence[tuple[str, list[float], list[float]]]) -> Table:
    """What the weights do on real pairs."""
    return Table(
        "Real pairs of Pfam",
        ("weights", "homologue not first, %", "pairs of letters aligned as Pfam does, %"),
        tuple(
            (name, mean_and_error(errors, scale=100), mean_and_error(shares, scale=100))
            for name, errors, shares in outcomes
        ),
        (
            f"Trained on {PAIRS['train']} pairs of {' and '.join(TRAIN_FAMILIES)}, tested on "
            f"{PAIRS['test']} of {', '.join(TEST_FAMILIES)}. {DECOYS} decoys each, from further families; "
            f"mean ± standard error of {len(outcomes[0][1])} draws. BLOSUM62 was made from thousands of "
            "alignments; it is the mark, not a rival.",
        ),
    )
