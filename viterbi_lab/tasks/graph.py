"""Tasks whose outputs are derivations of a graph in which every part has one weight.

The score of an output is the sum of the weights of its edges, Ψ counts how often each weight is used, and an
example gives every edge a cost. So ⟨w, Ψ⟩ = Σ part scores and Δ = h(Σ part costs) hold by construction.
An application says what the graph of an input is and what its edges mean.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from viterbi_lab.dp import Combine
from viterbi_lab.dp.hypergraph import GraphProblem, Hypergraph, best_derivation, solve
from viterbi_lab.tasks.base import Corpus, Example, Optima, Optimum, Task


@dataclass(frozen=True, eq=False)
class Parts:
    """The parts of all outputs of one input.

    Attributes:
        graph: its derivations are the outputs.
        weight: (E,) int32, the number of the weight of each edge; d where an edge has none.
        source: the input, as its task wants it.
    """

    graph: Hypergraph
    weight: np.ndarray
    source: Any

    def scores(self, w: np.ndarray) -> np.ndarray:
        """(E,) float64, the score of each edge with weights (d,)."""
        return np.append(w, 0.0)[self.weight]


class GraphTask(Task):
    """A task over graphs: an application says how derivations are written down as outputs."""

    @property
    def sparse(self) -> bool:
        """No: there are as many weights as there are letters or rules."""
        return False

    @property
    @abstractmethod
    def capped(self) -> bool:
        """Whether the last value of h holds for all larger costs, too."""

    @abstractmethod
    def prepare_input(self, x: Any, where: str = "the input") -> Parts:
        """The parts of all outputs of an input."""

    @abstractmethod
    def encode(self, x: Parts, edges: np.ndarray) -> np.ndarray:
        """The output that a derivation of a prepared input is, int64; ``edges`` are heads before tails."""

    @abstractmethod
    def weights_of(self, x: Parts, y: np.ndarray) -> np.ndarray:
        """The numbers of the weights that an output uses, as often as it uses them; d counts for nothing."""

    def join(self, inputs: Sequence[Parts]) -> tuple[Parts, ...]:
        """Prepared inputs side by side."""
        return tuple(inputs)

    def work(self, example: Example) -> float:
        """E·(K + 1)."""
        return float(example.x.graph.n_edges) * len(example.h)

    def best(self, x: Parts, w: np.ndarray) -> np.ndarray:
        """The derivation with the largest score, as an output."""
        return self.encode(x, best_derivation(x.graph, x.scores(w)).edges)

    def optimum(
        self, example: Example, w: np.ndarray, h: np.ndarray, combine: Combine, offset: float
    ) -> Optimum:
        """Loss-augmented inference for one example; see `Task.optimum`."""
        parts = example.x
        problem = GraphProblem(
            parts.graph, parts.scores(w), h, combine, offset, cost=example.cost, capped=self.capped
        )
        found = solve(problem)
        return Optimum(self.encode(parts, found.edges), found.value, found.k, problem)

    def optima(
        self,
        corpus: Corpus,
        w: np.ndarray,
        losses: Sequence[np.ndarray],
        combine: Combine,
        offsets: np.ndarray,
        threads: int,
    ) -> Optima:
        """Loss-augmented inference for all examples, shared by threads; see `Task.optima`."""

        def one(i: int) -> tuple[np.ndarray, float, int]:
            # without its problem: the tables of a whole corpus need not be kept
            best = self.optimum(corpus.examples[i], w, losses[i], combine, float(offsets[i]))
            return best.y, best.value, best.k

        with ThreadPoolExecutor(threads) as pool:
            outputs, values, ks = zip(*pool.map(one, range(len(corpus))), strict=True)
        return Optima(
            np.concatenate(outputs),
            np.concatenate([[0], np.cumsum([len(y) for y in outputs])]),
            np.array(values),
            np.array(ks),
        )

    def joint_feature(self, x: Parts, y: np.ndarray) -> np.ndarray:
        """Ψ(x, y): how often each weight is used, (d,) float64."""
        counts = np.bincount(self.weights_of(x, y), minlength=self.n_weights + 1)
        return counts[: self.n_weights].astype(np.float64)

    def joint_features(self, corpus: Corpus, y: np.ndarray, starts: np.ndarray) -> np.ndarray:
        """Ψ of all examples with other outputs; see `Task.joint_features`."""
        outputs = np.split(y, starts[1:-1])
        return np.array([self.joint_feature(x, own) for x, own in zip(corpus.x, outputs, strict=True)])
