"""Classes in a taxonomy from two or four examples each; after T04, section 4.2, on data that are free.

The paper has 160 groups of patents; here are 150 intents of short queries in 10 domains (CLINC150). Four
machines, SVM_2^Δs each: weights for classes alone (flat) or for the nodes of the taxonomy (tax), trained for
the 0/1 loss or for the tree loss Δ. scikit-learn's one-vs-rest LinearSVC has the same features in the same
run.

Features are TF-IDF of words, pairs of words, and 2 to 5 letters within words, of the training queries only.
C/n is chosen for each machine from `SHARES` by its tree loss on the validation queries, after training on a
draw that no result is from.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from viterbi_lab.data.intents import Intents, read_intents
from viterbi_lab.experiments.machines import train
from viterbi_lab.experiments.report import deliver
from viterbi_lab.rescaling import VARIANTS
from viterbi_lab.tasks.classification import ClassificationTask, zero_one
from viterbi_lab.tasks.encoding import SPARSE

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SHARES = (0.01, 0.1, 1.0)
"""C/n; that of LinearSVC is half of it, because squared slacks cost C/2n here."""

RELATIVE_GAP = 0.01

PUBLISHED = {
    2: {"flat 0/1": (20.20, 1.54), "tax 0/1": (20.46, 1.51), "flat Δ": (20.20, 1.39), "tax Δ": (21.73, 1.33)},
    4: {"flat 0/1": (28.32, 1.36), "tax 0/1": (28.32, 1.32), "flat Δ": (27.47, 1.30), "tax Δ": (29.74, 1.21)},
}
"""Accuracy in per cent and tree loss of T04, by examples of a class: other data, with 160 classes."""


@dataclass(frozen=True, eq=False)
class Draw:
    """Training queries of some per class, and what is looked at with their features.

    Attributes:
        X: (n, F) features of the training queries.
        y: (n,) their classes.
        others: features and classes of the validation and of the test queries.
    """

    X: csr_array
    y: np.ndarray
    others: dict[str, tuple[csr_array, np.ndarray]]


@dataclass(frozen=True)
class Outcome:
    """What one machine did on one draw: shares, and what its training took."""

    accuracy: float
    tree_loss: float
    planes: int
    seconds: float


@dataclass(frozen=True)
class Row:
    """One machine over all draws.

    Attributes:
        method: its name.
        per_class: training queries of each class.
        share: C/n.
        outcomes: one for each draw.
    """

    method: str
    per_class: int
    share: float
    outcomes: tuple[Outcome, ...]


Machine = Callable[[Draw, float], tuple[Callable[["csr_array"], np.ndarray], int]]
"""Trains on a draw with C/n: what predicts classes, and the number of constraints it kept."""


def draw(data: Intents, per_class: int, seed: int) -> Draw:
    """Draw training queries without replacement, and compute features that know nothing of other queries.

    Raises:
        ValueError: if a class has fewer training queries.
    """
    from scipy.sparse import csr_array, hstack
    from sklearn.feature_extraction.text import TfidfVectorizer

    rng, classes = np.random.default_rng(seed), data.classes["train"]
    fewest = int(np.bincount(classes, minlength=len(data.taxonomy.leaves)).min())
    if fewest < per_class:
        raise ValueError(f"A class has {fewest} training queries; {per_class} of each were asked for.")
    chosen = np.concatenate(
        [
            rng.choice(np.flatnonzero(classes == k), per_class, replace=False)
            for k in range(len(data.taxonomy.leaves))
        ]
    )
    texts = [data.queries["train"][i] for i in chosen]
    kinds = (
        TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True),
        TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True),
    )
    X = csr_array(hstack([kind.fit_transform(texts) for kind in kinds], format="csr"))
    others = {
        split: (
            csr_array(hstack([kind.transform(data.queries[split]) for kind in kinds], format="csr")),
            data.classes[split],
        )
        for split in ("val", "test")
    }
    return Draw(X, classes[chosen], others)


def machines(data: Intents) -> dict[str, Machine]:
    """All methods by their names."""
    taxonomy, K = data.taxonomy, len(data.taxonomy.leaves)

    def ours(flat: bool, losses: np.ndarray) -> Machine:
        def trained(drawn: Draw, share: float) -> tuple[Callable[[csr_array], np.ndarray], int]:
            F = drawn.X.shape[1]
            if flat:
                task = ClassificationTask.flat(K, F, losses, SPARSE)
            else:
                task = ClassificationTask.taxonomy(taxonomy, F, losses, SPARSE)
            examples = task.prepare(drawn.X, drawn.y)
            last, _ = train(task, examples, VARIANTS["SVM_2_Ds"], share, RELATIVE_GAP)
            return lambda X: np.argmax(task.scores(task.prepare_inputs(X), last.w), axis=1), last.planes

        return trained

    def one_vs_rest(drawn: Draw, share: float) -> tuple[Callable[[csr_array], np.ndarray], int]:
        from sklearn.svm import LinearSVC

        model = LinearSVC(C=share / 2).fit(drawn.X, drawn.y)
        return model.predict, 0

    return {
        "LinearSVC, one-vs-rest": one_vs_rest,
        "flat 0/1": ours(True, zero_one(K)),
        "tax 0/1": ours(False, zero_one(K)),
        "flat Δ": ours(True, taxonomy.tree_loss),
        "tax Δ": ours(False, taxonomy.tree_loss),
    }


def outcome(data: Intents, machine: Machine, drawn: Draw, share: float, split: str) -> Outcome:
    """Train on a draw and look at the queries of a split; seconds are processor time of training."""
    begin = time.process_time()
    predict, planes = machine(drawn, share)
    seconds = time.process_time() - begin
    X, y = drawn.others[split]
    found = predict(X)
    loss = float(data.taxonomy.tree_loss[y, found].mean())
    return Outcome(float(np.mean(found == y)), loss, planes, seconds)


def run(
    data: Intents, per_class: int, n_draws: int, *, told: Callable[[str], None] = lambda line: None
) -> list[Row]:
    """All machines on draws 1 to ``n_draws``; draw 0 is for the choice of C/n. ``told`` hears every row."""
    first = draw(data, per_class, seed=0)
    draws = [draw(data, per_class, seed) for seed in range(1, n_draws + 1)]
    rows = []
    for name, machine in machines(data).items():
        tried = {share: outcome(data, machine, first, share, "val").tree_loss for share in SHARES}
        share = min(tried, key=lambda share: tried[share])
        outcomes = tuple(outcome(data, machine, drawn, share, "test") for drawn in draws)
        rows.append(Row(name, per_class, share, outcomes))
        told(table(rows[-1:]).splitlines()[-1])
    return rows


def table(rows: Sequence[Row]) -> str:
    """The results in Markdown: means over the draws with their standard errors, beside those of the paper."""
    lines = [
        "| examples of a class | machine | C/n | accuracy, % | tree loss | constraints kept | CPU s "
        "| T04, patents: accuracy, loss |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        accuracy = _mean([100 * o.accuracy for o in row.outcomes], 1)
        loss = _mean([o.tree_loss for o in row.outcomes], 3)
        planes = np.mean([o.planes for o in row.outcomes])
        seconds = np.mean([o.seconds for o in row.outcomes])
        published = PUBLISHED.get(row.per_class, {}).get(row.method)
        lines.append(
            f"| {row.per_class} | {row.method} | {row.share:g} | {accuracy} | {loss} "
            f"| {f'{planes:.0f}' if planes else '–'} | {seconds:.1f} "
            f"| {'{:.2f}, {:.2f}'.format(*published) if published else '–'} |"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Train on two or four queries of each intent and test on all test queries; print a table."""
    parser = argparse.ArgumentParser(
        prog="python -m viterbi_lab.experiments clinc150", description=main.__doc__
    )
    parser.add_argument("data", type=Path, help="folder with domains.json and data_full.json or .json.gz")
    parser.add_argument("--draws", type=int, default=5, help="training sets; default: 5")
    parser.add_argument(
        "--per-class", type=int, nargs="+", default=[2, 4], help="queries of each intent; default: 2 4"
    )
    parser.add_argument("--out", type=Path, help="a file for the table; default: print it only")
    options = parser.parse_args(arguments)
    data = read_intents(options.data)
    rows = []
    for per_class in options.per_class:
        rows += run(data, per_class, options.draws, told=_say)
    deliver(table(rows) + "\n", options.out)


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def _mean(values: Sequence[float], digits: int) -> str:
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return f"{np.mean(values):.{digits}f} ± {error:.{digits}f}"


if __name__ == "__main__":
    main()
