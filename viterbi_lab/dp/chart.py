"""The chart of a sentence under a grammar: its derivations are all the trees, Cocke, Kasami and Younger.

A rule rewrites a symbol into two (A → B C), into one (A → B) or into a word. A node says that symbol A covers
the words i..j-1 after u unary rules, 0 <= u <= U, which bounds chains of unary rules; where U > 0, one more
node stands for any u. Only nodes that occur in some tree of the whole sentence are kept.
"""

from dataclasses import dataclass

import numpy as np

from viterbi_lab.dp.compile import kernel
from viterbi_lab.dp.hypergraph import Hypergraph
from viterbi_lab.dp.limits import Limits, TooBig


@dataclass(frozen=True, eq=False)
class Rules:
    """The rules of a grammar but for those of its words. Symbols are numbers.

    Attributes:
        n_symbols: how many symbols there are.
        binary: (R2, 3) int64, rows (A, B, C) of A → B C.
        unary: (R1, 2) int64, rows (A, B) of A → B.
        root: the symbol of whole sentences.
        longest_chain: U, how many unary rules may follow each other; 0 without unary rules.
    """

    n_symbols: int
    binary: np.ndarray
    unary: np.ndarray
    root: int
    longest_chain: int


@dataclass(frozen=True, eq=False)
class Chart:
    """All trees of a sentence.

    Attributes:
        graph: its derivations are the trees, heads before children, left to right.
        rule: (E,) int64, the rule of each edge: binary rules are numbered first, then the unary, then those
            of words as given; -1 for an edge that only forgets how many unary rules there were.
        symbol: (V,) int64, the symbol A of each node.
        begin: (V,) int64, i: the first word it covers.
        end: (V,) int64, j: the word after the last.
        chain: (V,) int64, u: how many unary rules it begins with; -1 for any number.
    """

    graph: Hypergraph
    rule: np.ndarray
    symbol: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    chain: np.ndarray


def chart(rules: Rules, length: int, words: np.ndarray) -> Chart | None:
    """All trees of a sentence, or None if it has none.

    Edges into a node come in the order of the rules, and for each rule from the leftmost split on.

    Args:
        rules: the grammar.
        length: T, the number of words.
        words: (m, 2) int64, rows (t, A): that A may stand for word t; its rule has number R2 + R1 + row.

    Raises:
        TooBig: if the chart would exceed ``Limits.decode_bytes``; nothing has been allocated.
    """
    S, U = rules.n_symbols, rules.longest_chain
    levels = U + 2 if U else 1
    needed = 2 * length * (length + 1) * S * levels * 8
    limit = Limits.in_force("decode_bytes")
    if needed > limit:
        raise TooBig(
            f"The chart of {length} words and {S} symbols needs {needed:,} bytes, but the limit is "
            f"{limit:,}. Give a shorter sentence or a smaller grammar."
        )
    binary, unary = (np.ascontiguousarray(part, np.int64) for part in (rules.binary, rules.unary))
    words = np.ascontiguousarray(words, np.int64)
    exists = np.zeros((length, length + 1, levels, S), np.bool_)
    find_items(length, words, binary, unary, U, exists)
    if not exists[0, length, levels - 1, rules.root]:
        return None
    useful = np.zeros_like(exists)
    useful[0, length, levels - 1, rules.root] = True
    keep_useful(length, binary, unary, U, exists, useful)
    number = np.full(exists.shape, -1, np.int32)
    n_nodes = number_items(length, useful, number)
    counts, empty = np.zeros(n_nodes, np.int64), np.empty(0, np.int64)
    list_edges(length, words, binary, unary, U, number, counts, empty, np.empty((0, 2), np.int32), empty)
    first = np.concatenate([[0], np.cumsum(counts)])
    needed, E = 24 * int(first[-1]), int(first[-1])
    if needed > limit:
        raise TooBig(
            f"The chart of {length} words has {E:,} edges and needs {needed:,} bytes, but the limit is "
            f"{limit:,}. Give a shorter sentence or a smaller grammar."
        )
    tails, rule = np.full((E, 2), -1, np.int32), np.empty(E, np.int64)
    counts[:] = 0
    list_edges(length, words, binary, unary, U, number, counts, first, tails, rule)
    items = np.argwhere(number >= 0)
    begin, end, chain, symbol = items[np.argsort(number[number >= 0])].T
    chain[chain == U + 1] = -1
    return Chart(Hypergraph(first, tails), rule, symbol, begin, end, chain)


@kernel
def find_items(T, words, binary, unary, U, exists):
    """Mark what can be built from the words, from narrow to wide spans."""
    top = exists.shape[2] - 1
    for width in range(1, T + 1):
        for i in range(T - width + 1):
            here = exists[i, i + width]
            if width == 1:
                for m in range(words.shape[0]):
                    if words[m, 0] == i:
                        here[0, words[m, 1]] = True
            for split in range(i + 1, i + width):
                left, right = exists[i, split, top], exists[split, i + width, top]
                for r in range(binary.shape[0]):
                    if left[binary[r, 1]] and right[binary[r, 2]]:
                        here[0, binary[r, 0]] = True
            for u in range(U):
                for r in range(unary.shape[0]):
                    if here[u, unary[r, 1]]:
                        here[u + 1, unary[r, 0]] = True
            for u in range(U + 1):
                here[top] |= here[u]


@kernel
def keep_useful(T, binary, unary, U, exists, useful):
    """Mark what occurs in a tree of the whole sentence, from wide to narrow spans; the root is marked."""
    top = exists.shape[2] - 1
    for width in range(T, 0, -1):
        for i in range(T - width + 1):
            here, wanted = exists[i, i + width], useful[i, i + width]
            for u in range(U, -1, -1):
                if U > 0:
                    wanted[u] |= wanted[top] & here[u]
            for u in range(U, 0, -1):
                for r in range(unary.shape[0]):
                    if wanted[u, unary[r, 0]] and here[u - 1, unary[r, 1]]:
                        wanted[u - 1, unary[r, 1]] = True
            for split in range(i + 1, i + width):
                left, right = exists[i, split, top], exists[split, i + width, top]
                for r in range(binary.shape[0]):
                    if wanted[0, binary[r, 0]] and left[binary[r, 1]] and right[binary[r, 2]]:
                        useful[i, split, top, binary[r, 1]] = True
                        useful[split, i + width, top, binary[r, 2]] = True


@kernel
def number_items(T, useful, number):
    """Number the useful items, narrow spans first, so that the root is the last; how many there are."""
    found = 0
    for width in range(1, T + 1):
        for i in range(T - width + 1):
            for u in range(useful.shape[2]):
                for A in range(useful.shape[3]):
                    if useful[i, i + width, u, A]:
                        number[i, i + width, u, A] = found
                        found += 1
    return found


@kernel
def list_edges(T, words, binary, unary, U, number, counts, first, tails, rule):
    """Count the edges into every node, and write them down where ``tails`` has room for them."""
    top = number.shape[2] - 1
    write = tails.shape[0] > 0
    for width in range(1, T + 1):
        for i in range(T - width + 1):
            j = i + width
            here = number[i, j]
            if width == 1:
                for m in range(words.shape[0]):
                    v = here[0, words[m, 1]] if words[m, 0] == i else -1
                    if v >= 0:
                        if write:
                            rule[first[v] + counts[v]] = binary.shape[0] + unary.shape[0] + m
                        counts[v] += 1
            for r in range(binary.shape[0]):
                v = here[0, binary[r, 0]]
                if v < 0:
                    continue
                for split in range(i + 1, j):
                    left, right = number[i, split, top, binary[r, 1]], number[split, j, top, binary[r, 2]]
                    if left >= 0 and right >= 0:
                        if write:
                            e = first[v] + counts[v]
                            tails[e, 0], tails[e, 1], rule[e] = left, right, r
                        counts[v] += 1
            for u in range(1, U + 1):
                for r in range(unary.shape[0]):
                    v, below = here[u, unary[r, 0]], here[u - 1, unary[r, 1]]
                    if v >= 0 and below >= 0:
                        if write:
                            e = first[v] + counts[v]
                            tails[e, 0], rule[e] = below, binary.shape[0] + r
                        counts[v] += 1
            for u in range(U + 1):
                for A in range(number.shape[3]):
                    v, below = here[top, A], here[u, A]
                    if U > 0 and v >= 0 and below >= 0:
                        if write:
                            e = first[v] + counts[v]
                            tails[e, 0], rule[e] = below, -1
                        counts[v] += 1
