"""A chart of parses, filled from short spans to long ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from viterbi_lab.dp import Combine
from viterbi_lab.dp.hypergraph import GraphProblem, solve
from viterbi_lab.oracle import most_violated
from viterbi_lab.rescaling import Rescaling
from viterbi_lab.tasks.base import Example
from viterbi_lab.tasks.graph import Parts
from viterbi_lab.tasks.parsing import ParsingTask, TreeLoss, edges_of
from viterbi_lab.trees import Tree
from viterbi_lab.ui.scenes.scene import Box, Card, Entry, Scene, Step, Tables, number, signed

CELL_W, CHIP_H, WORD_H, GAP = 88.0, 30.0, 24.0, 14.0
BETWEEN = 6.0  # px from one column to the next
MOST_ROWS = 8  # candidates on a card


class Chart:
    """The nodes of a chart that are drawn: for every span and symbol one, whatever unary rules it uses."""

    def __init__(self, task: ParsingTask, parts: Parts) -> None:
        self.task, self.parts, chart = task, parts, parts.source.chart
        self._members: dict[tuple[int, int, int], list[int]] = {}
        for v, key in enumerate(
            zip(chart.begin.tolist(), chart.end.tolist(), chart.symbol.tolist(), strict=True)
        ):
            self._members.setdefault(key, []).append(v)
        # the node that stands for any number of unary rules, where it is of use
        self._drawn = {
            key: next((v for v in nodes if chart.chain[v] < 0), nodes[0])
            for key, nodes in self._members.items()
        }
        self.shown = sorted(self._drawn.values(), key=self._order)
        self.spans: dict[tuple[int, int], list[int]] = {}
        for v in self.shown:
            self.spans.setdefault(self.span(v), []).append(v)

    def symbol(self, v: int) -> str:
        """The name of the symbol of a node."""
        return self.task.grammar.symbols[self.parts.source.chart.symbol[v]]

    def span(self, v: int) -> tuple[int, int]:
        """The words i..j-1 that a node covers."""
        chart = self.parts.source.chart
        return int(chart.begin[v]), int(chart.end[v])

    def shown_of(self, v: int) -> int:
        """The drawn node that stands for a node."""
        return self._drawn[(*self.span(v), int(self.parts.source.chart.symbol[v]))]

    def made(self, v: int) -> list[int]:
        """The nodes that a drawn node stands for, without the one that only forgets unary rules."""
        chart = self.parts.source.chart
        return [u for u in self._members[(*self.span(v), int(chart.symbol[v]))] if chart.chain[u] >= 0]

    def best(self, v: int, tables: Tables) -> float:
        """The largest value of a drawn node."""
        return max(tables.best(u) for u in self.made(v))

    def ways(self, v: int, tables: Tables) -> list[tuple[int, float]]:
        """``(edge, value)`` of every rule that makes a drawn node, in the order of the engine."""
        return [(e, tables.through(e)) for u in self.made(v) for e in tables.edges(u)]

    def _order(self, v: int) -> tuple[int, int, int, int]:
        """Short spans before long ones; in a span what takes fewer unary rules first."""
        i, j = self.span(v)
        fewest = min(int(self.parts.source.chart.chain[u]) for u in self.made(v))
        return j - i, i, fewest, v


def draw(
    task: ParsingTask, words: Sequence[str], gold: Tree | None, rescaling: Rescaling | None, w: np.ndarray
) -> Scene:
    """The scene of one sentence.

    Args:
        task: the grammar.
        words: the sentence.
        gold: its true tree, if somebody knows it.
        rescaling: SLACK or MARGIN for the most violated tree, None for the prediction.
        w: (d,) float64.

    Raises:
        NoParse: if the sentence has no tree.
        ValueError: if it has no word, or ``gold`` is none of its trees.
    """
    example = None if gold is None else task.prepare([words], [gold])[0]
    parts = task.prepare_input(words) if example is None else example.x
    if rescaling is None:
        problem = GraphProblem(parts.graph, parts.scores(w), np.zeros(1), Combine.PLUS)
    else:
        problem = most_violated(task, example, w, rescaling).problem
    chart, tables = Chart(task, parts), Tables(problem)
    true = _true_nodes(chart, example, gold)
    boxes, box_of = _boxes(chart, words, tables, true)
    steps = [_step(chart, tables, v, box_of, rescaling) for v in chart.shown]
    found = solve(problem)
    steps.append(_decision(chart, tables, example, rescaling, w, found, box_of, gold))
    on_path, joined = _path(chart, found.edges, box_of)
    asks = "What is the best tree of" if rescaling is None else "Which wrong tree is most violated for"
    return Scene(
        f"{asks} “{' '.join(words)}”?",
        len(words) * CELL_W,
        max(box.y + box.h for box in boxes),
        tuple(boxes),
        (),
        tuple(steps),
        tuple(on_path),
        tuple(joined),
        steps[-1].card.result,
    )


def _true_nodes(chart: Chart, example: Example | None, gold: Tree | None) -> set[int]:
    if example is None:
        return set()
    edges = edges_of(chart.parts, gold, example.y)
    heads = chart.parts.graph.heads[edges]
    return {chart.shown_of(int(v)) for v in heads}


def _boxes(
    chart: Chart, words: Sequence[str], tables: Tables, true: set[int]
) -> tuple[list[Box], dict[int, int]]:
    """Words at the bottom, spans above the middle of their words, symbols of a span under each other."""
    T = len(words)
    tallest = [
        max([len(nodes) for (i, j), nodes in chart.spans.items() if j - i == width] or [0])
        for width in range(1, T + 1)
    ]
    heights = [max(CHIP_H * count, 0.0) + GAP for count in tallest]
    top = {width: sum(heights[width:]) for width in range(1, T + 1)}  # wide spans on top
    bottom = sum(heights)
    boxes = [
        Box(t * CELL_W, bottom, CELL_W - BETWEEN, WORD_H, word, "", "word") for t, word in enumerate(words)
    ]
    box_of: dict[int, int] = {}
    at = {v: step for step, v in enumerate(chart.shown, start=1)}
    for (i, j), nodes in chart.spans.items():
        width = j - i
        for place, v in enumerate(nodes):
            box_of[v] = len(boxes)
            counts = len(tables.entries(v)) if tables.problem.largest else 1
            boxes.append(
                Box(
                    (i + j - 1) / 2 * CELL_W,
                    top[width] + place * CHIP_H,
                    CELL_W - BETWEEN,
                    CHIP_H - 4,
                    f"{chart.symbol(v)} {number(chart.best(v, tables))}",
                    f"{counts} counts" if counts > 1 else "",
                    "chip",
                    at[v],
                    v in true,
                )
            )
    return boxes, box_of


def _step(chart: Chart, tables: Tables, v: int, box_of: dict[int, int], rescaling: Rescaling | None) -> Step:
    i, j = chart.span(v)
    words = " ".join(chart.parts.source.words[i:j])
    ways = chart.ways(v, tables)
    uses = tuple(dict.fromkeys(box_of[chart.shown_of(u)] for e, _ in ways for u in tables.tails(e)))
    if tables.problem.largest and rescaling is not None:
        rows, winner = _counts(chart, tables, v)
        columns, formula = (
            ("nodes, right", "L", "rule"),
            "L(A, i, j, n, tp): best tree for every pair of counts",
        )
    else:
        best = max(value for _, value in ways)
        place = next(p for p, (_, value) in enumerate(ways) if value == best)
        first = max(0, min(place - MOST_ROWS + 1, len(ways) - MOST_ROWS))
        rows = tuple(_way(chart, tables, e, value) for e, value in ways[first : first + MOST_ROWS])
        winner = place - first
        columns, formula = ("rule", "below", "weight", "sum"), "max over rules and splits of the parts"
    wins = tuple(box_of[chart.shown_of(u)] for u in tables.tails(max(ways, key=lambda way: way[1])[0]))
    value = number(chart.best(v, tables))
    more = len(ways) - MOST_ROWS
    return Step(
        box_of[v],
        uses,
        wins,
        Card(
            f"{chart.symbol(v)} over “{words}”",
            f"{more} more ways" if more > 0 and rescaling is None else "",
            formula,
            columns,
            rows,
            winner,
            f"best value {value}",
        ),
        f"{j - i} word{'s' if j - i > 1 else ''}",
    )


def _rule_name(chart: Chart, e: int) -> str:
    weight = int(chart.parts.weight[e])
    return chart.task.grammar.rule_names()[weight]


def _way(chart: Chart, tables: Tables, e: int, value: float) -> tuple[str, ...]:
    tails = tables.tails(e)
    name = _rule_name(chart, e)
    if len(tails) == 2:
        name += f" at {chart.span(tails[0])[1]}"
    below = " + ".join(number(tables.best(u)) for u in tails)
    return (name, below, signed(float(tables.problem.scores[e])), number(value))


def _counts(chart: Chart, tables: Tables, v: int) -> tuple[tuple[tuple[str, ...], ...], int]:
    """The values of a node for the best pairs of counts, most first."""
    entries = sorted(tables.entries(v), key=lambda entry: -entry.value)[:MOST_ROWS]
    rows = []
    for entry in entries:
        e = entry.edge
        if chart.parts.source.chart.rule[e] < 0:
            (below,) = tables.tails(e)
            e = next(one.edge for one in tables.entries(below) if one.k == entry.below[0])
        rows.append((_pair(chart, tables, entry), number(entry.value), _rule_name(chart, e)))
    return tuple(rows), 0


def _base(tables: Tables) -> int:
    """What a counted node costs: largest tp + 1."""
    costs = tables.problem.cost
    wrong = costs[costs > 0]
    return int(wrong.min()) if wrong.size else 1


def _pair(chart: Chart, tables: Tables, entry: Entry) -> str:
    if chart.task.tree_loss is TreeLoss.ZERO_ONE:
        return "wrong" if entry.k else "right"
    n, tp = divmod(entry.k, _base(tables))
    return f"{n}, {tp}"


def _decision(chart, tables, example, rescaling, w, found, box_of, gold) -> Step:
    root = chart.shown_of(chart.parts.graph.n_nodes - 1)
    tree = chart.task.output(chart.parts, chart.task.encode(chart.parts, found.edges))
    if rescaling is None:
        right = "" if gold is None else ("; right" if tree == gold else "; not the true tree")
        score = number(found.score)
        card = Card(
            "The prediction",
            "",
            "ŷ = argmax of the sum of its rules",
            ("tree", "score"),
            tuple(
                row
                for row in (
                    ("best", score),
                    None if example is None else ("true", number(float(w @ example.psi))),
                )
                if row
            ),
            0,
            f"score {score}{right}",
        )
        return Step(-1, (box_of[root],), (box_of[root],), card, "choice")
    problem, rows, values = tables.problem, [], []
    entries = tables.entries(problem.graph.n_nodes - 1)
    for entry in entries:
        total, h = entry.value + problem.offset, float(problem.h[entry.k])
        H = total * h if problem.op is Combine.TIMES else total + h
        values.append(H)
        rows.append((_pair(chart, tables, entry), number(total), number(h), number(H)))
    best = max(range(len(values)), key=lambda r: values[r])
    first = max(0, min(best - MOST_ROWS // 2, len(rows) - MOST_ROWS))
    card = Card(
        "The most violated tree",
        "",
        "H = (1 − margin) · Δ" if problem.op is Combine.TIMES else "H = Δ − margin",
        ("nodes, right", "1 − margin" if problem.op is Combine.TIMES else "−margin", "Δ", "H"),
        tuple(rows[first : first + MOST_ROWS]),
        best - first,
        f"H = {number(found.value)}" if found.value > 1e-9 else "No tree violates its constraint: H = 0",
    )
    return Step(-1, (box_of[root],), (box_of[root],), card, "choice")


def _path(chart: Chart, edges: np.ndarray, box_of: dict[int, int]) -> tuple[list[int], list[tuple[int, int]]]:
    """Boxes of a derivation, and which of them it joins; words below the symbols that make them."""
    on_path, joined = [], []
    graph = chart.parts.graph
    for e in edges.tolist():
        head = chart.shown_of(int(graph.heads[e]))
        tails = [int(u) for u in graph.tails[e] if u >= 0]
        on_path.append(box_of[head])
        joined += [(box_of[head], box_of[chart.shown_of(u)]) for u in tails]
        if not tails:
            joined.append((box_of[head], chart.span(head)[0]))
    return list(dict.fromkeys(on_path)), [pair for pair in dict.fromkeys(joined) if pair[0] != pair[1]]
