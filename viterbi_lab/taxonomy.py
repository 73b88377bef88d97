"""Taxonomies of classes: trees, or lattices where a node may have several parents; T04, section 4.2.

A class is a leaf. Its attributes Λ(y) name the leaf and all nodes above it, so that classes share weights as
far as they share ancestors; its loss is how high up the lowest of these is.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property

import numpy as np


class Taxonomy:
    """Nodes and their parents.

    Args:
        parents: for each node its parent, or a sequence of parents; an empty sequence or None for a root.
            Every parent must be a node itself.

    Attributes:
        nodes: the nodes in the order given.
        leaves: the nodes that are nobody's parent, in the same order: the classes 0..K-1.

    Raises:
        ValueError: if a parent is unknown, a node is above itself, or two leaves have nothing in common.

    Example:
        >>> life = Taxonomy({"life": None, "plant": "life", "cats": "life", "lion": "cats", "lynx": "cats"})
        >>> life.leaves
        ('plant', 'lion', 'lynx')
        >>> life.tree_loss
        array([[0., 2., 2.],
               [2., 0., 1.],
               [2., 1., 0.]])
    """

    def __init__(self, parents: Mapping[Hashable, Hashable | Sequence[Hashable] | None]):
        self.nodes = tuple(parents)
        if not self.nodes:
            raise ValueError("A taxonomy without nodes has no classes. Give at least one node.")
        self._number = {node: number for number, node in enumerate(self.nodes)}
        self._above = [self._checked_parents(node, parents[node]) for node in self.nodes]
        order = self._downwards()
        has_children = {above for several in self._above for above in several}
        self._leaf_numbers = [v for v in range(len(self.nodes)) if v not in has_children]
        self.leaves = tuple(self.nodes[v] for v in self._leaf_numbers)
        self._ancestors = np.eye(len(self.nodes), dtype=bool)
        for v in order:
            for above in self._above[v]:
                self._ancestors[v] |= self._ancestors[above]
        self._heights = np.zeros(len(self.nodes))
        for v in reversed(order):
            for above in self._above[v]:
                self._heights[above] = max(self._heights[above], self._heights[v] + 1)
        lambdas = self.attributes
        apart = ~(lambdas[:, np.newaxis] & lambdas[np.newaxis]).any(axis=2)
        if apart.any():
            a, b = np.argwhere(apart)[0]
            raise ValueError(
                f"{self.leaves[a]!r} and {self.leaves[b]!r} have no common ancestor. Give the taxonomy "
                "one root."
            )

    @classmethod
    def without_cycles(
        cls, parents: Mapping[Hashable, Hashable | Sequence[Hashable] | None]
    ) -> tuple[Taxonomy, tuple[str, ...]]:
        """The taxonomy of all nodes but those on a cycle and those that hang below nothing else.

        Args:
            parents: as for the constructor.

        Returns:
            The taxonomy, and a sentence for every node or edge that was left out.

        Raises:
            ValueError: as the constructor, but not for cycles.

        Example:
            >>> parents = {"life": None, "cats": "life", "dogs": "life", "a": "b", "b": "a"}
            >>> life, left_out = Taxonomy.without_cycles(parents)
            >>> life.leaves
            ('cats', 'dogs')
            >>> left_out[0]
            "'a' was left out: it is above itself."
        """
        above = {node: _several(parents[node]) for node in parents}
        notices, lost = [], {node for node in above if _reaches(above, node, node)}
        notices += [f"{node!r} was left out: it is above itself." for node in above if node in lost]
        while True:
            orphans = [
                node
                for node, several in above.items()
                if node not in lost and several and all(parent in lost for parent in several)
            ]
            if not orphans:
                break
            lost.update(orphans)
            notices += [f"{node!r} was left out: so was everything above it." for node in orphans]
        kept = {node: several for node, several in above.items() if node not in lost}
        for node, several in kept.items():
            notices += [f"{node!r} is no longer below {parent!r}." for parent in several if parent in lost]
        return cls({node: [p for p in several if p not in lost] for node, several in kept.items()}), tuple(
            notices
        )

    def class_of(self, leaf: Hashable) -> int:
        """The number 0..K-1 of a leaf.

        Raises:
            ValueError: if it is none.
        """
        if leaf not in self._number:
            raise ValueError(f"{leaf!r} is no node of the taxonomy.")
        if leaf not in self.leaves:
            raise ValueError(f"{leaf!r} has nodes below it. Classes are the leaves; give one of them.")
        return self.leaves.index(leaf)

    @cached_property
    def attributes(self) -> np.ndarray:
        """(K, V) bool, Λ(y): whether each node is the leaf y or above it."""
        return self._ancestors[self._leaf_numbers]

    @cached_property
    def informative(self) -> np.ndarray:
        """(K, V') bool, Λ(y) without the nodes that are above every class; a lone class keeps itself."""
        everywhere = self.attributes.all(axis=0)
        return self.attributes if everywhere.all() else self.attributes[:, ~everywhere]

    @cached_property
    def tree_loss(self) -> np.ndarray:
        """(K, K) float64, the height of the lowest common ancestor: its longest way down to a leaf.

        In a lattice two classes may have several lowest common ancestors; the least high one counts.
        """
        common = self.attributes[:, np.newaxis] & self.attributes[np.newaxis]
        loss = np.where(common, self._heights, np.inf).min(axis=2)
        return np.where(np.eye(len(loss), dtype=bool), 0.0, loss)

    def _checked_parents(self, node: Hashable, parents: Hashable | Sequence[Hashable] | None) -> list[int]:
        several = _several(parents)
        for parent in several:
            if parent not in self._number:
                raise ValueError(
                    f"{parent!r}, the parent of {node!r}, is no node. List it, with None above it."
                )
        return [self._number[parent] for parent in several]

    def _downwards(self) -> list[int]:
        """All nodes, each after the nodes above it."""
        below = [[] for _ in self.nodes]
        waiting = [len(several) for several in self._above]
        for v, several in enumerate(self._above):
            for above in several:
                below[above].append(v)
        order = [v for v, count in enumerate(waiting) if not count]
        for v in order:
            for child in below[v]:
                waiting[child] -= 1
                if not waiting[child]:
                    order.append(child)
        if len(order) < len(self.nodes):
            raise ValueError(
                f"The taxonomy has a cycle: {self._cycle(set(order))}. A node cannot be above itself."
            )
        return order

    def _cycle(self, settled: set[int]) -> str:
        way = [next(v for v in range(len(self.nodes)) if v not in settled)]
        while way[-1] not in way[:-1]:
            way.append(next(above for above in self._above[way[-1]] if above not in settled))
        return " below ".join(repr(self.nodes[v]) for v in way[way.index(way[-1]) :])


def _several(parents: Hashable | Sequence[Hashable] | None) -> list[Hashable]:
    """The parents of a node as a list."""
    if parents is None:
        return []
    return list(parents) if isinstance(parents, list | tuple | set | frozenset) else [parents]


def _reaches(above: Mapping[Hashable, list[Hashable]], node: Hashable, goal: Hashable) -> bool:
    """Whether ``goal`` is somewhere above ``node``."""
    waiting, seen = list(above[node]), set()
    while waiting:
        current = waiting.pop()
        if current == goal:
            return True
        if current not in seen:
            seen.add(current)
            waiting += above.get(current, [])
    return False
