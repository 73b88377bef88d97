"""A taxonomy with the score of every node, and how far each class is behind the true one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from viterbi_lab.rescaling import Rescaling
from viterbi_lab.tasks.classification import ClassificationTask
from viterbi_lab.taxonomy import Taxonomy
from viterbi_lab.ui.scenes.scene import Box, Card, Scene, Step, number, signed

WIDTH, HEIGHT = 680.0, 400.0
SHOWN = 6  # features on a card


@dataclass(frozen=True)
class Question:
    """One input, and what is asked.

    Attributes:
        word: the input, as people write it.
        features: names of its active features.
        phi: (F,) float64.
        truth: the true class, or None where nobody knows it.
        rescaling: SLACK or MARGIN for the most violated class, None for the prediction.
    """

    word: str
    features: Sequence[str]
    phi: np.ndarray
    truth: int | None
    rescaling: Rescaling | None


def draw(task: ClassificationTask, taxonomy: Taxonomy, asked: Question, w: np.ndarray) -> Scene:
    """The scene of one input: the nodes from the top down, then the classes, then the choice."""
    nodes = [node for node in taxonomy.nodes if taxonomy.attributes[:, _number(taxonomy, node)].sum()]
    informative = [n for n, node in enumerate(nodes) if not taxonomy.attributes[:, n].all()]
    W = w.reshape(len(informative), task.n_features)
    parts = {nodes[n]: W[v] * asked.phi for v, n in enumerate(informative)}
    gained = {node: float(values.sum()) for node, values in parts.items()}
    scores = task.scores(asked.phi[np.newaxis], w)[0]
    path = set() if asked.truth is None else _above(taxonomy, nodes, asked.truth)
    place, boxes, links, steps = _lay_out(taxonomy, nodes, path), [], [], []
    order = [node for node in nodes if node in parts and node not in taxonomy.leaves]
    order += list(taxonomy.leaves)
    at = {node: step for step, node in enumerate(order, start=1)}
    index = {node: b for b, node in enumerate(nodes)}
    for node in nodes:
        x, y, w_, h = place[node]
        leaf = node in taxonomy.leaves
        sub = ""
        if leaf:
            sub = number(scores[taxonomy.class_of(node)])
        elif node in gained:
            sub = signed(gained[node])
        boxes.append(
            Box(x, y, w_, h, str(node), sub, "leaf" if leaf else "node", at.get(node, 0), node in path)
        )
    for c, leaf in enumerate(taxonomy.leaves):
        above = [node for n, node in enumerate(nodes) if taxonomy.attributes[c, n] and node != leaf]
        links += [(index[a], index[b]) for a, b in zip(above, [*above[1:], leaf], strict=True)]
    links = list(dict.fromkeys(links))
    for node in order:
        steps.append(_step(node, taxonomy, nodes, index, parts, gained, scores, asked))
    steps.append(_decision(task, taxonomy, scores, asked, index))
    winner = taxonomy.leaves[steps[-1].card.winner]
    way = [nodes[n] for n in np.flatnonzero(taxonomy.attributes[taxonomy.class_of(winner)])]
    answer = tuple(index[node] for node in way)
    asks = "Which language is" if asked.rescaling is None else "Which wrong language is most violated for"
    return Scene(
        f"{asks} “{asked.word}”?",
        WIDTH,
        HEIGHT,
        tuple(boxes),
        tuple(links),
        tuple(steps),
        answer,
        tuple((a, b) for a, b in links if a in answer and b in answer),
        steps[-1].card.result,
    )


def _number(taxonomy: Taxonomy, node: object) -> int:
    return taxonomy.nodes.index(node)


def _above(taxonomy: Taxonomy, nodes: Sequence[object], c: int) -> set[object]:
    return {nodes[n] for n in np.flatnonzero(taxonomy.attributes[c])}


def _lay_out(taxonomy: Taxonomy, nodes: Sequence[object], path: set) -> dict:
    """Leaves in a row at the bottom, every other node above the middle of its leaves."""
    K = len(taxonomy.leaves)
    pitch = WIDTH / K
    centre = {leaf: (c + 0.5) * pitch for c, leaf in enumerate(taxonomy.leaves)}
    depth = {node: 0 for node in nodes}
    for n, node in enumerate(nodes):
        below = np.flatnonzero(taxonomy.attributes[:, n])
        centre.setdefault(node, float(np.mean([centre[taxonomy.leaves[c]] for c in below])))
        depth[node] = K - len(below)
    levels = {d: level for level, d in enumerate(sorted(set(depth.values())))}
    gap = (HEIGHT - 70.0) / max(len(levels) - 1, 1)
    place = {}
    for node in nodes:
        leaf = node in taxonomy.leaves
        width = min(pitch - 6.0, 104.0) if leaf else 110.0
        place[node] = (centre[node] - width / 2, 6.0 + gap * levels[depth[node]], width, 54.0)
    return place


def _step(node, taxonomy, nodes, index, parts, gained, scores, asked) -> Step:
    """How the score of one node adds up."""
    if node not in taxonomy.leaves:
        return Step(
            index[node],
            (),
            (),
            Card(
                f"What “{asked.word}” gives to {node}",
                "shared by all classes below",
                "⟨w_z, φ(x)⟩ = Σ weights of its letter pairs",
                ("pair", "weight"),
                _largest(parts[node], asked),
                -1,
                f"{node}: {signed(gained[node])}",
            ),
            "nodes",
        )
    c = taxonomy.class_of(node)
    above = [nodes[n] for n in np.flatnonzero(taxonomy.attributes[c]) if nodes[n] in parts]
    rows = tuple((str(z), signed(gained[z])) for z in above)
    total = " ".join(signed(gained[z]) for z in above).lstrip("+")
    pairs = ", ".join(f"{pair} {value}" for pair, value in _largest(parts[node], asked)[:3])
    return Step(
        index[node],
        tuple(index[z] for z in above if z != node),
        (),
        Card(
            f"Score of {node}",
            f"own pairs: {pairs}" if pairs else "",
            "f(y) = Σ ⟨w_z, φ(x)⟩ over y and the nodes above it",
            ("node z", "⟨w_z, φ(x)⟩"),
            rows,
            -1,
            f"f({node}) = {total} = {number(scores[c])}",
        ),
        "classes",
    )


def _largest(values: np.ndarray, asked: Question) -> tuple[tuple[str, str], ...]:
    active = np.flatnonzero(asked.phi)
    order = active[np.argsort(-np.abs(values[active]), kind="stable")][:SHOWN]
    return tuple((asked.features[f], signed(values[f])) for f in order)


def _decision(task, taxonomy, scores, asked, index) -> Step:
    """The choice among all classes."""
    leaves = taxonomy.leaves
    boxes = tuple(index[leaf] for leaf in leaves)
    if asked.rescaling is None:
        winner = int(np.argmax(scores))
        truth = winner if asked.truth is None else asked.truth
        rows = tuple(
            (str(leaf), number(scores[c]), signed(scores[truth] - scores[c])) for c, leaf in enumerate(leaves)
        )
        behind = "behind the best" if asked.truth is None else "margin of the truth"
        verdict = f"{leaves[winner]}, with {number(scores[winner])}"
        if asked.truth is not None:
            verdict += "; right" if winner == truth else f"; the truth is {leaves[truth]}"
        card = Card("The prediction", "", "ŷ = argmax f(y)", ("class", "f", behind), rows, winner, verdict)
    else:
        loss = task.losses[asked.truth]
        leads = scores[asked.truth] - scores
        H = np.array([asked.rescaling.violation(lead, d) for lead, d in zip(leads, loss, strict=True)])
        winner = int(np.lexsort((np.arange(len(H)), loss, -H))[0])  # ties as in the engine: the smallest loss
        rows = tuple(
            (str(leaf), signed(leads[c]), number(loss[c]), number(H[c])) for c, leaf in enumerate(leaves)
        )
        formula = "H = (1 − margin) · Δ" if asked.rescaling.name == "slack" else "H = Δ − margin"
        verdict = f"{leaves[winner]} has the largest violation, H = {number(H[winner])}"
        if winner == asked.truth:
            verdict = "No class violates its constraint: the truth wins with H = 0"
        card = Card(
            "The most violated class", "", formula, ("class", "margin", "Δ", "H"), rows, winner, verdict
        )
    return Step(-1, boxes, (boxes[winner],), card, "choice")
