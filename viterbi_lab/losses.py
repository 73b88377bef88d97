"""The Hamming distance as costs of sites, and the wrappers h that turn it into a loss.

The loss of Bauer et al. (14) is Δ(y, ŷ) = h(Δ_H(y, ŷ)). The distance is a sum of costs of sites, which
inference follows along the chain; h enters only at its end, so it may be any table of values h(0..T).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np


def hamming_cost(y: np.ndarray, n_states: int) -> np.ndarray:
    """Cost of placing each state at each site: 1 where it differs from ``y``.

    Summed over the sites of an output this is the Hamming loss, Bauer et al. (13).

    Args:
        y: (T,) int, the true states, each in ``0..n_states - 1``.
        n_states: N, the number of states.

    Returns:
        (T, N) int32; entry ``[t, j]`` is 1 if ``j != y[t]``, else 0.

    Raises:
        ValueError: if ``y`` holds a state outside ``0..n_states - 1``.

    Example:
        >>> hamming_cost(np.array([2, 0]), n_states=3)
        array([[1, 1, 0],
               [0, 1, 1]], dtype=int32)
    """
    y = np.asarray(y)
    if y.size and (y.min() < 0 or y.max() >= n_states):
        raise ValueError(
            f"y holds states {y.min()}..{y.max()}, but n_states={n_states} allows only 0..{n_states - 1}. "
            "Number the states from 0."
        )
    return (np.arange(n_states) != y[:, None]).astype(np.int32)


@dataclass(frozen=True, eq=False)
class LabelCosts:
    """Whole-number costs of putting one label in the place of another: weights w(y, ŷ) of Bauer et al. (20).

    Whole numbers, because inference counts them: that keeps slack rescaling, and any h, exact.

    Attributes:
        table: (N, N) int64; entry ``[y, j]`` is the cost of label j where y is true: 0 if j = y, else >= 1.

    Raises:
        ValueError: if the table is none.
    """

    table: np.ndarray

    def __post_init__(self):
        table = np.asarray(self.table)
        if table.ndim != 2 or table.shape[0] != table.shape[1] or table.dtype.kind not in "iu":
            raise ValueError(
                f"Label costs have shape {table.shape} of {table.dtype}; needed is a square table of whole "
                "numbers."
            )
        right = np.eye(len(table), dtype=bool)
        if table[right].any() or (table[~right] < 1).any():
            y, j = np.argwhere(np.where(right, table != 0, table < 1))[0]
            raise ValueError(
                f"Label {j} in the place of {y} costs {table[y, j]}. The true label costs 0, any other at "
                "least 1."
            )
        object.__setattr__(self, "table", table.astype(np.int64))

    @property
    def n_states(self) -> int:
        """N."""
        return len(self.table)


@dataclass(frozen=True)
class Wrapper:
    """A loss wrapper h, sampled where it is needed: at the numbers of wrong sites 0..T.

    Attributes:
        name: what messages and reports call it.
        formula: maps (T + 1,) float64, the counts 0..T, to the values h(0..T).
    """

    name: str
    formula: Callable[[np.ndarray], np.ndarray]

    def table(self, length: int) -> np.ndarray:
        """Sample h.

        Args:
            length: T, the number of sites (for weighted costs: the largest sum of costs).

        Returns:
            (T + 1,) float64, h(0..T), every value finite.

        Raises:
            ValueError: if h gives another number of values, or one that is not finite.

        Example:
            >>> CAPPED = capped(2)
            >>> CAPPED.table(4)
            array([0., 1., 2., 2., 2.])
        """
        h = np.asarray(self.formula(np.arange(length + 1, dtype=np.float64)), dtype=np.float64)
        if h.shape != (length + 1,):
            raise ValueError(
                f"h = {self.name} gives values of shape {h.shape}, but T = {length} sites need the "
                f"T + 1 = {length + 1} values h(0..{length})."
            )
        if not np.isfinite(h).all():
            k = int(np.argmin(np.isfinite(h)))
            raise ValueError(
                f"h({k}) = {h[k]} for h = {self.name}. Every value of h must be a finite number."
            )
        return h

    def loss_table(self, length: int) -> np.ndarray:
        """Sample h for training, where Δ = h∘Δ_H must be a loss: zero for y itself, positive elsewhere, (2).

        With h(0) ≠ 0 slack rescaling would demand a margin of y over itself; with h(k) <= 0 it would turn
        the constraint of a wrong labelling round.

        Args:
            length: T, as in `table`.

        Returns:
            (T + 1,) float64 as `table` returns it.

        Raises:
            ValueError: if h(0) != 0, or h(k) <= 0 for some k >= 1.
        """
        h = self.table(length)
        if h[0] != 0.0:
            raise ValueError(
                f"h(0) = {h[0]:g} for h = {self.name}. Training needs h(0) = 0: "
                "the true labelling costs nothing."
            )
        if length and h[1:].min() <= 0.0:
            k = 1 + int(np.argmax(h[1:] <= 0.0))
            raise ValueError(
                f"h({k}) = {h[k]:g} for h = {self.name}. Training needs h(k) > 0 for every k >= 1: "
                "a wrong labelling costs something."
            )
        return h


def capped(limit: float) -> Wrapper:
    """The wrapper min(k, limit): further errors beyond ``limit`` cost nothing."""
    if not limit > 0:
        raise ValueError(f"The cap is {limit}. It must be positive, or no error would cost anything.")
    return Wrapper(f"min(k, {limit:g})", partial(np.minimum, limit))


def sampled(function: Callable[[int], float], name: str = "own function") -> Wrapper:
    """A wrapper from an ordinary function of one integer k, called at k = 0..T."""
    return Wrapper(name, partial(_call_each, function))


def listed(values: Sequence[float], name: str = "own list") -> Wrapper:
    """A wrapper from the list h(0), h(1), …; a shorter sequence of sites uses only its beginning."""
    return Wrapper(name, partial(_take_first, tuple(float(value) for value in values)))


def _unchanged(k: np.ndarray) -> np.ndarray:
    return k


def _one_if_any(k: np.ndarray) -> np.ndarray:
    return np.minimum(k, 1.0)


def _call_each(function: Callable[[int], float], k: np.ndarray) -> np.ndarray:
    return np.array([function(int(count)) for count in k], dtype=np.float64)


def _take_first(values: tuple[float, ...], k: np.ndarray) -> np.ndarray:
    return np.array(values[: len(k)], dtype=np.float64)


IDENTITY = Wrapper("identity", _unchanged)
SQRT = Wrapper("sqrt", np.sqrt)
SQUARE = Wrapper("square", np.square)
ZERO_ONE = Wrapper("zero-one", _one_if_any)

WRAPPERS = {wrapper.name: wrapper for wrapper in (IDENTITY, SQRT, SQUARE, ZERO_ONE)}
"""The wrappers that a name alone describes."""
