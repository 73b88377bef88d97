"""The referee over graphs: every derivation, one after the other."""

import itertools


def derivations(first, tails, scores, cost, node=None):
    """``(score, k, edges)`` of every derivation of a node, by default the root; heads before tails.

    Sums in the order tails, then edge, so that they round as the engine's.
    """
    node = len(first) - 2 if node is None else node
    for e in range(first[node], first[node + 1]):
        below = [derivations(first, tails, scores, cost, u) for u in tails[e] if u >= 0]
        for parts in itertools.product(*[list(part) for part in below]):
            score, k, edges = 0.0, int(cost[e]), [e]
            for part_score, part_k, part_edges in parts:
                score, k, edges = score + part_score, k + part_k, edges + part_edges
            yield score + scores[e], k, edges


def optimum(everything, h, op, offset=0.0, kmin=0):
    """``(value, k)`` of the best, smallest k first; None if there is none. ``h`` maps k to a number."""
    best = None
    for score, k, _ in sorted(everything, key=lambda derivation: derivation[1]):
        if score == float("-inf") or k < kmin:
            continue
        value = (score + offset) * h(k) if op == "·" else score + offset + h(k)
        if best is None or value > best[0]:
            best = (value, k)
    return best
