"""Learning to parse; T04, section 4.5.

A tree's score is the sum of the weights of its rules, Ψ counts them, and the parser of Cocke, Kasami and
Younger finds the best tree. Two losses: 0/1, and 1 − F1 of labelled spans. F1 is not a sum over nodes, but a
function of two sums: how many counted nodes a tree has (n), and how many of them the true tree has too (tp).
Both together are one whole-number cost, n · (largest tp + 1) + tp, so that both rescalings are exact.

Different trees may have the same nodes; then their F1 loss is 0. Slack rescaling does not care for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from viterbi_lab.dp.chart import Chart, chart
from viterbi_lab.dp.hypergraph import most_of
from viterbi_lab.tasks.base import Example
from viterbi_lab.tasks.graph import GraphTask, Parts
from viterbi_lab.trees import Grammar, Tree, unary_rules


class NoParse(ValueError):
    """A sentence has no parse under the grammar."""


class TreeLoss(Enum):
    """What another tree costs."""

    ZERO_ONE = "zero-one"
    F1 = "F1"


@dataclass(frozen=True, eq=False)
class Sentence:
    """The words of a sentence, and what the edges of its chart mean."""

    words: tuple[str, ...]
    chart: Chart


@dataclass(frozen=True, eq=False)
class ParsingTask(GraphTask):
    """Trees of a grammar. Outputs are the numbers of the rules of a tree, heads before children.

    Attributes:
        grammar: the rules; their numbers are those of the weights.
        tree_loss: ZERO_ONE or F1.
    """

    grammar: Grammar
    tree_loss: TreeLoss = TreeLoss.F1

    @property
    def n_weights(self) -> int:
        """One for each rule."""
        return self.grammar.n_rules

    @property
    def capped(self) -> bool:
        """Whether the loss is 1 for any other tree."""
        return self.tree_loss is TreeLoss.ZERO_ONE

    def prepare(self, X: Sequence[Sequence[str]], Y: Sequence[Tree]) -> tuple[Example, ...]:
        """Check training data.

        Args:
            X: n sentences, each a sequence of words.
            Y: their true trees, binary.

        Raises:
            ValueError: if there is no example, X and Y differ in length, a sentence is empty, or a tree has
                other words or a rule that the grammar does not have. Examples are named, counted from 0.
        """
        if len(X) != len(Y):
            raise ValueError(
                f"X holds {len(X)} sentences, Y {len(Y)} trees. Give one tree for each sentence."
            )
        if not len(X):
            raise ValueError("There is no example to train on. Give at least one.")
        return tuple(self._example(i, words, tree) for i, (words, tree) in enumerate(zip(X, Y, strict=True)))

    def prepare_input(self, x: Sequence[str], where: str = "the sentence") -> Parts:
        """Check a sentence: its parts are those of all its trees.

        Raises:
            NoParse: if there is none.
            ValueError: if it is empty.
        """
        words = tuple(x)
        if not words:
            raise ValueError(f"There is no word in {where}. Leave it out, or give its words.")
        lexical, R = self.grammar.lexical, self.n_weights - len(self.grammar.lexical)
        place = {word: n for n, word in enumerate(self.grammar.words)}
        names = [place.get(self.grammar.name_of(word), -1) for word in words]
        pairs = [(t, rule) for t, name in enumerate(names) for rule in np.flatnonzero(lexical[:, 1] == name)]
        rows = np.array([(t, lexical[rule, 0]) for t, rule in pairs], np.int64).reshape(-1, 2)
        parsed = chart(self.grammar.rules, len(words), rows)
        if parsed is None:
            unknown = [word for word, name in zip(words, names, strict=True) if name < 0]
            reason = f"no rule for the word {unknown[0]!r}" if unknown else "its words do not combine"
            raise NoParse(f"There is no parse of {where} under the grammar: {reason}.")
        of_words = np.array([R + rule for _, rule in pairs] or [0])
        weight = np.where(parsed.rule < R, parsed.rule, of_words[np.maximum(parsed.rule - R, 0)])
        weight[parsed.rule < 0] = self.n_weights
        return Parts(parsed.graph, weight.astype(np.int32), Sentence(words, parsed))

    def encode(self, x: Parts, edges: np.ndarray) -> np.ndarray:
        """The rules of a derivation."""
        rules = x.weight[edges].astype(np.int64)
        return rules[rules < self.n_weights]

    def weights_of(self, x: Parts, y: np.ndarray) -> np.ndarray:
        """The weights that a tree uses are its rules."""
        return y

    def output(self, x: Parts, y: np.ndarray) -> Tree:
        """The binary tree that rules stand for."""
        return self.grammar.tree_of(y, x.source.words)

    def loss(self, y: np.ndarray, y_hat: np.ndarray) -> float:
        """Δ of one tree where another is true, both as rules."""
        if self.tree_loss is TreeLoss.ZERO_ONE:
            return float(not np.array_equal(y, y_hat))
        true, found = (self.spans(rules) for rules in (y, y_hat))
        return float(f1_loss(sum(node in set(true) for node in found), len(found), len(true)))

    def spans(self, y: np.ndarray) -> list[tuple[int, int, int]]:
        """The counted nodes ``(symbol, i, j)`` of a tree: symbol A covers the words i..j-1."""
        rules = self.grammar.rules
        R2, R1 = len(rules.binary), len(rules.unary)
        remaining, found = iter(y.tolist()), []

        def walk(begin: int) -> int:
            rule = next(remaining)
            if rule >= R2 + R1:
                return begin + 1
            head = rules.binary[rule, 0] if rule < R2 else rules.unary[rule - R2, 0]
            end = walk(walk(begin)) if rule < R2 else walk(begin)
            if self.grammar.counted[head]:
                found.append((int(head), begin, end))
            return end

        walk(0)
        return found

    def _example(self, number: int, words: Sequence[str], tree: Tree) -> Example:
        where = f"sentence {number}"
        if tuple(words) != tree.words():
            raise ValueError(
                f"The tree of {where} has the words {' '.join(tree.words())!r}, which are others."
            )
        try:
            y = self.grammar.rules_of(tree)
        except ValueError as error:
            raise ValueError(f"The tree of {where} is none of the grammar. {error}") from error
        parts = self.prepare_input(words, where)
        if self.tree_loss is TreeLoss.ZERO_ONE:
            cost, h = np.ones(parts.graph.n_edges, np.int64), np.array([0.0, 1.0])
            cost[edges_of(parts, tree, y)] = 0
        else:
            cost, h = self._f1_costs(parts, y)
        return Example(number, parts, y, np.bincount(y, minlength=self.n_weights).astype(np.float64), h, cost)

    def _f1_costs(self, parts: Parts, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Costs n · (largest tp + 1) + tp of the edges, and h that makes the loss of their sum."""
        parsed, true = parts.source.chart, self.spans(y)
        R = self.n_weights - len(self.grammar.lexical)
        nodes = zip(parsed.symbol.tolist(), parsed.begin.tolist(), parsed.end.tolist(), strict=True)
        wanted = set(true)
        heads = parts.graph.heads
        counts = (parsed.rule >= 0) & (parsed.rule < R) & self.grammar.counted[parsed.symbol][heads]
        right = counts & np.array([node in wanted for node in nodes])[heads]
        base = most_of(parts.graph, right.astype(np.int64)) + 1
        cost = base * counts + right
        n, tp = np.divmod(np.arange(most_of(parts.graph, cost) + 1), base)
        return cost, f1_loss(tp, n, len(true))


def f1_loss(tp: np.ndarray, n: np.ndarray, n_true: int) -> np.ndarray:
    """1 − F1 of n nodes of which tp are right, where n_true are true; 0 if there are none at all.

    Chains of unary rules may repeat a right node; then F1 counts as 1 at most.
    """
    return np.maximum(0.0, 1.0 - 2.0 * np.asarray(tp) / np.maximum(np.asarray(n) + n_true, 1)) * (
        np.asarray(n) + n_true > 0
    )


def edges_of(parts: Parts, tree: Tree, y: np.ndarray) -> np.ndarray:
    """The edges of a tree in the chart of its sentence, heads before children; y are its rules."""
    graph, parsed = parts.graph, parts.source.chart
    rules, edges = iter(y.tolist()), []

    def walk(node: Tree, v: int) -> None:
        if parsed.chain[v] < 0:
            chain = unary_rules(node)
            e = next(e for e in entering(v) if parsed.chain[graph.tails[e, 0]] == chain)
            edges.append(e)
            v = graph.tails[e, 0]
        rule, children = next(rules), () if node.word is not None else node.children
        split = parsed.begin[v] + len(children[0].words()) if len(children) == 2 else parsed.end[v]
        edges.append(
            next(
                e
                for e in entering(v)
                if parts.weight[e] == rule and (not children or parsed.end[graph.tails[e, 0]] == split)
            )
        )
        for child, tail in zip(children, graph.tails[edges[-1]], strict=False):
            walk(child, tail)

    def entering(v: int) -> range:
        return range(graph.first[v], graph.first[v + 1])

    walk(tree, graph.n_nodes - 1)
    return np.array(edges)
