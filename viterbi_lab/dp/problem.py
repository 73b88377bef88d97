"""One loss-augmented inference problem of Bauer et al. 2014, (14), checked at the door, and its answer."""

from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from viterbi_lab.dp import kernels
from viterbi_lab.dp.scores import ChainScores

NOTHING_FEASIBLE = "Every labelling contains a forbidden part (score −inf). Allow at least one labelling."


class Combine(Enum):
    """How score and loss are combined: the paper's ⊙."""

    PLUS = "+"
    TIMES = "·"


class NoFeasibleLabelling(ValueError):
    """Every labelling that is asked for contains a forbidden part (score −inf), or there is none."""


@dataclass(frozen=True, eq=False)
class ChainProblem:
    """One loss-augmented inference problem, (14), validated at the door.

    Attributes:
        scores: the local scores g_t.
        y: (T,) int64, the true labels, each in 0..N-1.
        h: (K+1,) float64, the loss wrapper at k = 0..K; K = T, or with ``cost`` the largest total cost.
        op: ⊙.
        offset: constant added to every score sum before ⊙.
        kmin: 0, or 1 to exclude labellings without any cost, i.e. ŷ = y.
        cost: (T, N) int64 ≥ 0, what label j at site t adds to k; by default ``[j ≠ y_t]``, Hamming (13).
        hamming: True if ``cost`` is the default; then y is the only labelling without cost.

    Raises:
        ValueError: if y, h, offset, kmin or cost have the wrong shape, kind or range.
    """

    scores: ChainScores
    y: np.ndarray
    h: np.ndarray
    op: Combine
    offset: float = 0.0
    kmin: int = 0
    cost: np.ndarray = field(default=None)
    hamming: bool = field(init=False)

    def __post_init__(self) -> None:
        T, N = self.scores.length, self.scores.n_states
        object.__setattr__(self, "y", checked_labels(self.y, T, N))
        if self.cost is None:
            cost = (np.arange(N) != self.y[:, np.newaxis]).astype(np.int64)
            largest = T
        else:
            cost = _checked_cost(self.cost, T, N)
            largest = int(cost.max(axis=1).sum())
        object.__setattr__(self, "hamming", self.cost is None)
        object.__setattr__(self, "cost", cost)
        object.__setattr__(self, "h", _checked_wrapper(self.h, largest))
        if not isinstance(self.op, Combine):
            raise ValueError(f"op={self.op!r} is not a way to combine. Use Combine.PLUS or Combine.TIMES.")
        if not np.isfinite(self.offset):
            raise ValueError(f"offset={self.offset} is not a finite number.")
        if self.kmin not in (0, 1) or isinstance(self.kmin, bool):
            raise ValueError(f"kmin={self.kmin!r}; it is 0 (all labellings) or 1 (without the true one).")

    @cached_property
    def first_cost(self) -> np.ndarray:
        """(S,) int64, what the first ℓ' labels of each state cost together."""
        total = self.cost[0]
        for t in range(1, self.scores.window_order):
            total = total[..., np.newaxis] + self.cost[t]
        return np.ravel(total, order="F").copy()

    @cached_property
    def step_cost(self) -> np.ndarray:
        """(T-ℓ', N) int64, what each label costs at the other sites."""
        return self.cost[self.scores.window_order :]

    @cached_property
    def largest_cost(self) -> int:
        """The largest cost of any labelling; below T for the Hamming loss only if N = 1."""
        return int(self.cost.max(axis=1).sum())

    @cached_property
    def needs_minima(self) -> bool:
        """True where ⊙ is · and some reachable h(k) is negative, so that a table of minima decides them."""
        return self.op is Combine.TIMES and bool((self.h[self.kmin :] < 0).any())

    def objective(self, score: float, k: int) -> float:
        """``(score + offset) ⊙ h(k)``."""
        total = score + self.offset
        # + 0.0 turns the -0.0 of a negative sum times h = 0 into 0.0
        return float(total * self.h[k] if self.op is Combine.TIMES else total + self.h[k]) + 0.0


@dataclass(frozen=True)
class Certificate:
    """How an optimum was proved; :func:`viterbi_lab.dp.verify` checks it.

    Attributes:
        method: ``plain``: Algorithm 2. ``affine``: plain decoding of g + a·cost. ``capped``: Algorithm 1
            with a clipped counter. ``hull``: bounds alone. ``pruned``: bounds, then a pass over the cells
            that could still win. ``full``: Algorithm 1.
        slopes: the λ at which g + λ·cost was decoded, in the order of the search.
        totals: V(λ) for each; ``F(k) ≤ V(λ) - λk`` for every k.
        candidates: the k that the bounds left for the pass.
        cells: cells (t, k, j) that the pass kept; for ``full`` all of them.
        minima: certificate of the same kind for the k with h(k) < 0, where ⊙ is ·: on −g.
    """

    method: str
    slopes: tuple[float, ...] = ()
    totals: tuple[float, ...] = ()
    candidates: tuple[int, ...] = ()
    cells: int = 0
    minima: "Certificate | None" = None


@dataclass(frozen=True, eq=False)
class Decoding:
    """An exact optimum and its certificate.

    Attributes:
        y: (T,) int64, the optimal labelling.
        value: ``(score + offset) ⊙ h(k)``; for plain decoding the score.
        score: Σ_t g_t(y), summed left to right.
        k: cost of ``y``, the number of errors for the Hamming loss.
        certificate: how it was found.
    """

    y: np.ndarray
    value: float
    score: float
    k: int
    certificate: Certificate

    @classmethod
    def of(cls, problem: ChainProblem, y: np.ndarray, certificate: Certificate) -> "Decoding":
        """The values of a labelling, computed from its path."""
        score = problem.scores.score(y)
        k = kernels.path_cost(problem.cost, y)
        return cls(y, problem.objective(score, k), score, k, certificate)

    @property
    def method(self) -> str:
        """The method of the certificate."""
        return self.certificate.method


def path_labels(scores: ChainScores, leaving: np.ndarray, last_state: int) -> np.ndarray:
    """(T,) labels of a path: those that left the state at each step, then those still in the last one."""
    n, window = scores.n_states, scores.window_order
    y = np.empty(scores.length, np.int64)
    y[: scores.n_steps] = leaving
    for t in range(window):
        y[scores.n_steps + t] = last_state // n**t % n
    return y


def checked_labels(y: ArrayLike, length: int, n_states: int) -> np.ndarray:
    """Labels as (T,) int64.

    Raises:
        ValueError: if they are not whole numbers (no booleans, no floats), not T of them, or
            outside 0..N-1; the message names the first bad position.
    """
    labels = np.asarray(y)
    if labels.dtype.kind not in "iu":
        raise ValueError(f"y holds {labels.dtype} values; labels are whole numbers 0..{n_states - 1}.")
    if labels.shape != (length,):
        raise ValueError(
            f"y has shape {labels.shape}, but the scores have T={length} sites: give {length} labels."
        )
    bad = np.flatnonzero((labels < 0) | (labels >= n_states))
    if bad.size:
        raise ValueError(
            f"y[{bad[0]}] = {labels[bad[0]]}, but N={n_states} allows only 0..{n_states - 1}. "
            "Number labels from 0."
        )
    return labels.astype(np.int64)


def _checked_cost(cost: ArrayLike, length: int, n_states: int) -> np.ndarray:
    array = np.asarray(cost)
    if array.dtype.kind not in "iu" or array.shape != (length, n_states) or (array < 0).any():
        raise ValueError(
            f"cost has shape {array.shape} of {array.dtype}; it needs (T, N) = ({length}, {n_states}) "
            "whole numbers ≥ 0."
        )
    return np.ascontiguousarray(array, dtype=np.int64)


def _checked_wrapper(h: ArrayLike, largest: int) -> np.ndarray:
    array = np.asarray(h)
    if array.dtype.kind not in "iuf" or array.ndim != 1:
        raise ValueError(
            f"h has shape {array.shape} of {array.dtype}; it is a vector of real numbers h(0), h(1), …"
        )
    if array.shape[0] != largest + 1:
        raise ValueError(f"h needs {largest + 1} values h(0)..h({largest}), got {array.shape[0]}.")
    array = np.array(array, dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise ValueError(
            f"h({bad[0]}) = {array[bad[0]]} is not a finite number ({bad.size} of {array.size} values)."
        )
    return array
