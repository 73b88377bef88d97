"""The recurrence over general graphs of parts, as compiled loops.

    L[v, k] = max over edges e into v:  Σ L[tails] + score(e),   the costs adding up to k

An edge has no tail (a part that stands for itself), one (a chain) or two (a tree). Nodes are numbered so that
tails come before heads. The counter stops at K: k = min(Σ costs, K).

Letters: edges ``first[v] .. first[v+1]`` lead into node v; ``tails`` (E, 2) holds -1 where there is none;
``reach[v]`` is the largest k of node v, -1 if it has no derivation; L is flat, −inf where undefined, the row
of v begins at ``at[v]``.
"""

import numpy as np

from viterbi_lab.dp.compile import kernel


@kernel
def find_reach(first, tails, cost, K, reach, sizes):
    """Fill ``reach`` and, in ``sizes``, how many edges the largest derivation of each node has."""
    for v in range(first.shape[0] - 1):
        most, size = -1, 0.0
        for e in range(first[v], first[v + 1]):
            total, edges, whole = cost[e], 1.0, True
            for u in tails[e]:
                if u >= 0:
                    total += reach[u]
                    edges += sizes[u]
                    whole = whole and reach[u] >= 0
            if whole:
                most, size = max(most, total), max(size, edges)
        reach[v], sizes[v] = min(most, K), size


@kernel
def fill(first, tails, score, cost, K, reach, at, L, defined, n_defined):
    """Fill the table; ``L`` comes filled with −inf.

    Where two counts are encoded in one number most k are undefined, and looking at pairs of all k would take
    most of the time; so ``defined``, as long as L, lists the k that are not, ``n_defined[v]`` of them. Both
    are empty where no edge has two tails.
    """
    for v in range(first.shape[0] - 1):
        Lv = L[at[v] : at[v] + reach[v] + 1]
        for e in range(first[v], first[v + 1]):
            g, c, u, other = score[e], cost[e], tails[e, 0], tails[e, 1]
            if g == -np.inf:
                continue
            if u < 0:
                k = min(c, K)
                if g > Lv[k]:  # strict, here and below: the first edge keeps a tie
                    Lv[k] = g
                continue
            Lu = L[at[u] : at[u] + reach[u] + 1]
            if other < 0:
                within = min(Lu.shape[0], max(0, K - c + 1))
                shifted = Lv[c : c + within]
                for k in range(within):
                    candidate = Lu[k] + g
                    if candidate > shifted[k]:
                        shifted[k] = candidate
                for k in range(within, Lu.shape[0]):
                    Lv[K] = max(Lv[K], Lu[k] + g)
                continue
            Lo = L[at[other] : at[other] + reach[other] + 1]
            for k in defined[at[u] : at[u] + n_defined[u]]:
                for q in defined[at[other] : at[other] + n_defined[other]]:
                    candidate = Lu[k] + Lo[q] + g
                    if candidate > Lv[min(k + q + c, K)]:
                        Lv[min(k + q + c, K)] = candidate
        if n_defined.shape[0] > 0:
            n = 0
            for k in range(Lv.shape[0]):
                if Lv[k] > -np.inf:
                    defined[at[v] + n] = k
                    n += 1
            n_defined[v] = n


@kernel
def derive(first, tails, score, cost, K, reach, at, L, k, edges, nodes, counts):
    """Walk back from the last node with count k: the edges of its best derivation, heads before tails.

    There are no back-pointers: the same sums in the same order give the same bits, so the maximum is met
    exactly. Among equal sums the first edge wins, then the smallest count of its first tail.
    ``edges`` receives the result; ``nodes`` and ``counts`` are the stack. Returns how many edges there are.
    """
    nodes[0], counts[0] = first.shape[0] - 2, k
    waiting, found = 1, 0
    while waiting > 0:
        waiting -= 1
        v, k = nodes[waiting], counts[waiting]
        target = L[at[v] + k]
        e, left, right = entering(v, k, target, first, tails, score, cost, K, reach, at, L)
        edges[found] = e
        found += 1
        if tails[e, 1] >= 0:
            nodes[waiting], counts[waiting] = tails[e, 1], right
            waiting += 1
        if tails[e, 0] >= 0:
            nodes[waiting], counts[waiting] = tails[e, 0], left
            waiting += 1
    return found


@kernel
def entering(v, k, target, first, tails, score, cost, K, reach, at, L):
    """The first edge into v that gives ``target`` at count k, and the counts of its tails."""
    for e in range(first[v], first[v + 1]):
        g, c, u, other = score[e], cost[e], tails[e, 0], tails[e, 1]
        if u < 0:
            if min(c, K) == k and g == target:
                return e, 0, 0
            continue
        for p in range(reach[u] + 1):
            rest = max(0, k - c - p)  # what the other tail costs; below K it costs just that
            if other < 0:
                if min(p + c, K) == k and L[at[u] + p] + g == target:
                    return e, p, 0
                continue
            most = reach[other] if k == K else min(rest, reach[other])
            for q in range(rest, most + 1):
                if min(p + q + c, K) == k and L[at[u] + p] + L[at[other] + q] + g == target:
                    return e, p, q
    return -1, 0, 0


@kernel
def sum_up(tails, value, edges, totals):
    """Σ of ``value`` over the edges of a derivation, heads before tails, in the order of `fill`.

    ``totals`` is as long as ``edges``: room for the sums of parts that wait for their head.
    """
    waiting = 0
    for place in range(edges.shape[0] - 1, -1, -1):
        e = edges[place]
        total = value[e]
        if tails[e, 1] >= 0:
            total = totals[waiting - 1] + totals[waiting - 2] + total
            waiting -= 2
        elif tails[e, 0] >= 0:
            total = totals[waiting - 1] + total
            waiting -= 1
        totals[waiting] = total
        waiting += 1
    return totals[0]
