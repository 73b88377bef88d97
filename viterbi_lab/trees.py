"""Parse trees, and the grammar that can be read off a set of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from viterbi_lab.dp.chart import Rules

BINARY = "@"
"""Symbols that begin with it were made to split long rules into binary ones."""


@dataclass(frozen=True)
class Tree:
    """A node with what is below it: nodes, or one word.

    Attributes:
        label: its symbol.
        children: nodes from left to right, or one word.
    """

    label: str
    children: tuple[Tree, ...] | tuple[str]

    @property
    def word(self) -> str | None:
        """The word right below, or None."""
        (first, *_) = self.children
        return first if isinstance(first, str) else None

    def words(self) -> tuple[str, ...]:
        """All words from left to right."""
        if self.word is not None:
            return (self.word,)
        return tuple(word for child in self.children for word in child.words())

    def nodes(self) -> Iterator[Tree]:
        """All nodes, heads before children, left to right."""
        yield self
        if self.word is None:
            for child in self.children:
                yield from child.nodes()

    def __str__(self) -> str:
        return f"({self.label} {' '.join(map(str, self.children))})"


def unary_rules(tree: Tree) -> int:
    """How many unary rules a tree begins with, one below the other."""
    found = 0
    while tree.word is None and len(tree.children) == 1:
        tree, found = tree.children[0], found + 1
    return found


def binarised(tree: Tree) -> Tree:
    """The tree with every rule A → B C D … split into A → B @A and @A → C @A ….

    Example:
        >>> word = lambda letter: Tree(letter.upper(), (letter,))
        >>> print(binarised(Tree("S", (word("a"), word("b"), word("c")))))
        (S (A a) (@S (B b) (C c)))
    """
    if tree.word is not None:
        return tree
    first, *others = (binarised(child) for child in tree.children)
    if len(others) < 2:
        return Tree(tree.label, (first, *others))
    label = tree.label if tree.label.startswith(BINARY) else BINARY + tree.label
    return Tree(tree.label, (first, binarised(Tree(label, tuple(others)))))


def unbinarised(tree: Tree) -> Tree:
    """The tree without the symbols of `binarised`: their children take their place."""
    if tree.word is not None:
        return tree
    children = [unbinarised(child) for child in tree.children]
    flat = [
        below
        for child in children
        for below in (child.children if child.label.startswith(BINARY) else [child])
    ]
    return Tree(tree.label, tuple(flat))


@dataclass(frozen=True, eq=False)
class Grammar:
    """A grammar of binary, unary and lexical rules. Rules are numbered in this order.

    Attributes:
        symbols: their names.
        rules: the binary and unary rules, in numbers of symbols.
        lexical: (R0, 2) int64, rows (symbol, word).
        words: what words are called in ``lexical``.
        name_of: maps the words of sentences to those names.
        counted: (n_symbols,) bool, whether nodes with this symbol count for the F1 loss; words never do.
    """

    symbols: tuple[str, ...]
    rules: Rules
    lexical: np.ndarray
    words: tuple[str, ...]
    name_of: Callable[[str], str]
    counted: np.ndarray

    @classmethod
    def of_rules(
        cls,
        root: str,
        rules: Sequence[tuple[str, ...]],
        lexical: Sequence[tuple[str, str]],
        *,
        longest_chain: int = 0,
        uncounted: Sequence[str] = (),
        name_of: Callable[[str], str] = str,
    ) -> Grammar:
        """A grammar from its rules.

        Args:
            root: the symbol of whole sentences.
            rules: (A, B, C) for A → B C and (A, B) for A → B; each once.
            lexical: (A, word) for A → word; each once.
            longest_chain: how many unary rules may follow each other; at least 1 if there are any.
            uncounted: symbols that do not count for the F1 loss, beside those of `binarised`.
            name_of: maps words of sentences to those of the rules.

        Raises:
            ValueError: if a rule occurs twice, there is none for any word, or unary rules may not be used.
        """
        if not lexical:
            raise ValueError("There is no rule for a word, so no sentence has a parse.")
        for given in (rules, lexical):
            twice = [rule for rule, count in Counter(map(tuple, given)).items() if count > 1]
            if twice:
                raise ValueError(f"The rule {twice[0][0]} → {' '.join(twice[0][1:])} is given twice.")
        binary = [rule for rule in rules if len(rule) == 3]
        unary = [rule for rule in rules if len(rule) == 2]
        if len(binary) + len(unary) < len(rules):
            raise ValueError("Rules rewrite a symbol into one or two; use `binarised` for longer ones.")
        if bool(unary) != (longest_chain > 0):
            raise ValueError(
                f"There are {len(unary)} unary rules and longest_chain={longest_chain}. With unary rules "
                "give how many may follow each other, without them 0."
            )
        used = [*(s for rule in [*binary, *unary] for s in rule), *(symbol for symbol, _ in lexical)]
        symbols = tuple(dict.fromkeys([root, *used]))
        number = {symbol: n for n, symbol in enumerate(symbols)}
        words = tuple(dict.fromkeys(word for _, word in lexical))
        place = {word: n for n, word in enumerate(words)}
        return cls(
            symbols,
            Rules(
                len(symbols),
                np.array([[number[s] for s in rule] for rule in binary], np.int64).reshape(-1, 3),
                np.array([[number[s] for s in rule] for rule in unary], np.int64).reshape(-1, 2),
                number[root],
                longest_chain,
            ),
            np.array([[number[symbol], place[word]] for symbol, word in lexical], np.int64),
            words,
            name_of,
            np.array([s not in uncounted and not s.startswith(BINARY) for s in symbols]),
        )

    @classmethod
    def of_trees(
        cls,
        trees: Sequence[Tree],
        *,
        uncounted: Sequence[str] = (),
        name_of: Callable[[str], str] = str,
    ) -> Grammar:
        """The grammar of all rules that occur in binary trees, which must have one root symbol.

        Raises:
            ValueError: if there is no tree, roots differ, or a node has more than two children.
        """
        if not trees:
            raise ValueError("There is no tree to read a grammar off. Give at least one.")
        roots = list(dict.fromkeys(tree.label for tree in trees))
        if len(roots) > 1:
            raise ValueError(f"The trees have the roots {roots}. Give them one symbol at the top.")
        rules, lexical, longest = {}, {}, 0
        for tree in trees:
            for node in tree.nodes():
                if node.word is not None:
                    lexical[node.label, name_of(node.word)] = None
                else:
                    rules[node.label, *(child.label for child in node.children)] = None
                longest = max(longest, unary_rules(node))
        return cls.of_rules(
            roots[0],
            list(rules),
            list(lexical),
            longest_chain=longest,
            uncounted=uncounted,
            name_of=name_of,
        )

    @property
    def n_rules(self) -> int:
        """How many rules there are of all three kinds."""
        return len(self.rules.binary) + len(self.rules.unary) + len(self.lexical)

    def rule_names(self) -> list[str]:
        """All rules in words, in their order."""
        numbers = [*self.rules.binary.tolist(), *self.rules.unary.tolist()]
        names = [[self.symbols[s] for s in rule] for rule in numbers]
        names += [[self.symbols[symbol], self.words[word]] for symbol, word in self.lexical.tolist()]
        return [f"{left} → {' '.join(right)}" for left, *right in names]

    @cached_property
    def number_of(self) -> dict[tuple[str, ...], int]:
        """The number of each rule ``(A, B, C)``, ``(A, B)``; of lexical rules ``(A, "→", word)``."""
        syntax = [*self.rules.binary.tolist(), *self.rules.unary.tolist()]
        found = {tuple(self.symbols[s] for s in rule): n for n, rule in enumerate(syntax)}
        for n, (symbol, word) in enumerate(self.lexical.tolist()):
            found[self.symbols[symbol], "→", self.words[word]] = len(syntax) + n
        return found

    def rules_of(self, tree: Tree) -> np.ndarray:
        """The numbers of the rules of a binary tree, heads before children, left to right; (m,) int64.

        Raises:
            ValueError: if the grammar does not have one of them, or the root is another.
        """
        if tree.label != self.symbols[self.rules.root]:
            raise ValueError(
                f"The root is {tree.label}, that of the grammar {self.symbols[self.rules.root]}."
            )
        found = []
        for node in tree.nodes():
            if node.word is not None:
                rule = (node.label, "→", self.name_of(node.word))
            else:
                rule = (node.label, *(child.label for child in node.children))
            if rule not in self.number_of:
                right = " ".join(rule[1:]) if node.word is None else rule[2]
                raise ValueError(f"The grammar has no rule {node.label} → {right}.")
            found.append(self.number_of[rule])
        return np.array(found, np.int64)

    def tree_of(self, rules: np.ndarray, words: Sequence[str]) -> Tree:
        """The tree that consists of these rules, heads before children, over these words."""
        remaining, left = iter(rules.tolist()), iter(words)
        R2, R1 = len(self.rules.binary), len(self.rules.unary)

        def build() -> Tree:
            rule = next(remaining)
            if rule < R2:
                return Tree(self.symbols[self.rules.binary[rule, 0]], (build(), build()))
            if rule < R2 + R1:
                return Tree(self.symbols[self.rules.unary[rule - R2, 0]], (build(),))
            return Tree(self.symbols[self.lexical[rule - R2 - R1, 0]], (next(left),))

        return build()

    def log_probabilities(self, trees: Sequence[Tree]) -> np.ndarray:
        """The maximum-likelihood PCFG of binary trees.

        Returns:
            (n_rules,) float64, log P(rule | its symbol); −inf for rules that do not occur.
        """
        counts = np.sum([np.bincount(self.rules_of(tree), minlength=self.n_rules) for tree in trees], axis=0)
        heads = np.concatenate([self.rules.binary[:, 0], self.rules.unary[:, 0], self.lexical[:, 0]])
        total = np.bincount(heads, counts, minlength=len(self.symbols))[heads]
        with np.errstate(divide="ignore"):
            return np.log(np.where(counts > 0, counts / np.maximum(total, 1), 0.0))
