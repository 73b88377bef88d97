"""Learning to parse short sentences of biomedical articles; T04, section 4.5.

    python -m viterbi_lab.experiments parsing

T04 used sentences of at most ten words of the Penn Treebank, which is not free. Here they are from CRAFT (see
``assets/treebank/README.md``), many of them headings, so numbers cannot be compared across the two, only the
machines with each other: the maximum-likelihood PCFG and three machines share one grammar, read off the
training trees. Nodes that only tell the place of a line in its article (HEADING, CAPTION …) are taken out.

Words that are rare in training go by their shape. A sentence without a parse has no node, by every method.
Articles whose number has ``fold(…, 5) == 0`` are for the test, those with 1 for choosing C; a draw is a
random part of the others.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from viterbi_lab.data.loci import fold
from viterbi_lab.data.treebank import Treebank, craft_sentences, read_treebank
from viterbi_lab.experiments import machines
from viterbi_lab.experiments.report import Table, deliver, mean_and_error, page
from viterbi_lab.rescaling import VARIANTS
from viterbi_lab.tasks.parsing import NoParse, ParsingTask, TreeLoss
from viterbi_lab.trees import Grammar, Tree, binarised

LAYOUT = {"HEADING", "CAPTION", "TITLE", "CIT"}
N_TRAIN = 300
LONGEST = 10  # words
C_OF_EACH = (0.01, 0.1, 1.0)  # C/n to choose from
RELATIVE_GAP = 0.02
FLOOR = -30.0  # log probability of rules that a PCFG has never seen
PCFG = "PCFG, maximum likelihood"
MACHINES = {"SVM_2, 0/1": "SVM_2", "SVM_2, F1 slack": "SVM_2_Ds", "SVM_2, F1 margin": "SVM_2_Dm"}
PUBLISHED = {
    PCFG: "55.2 / 86.0",
    "SVM_2, 0/1": "58.9 / 86.2",
    "SVM_2, F1 slack": "58.9 / 88.5",
    "SVM_2, F1 margin": "58.3 / 88.4",
}
"""T04, Table 5: test accuracy and F1 on Penn Treebank, per cent; |S| was 7494, 8043 and 7117 of 4098."""


@dataclass(frozen=True)
class Result:
    """How one method does on one draw.

    Attributes:
        method: its name.
        seed: of the draw.
        c: C/n; 0 for the PCFG.
        complete: share of test sentences all of whose labelled spans are right.
        f1: of labelled spans, pooled.
        unparsed: test sentences without a parse.
        n_test: test sentences.
        planes: |S|; 0 for the PCFG.
        seconds: wall-clock time of the training.
    """

    method: str
    seed: int
    c: float
    complete: float
    f1: float
    unparsed: int
    n_test: int
    planes: int
    seconds: float


@dataclass(frozen=True, eq=False)
class Split:
    """Binary trees to learn from, to choose C on, and to test."""

    train: tuple[Tree, ...]
    validation: tuple[Tree, ...]
    test: tuple[Tree, ...]


def split(bank: Treebank, longest: int = LONGEST) -> Split:
    """Trees of two words or more by the number of their article, without layout."""
    parts: tuple[list[Tree], list[Tree], list[Tree]] = ([], [], [])
    seen: set[Tree] = set()
    for number, (tree, source) in enumerate(zip(bank.trees, bank.sources, strict=True)):
        plain = without_layout(tree)
        if 2 <= len(plain.words()) <= longest and plain not in seen:
            seen.add(plain)
            which = {0: 2, 1: 1}.get(fold(source or str(number), 5), 0)
            parts[which].append(binarised(plain))
    return Split(*map(tuple, parts))


def without_layout(tree: Tree) -> Tree:
    """The tree with the children of layout nodes in their place."""
    if tree.word is not None:
        return tree
    children: list[Tree] = []
    for child in map(without_layout, tree.children):
        # a heading of one word keeps its node: a word needs a symbol
        children += child.children if child.label in LAYOUT and child.word is None else [child]
    return Tree(tree.label, tuple(children))


def shape(word: str) -> str:
    """The class of a rare word: by digits, signs, capitals and its ending.

    Example:
        >>> [shape(word) for word in ("12.5", "Sox9", "Walking", "rapidly", "(")]
        ['<number>', '<name>', '<^-ing>', '<-ly>', '<sign>']
    """
    if re.search(r"\d", word):
        return "<number>" if re.fullmatch(r"[\d.,%-]+", word) else "<name>"
    if not re.search(r"\w", word):
        return "<sign>"
    if re.search(r".[A-Z]", word):
        return "<name>"
    capital = "^" if word[0].isupper() else ""
    ending = next(
        (e for e in ("ing", "ed", "ly", "tion", "ity", "al", "ic", "ous", "s") if word.endswith(e)), ""
    )
    return f"<{capital}-{ending}>"


def naming(trees: Sequence[Tree]) -> Callable[[str], str]:
    """How words are called: as they are if two training words are the same, else by their shape."""
    counts = Counter(word for tree in trees for word in tree.words())
    return lambda word: word if counts[word] > 1 else shape(word)


def spans(tree: Tree, begin: int = 0) -> Counter:
    """The labelled spans of a tree that count: neither words, nor the root, nor what binarising made."""
    if tree.word is not None:
        return Counter()
    counted = not tree.label.startswith("@") and tree.label != "ROOT"
    found = Counter({(tree.label, begin, begin + len(tree.words())): int(counted)})
    for child in tree.children:
        found += spans(child, begin)
        begin += len(child.words())
    return +found


def evaluate(task: ParsingTask, trees: Sequence[Tree], w: np.ndarray) -> tuple[float, float, int]:
    """Share of completely right sentences, pooled F1, and how many have no parse."""
    right = proposed = true = complete = unparsed = 0
    for tree in trees:
        gold = spans(tree)
        true += gold.total()
        try:
            x = task.prepare_input(tree.words())
        except NoParse:
            unparsed += 1
            continue
        found = spans(task.output(x, task.best(x, w)))
        right += (found & gold).total()
        proposed += found.total()
        complete += found == gold
    return complete / len(trees), 2 * right / max(proposed + true, 1), unparsed


def run(
    bank: Treebank,
    seeds: Sequence[int],
    *,
    n_train: int = N_TRAIN,
    longest: int = LONGEST,
    grid: Sequence[float] = C_OF_EACH,
) -> list[Result]:
    """The PCFG and three machines on each draw; C by F1 on the validation articles, on the first draw."""
    data, results, chosen = split(bank, longest), [], {}
    for seed in seeds:
        order = np.random.default_rng(seed).permutation(len(data.train))[:n_train]
        train = [data.train[i] for i in order]
        grammar = Grammar.of_trees(train, uncounted=["ROOT"], name_of=naming(train))
        pcfg = np.maximum(grammar.log_probabilities(train), FLOOR)
        scores = evaluate(ParsingTask(grammar), data.test, pcfg)
        results.append(Result(PCFG, seed, 0.0, *scores, len(data.test), 0, 0.0))
        for method, name in MACHINES.items():
            variant = VARIANTS[name]
            task = ParsingTask(grammar, TreeLoss.ZERO_ONE if variant.zero_one else TreeLoss.F1)
            examples = task.prepare([tree.words() for tree in train], train)
            trained = {}
            for c in [chosen[method]] if method in chosen else grid:
                trained[c] = machines.train(task, examples, variant, c, RELATIVE_GAP)
            if method not in chosen:
                chosen[method] = max(
                    trained, key=lambda c: evaluate(task, data.validation, trained[c][0].w)[1]
                )
            last, seconds = trained[chosen[method]]
            scores = evaluate(task, data.test, last.w)
            results.append(
                Result(method, seed, chosen[method], *scores, len(data.test), last.planes, seconds)
            )
    return results


def table(results: Sequence[Result], n_train: int) -> Table:
    """Published values and ours."""
    rows = []
    for method in (PCFG, *MACHINES):
        own = [result for result in results if result.method == method]
        learned = own[0].c > 0
        rows.append(
            (
                method,
                PUBLISHED[method],
                mean_and_error([result.complete for result in own], scale=100),
                mean_and_error([result.f1 for result in own], scale=100),
                f"{own[0].c:g}" if learned else "–",
                f"{np.mean([result.planes for result in own]):.0f}" if learned else "–",
                f"{np.mean([result.seconds for result in own]):.1f}" if learned else "–",
            )
        )
    first = results[0]
    unparsed = np.mean([result.unparsed for result in results if result.method == PCFG])
    return Table(
        f"Sentences of CRAFT, {n_train} to train on",
        (
            "method",
            "published, other data: acc. % / F1 %",
            "ours: all spans right, %",
            "ours: F1 %",
            "C/n",
            "\\|S\\|",
            "s",
        ),
        tuple(rows),
        (
            f"Mean ± standard error of {len({result.seed for result in results})} random training sets, "
            f"tested on {first.n_test} sentences of other articles, of which {unparsed:.0f} have no parse.",
        ),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Train parsers on short sentences of CRAFT beside a PCFG on the same grammar, and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m viterbi_lab.experiments parsing", description=main.__doc__
    )
    parser.add_argument("--seeds", type=int, default=3, help="how many training sets (default 3)")
    parser.add_argument("--train", type=int, default=N_TRAIN, help=f"their size (default {N_TRAIN})")
    parser.add_argument("--trees", type=Path, help="file of trees in brackets; default: CRAFT")
    parser.add_argument("--out", type=Path, help="write the page there, too: assets/tables/parsing.md")
    options = parser.parse_args(arguments)
    bank = craft_sentences() if options.trees is None else read_treebank(options.trees)
    for notice in bank.notices:
        sys.stdout.write(f"{notice}\n")
    results = run(bank, range(options.seeds), n_train=options.train)
    command = f"python -m viterbi_lab.experiments parsing --seeds {options.seeds} --train {options.train}"
    text = page("Parsing", command, [table(results, options.train)])
    deliver(text, options.out)


if __name__ == "__main__":
    main()
