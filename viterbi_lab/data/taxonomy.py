"""Synthetic classes in a balanced tree: every node moves the mean of the classes below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class TreeClasses:
    """Gaussian classes at the leaves of a balanced tree.

    An input of a class is x = Σ μ_z + noise over the nodes z from below the root down to its leaf, where
    μ_z ~ N(0, s²) with the scale s of its depth, and noise ~ N(0, 1), in every one of the F dimensions.

    Attributes:
        parents: for each node its parent, None for the root; nodes are named by their path, as ``"0.2.1"``.
        means: (K, F) float64, the mean of each leaf, leaves in the order of ``parents``.
    """

    parents: dict[str, str | None]
    means: np.ndarray

    @classmethod
    def draw(
        cls,
        rng: np.random.Generator,
        branching: Sequence[int] = (3, 3, 4),
        scales: Sequence[float] = (0.6, 0.5, 0.45),
        n_features: int = 60,
    ) -> TreeClasses:
        """Draw a tree.

        Args:
            rng: source of randomness.
            branching: how many children the nodes of each depth have.
            scales: s for the nodes of each depth, from below the root on.
            n_features: F.

        Raises:
            ValueError: if branching and scales have different lengths.
        """
        if len(branching) != len(scales):
            raise ValueError(f"There are {len(branching)} branchings and {len(scales)} scales. Give as many.")
        parents, level, means = {"root": None}, ["root"], np.zeros((1, n_features))
        for children, scale in zip(branching, scales, strict=True):
            names = [f"{above}.{child}" for above in level for child in range(children)]
            parents.update({name: name.rpartition(".")[0] for name in names})
            level, means = names, np.repeat(means, children, axis=0)
            means = means + scale * rng.normal(size=means.shape)
        return cls(parents, means)

    def sample(self, rng: np.random.Generator, per_class: int) -> tuple[np.ndarray, np.ndarray]:
        """Inputs (K · per_class, F) float64 and their classes (K · per_class,) int64."""
        classes = np.repeat(np.arange(len(self.means)), per_class)
        return self.means[classes] + rng.normal(size=(len(classes), self.means.shape[1])), classes
