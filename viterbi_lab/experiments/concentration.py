"""Fig. 5 of Bauer et al. 2014: where the loss-augmented scores are large, over t and k.

For random scores (Section IV-D: uniform on [−50, 50], N = 4, h = id) the best score of a labelling of the
first t sites with k errors, max_j L_{t,k}(j), is combined with k, by + for margin and by · for slack
rescaling. Multiplication pushes the large values into the corner where t and k are both large.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from viterbi_lab.dp import ChainProblem
from viterbi_lab.experiments.scaling import random_instance

SETS = 10
T = 2000
MOST_CELLS = 250  # of the drawn maps, along each axis


@dataclass(frozen=True, eq=False)
class Heat:
    """The two maps, averaged over several random problems; NaN where k > t.

    Attributes:
        t: (m,) int, the prefixes that are kept.
        k: (m + 1,) int, the counts that are kept.
        margin: (m, m + 1) float64, max_j L_{t,k}(j) + k.
        slack: the same with · for +.
        sets: problems averaged over.
        best_k: by name of the rescaling, the k of the largest value in the last row, exactly.
        largest: by name of the rescaling, that value.
        score_per_site: of the best labelling of all, whatever its k.
    """

    t: np.ndarray
    k: np.ndarray
    margin: np.ndarray
    slack: np.ndarray
    sets: int
    best_k: dict[str, int]
    largest: dict[str, float]
    score_per_site: float

    def share_above_half(self, rescaling: str) -> float:
        """Share of the triangle k ≤ t with a value above half of the largest."""
        values = getattr(self, rescaling)
        inside = values[np.isfinite(values)]
        return float(np.mean(inside > 0.5 * inside.max()))


def best_by_count(problem: ChainProblem) -> np.ndarray:
    """max_j L_{t,k}(j) for every prefix and count, Bauer et al. Theorem 1; order 1, every error counts 1.

    Returns:
        (T, T + 1) float64; −inf where there is no labelling of the first t + 1 sites with k errors.
    """
    (first, *tables), y = problem.scores.tables(), problem.y
    n, length = len(first), len(y)
    best = np.full((length, length + 1), -np.inf)
    L = np.full((n, length + 1), -np.inf)
    for j in range(n):
        L[j, int(j != y[0])] = first[j]
    best[0] = L.max(axis=0)
    for t in range(1, length):
        step, longest = tables[t - 1], t + 1
        new = np.full_like(L, -np.inf)
        for j in range(n):
            c = int(j != y[t])  # a wrong label raises the count: L_t,k(j) = max_i L_{t-1},{k-c}(i) + g_t(i,j)
            new[j, c : longest + c] = (L[:, :longest] + step[:, j, np.newaxis]).max(axis=0)
        L = new
        best[t] = L.max(axis=0)
    return best


def heat(
    length: int = T,
    *,
    sets: int = SETS,
    seed: int = 0,
    cancelled: Callable[[], bool] = lambda: False,
    progress: Callable[[int, int], None] = lambda done, sets: None,
) -> Heat | None:
    """Compute the two maps.

    Args:
        length: T of the longest prefix; one pass gives all shorter ones.
        sets: random problems to average over.
        seed: of the problems.
        cancelled: asked before every problem.
        progress: told after every problem how many are done, and ``sets``.

    Returns:
        The maps, thinned to `MOST_CELLS` along each axis; None if cancelled.

    Raises:
        ValueError: if there are no problems or fewer than two sites.
    """
    if length < 2 or sets < 1:
        raise ValueError(f"length={length}, sets={sets}; at least 2 sites and 1 problem are needed.")
    stride = -(-length // MOST_CELLS)
    t = np.arange(length, 0, -stride)[::-1]  # the last prefix is the whole sequence
    k = np.concatenate([[0], t])
    counts = np.arange(length + 1.0)
    total, last, per_site = np.zeros((t.size, k.size)), np.zeros(length + 1), 0.0
    for number in range(sets):
        if cancelled():
            return None
        best = best_by_count(random_instance(length, np.random.default_rng([seed, number])))
        total += best[np.ix_(t - 1, k)]
        last += best[-1]
        per_site += best[-1].max() / length
        progress(number + 1, sets)
    mean = np.where(np.isfinite(total), total / sets, np.nan)
    rows = {"margin": last / sets + counts, "slack": last / sets * counts}
    return Heat(
        t=t,
        k=k,
        margin=mean + k,
        slack=mean * k,
        sets=sets,
        best_k={name: int(row.argmax()) for name, row in rows.items()},
        largest={name: float(row.max()) for name, row in rows.items()},
        score_per_site=per_site / sets,
    )
