"""A grid of alignments, filled cell by cell."""

from __future__ import annotations

import numpy as np

from viterbi_lab.dp import Combine
from viterbi_lab.dp.builders import DELETE, FREE, INSERT, SUBSTITUTE
from viterbi_lab.dp.hypergraph import GraphProblem, solve
from viterbi_lab.tasks.alignment import Alignment, AlignmentTask, Comparison
from viterbi_lab.ui.scenes.scene import Box, Card, Scene, Step, Tables, number, signed

CELL_W, CELL_H, EDGE = 42.0, 27.0, 26.0
ENDS = 6  # ends of local alignments on the last card


def draw(
    task: AlignmentTask,
    comparison: Comparison,
    which: int,
    w: np.ndarray,
    known: Alignment | None = None,
) -> Scene:
    """The scene of one sequence and one of its candidates.

    Args:
        task: with one state a cell: linear gap costs.
        comparison: the sequence and all candidates.
        which: the candidate in the grid.
        w: (d,) float64.
        known: the known alignment with the homologue, if there is one.
    """
    x, z = comparison.x, comparison.candidates[which]
    parts = task.prepare_input(Comparison(x, (z,)))
    made = parts.source.grids[0]
    problem = GraphProblem(made.graph, parts.scores(w)[: made.graph.n_edges], np.zeros(1), Combine.PLUS)
    tables, (m, n) = Tables(problem), (len(x), len(z))
    true = _known_cells(known) if known is not None and known.candidate == which else set()
    boxes = [_letter(j, -1, z[j - 1]) for j in range(1, n + 1)]
    boxes += [_letter(-1, i, x[i - 1]) for i in range(1, m + 1)]
    begin = len(boxes)
    steps: list[Step] = []
    for i in range(m + 1):
        for j in range(n + 1):
            v = i * (n + 1) + j
            boxes.append(
                Box(
                    EDGE + j * CELL_W,
                    EDGE + i * CELL_H,
                    CELL_W,
                    CELL_H,
                    number(tables.best(v)),
                    "",
                    "cell",
                    v + 1,
                    (i, j) in true,
                )
            )
            steps.append(_step(tables, made, v, (i, j), x, z, begin))
    found = solve(problem)
    way = [v for v in made.graph.heads[found.edges].tolist() if v < (m + 1) * (n + 1)]
    steps.append(_decision(task, comparison, which, w, tables, made, way, begin, known))
    answer = tuple(begin + v for v in way)
    role = "" if known is None else "the homologue " if known.candidate == which else "the worst decoy "
    return Scene(
        f"How does {x} align with {role}{z}?",
        EDGE + (n + 1) * CELL_W + 2,
        EDGE + (m + 1) * CELL_H + 2,
        tuple(boxes),
        (),
        tuple(steps),
        answer,
        (),
        steps[-1].card.result,
    )


def _letter(j: int, i: int, text: str) -> Box:
    x = EDGE + j * CELL_W if j >= 0 else 0.0
    y = EDGE + i * CELL_H if i >= 0 else 0.0
    return Box(x, y, CELL_W if j >= 0 else EDGE, CELL_H if i >= 0 else EDGE, text, "", "letter")


def _known_cells(known: Alignment) -> set[tuple[int, int]]:
    i, j = known.begin
    cells = {(i, j)}
    for operation in known.operations:
        i, j = i + (operation in "MD"), j + (operation in "MI")
        cells.add((i, j))
    return cells


def _step(tables: Tables, made, v: int, cell: tuple[int, int], x: str, z: str, begin: int) -> Step:
    i, j = cell
    rows, uses, values = [], [], []
    for e in tables.edges(v):
        op, score, value = made.op[e], float(tables.problem.scores[e]), tables.through(e)
        if op == FREE:
            rows.append(("begin here", "", "", number(value)))
            values.append((value, ()))
            continue
        (u,) = tables.tails(e)
        what = {
            SUBSTITUTE: f"{x[i - 1]} with {z[j - 1]}",
            DELETE: f"leave out {x[i - 1]}",
            INSERT: f"leave out {z[j - 1]}",
        }[int(op)]
        rows.append((what, number(tables.best(u)), signed(score), number(value)))
        values.append((value, (begin + u,)))
        uses.append(begin + u)
    winner = max(range(len(values)), key=lambda r: values[r][0])  # the first of equal ones, as the engine
    chip = rows[winner][0]
    value = number(tables.best(v))
    return Step(
        begin + v,
        tuple(uses),
        values[winner][1],
        Card(
            f"Why {value}",
            chip,
            f"best alignment that ends after letter {i} of x and {j} of z",
            ("way", "before", "score", "sum"),
            tuple(rows),
            winner,
            f"S({i},{j}) = {value}",
        ),
        f"row {i}",
    )


def _decision(task, comparison, which, w, tables, made, way, begin, known) -> Step:
    """Where the best alignment ends, and how the candidates compare."""
    scores = task.candidate_scores(task.prepare_input(comparison), w)
    best = int(np.argmax(scores))
    homologue = known.candidate if known is not None else None
    rows = tuple(
        ((f"{z} (homologue)" if c == homologue else z), number(scores[c]))
        for c, z in enumerate(comparison.candidates)
    )
    verdict = f"The best score with {comparison.candidates[which]} is {number(scores[which])}"
    if homologue is not None and len(rows) > 1:
        rivals = np.delete(scores, homologue).max()
        verdict += f"; the homologue leads by {signed(scores[homologue] - rivals)}"
    return Step(
        -1,
        (begin + way[0],) if way else (),
        (begin + way[0],) if way else (),
        Card(
            "Which candidate is the homologue?",
            f"best end: cell ({way[0] // (len(comparison.candidates[which]) + 1)}, "
            f"{way[0] % (len(comparison.candidates[which]) + 1)})"
            if way
            else "nothing aligned",
            "score of z = best alignment of x with z",
            ("candidate z", "score"),
            rows,
            best,
            verdict,
        ),
        "best",
    )
