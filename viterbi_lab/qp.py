"""The quadratic program over a working set of constraints, solved by name and certified by ourselves.

    min  ½‖w‖² + (C/n) Σ_i (slope ξ_i + ½ curvature ξ_i²)    s.t.  ⟨w, z⟩ ≥ b − ξ_i  for the rows of i,  ξ ≥ 0

Our own interior point method solves it first; cvxpy is the reference, and the fallback. cvxpy gets it in
units in which the optimum is a number of moderate size, so that absolute tolerances mean something at every
C from 1e−8 to 1e6. The weights come from the primal solution: at large C the sum Σ a z of the dual one loses
digits to cancellation. A solver's status is not believed: every answer is
made feasible (ξ from w, the multipliers clipped into their box) and accepted by its duality gap.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from viterbi_lab.dp import Limits, TooBig
from viterbi_lab.interior_point import solve_blocks
from viterbi_lab.planes import Coordinates, Planes
from viterbi_lab.rescaling import LINEAR, Penalty
from viterbi_lab.working_set import WorkingSet

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
    """One way to solve the program.

    Attributes:
        solver: ``INTERIOR_POINT``, our own, or the name of one of cvxpy's solvers for quadratic programs.
        options: what it is told; our own, by which factor to go ``beyond`` the gap that is asked for.
    """

    solver: str
    options: dict[str, float]


def clarabel(tolerance: float) -> Rung:
    """Clarabel, asked for this feasibility and gap."""
    return Rung("CLARABEL", {f"tol_{what}": tolerance for what in ("gap_abs", "gap_rel", "feas")})


# w is only as exact as √gap; three digits more cost two or three steps of about 20
INTERIOR_POINT = Rung("INTERIOR_POINT", {"beyond": 1e-3})
NO_FURTHER = Rung("INTERIOR_POINT", {"beyond": 1.0})

# Gene data, C = 1e-8..1e6: the first rung leaves a certified gap of 1e-10 of the objective if the unit is
# right. The second begins in the unit of the first answer. The third is for programs on which Clarabel gives
# up at tight tolerances. (SCS and OSQP never gave the better answer where Clarabel had trouble.)
LADDER = (clarabel(1e-10), clarabel(1e-11), clarabel(1e-8))
"""Clarabel by cvxpy: what is tried in turn until an answer is exact enough."""


def ladder(solver: str) -> tuple[Rung, ...]:
    """The ways to solve a program that the name of a solver stands for.

    Args:
        solver: ``"interior_point"``: our own, and Clarabel where its gap does not close. It takes 1/40 of
            Clarabel's time for 7000 rows and 88 weights, and less for more weights than rows, too.
            ``"clarabel"``: by cvxpy, the reference. Or another solver that cvxpy has, as it is by default.

    Raises:
        ValueError: if cvxpy has no such solver.
    """
    name = solver.upper()
    if name == INTERIOR_POINT.solver:
        return (INTERIOR_POINT, *LADDER)
    if name == "CLARABEL":
        return LADDER
    import cvxpy

    if name not in cvxpy.installed_solvers():
        known = ", ".join(["interior_point", *(installed.lower() for installed in cvxpy.installed_solvers())])
        raise ValueError(f"solver={solver!r}; known are {known}.")
    return (Rung(name, {}),)


def solve(
    working_set: WorkingSet,
    *,
    C: float,
    penalty: Penalty = LINEAR,
    relative_gap: float = 1e-7,
    unit: float | None = None,
    ladder: tuple[Rung, ...] = (INTERIOR_POINT, *LADDER),
) -> QPResult:
    """Solve the program over the constraints in the set.

    Args:
        working_set: at least one constraint of n examples.
        C: what slacks cost; C/n for each example.
        penalty: LINEAR or QUADRATIC.
        relative_gap: an answer is exact enough if ``gap <= relative_gap · upper``; else the next rung is
            tried, and the most exact answer of all is returned.
        unit: about the size of the optimum, best the objective of a program a little smaller; by default C.
            It decides how exact the first answer of cvxpy is, not what it is.
        ladder: the ways to solve it, in the order in which they are tried; the function `ladder` knows names.

    Raises:
        TooBig: if the planes are sparse and too many for a table of their coordinates.
        SolverFailed: if no rung gave weights and multipliers with finite values of the program.
    """
    begin = time.perf_counter()
    program = _Program.of(working_set, C, penalty)
    _require_room(program.planes)
    unit = C if unit is None else unit
    best, said = None, []
    for rung in ladder:
        answer = program.attempt(rung, unit, relative_gap)
        said.append(f"{rung.solver}: {answer.status}")
        if not answer.is_finite:
            # too small a unit makes the program look infeasible; the objective at w = 0 is large enough
            unit = penalty.cost(working_set.slack(np.zeros(program.planes.n_weights)), C)
            continue
        w, a = answer.w, program.feasible(answer.multipliers)
        with np.errstate(over="ignore", invalid="ignore"):  # an answer may be absurd: looked for below
            slack = working_set.slack(w)
            upper, lower = 0.5 * float(w @ w) + penalty.cost(slack, C), program.dual_value(a)
        if not np.isfinite([upper, lower]).all():
            continue  # of an infinite objective every gap would be a small share
        if best is None or upper - lower < best.gap:
            best, unit = QPResult(w, slack, a, lower, upper, said[-1], 0.0), upper
        if best.gap <= relative_gap * best.upper:
            break
    if best is None:
        raise SolverFailed("; ".join(said))
    return replace(best, seconds=time.perf_counter() - begin)


def _require_room(planes: Planes) -> None:
    """Refuse a program over sparse planes whose coordinates take more than the limit of the engine."""
    needed, limit = 8 * planes.table_size(), Limits.in_force("program_bytes")
    if needed > limit:
        raise TooBig(
            f"A program over {len(planes)} sparse planes needs {needed / 1e6:.0f} MB for their coordinates; "
            f"the limit is {limit / 1e6:.0f} MB. Train by block_coordinate, which needs no such table."
        )


def _patience(solver: str) -> dict[str, float]:
    """How a solver of cvxpy is told after how many seconds to give up; nothing if it cannot be told."""
    name = {"CLARABEL": "time_limit", "OSQP": "time_limit", "SCS": "time_limit_secs"}.get(solver)
    return {} if name is None else {name: float(Limits.in_force("program_seconds"))}


def certify(
    working_set: WorkingSet, multipliers: np.ndarray, *, C: float, penalty: Penalty = LINEAR
) -> tuple[np.ndarray, np.ndarray, float]:
    """What multipliers prove: feasible ones next to them (m,), w = Σ a z (d,), and their dual value."""
    program = _Program.of(working_set, C, penalty)
    a = program.feasible(multipliers)
    return a, program.planes.combination(a), program.dual_value(a)


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
    """One working-set program: m planes, bounds b, owners, and what they cost."""

    planes: Planes
    b: np.ndarray
    owners: np.ndarray
    n: int
    C: float
    penalty: Penalty

    @classmethod
    def of(cls, working_set: WorkingSet, C: float, penalty: Penalty) -> _Program:
        return cls(
            working_set.planes, working_set.bounds, working_set.owners, working_set.n_examples, C, penalty
        )

    def attempt(self, rung: Rung, unit: float, relative_gap: float) -> _Answer:
        """Solve it in one way; only cvxpy asks for the unit, only our own method for the gap."""
        # w is a combination of planes: with fewer planes than weights, look for it among these only
        if rung.solver == INTERIOR_POINT.solver:
            answer = self._by_interior_point(self.coordinates.Z, rung.options["beyond"] * relative_gap)
        else:
            answer = self._by_cvxpy(rung, self.coordinates.Z, unit)
        return replace(answer, w=self.coordinates.weights(answer.w)) if answer.is_finite else answer

    @cached_property
    def coordinates(self) -> Coordinates:
        """The planes in few coordinates; made once for all rungs."""
        return self.planes.coordinates()

    def _by_interior_point(self, Z: np.ndarray, relative_gap: float) -> _Answer:
        order = np.argsort(self.owners, kind="stable")
        starts = np.flatnonzero(np.diff(self.owners[order], prepend=-1))
        found = solve_blocks(
            Z[order],
            self.b[order],
            starts,
            scale=self.C / self.n,
            penalty=self.penalty,
            relative_gap=relative_gap,
        )
        a = np.empty(len(order))
        a[order] = found.multipliers
        return _Answer(found.status, found.w, a)

    def _by_cvxpy(self, rung: Rung, Z: np.ndarray, unit: float) -> _Answer:
        """Solve in v = w/√unit and η = ξ·C/unit of the examples that have a constraint.

        The objective is then unit · (½‖v‖² + cost(η)/C), a constraint ⟨z, v⟩ + η √unit/C >= b/√unit.
        """
        import cvxpy  # here, because importing it takes longer than everything else together

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
        options = {**_patience(rung.solver), **rung.options}
        try:
            problem.solve(solver=rung.solver, **options)
        except (cvxpy.error.SolverError, ArithmeticError, RuntimeError, ValueError) as error:
            return _Answer(f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}")
        if v.value is None or constraint.dual_value is None:
            return _Answer(problem.status)
        return _Answer(problem.status, root * v.value, root * constraint.dual_value)

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
        value = float(a @ self.b) - 0.5 * float(np.sum(self.planes.combination(a) ** 2))
        if self.penalty.curvature > 0.0:
            mass = np.bincount(self.owners, a, self.n)
            excess = np.maximum(mass - self.C / self.n * self.penalty.slope, 0.0)
            value -= 0.5 * self.n / (self.C * self.penalty.curvature) * float(excess @ excess)
        return value
