"""The referee: inference by looking at every labelling. Never fast, never clever.

Scores are lists of tables ``g[t]`` with axes (ŷ_{t-ℓ}, …, ŷ_t), truncated at the left border.
"""

import itertools
from typing import NamedTuple

import numpy as np

LARGE = 20000


class Optimum(NamedTuple):
    value: float
    k: int
    y: tuple[int, ...]
    count: int


def score(tables, y):
    """Σ_t g_t, left to right."""
    total = 0.0
    for t, table in enumerate(tables):
        table = np.asarray(table, float)
        total += table[tuple(y[t - table.ndim + 1 : t + 1])]
    return total


def labellings(tables):
    n_states, length = np.asarray(tables[0]).shape[0], len(tables)
    if n_states**length > LARGE:
        raise ValueError(f"{n_states}**{length} labellings are too many to look at")
    return itertools.product(range(n_states), repeat=length)


def hamming(y, other):
    return sum(a != b for a, b in zip(y, other, strict=True))


def combine(op, total, h_k):
    return total * h_k if op == "·" else total + h_k


def best_sums(tables, y, order=None, cost=None):
    """``{(k, last ℓ' labels): [(score, labelling), …]}`` of all feasible labellings."""
    order = max(np.asarray(table).ndim for table in tables) - 1 if order is None else order
    window = max(1, min(order, len(tables)))
    groups = {}
    for candidate in labellings(tables):
        total = score(tables, candidate)
        if total == -np.inf:
            continue
        k = hamming(y, candidate) if cost is None else sum(int(cost[t][j]) for t, j in enumerate(candidate))
        groups.setdefault((k, candidate[len(tables) - window :]), []).append((total, candidate))
    return groups


def decode(tables, y, h, op, offset=0.0, kmin=0, order=None, cost=None):
    """The optimum under the tie rule: smallest k, then the smallest labelling read backwards.

    Returns None if there is no feasible labelling with k ≥ kmin.
    """
    groups = best_sums(tables, y, order, cost)
    best, count = None, 0
    for k, last in sorted(groups, key=lambda group: (group[0], group[1][::-1])):
        if k < kmin:
            continue
        members = groups[k, last]
        pick = min if op == "·" and h[k] < 0 else max
        extreme = pick(total for total, _ in members)
        labelling = min((c for total, c in members if total == extreme), key=lambda c: c[::-1])
        value = combine(op, extreme + offset, h[k])
        if best is None or value > best.value:
            best = Optimum(value, k, labelling, 0)
    if best is None:
        return None
    for (k, _), members in groups.items():
        if k >= kmin:
            count += sum(combine(op, total + offset, h[k]) == best.value for total, _ in members)
    return best._replace(count=count)


def viterbi(tables):
    """The best labelling without any loss, ties read from the last label."""
    totals = {candidate: score(tables, candidate) for candidate in labellings(tables)}
    top = max(totals.values())
    return top, min((c for c, total in totals.items() if total == top), key=lambda c: c[::-1])
