"""Made-up sentences with their trees: a little English in which phrases may hang in several places.

``of`` hangs from the noun before it; ``with`` and ``in`` hang from the verb, most of the time. The grammar
allows both everywhere, so the weights of rules have something to learn.
"""

from __future__ import annotations

import numpy as np

from viterbi_lab.trees import Tree

NOUNS = ("man", "dog", "park", "telescope", "girl", "hat", "queen", "garden")
NAMES = ("Ann", "Ben", "Eve")
VERBS = ("saw", "met", "followed", "painted")
PLACES = ("with", "in")
AT_VERB = 0.8  # share of "with" and "in" that hang from the verb


def sentence(rng: np.random.Generator) -> Tree:
    """Draw one tree of 3 to 12 words."""
    return Tree("S", (_noun_phrase(rng, may_grow=False), _verb_phrase(rng)))


def sentences(rng: np.random.Generator, n: int) -> list[Tree]:
    """Draw n different trees of at least five words."""
    found: dict[Tree, None] = {}
    while len(found) < n:
        tree = sentence(rng)
        if len(tree.words()) >= 5:
            found[tree] = None
    return list(found)


def _noun_phrase(rng: np.random.Generator, *, may_grow: bool) -> Tree:
    if rng.random() < 0.3:
        phrase = Tree("NP", (_leaf(rng, "Name", NAMES),))
    else:
        phrase = Tree("NP", (Tree("Det", ("the",)), _leaf(rng, "N", NOUNS)))
    if may_grow and rng.random() < 0.35:
        below = Tree("OfP", (Tree("Of", ("of",)), _noun_phrase(rng, may_grow=False)))
        phrase = Tree("NP", (phrase, below))
    return phrase


def _verb_phrase(rng: np.random.Generator) -> Tree:
    verb, thing = _leaf(rng, "V", VERBS), _noun_phrase(rng, may_grow=True)
    if rng.random() < 0.25:
        return Tree("VP", (verb, thing))
    where = Tree("PP", (_leaf(rng, "P", PLACES), _noun_phrase(rng, may_grow=True)))
    if rng.random() < AT_VERB:
        return Tree("VP", (Tree("VP", (verb, thing)), where))
    return Tree("VP", (verb, Tree("NP", (thing, where))))


def _leaf(rng: np.random.Generator, label: str, words: tuple[str, ...]) -> Tree:
    return Tree(label, (words[rng.integers(len(words))],))
