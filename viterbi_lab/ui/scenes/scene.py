"""A picture of an inference that can be stepped, as plain data: boxes, links, and a card for every step.

Python decides all that is said; ``scene.js`` only draws it and moves a cursor over the steps.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

import numpy as np

from viterbi_lab.dp.hypergraph import GraphProblem, table


@dataclass(frozen=True)
class Box:
    """One thing on the stage.

    Attributes:
        x: left edge, in pixels of the design; y: top edge; w, h: size.
        text: what it says.
        sub: a second, smaller line.
        style: "cell", "chip", "node", "letter" or "word".
        at: the step from which it shows its text; 0 means always.
        truth: whether it belongs to the true output.
    """

    x: float
    y: float
    w: float
    h: float
    text: str
    sub: str = ""
    style: str = "cell"
    at: int = 0
    truth: bool = False


@dataclass(frozen=True)
class Card:
    """Why a step has its value.

    Attributes:
        title: what is computed.
        chip: which case it is; may be empty.
        formula: how.
        columns: heads of the candidates.
        rows: candidates, cells as text.
        winner: the row that wins; -1 for none.
        result: the value, in words.
    """

    title: str
    chip: str
    formula: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    winner: int
    result: str


@dataclass(frozen=True)
class Step:
    """One step of the inference.

    Attributes:
        box: what it fills; -1 for none.
        uses: boxes that its candidates come from.
        wins: those of the winning candidate.
        card: why.
        phase: the part of the walk that it belongs to.
    """

    box: int
    uses: tuple[int, ...]
    wins: tuple[int, ...]
    card: Card
    phase: str


@dataclass(frozen=True)
class Scene:
    """A whole inference.

    Attributes:
        title: the question.
        width: of the design, in pixels; height: the same.
        boxes: all of them.
        links: pairs of boxes that are joined from the start.
        steps: in their order. The last one decides.
        answer: boxes of the best output.
        joined: pairs of boxes that the best output joins.
        verdict: the answer in words.
    """

    title: str
    width: float
    height: float
    boxes: tuple[Box, ...]
    links: tuple[tuple[int, int], ...]
    steps: tuple[Step, ...]
    answer: tuple[int, ...]
    joined: tuple[tuple[int, int], ...]
    verdict: str

    def json(self) -> str:
        """The scene for the browser."""
        return json.dumps(asdict(self), ensure_ascii=False)


@dataclass(frozen=True)
class Entry:
    """One defined value of a node: L[v, k], and where it comes from.

    Attributes:
        k: the sum of costs.
        value: L[v, k].
        edge: the first edge that gives it.
        below: k of its tails.
    """

    k: int
    value: float
    edge: int
    below: tuple[int, ...]


class Tables:
    """All values of a problem of the general engine, to be looked at node by node."""

    def __init__(self, problem: GraphProblem) -> None:
        self.problem = problem
        self._L = table(problem, problem.scores)

    def row(self, v: int) -> np.ndarray:
        """L[v, ·], −inf where undefined."""
        begin, end = self.problem.starts[v : v + 2]
        return self._L[begin:end]

    def best(self, v: int) -> float:
        """The largest L[v, k] over all k."""
        row = self.row(v)
        return float(row.max()) if row.size else -np.inf

    def edges(self, v: int) -> range:
        """The edges into a node."""
        first = self.problem.graph.first
        return range(int(first[v]), int(first[v + 1]))

    def tails(self, e: int) -> tuple[int, ...]:
        """The tails of an edge."""
        return tuple(int(u) for u in self.problem.graph.tails[e] if u >= 0)

    def through(self, e: int) -> float:
        """The best value that an edge gives to its head, over all k."""
        return sum(self.best(u) for u in self.tails(e)) + float(self.problem.scores[e])

    def entries(self, v: int) -> list[Entry]:
        """The defined values of a node, each with the edge that the engine follows back."""
        found: dict[int, Entry] = {}
        K, cost = self.problem.largest, self.problem.cost
        for e in self.edges(v):
            rows = [
                [(k, value) for k, value in enumerate(self.row(u)) if value > -np.inf] for u in self.tails(e)
            ]
            ways = [((), 0, 0.0)]
            for row in rows:
                ways = [((*ks, k), total + k, score + value) for ks, total, score in ways for k, value in row]
            for ks, total, score in ways:
                k, value = min(total + int(cost[e]), K), score + float(self.problem.scores[e])
                if value > -np.inf and (k not in found or value > found[k].value):
                    found[k] = Entry(k, value, e, ks)
        return [found[k] for k in sorted(found)]


def number(value: float) -> str:
    """A number as a person wants to see it: at most two decimals, with a real minus sign.

    Example:
        >>> number(-1.50), number(2.0)
        ('−1.5', '2')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text.replace("-", "−")


def signed(value: float) -> str:
    """The same with a sign."""
    text = number(value)
    return text if text.startswith("−") else f"+{text}"
