"""Classes in a tree: what sharing weights and what the tree loss are worth; T04, section 4.2.

    python -m viterbi_lab.experiments taxonomy

T04 classified patents of the WIPO collection, which is not free. Here inputs of 36 classes are drawn around
the leaves of a tree 3 × 3 × 4 (`viterbi_lab.data.taxonomy`). Four machines see the same data: weights for
each class alone ("flat") or for the nodes of the tree ("tax"), trained on 0/1 or on tree loss ("Δ").

C is chosen for each machine on a draw of its own. That matters: where C is so large that no slack is left,
which begins at C = n here, the loss in the constraints has nothing to rescale, and "0/1" and "Δ" are the same
machine. Trained to a certified gap of 1 %, both then agree to the last digit shown.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from viterbi_lab.data.taxonomy import TreeClasses
from viterbi_lab.experiments import machines
from viterbi_lab.experiments.report import Table, deliver, mean_and_error, page
from viterbi_lab.rescaling import VARIANTS
from viterbi_lab.tasks.classification import ClassificationTask, zero_one
from viterbi_lab.taxonomy import Taxonomy

METHODS = ("flat 0/1", "tax 0/1", "flat Δ", "tax Δ")
C_OF_EACH = (1e-3, 1e-2, 1e-1, 1.0)  # C/n to choose from
TUNING_SEED = 2**31 - 1
RELATIVE_GAP = 1e-2
TEST_PER_CLASS = 20
PUBLISHED = {
    4: {"flat 0/1": (28.32, 1.36), "tax 0/1": (28.32, 1.32), "flat Δ": (27.47, 1.30), "tax Δ": (29.74, 1.21)},
    2: {"flat 0/1": (20.20, 1.54), "tax 0/1": (20.46, 1.51), "flat Δ": (20.20, 1.39), "tax Δ": (21.73, 1.33)},
}
"""T04, Table 1: accuracy in per cent and mean tree loss on WIPO-alpha, section D, by documents a class."""


@dataclass(frozen=True)
class Result:
    """How one machine does on one draw.

    Attributes:
        method: one of `METHODS`.
        per_class: training examples of each class.
        c: C/n.
        seed: of the draw.
        accuracy: share of right classes in the test.
        loss: mean tree loss in the test.
        planes: |S|, constraints at the end.
        passes: passes over the training data.
        seconds: wall-clock time of the training.
        status: how the training ended.
    """

    method: str
    per_class: int
    c: float
    seed: int
    accuracy: float
    loss: float
    planes: int
    passes: int
    seconds: float
    status: str


def run(
    seeds: Sequence[int], *, per_class: Sequence[int] = (4, 2), grid: Sequence[float] = C_OF_EACH
) -> list[Result]:
    """Every machine on every draw; C by the smallest loss it is trained on, on a draw that is no other."""
    results = []
    for m in per_class:
        chosen = {method: grid[0] for method in METHODS}
        if len(grid) > 1:
            tried = [result for c in grid for result in on_draw(TUNING_SEED, m, dict.fromkeys(METHODS, c))]
            for method in METHODS:
                chosen[method] = min(
                    (result for result in tried if result.method == method),
                    key=lambda result: result.loss if method.endswith("Δ") else -result.accuracy,
                ).c
        for seed in seeds:
            results += on_draw(seed, m, chosen)
    return results


def on_draw(seed: int, per_class: int, chosen: Mapping[str, float]) -> list[Result]:
    """Train the machines of ``chosen``, which gives C/n of each, on one draw."""
    rng = np.random.default_rng(seed)
    drawn = TreeClasses.draw(rng)
    test, train = drawn.sample(rng, TEST_PER_CLASS), drawn.sample(rng, per_class)
    taxonomy = Taxonomy(drawn.parents)
    return [_train(method, per_class, c, seed, taxonomy, train, test) for method, c in chosen.items()]


def _train(
    method: str,
    per_class: int,
    c: float,
    seed: int,
    taxonomy: Taxonomy,
    train: tuple[np.ndarray, np.ndarray],
    test: tuple[np.ndarray, np.ndarray],
) -> Result:
    shared, tree = method.startswith("tax"), method.endswith("Δ")
    losses = taxonomy.tree_loss if tree else zero_one(len(taxonomy.leaves))
    F = train[0].shape[1]
    task = (
        ClassificationTask.taxonomy(taxonomy, F, losses)
        if shared
        else ClassificationTask.flat(len(taxonomy.leaves), F, losses)
    )
    variant = VARIANTS["SVM_2_Ds" if tree else "SVM_2"]
    examples = task.prepare(*train)
    last, seconds = machines.train(task, examples, variant, c, RELATIVE_GAP)
    X, y = test
    found = task.scores(X, last.w).argmax(axis=1)
    return Result(
        method,
        per_class,
        c,
        seed,
        float((found == y).mean()),
        float(taxonomy.tree_loss[y, found].mean()),
        last.planes,
        last.number,
        seconds,
        last.status.name.lower(),
    )


def table(results: Sequence[Result], per_class: int) -> Table:
    """Published values and ours for one number of examples a class."""
    rows = []
    for method in METHODS:
        own = [result for result in results if (result.method, result.per_class) == (method, per_class)]
        accuracy, loss = PUBLISHED[per_class][method]
        rows.append(
            (
                method,
                f"{accuracy:.2f} / {loss:.2f}",
                f"{own[0].c:g}",
                mean_and_error([result.accuracy for result in own], scale=100),
                mean_and_error([result.loss for result in own], digits=3),
                f"{np.mean([result.planes for result in own]):.0f}",
                f"{np.mean([result.seconds for result in own]):.1f}",
            )
        )
    seeds = len({result.seed for result in results})
    return Table(
        f"{per_class} examples a class",
        (
            "machine",
            "published: acc. % / tree loss",
            "C/n",
            "ours: acc. %",
            "ours: tree loss",
            "\\|S\\|",
            "s",
        ),
        tuple(rows),
        (
            f"Mean ± standard error of {seeds} draws; published: patents (WIPO-alpha, section D), ours: "
            "synthetic classes, so only the order can be compared.",
        ),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Train flat and taxonomic machines with 0/1 and tree loss on classes in a tree, and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m viterbi_lab.experiments taxonomy", description=main.__doc__
    )
    parser.add_argument("--seeds", type=int, default=10, help="how many draws (default 10)")
    parser.add_argument("--out", type=Path, help="write the page there, too: assets/tables/taxonomy.md")
    options = parser.parse_args(arguments)
    results = run(range(options.seeds))
    text = page(
        "Classes in a tree",
        f"python -m viterbi_lab.experiments taxonomy --seeds {options.seeds}",
        [table(results, 4), table(results, 2)],
    )
    deliver(text, options.out)


if __name__ == "__main__":
    main()
