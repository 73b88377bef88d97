"""Local scores g_t of one sequence, validated at the door and laid out for the kernels.

Bauer et al. 2014, (6)–(10): a joint feature map that decomposes over windows of ℓ+1 labels gives
``⟨w, Φ(x, ŷ)⟩ = Σ_t g_t(ŷ_{t-ℓ}, …, ŷ_t)``; windows are shorter at the left border.

States are tuples of the last ℓ' = max(1, min(ℓ, T)) labels, numbered with the oldest label running
fastest: ``s = j_1 + N·j_2 + …``. The smallest number is then the co-lexicographically smallest tuple,
which is what the tie rule asks for, and the N predecessors of a state lie side by side.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from viterbi_lab.dp import kernels

LARGEST_TOTAL = np.finfo(np.float64).max / 4


@dataclass(frozen=True, eq=False)
class ChainScores:
    """Scores of all labellings of one sequence, as parts of order ℓ.

    Build it with :meth:`from_tables` or :meth:`homogeneous`; the fields are the kernels' layout.

    Attributes:
        length: T, number of sites.
        n_states: N, number of labels of a site.
        order: ℓ as given. Orders 0 and those above T are decoded as ``window_order``.
        initial: (S,) float64, score sum of the first ℓ' sites for each state.
        transitions: (T-ℓ', N, S) or, if equal at all sites, (1, N, S) float64;
            entry ``[m, i, s]`` scores the step from label ``i`` at site ``m`` into state ``s``.
        emissions: (T-ℓ', N) or (1, N) float64; entry ``[m, j]`` is added for label ``j`` at site ``m+ℓ'``.
    """

    length: int
    n_states: int
    order: int
    initial: np.ndarray
    transitions: np.ndarray
    emissions: np.ndarray

    @property
    def window_order(self) -> int:
        """ℓ' = max(1, min(ℓ, T)): how many labels a state holds."""
        return max(1, min(self.order, self.length))

    @property
    def n_tuples(self) -> int:
        """S = N**ℓ', the number of states of the recursion."""
        return self.n_states**self.window_order

    @property
    def n_steps(self) -> int:
        """T - ℓ', the number of steps of the recursion."""
        return self.length - self.window_order

    @cached_property
    def magnitude(self) -> float:
        """Σ_t max |g_t| over what is not forbidden: what rounding errors are measured by."""
        return float(kernels.magnitude(self.initial, self.transitions, self.emissions, self.n_steps))

    @classmethod
    def from_tables(cls, tables: Sequence[ArrayLike], *, order: int | None = None) -> "ChainScores":
        """Scores given as one table per site.

        Args:
            tables: T arrays; ``tables[t]`` has min(t, ℓ)+1 axes of length N, the labels
                ``(ŷ_{t-ℓ}, …, ŷ_t)`` in this order. −inf forbids a window.
            order: ℓ; by default one less than the largest number of axes.

        Raises:
            ValueError: if there is no table, a table has the wrong shape, or holds NaN or +inf.
            OverflowError: if score sums could leave the range of float64.
        """
        if len(tables) == 0:
            raise ValueError("There are no sites (T=0). Give at least one table g_1 of N scores.")
        arrays = [_as_scores(table, f"g[{t}]") for t, table in enumerate(tables)]
        if arrays[0].ndim != 1 or arrays[0].shape[0] == 0:
            raise ValueError(
                f"g[0] has shape {arrays[0].shape}; the first site needs a vector of N ≥ 1 scores."
            )
        n_states, length = arrays[0].shape[0], len(arrays)
        if order is None:
            order = max(array.ndim for array in arrays) - 1
        _check_order(order)
        for t, array in enumerate(arrays):
            expected = (n_states,) * (min(t, order) + 1)
            if array.shape != expected:
                raise ValueError(
                    f"g[{t}] has shape {array.shape}, but order ℓ={order} with N={n_states} "
                    f"needs {expected} at this site."
                )
        window = max(1, min(order, length))
        for t, array in enumerate(arrays[:window]):
            _refuse_nan_and_inf(array, lambda where, t=t: f"g at t={t}, {_labels(where)}")
        initial = arrays[0]
        for t in range(1, window):
            initial = initial[..., np.newaxis] + arrays[t]
        _refuse_overflow([(array, 1) for array in arrays[:window]])
        rest = (
            np.array(arrays[window:])
            if length > window
            else np.zeros((0,) + (n_states,) * (min(window, order) + 1))
        )
        return cls.from_arrays(initial, rest, order=order)

    @classmethod
    def from_arrays(cls, first: ArrayLike, windows: ArrayLike, *, order: int | None = None) -> "ChainScores":
        """Scores given as one array, the quick way for long sequences.

        Args:
            first: (N,)*ℓ' score sums of the first ℓ' = max(1, min(ℓ, T)) sites.
            windows: (T-ℓ',) + (N,)*(ℓ+1) scores of the windows ``(ŷ_{t-ℓ}, …, ŷ_t)`` at the other sites.
            order: ℓ, needed only where T < ℓ+1 leaves it open; by default the axes of ``windows`` say it.

        Raises:
            ValueError: if shapes disagree or a score is NaN or +inf (−inf forbids).
            OverflowError: if score sums could leave the range of float64.
        """
        first, windows = _as_scores(first, "first"), _as_scores(windows, "windows")
        if order is None:
            order = windows.ndim - 2
        _check_order(order)
        window, n_states = first.ndim, first.shape[0] if first.ndim else 0
        length = window + windows.shape[0] if windows.ndim else 0
        if (
            n_states == 0
            or first.shape != (n_states,) * window
            or window != max(1, min(order, length))
            or windows.shape[1:] != (n_states,) * (min(order, window) + 1)
        ):
            raise ValueError(
                f"first has shape {first.shape} and windows {windows.shape}; order ℓ={order} needs "
                "(N,)*ℓ' and (T-ℓ',) + (N,)*(ℓ+1) with ℓ' = max(1, min(ℓ, T))."
            )
        _refuse_nan_and_inf(first, lambda where: f"first score of {_labels(where)}")
        _refuse_nan_and_inf(windows, lambda where: f"g at t={where[0] + window}, {_labels(where[1:])}")
        _refuse_overflow([(first, 1), (windows, windows.shape[0])])
        transitions, emissions = np.zeros((1, n_states, n_states**window)), np.zeros((1, n_states))
        if windows.shape[0] and order == 0:
            emissions = windows
        elif windows.shape[0]:
            transitions = _by_state(windows)
        return cls(length, n_states, order, np.ravel(first, order="F").copy(), transitions, emissions)

    @classmethod
    def homogeneous(
        cls,
        emissions: ArrayLike,
        transitions: ArrayLike | None = None,
        *,
        start: ArrayLike | None = None,
        end: ArrayLike | None = None,
    ) -> "ChainScores":
        """Scores of each label at each site, plus the same transition scores everywhere.

        Args:
            emissions: (T, N) scores of label j at site t.
            transitions: (N,)*(ℓ+1) scores of windows ``(ŷ_{t-ℓ}, …, ŷ_t)``, for sites t > ℓ;
                None means order 0.
            start: (N,) scores added for the first label.
            end: (N,) scores added for the last label; at T=1 the same label gets both.

        Raises:
            ValueError: if shapes disagree, T or N is 0, or a score is NaN or +inf (−inf forbids).
            OverflowError: if score sums could leave the range of float64.
        """
        emissions = _as_scores(emissions, "emissions")
        if emissions.ndim != 2 or 0 in emissions.shape:
            raise ValueError(
                f"emissions have shape {emissions.shape}; they need (T, N) with T ≥ 1 and N ≥ 1."
            )
        n_states = emissions.shape[1]
        _refuse_nan_and_inf(emissions, lambda where: f"emission at t={where[0]}, label {where[1]}")
        parts = [(emissions, emissions.shape[0])]
        if transitions is not None:
            transitions = _as_scores(transitions, "transitions")
            if transitions.ndim < 2 or transitions.shape != (n_states,) * transitions.ndim:
                raise ValueError(
                    f"transitions have shape {transitions.shape}; with N={n_states} they need "
                    f"({n_states}, {n_states}) for order 1, one axis more for each further order."
                )
            _refuse_nan_and_inf(transitions, lambda where: f"transition {'->'.join(map(str, where))}")
            parts.append((transitions, emissions.shape[0]))
        borders = []
        for name, border in (("start", start), ("end", end)):
            if border is None:
                borders.append(None)
                continue
            border = _as_scores(border, name)
            if border.shape != (n_states,):
                raise ValueError(
                    f"{name} has shape {border.shape}; it needs one score for each of N={n_states} labels."
                )
            _refuse_nan_and_inf(border, lambda where, name=name: f"{name} score of label {where[0]}")
            borders.append(border)
            parts.append((border, 1))
        _refuse_overflow(parts)
        return cls.trusted_homogeneous(emissions, transitions, *borders)

    @classmethod
    def trusted_homogeneous(
        cls,
        emissions: np.ndarray,
        transitions: np.ndarray | None = None,
        start: np.ndarray | None = None,
        end: np.ndarray | None = None,
    ) -> "ChainScores":
        """As :meth:`homogeneous`, without the checks: for scores computed from checked inputs."""
        length, n_states = emissions.shape
        if start is not None or end is not None:
            emissions = emissions.copy()
            if start is not None:
                emissions[0] += start
            if end is not None:
                emissions[-1] += end
        order = 0 if transitions is None else transitions.ndim - 1
        window = max(1, min(order, length))
        initial = emissions[0]
        for t in range(1, window):
            initial = initial[..., np.newaxis] + emissions[t]
        if transitions is None or length == window:
            steps = np.zeros((1, n_states, n_states**window))
        else:
            steps = _by_state(transitions[np.newaxis])
        rest = np.ascontiguousarray(emissions[window:]) if length > window else np.zeros((1, n_states))
        return cls(length, n_states, order, np.ravel(initial, order="F").copy(), steps, rest)

    def score(self, y: np.ndarray) -> float:
        """Σ_t g_t of one labelling, summed left to right as the recursion does.

        Args:
            y: (T,) int labels, each in 0..N-1.
        """
        labels = np.asarray(y, dtype=np.int64)
        return float(
            kernels.path_score(self.initial, self.transitions, self.emissions, self.window_order, labels)
        )

    def tables(self) -> list[np.ndarray]:
        """The scores as T tables for people to look at.

        Returns:
            ``[first, …]``: the first entry has ℓ' axes, the score sum of the first ℓ' sites;
            each further one has ℓ'+1 axes ``(ŷ_{t-ℓ'}, …, ŷ_t)``.
        """
        window, n = self.window_order, self.n_states
        first = self.initial.reshape((n,) * window, order="F")
        # state s runs through its labels oldest first: (i, s) in Fortran order is (i, j_1, …, j_ℓ')
        rest = [self._step(m).reshape((n,) * (window + 1), order="F") for m in range(self.n_steps)]
        return [first, *rest]

    def dense(self) -> np.ndarray:
        """The scores of all steps, (T-ℓ', N, S) float64: entry ``[m, i, s]`` as in ``transitions``."""
        if self.n_steps == 0:
            return np.zeros((0, self.n_states, self.n_tuples))
        return np.array([self._step(m) for m in range(self.n_steps)])

    def plus(self, other: "ChainScores", factor: float = 1.0) -> "ChainScores":
        """``self + factor·other``: scores of the higher of both orders, for an affine loss (21).

        Args:
            other: scores of the same length and number of states, of any order.
            factor: finite multiplier of ``other``.

        Raises:
            ValueError: if T or N differ.
        """
        if (self.length, self.n_states) != (other.length, other.n_states):
            raise ValueError(
                f"Scores of T={self.length}, N={self.n_states} cannot be added to scores of "
                f"T={other.length}, N={other.n_states}."
            )
        order = max(self.order, other.order, 1)  # tables of order 0 are promoted to pairs of labels
        pairs = zip(self._site_tables(order), other._site_tables(order), strict=True)
        return ChainScores.from_tables([mine + factor * theirs for mine, theirs in pairs], order=order)

    def negated(self) -> "ChainScores":
        """−g, with forbidden windows still forbidden: its maximum is minus the minimum of g."""

        def flip(part: np.ndarray) -> np.ndarray:
            return np.where(np.isneginf(part), part, -part)

        return ChainScores(
            self.length,
            self.n_states,
            self.order,
            flip(self.initial),
            flip(self.transitions),
            flip(self.emissions),
        )

    def _step(self, m: int) -> np.ndarray:
        transitions = self.transitions[m if self.transitions.shape[0] > 1 else 0]
        emissions = self.emissions[m if self.emissions.shape[0] > 1 else 0]
        return transitions + np.repeat(emissions, self.n_tuples // self.n_states)

    def _site_tables(self, order: int) -> list[np.ndarray]:
        """T tables of the given order ≥ ``order``; the first ℓ' sites carry their sum at site ℓ'."""
        n, window = self.n_states, self.window_order
        tables = [np.zeros((n,) * (min(t, order) + 1)) for t in range(window - 1)]
        for t, table in enumerate(self.tables(), start=window - 1):
            axes = min(t, order) + 1
            shape = (1,) * (axes - table.ndim) + table.shape
            tables.append(np.broadcast_to(table.reshape(shape), (n,) * axes))
        return tables


def _as_scores(values: ArrayLike, name: str) -> np.ndarray:
    array = np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name} holds {array.dtype} values; scores are real numbers.")
    return np.array(array, dtype=np.float64, order="C")


def _check_order(order: int) -> None:
    if isinstance(order, bool) or not isinstance(order, int | np.integer) or order < 0:
        raise ValueError(f"order={order!r} is not a whole number ≥ 0.")


def _labels(where: tuple[int, ...]) -> str:
    return f"label {where[0]}" if len(where) == 1 else f"labels {'->'.join(map(str, where))}"


def _refuse_nan_and_inf(array: np.ndarray, describe) -> None:
    bad = np.isnan(array) | np.isposinf(array)
    if bad.any():
        where = tuple(int(index) for index in np.argwhere(bad)[0])
        raise ValueError(
            f"The {describe(where)} is {array[where]}. Scores are finite numbers; −inf forbids a labelling."
        )


def _refuse_overflow(parts: Sequence[tuple[np.ndarray, int]]) -> None:
    """Refuse scores whose sums could overflow; ``parts`` are arrays and how many of their entries add up."""
    total = 0.0
    for array, times in parts:
        largest = np.abs(array, where=np.isfinite(array), out=np.zeros_like(array)).max(initial=0.0)
        total += times * (float(largest) / LARGEST_TOTAL)
    if total > 1.0:
        raise OverflowError(
            f"Score sums of this sequence could exceed {LARGEST_TOTAL:.3g}, the largest the engine "
            "can add safely. Scale the scores down."
        )


def _by_state(windows: np.ndarray) -> np.ndarray:
    """(M,) + (N,)*(ℓ+1) window scores as (M, N, S): the label that leaves, the state after the step."""
    axes = windows.ndim
    # (m, i, j_1, …, j_ℓ) to (m, i, j_ℓ, …, j_1): the oldest label of the new state runs fastest
    newest_first = np.transpose(windows, (0, 1, *range(axes - 1, 1, -1)))
    return np.ascontiguousarray(newest_first).reshape(windows.shape[0], windows.shape[1], -1)
