"""The quadratic program over a working set of constraints, solved by cvxpy and certified by ourselves.

    min  ½‖w‖² + (C/n) Σ_i (slope ξ_i + ½ curvature ξ_i²)    s.t.  ⟨w, z⟩ ≥ b − ξ_i  for the rows of i,  ξ ≥ 0

It is handed to the solver in units in which the optimum is a number of moderate size, so that absolute
tolerances mean something at every C from 1e−8 to 1e6. The weights come from the primal solution: at large C
the sum Σ a z of the dual one loses digits to cancellation. A solver's status is not believed: every answer is
made feasible (ξ from w, the multipliers clipped into their box) and accepted by its duality gap.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, replace

import numpy as np

from viterbi_lab.rescaling import LINEAR, Penalty

# cvxpy warns of "optimal_inaccurate" in the name of its caller, this module; the gap is measured here.
warnings.filterwarnings("ignore", message="Solution may be inaccurate", module=__name__.replace(".", r"\."))


class SolverFailed(RuntimeError):
    """No solver gave a usable answer to a quadratic program, which always has one.

    Attributes:
        status: what each solver said.
    """

    def __init__(self, status: str):
        super().__init__(
            f"No solver could solve the quadratic program ({status}). "
            "Features of very different size are the usual reason: scale them, or choose a smaller C."
        )
        self.status = status


class WorkingSet:
    """The constraints ∪_i S_i found so far: rows (z, b) of n examples. It only grows.

    Args:
        n_examples: n.
        n_weights: d.
    """

    def __init__(self, n_examples: int, n_weights: int):
        self.n_examples = n_examples
        self._rows = np.empty((16, n_weights))
        self._bounds = np.empty(16)
        self._owners = np.empty(16, np.int64)
        self._keys: set[tuple[int, bytes]] = set()

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, constraint: tuple[int, np.ndarray]) -> bool:
        """Whether the constraint of ``(example number, ŷ)`` is in the set."""
        owner, y_hat = constraint
        return (owner, y_hat.tobytes()) in self._keys

    @property
    def rows(self) -> np.ndarray:
        """(m, d) float64, the z of the constraints in the order in which they were added."""
        return self._rows[: len(self)]

    @property
    def bounds(self) -> np.ndarray:
        """(m,) float64, their b."""
        return self._bounds[: len(self)]

    @property
    def owners(self) -> np.ndarray:
        """(m,) int64, the numbers of the examples they belong to."""
        return self._owners[: len(self)]

    def add(self, owner: int, y_hat: np.ndarray, z: np.ndarray, b: float) -> None:
        """Add the constraint ⟨w, z⟩ ≥ b − ξ of a labelling.

        Args:
            owner: the number of the example, in ``0..n_examples - 1``.
            y_hat: the labelling, which identifies the constraint.
            z: (d,) float64.
            b: its bound.

        Raises:
            ValueError: if the constraint is in the set already.
        """
        key = (owner, y_hat.tobytes())
        if key in self._keys:
            raise ValueError(f"The constraint of this labelling of example {owner} is in the set already.")
        m = len(self)
        if m == len(self._rows):
            self._rows, self._bounds, self._owners = (
                np.concatenate([old, np.empty_like(old)]) for old in (self._rows, self._bounds, self._owners)
            )
        self._rows[m], self._bounds[m], self._owners[m] = z, b, owner
        self._keys.add(key)

    def violations(self, w: np.ndarray) -> np.ndarray:
        """H = b − ⟨w, z⟩ of every constraint, (m,) float64."""
        return self.bounds - self.rows @ w

    def slack(self, w: np.ndarray) -> np.ndarray:
        """ξ_i = max(0, max_{S_i} H), the slacks that the constraints in the set ask for, (n,) float64."""
        slack = np.zeros(self.n_examples)
        np.maximum.at(slack, self.owners, self.violations(w))
        return slack


@dataclass(frozen=True, eq=False)
class QPResult:
    """A solved working-set program with its certificate.

    Attributes:
        w: (d,) float64, the weights.
        slack: (n,) float64, ξ_i = max(0, max_{S_i} H) at these weights.
        multipliers: (m,) float64, a feasible a >= 0, one for each constraint in its order.
        lower: the dual value at ``multipliers``; no weights reach an objective below it.
        upper: the objective at ``w`` and ``slack``, with the constraints of the set only.
        status: which solver said what.
        seconds: wall-clock time.
    """

    w: np.ndarray
    slack: np.ndarray
    multipliers: np.ndarray
    lower: float
    upper: float
    status: str
    seconds: float

    @property
    def gap(self) -> float:
        """``upper - lower``, at least the distance of ``upper`` from the optimum."""
        return self.upper - self.lower


@dataclass(frozen=True)
class Rung:
    """One way to solve the program with cvxpy.

    Attributes:
        solver: the name of one of cvxpy's solvers for quadratic programs.
        options: what it is told.
    """

    solver: str
    options: dict[str, float]


def clarabel(tolerance: float) -> Rung:
    """Clarabel, asked for this feasibility and gap."""
    return Rung("CLARABEL", {f"tol_{what}": tolerance for what in ("gap_abs", "gap_rel", "feas")})


# Gene data, C = 1e-8..1e6: the first rung leaves a certified gap of 1e-10 of the objective if the unit is
# right. The second begins in the unit of the first answer. The third is for programs on which Clarabel gives
# up at tight tolerances. (SCS and OSQP never gave the better answer where Clarabel had trouble.)
LADDER = (clarabel(1e-10), clarabel(1e-11), clarabel(1e-8))
"""What is tried in turn until an answer is exact enough."""


def solve(
    working_set: WorkingSet,
    *,
    C: float,
    penalty: Penalty = LINEAR,
    relative_gap: float = 1e-7,
    unit: float | None = None,
    ladder: tuple[Rung, ...] = LADDER,
) -> QPResult:
    """Solve the program over the constraints in the set.

    Args:
        working_set: at least one constraint of n examples.
        C: what slacks cost; C/n for each example.
        penalty: LINEAR or QUADRATIC.
        relative_gap: an answer is exact enough if ``gap <= relative_gap · upper``; else the next rung is
            tried, and the most exact answer of all is returned.
        unit: about the size of the optimum, best the objective of a program a little smaller; by default C.
            It decides how exact the first answer is, not what it is.
        ladder: the ways to solve it, in the order in which they are tried.

    Raises:
        SolverFailed: if no rung gave finite weights.
    """
    begin = time.perf_counter()
    program = _Program.of(working_set, C, penalty)
    unit = C if unit is None else unit
    best, said = None, []
    for rung in ladder:
        answer = program.attempt(rung, unit)
        said.append(f"{rung.solver}: {answer.status}")
        if not answer.is_finite:
            # too small a unit makes the program look infeasible; the objective at w = 0 is large enough
            unit = penalty.cost(working_set.slack(np.zeros(program.Z.shape[1])), C)
            continue
        w, a = answer.w, program.feasible(answer.multipliers)
        slack = working_set.slack(w)
        upper, lower = 0.5 * float(w @ w) + penalty.cost(slack, C), program.dual_value(a)
        if best is None or upper - lower < best.gap:
            best, unit = QPResult(w, slack, a, lower, upper, said[-1], 0.0), upper
        if best.gap <= relative_gap * best.upper:
            break
    if best is None:
        raise SolverFailed("; ".join(said))
    return replace(best, seconds=time.perf_counter() - begin)


@dataclass(frozen=True, eq=False)
class _Answer:
    """What a solver gave back, in the original variables; arrays may hold anything."""

    status: str
    w: np.ndarray | None = None
    multipliers: np.ndarray | None = None

    @property
    def is_finite(self) -> bool:
        return (
            self.w is not None
            and self.multipliers is not None
            and bool(np.isfinite(self.w).all() and np.isfinite(self.multipliers).all())
        )


@dataclass(frozen=True, eq=False)
class _Program:
    """One working-set program: rows Z (m, d), bounds b, owners, and what they cost."""

    Z: np.ndarray
    b: np.ndarray
    owners: np.ndarray
    n: int
    C: float
    penalty: Penalty

    @classmethod
    def of(cls, working_set: WorkingSet, C: float, penalty: Penalty) -> _Program:
        return cls(
            working_set.rows, working_set.bounds, working_set.owners, working_set.n_examples, C, penalty
        )

    def attempt(self, rung: Rung, unit: float) -> _Answer:
        """Solve in v = w/√unit and η = ξ·C/unit of the examples that have a constraint.

        The objective is then unit · (½‖v‖² + cost(η)/C), a constraint ⟨z, v⟩ + η √unit/C >= b/√unit.
        """
        import cvxpy  # here, because importing it takes longer than everything else together

        m, d = self.Z.shape
        # w is a combination of rows: with fewer rows than weights, look for it among these only
        basis, Z = (None, self.Z) if m >= d else _in_own_span(self.Z)
        root = np.sqrt(unit)
        present, block = np.unique(self.owners, return_inverse=True)
        v = cvxpy.Variable(Z.shape[1])
        eta = cvxpy.Variable(len(present), nonneg=True)
        constraint = Z @ v + (root / self.C) * eta[block] >= self.b / root
        slack_cost = self.penalty.slope * cvxpy.sum(eta)
        if self.penalty.curvature > 0.0:
            slack_cost += 0.5 * self.penalty.curvature * unit / self.C * cvxpy.sum_squares(eta)
        problem = cvxpy.Problem(
            cvxpy.Minimize(0.5 * cvxpy.sum_squares(v) + slack_cost / self.n), [constraint]
        )
        try:
            problem.solve(solver=rung.solver, **rung.options)
        except cvxpy.error.SolverError as error:
            return _Answer(str(error).splitlines()[0])
        if v.value is None or constraint.dual_value is None:
            return _Answer(problem.status)
        w = root * v.value
        return _Answer(problem.status, w if basis is None else basis @ w, root * constraint.dual_value)

    def feasible(self, a: np.ndarray) -> np.ndarray:
        """Multipliers next to ``a`` which the dual allows: >= 0, and Σ_ŷ a_iŷ <= (C/n)·slope if linear."""
        a = np.maximum(a, 0.0)
        if self.penalty.curvature > 0.0:
            return a
        box = self.C / self.n * self.penalty.slope
        mass = np.bincount(self.owners, a, self.n)
        return a * (box / np.maximum(mass, box))[self.owners]

    def dual_value(self, a: np.ndarray) -> float:
        """Σ a b − ½‖Σ a z‖² − the conjugate of the cost of the slacks, at feasible ``a``."""
        value = float(a @ self.b) - 0.5 * float(np.sum((a @ self.Z) ** 2))
        if self.penalty.curvature > 0.0:
            mass = np.bincount(self.owners, a, self.n)
            excess = np.maximum(mass - self.C / self.n * self.penalty.slope, 0.0)
            value -= 0.5 * self.n / (self.C * self.penalty.curvature) * float(excess @ excess)
        return value


def _in_own_span(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An orthonormal basis (d, m) of the span of the rows of Z, and the rows in its coordinates (m, m)."""
    basis, R = np.linalg.qr(Z.T)
    return basis, R.T
