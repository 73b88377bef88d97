"""The three small data sets of the Tasks view: words in a taxonomy, homologues to align, sentences to parse.

Each is a task with prepared examples, held-out data, and a way to draw one input under some weights. All are
drawn from a fixed seed, so that everybody sees the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from viterbi_lab.data.alignment import HomologueGenerator
from viterbi_lab.data.sentences import sentences
from viterbi_lab.data.words import LANGUAGES, PARENTS, pairs
from viterbi_lab.rescaling import Rescaling
from viterbi_lab.tasks.alignment import Alignment, AlignmentTask, Comparison
from viterbi_lab.tasks.base import Example, Task
from viterbi_lab.tasks.classification import ClassificationTask, zero_one
from viterbi_lab.tasks.parsing import ParsingTask, TreeLoss
from viterbi_lab.taxonomy import Taxonomy
from viterbi_lab.trees import Grammar
from viterbi_lab.ui.scenes import alignment, parsing, taxonomy
from viterbi_lab.ui.scenes.scene import Scene

SEED = 7
SHOWN = 12  # inputs to choose from


class Application(ABC):
    """One application of T04 on a small data set."""

    name: str
    """What it is called."""
    losses: tuple[str, str]
    """Its own loss, and 0/1."""
    score_name: str
    """What `score` counts."""
    own: str
    """What a visitor may type."""

    @abstractmethod
    def task(self, zero_one_loss: bool) -> Task:
        """The task under its own loss, or under 0/1 loss."""

    @abstractmethod
    def examples(self, task: Task) -> tuple[Example, ...]:
        """The training examples, prepared for a task of this application."""

    @abstractmethod
    def score(self, task: Task, w: np.ndarray) -> float:
        """The share of right answers on held-out data."""

    @property
    @abstractmethod
    def titles(self) -> tuple[str, ...]:
        """The held-out inputs that can be shown, by name."""

    @abstractmethod
    def draw(self, task: Task, shown: int, own: str, rescaling: Rescaling | None, w: np.ndarray) -> Scene:
        """The inference for one input.

        Args:
            task: of this application.
            shown: its place among `titles`.
            own: what the visitor typed in its place; empty for nothing.
            rescaling: SLACK or MARGIN to draw the most violated output, None for the prediction.
            w: (d,) float64.

        Raises:
            ValueError: if ``own`` is no input, or its true output is asked for; the message says why.
        """


@dataclass(frozen=True, eq=False)
class Words(Application):
    """Which language a word is of: nine classes in three families."""

    name = "Taxonomy: words of nine languages"
    losses = ("tree loss", "0/1")
    score_name = "Languages found, held out"
    own = "Own word"

    @cached_property
    def taxonomy(self) -> Taxonomy:
        """Languages under families under one root."""
        return Taxonomy(PARENTS)

    @cached_property
    def split(self) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
        """Words with their classes, to train on and held out: every fifth."""
        train, held_out = [], []
        for c, language in enumerate(self.taxonomy.leaves):
            for n, word in enumerate(LANGUAGES[language].split()):
                (held_out if n % 5 == 4 else train).append((word, c))
        return train, held_out

    @cached_property
    def features(self) -> tuple[str, ...]:
        """The pairs of letters of the training words."""
        return tuple(sorted({pair for word, _ in self.split[0] for pair in pairs(word)}))

    def phi(self, word: str) -> np.ndarray:
        """(F,) float64: 1 for every known pair of letters in a word."""
        known = set(pairs(word))
        return np.array([pair in known for pair in self.features], dtype=np.float64)

    def task(self, zero_one_loss: bool) -> ClassificationTask:
        """Weights for all nodes of the taxonomy."""
        losses = zero_one(len(self.taxonomy.leaves)) if zero_one_loss else self.taxonomy.tree_loss
        return ClassificationTask.taxonomy(self.taxonomy, len(self.features), losses)

    def examples(self, task: Task) -> tuple[Example, ...]:
        """The training words."""
        words, classes = zip(*self.split[0], strict=True)
        return task.prepare(np.array([self.phi(word) for word in words]), np.array(classes))

    def score(self, task: Task, w: np.ndarray) -> float:
        """The share of held-out words whose language is found."""
        words, classes = zip(*self.split[1], strict=True)
        found = task.scores(np.array([self.phi(word) for word in words]), w).argmax(axis=1)
        return float((found == np.array(classes)).mean())

    @cached_property
    def chosen(self) -> tuple[tuple[str, int], ...]:
        """Held-out words to show: the longest of all, which say most."""
        return tuple(sorted(self.split[1], key=lambda one: -len(one[0])))[:SHOWN]

    @property
    def titles(self) -> tuple[str, ...]:
        """The words with their languages."""
        return tuple(f"{word} ({self.taxonomy.leaves[c]})" for word, c in self.chosen)

    def draw(self, task: Task, shown: int, own: str, rescaling: Rescaling | None, w: np.ndarray) -> Scene:
        """The taxonomy with the scores of one word; see `Application.draw`."""
        word, truth = (own, None) if own else self.chosen[shown]
        if truth is None and rescaling is not None:
            raise ValueError("Nobody knows the language of a typed word. Ask for the prediction.")
        asked = taxonomy.Question(word, self.features, self.phi(word), truth, rescaling)
        return taxonomy.draw(task, self.taxonomy, asked, w)


@dataclass(frozen=True, eq=False)
class Homologues(Application):
    """Which of five sequences is the homologue, by local alignment."""

    name = "Alignment: a homologue among decoys"
    losses = ("0/1", "0/1")
    score_name = "Homologues found, held out"
    own = "Own pair, two sequences"

    @cached_property
    def data(self) -> tuple[tuple[Comparison, Alignment], ...]:
        """30 comparisons with the known alignment; the first 18 are to train on."""
        rng = np.random.default_rng(SEED)
        generator = HomologueGenerator.draw(
            rng, length=14, region=10, gaps=1, kept=0.5, partnered=0.3, decoys=4
        )
        return tuple(
            (Comparison(one.x, one.candidates), Alignment(one.operations, one.begin))
            for one in generator.sample(rng, 30)
        )

    def task(self, zero_one_loss: bool) -> AlignmentTask:
        """Local alignments of amino acids with one gap cost."""
        return AlignmentTask()

    def examples(self, task: Task) -> tuple[Example, ...]:
        """The training comparisons."""
        X, Y = zip(*self.data[:18], strict=True)
        return task.prepare(X, Y)

    def score(self, task: Task, w: np.ndarray) -> float:
        """The share of held-out comparisons whose homologue is strictly first."""
        scores = np.array([task.candidate_scores(task.prepare_input(x), w) for x, _ in self.data[18:]])
        return float((scores[:, 0] > scores[:, 1:].max(axis=1)).mean())

    @property
    def titles(self) -> tuple[str, ...]:
        """The sequences with their homologues."""
        return tuple(f"{x.x} / {x.candidates[0]}" for x, _ in self.data[18 : 18 + SHOWN])

    def draw(self, task: Task, shown: int, own: str, rescaling: Rescaling | None, w: np.ndarray) -> Scene:
        """The grid of a sequence with its homologue, or with the decoy that violates most."""
        if own:
            if rescaling is not None:
                raise ValueError("Nobody knows the alignment of a typed pair. Ask for the prediction.")
            several = own.upper().replace("/", " ").split()
            if len(several) != 2:
                raise ValueError(
                    f"{own!r} has {len(several)} sequences. Type two, with a blank between them."
                )
            longest = max(map(len, several))
            if longest > 18:
                raise ValueError(f"A sequence of {longest} letters does not fit here. Type at most 18.")
            return alignment.draw(task, Comparison(several[0], (several[1],)), 0, w)
        comparison, known = self.data[18 + shown]
        which = 0
        if rescaling is not None:
            scores = task.candidate_scores(task.prepare_input(comparison), w)
            which = 1 + int(np.argmax(scores[1:]))
        return alignment.draw(task, comparison, which, w, known)


@dataclass(frozen=True, eq=False)
class Sentences(Application):
    """How a sentence is to be read, by the rules of a small grammar."""

    name = "Parsing: phrases that hang in several places"
    losses = ("1 − F1", "0/1")
    score_name = "Trees found, held out"
    own = "Own sentence"

    @cached_property
    def trees(self) -> tuple:
        """90 trees; the first 40 are to train on."""
        return tuple(sentences(np.random.default_rng(SEED), 90))

    @cached_property
    def grammar(self) -> Grammar:
        """All rules that occur."""
        return Grammar.of_trees(self.trees)

    def task(self, zero_one_loss: bool) -> ParsingTask:
        """One weight for each rule."""
        return ParsingTask(self.grammar, TreeLoss.ZERO_ONE if zero_one_loss else TreeLoss.F1)

    def examples(self, task: Task) -> tuple[Example, ...]:
        """The training sentences."""
        train = self.trees[:40]
        return task.prepare([tree.words() for tree in train], train)

    def score(self, task: Task, w: np.ndarray) -> float:
        """The share of held-out sentences whose tree is found."""
        right = 0
        for tree in self.trees[40:]:
            x = task.prepare_input(tree.words())
            right += task.output(x, task.best(x, w)) == tree
        return right / len(self.trees[40:])

    @cached_property
    def chosen(self) -> tuple:
        """Held-out trees to show: of eight words at most."""
        return tuple(tree for tree in self.trees[40:] if 7 <= len(tree.words()) <= 8)[:SHOWN]

    @property
    def titles(self) -> tuple[str, ...]:
        """The sentences."""
        return tuple(" ".join(tree.words()) for tree in self.chosen)

    def draw(self, task: Task, shown: int, own: str, rescaling: Rescaling | None, w: np.ndarray) -> Scene:
        """The chart of one sentence; see `Application.draw`."""
        if own:
            words = tuple(own.lower().replace(".", "").split())
            words = tuple(
                word.capitalize() if word.capitalize() in self.grammar.words else word for word in words
            )
            if len(words) > 9:
                raise ValueError(f"A sentence of {len(words)} words does not fit here. Type at most 9.")
            if rescaling is not None:
                raise ValueError("Nobody knows the tree of a typed sentence. Ask for the prediction.")
            return parsing.draw(task, words, None, None, w)
        tree = self.chosen[shown]
        return parsing.draw(task, tree.words(), tree, rescaling, w)


APPLICATIONS: Sequence[Application] = (Words(), Homologues(), Sentences())
"""What the Tasks view shows, in this order."""
