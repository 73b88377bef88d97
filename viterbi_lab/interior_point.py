"""An interior point method for working-set programs with many rows and few weights.

    min  ½‖w‖² + (C/n) Σ_i (slope ξ_i + ½ curvature ξ_i²)    s.t.  ⟨w, z⟩ ≥ b − ξ_i  for the rows of i,  ξ ≥ 0

Mehrotra's predictor and corrector (SIAM J. Optim. 2, 1992). A Newton step has an unknown for every weight,
slack, row and multiplier, but rows meet only in w and, within their block i, in ξ_i. Eliminating block by
block leaves d equations with the matrix

    M = I + Σ_i ( Σ_{rows of i} θ (z − z̄_i)(z − z̄_i)ᵀ + θ⁰_i z̄_i z̄_iᵀ ),    z̄_i = Σ θ z / (θ⁰_i + Σ θ),

where θ = a/s, with s the distances of the rows from equality and θ⁰ what ξ_i ≥ 0 and the curvature add.
Rows centred in their block keep the digits which the textbook form Σ θ z zᵀ − … loses as the θ grow.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from viterbi_lab.rescaling import Penalty

MOST_STEPS = 100
SHORTEST_STEP = 1e-10  # shorter ones change nothing any more
TO_THE_BORDER = 0.995  # of the longest step that keeps everything positive


@dataclass(frozen=True, eq=False)
class Solution:
    """What the method ended with.

    Attributes:
        w: (d,) float64, the weights.
        multipliers: (m,) float64, a > 0, one for each row; feasible but for rounding.
        status: why it ended, for a report.
    """

    w: np.ndarray
    multipliers: np.ndarray
    status: str


def solve_blocks(
    Z: np.ndarray, b: np.ndarray, starts: np.ndarray, *, scale: float, penalty: Penalty, relative_gap: float
) -> Solution:
    """Solve one program, in units in which a slack and the multipliers of a block are about 1.

    Args:
        Z: (m, d) float64, rows z, those of a block side by side.
        b: (m,) float64, their bounds, at least one of them positive.
        starts: (n,) int64, the first row of each block, ascending from 0; no block is empty.
        scale: C/n, what a slack costs.
        penalty: LINEAR or QUADRATIC.
        relative_gap: stop when primal and dual value differ by at most this share of the primal one.
    """
    beta = float(b.max())
    unit = scale * beta  # of the objective: ξ = β η, w = √unit v, a = (unit/β) α
    root = np.sqrt(unit)
    program = _Blocks(Z * (root / beta), b / beta, starts, penalty.slope, penalty.curvature * beta)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):  # looked for in each step
        at, status = program.solve(relative_gap)
    return Solution(root * at.v, (unit / beta) * at.alpha, status)


@dataclass(frozen=True, eq=False)
class _Point:
    """Weights v, slacks η, distances s of rows, multipliers α of rows and α⁰ of η ≥ 0; or a step of all."""

    v: np.ndarray
    eta: np.ndarray
    s: np.ndarray
    alpha: np.ndarray
    alpha0: np.ndarray

    def moved(self, step: _Point, length: float) -> _Point:
        pairs = zip(vars(self).values(), vars(step).values(), strict=True)
        return _Point(*(here + length * there for here, there in pairs))


@dataclass(frozen=True, eq=False)
class _Blocks:
    """The program in its own units: min ½‖v‖² + Σ (slope η + ½ kappa η²) s.t. Z v + η ≥ b."""

    Z: np.ndarray
    b: np.ndarray
    starts: np.ndarray
    slope: float
    kappa: float
    sizes: np.ndarray = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "sizes", np.diff(self.starts, append=len(self.b)))

    @property
    def bounded(self) -> bool:
        """Whether η ≥ 0 is a constraint; where only squares cost, no solution has η < 0 anyway."""
        return self.slope > 0.0

    def spread(self, blocks: np.ndarray) -> np.ndarray:
        """The value of its block for each row."""
        return np.repeat(blocks, self.sizes, axis=0)

    def sums(self, rows: np.ndarray) -> np.ndarray:
        """The sums over the rows of each block."""
        return np.add.reduceat(rows, self.starts, axis=0)

    def solve(self, relative_gap: float) -> tuple[_Point, str]:
        """The point with the smallest gap that the method comes to."""
        at = best = self.first()
        smallest = np.inf
        for step in range(MOST_STEPS + 1):
            gap, primal = self.gap(at)
            if gap < smallest:
                best, smallest = at, gap
            if gap <= relative_gap * primal:
                return at, f"solved in {step} steps"
            following = self.following(at)
            if following is None:
                return best, f"no further after {step} steps"
            at = following
        return best, f"not solved in {MOST_STEPS} steps"

    def first(self) -> _Point:
        """Weights zero, slacks beyond the largest bound, multipliers shared out evenly in each block."""
        eta = np.full(len(self.starts), 2.0)
        share = (self.slope + self.kappa * eta) / (self.sizes + self.bounded)
        return _Point(
            v=np.zeros(self.Z.shape[1]),
            eta=eta,
            s=self.spread(eta) - self.b,
            alpha=self.spread(share),
            alpha0=share * self.bounded,
        )

    def gap(self, at: _Point) -> tuple[float, float]:
        """Gap and primal value of the feasible points next to this one."""
        H = np.maximum.reduceat(self.b - self.Z @ at.v, self.starts).clip(0.0)
        primal = 0.5 * float(at.v @ at.v) + float(np.sum(self.slope * H + 0.5 * self.kappa * H**2))
        alpha, mass = at.alpha, self.sums(at.alpha)
        if self.kappa == 0.0:
            alpha = alpha * self.spread(self.slope / np.maximum(mass, self.slope))
        dual = float(alpha @ self.b) - 0.5 * float(np.sum((alpha @ self.Z) ** 2))
        if self.kappa > 0.0:
            dual -= 0.5 / self.kappa * float(np.sum(np.maximum(mass - self.slope, 0.0) ** 2))
        return primal - dual, primal

    def following(self, at: _Point) -> _Point | None:
        """The point after one step, or None if the arithmetic ends here."""
        try:
            newton = _Newton(self, at)
            products, products0 = at.alpha * at.s, at.alpha0 * at.eta
            guess = newton.step(products, products0)
            far = at.moved(guess, min(1.0, self.longest(at, guess)))
            now, then = products.sum() + products0.sum(), far.alpha @ far.s + far.alpha0 @ far.eta
            target = (then / now) ** 3 * now / (len(self.b) + self.bounded * len(self.starts))
            step = newton.step(
                products + guess.alpha * guess.s - target,
                products0 + guess.alpha0 * guess.eta - target * self.bounded,
            )
        except np.linalg.LinAlgError:
            return None
        length = min(1.0, TO_THE_BORDER * self.longest(at, step))
        moved = at.moved(step, length)
        return moved if length >= SHORTEST_STEP and np.isfinite(moved.v).all() else None

    def longest(self, at: _Point, step: _Point) -> float:
        """The longest step that keeps distances, slacks and multipliers from becoming negative."""
        pairs = [(at.s, step.s), (at.alpha, step.alpha)]
        if self.bounded:
            pairs += [(at.eta, step.eta), (at.alpha0, step.alpha0)]
        most = np.inf
        for here, there in pairs:
            falling = there < 0.0
            most = min(most, float((-here[falling] / there[falling]).min(initial=np.inf)))
        return most


class _Newton:
    """The equations of one Newton step at a point, with the matrix M of the module.

    Raises:
        LinAlgError: if M has entries that are not finite, or is singular.
    """

    def __init__(self, program: _Blocks, at: _Point):
        self.program, self.at = program, at
        self.theta = at.alpha / at.s
        theta0 = program.kappa + at.alpha0 / at.eta
        self.total = theta0 + program.sums(self.theta)
        centre = program.sums(self.theta[:, np.newaxis] * program.Z) / self.total[:, np.newaxis]
        rows = (program.Z - program.spread(centre)) * np.sqrt(self.theta)[:, np.newaxis]
        centre *= np.sqrt(theta0)[:, np.newaxis]
        self.M = rows.T @ rows + centre.T @ centre
        self.M[np.diag_indices_from(self.M)] += 1.0
        if not np.isfinite(self.M).all():
            raise np.linalg.LinAlgError("M overflows")
        # by how much the point misses the conditions of an optimum, but for the products
        self.r_v = at.v - at.alpha @ program.Z
        self.r_eta = program.slope + program.kappa * at.eta - program.sums(at.alpha) - at.alpha0
        self.r_s = program.Z @ at.v + program.spread(at.eta) - program.b - at.s

    def step(self, less: np.ndarray, less0: np.ndarray) -> _Point:
        """The step that misses nothing and, to first order, takes ``less`` off α·s and ``less0`` off α⁰·η."""
        program, at, theta = self.program, self.at, self.theta
        q, q0 = -self.r_s - less / at.alpha, -less0 / at.eta
        g = (program.sums(theta * q) + q0 - self.r_eta) / self.total
        v = np.linalg.solve(self.M, (theta * (q - program.spread(g))) @ program.Z - self.r_v)
        climb = program.Z @ v
        eta = g - program.sums(theta * climb) / self.total
        climb += program.spread(eta)
        return _Point(v, eta, self.r_s + climb, theta * (q - climb), q0 - at.alpha0 / at.eta * eta)
