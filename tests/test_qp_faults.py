"""Solvers that lie, break down or hang: the next one is asked, and no status is believed."""

from dataclasses import dataclass, field

import cvxpy
import numpy as np
import pytest

from viterbi_lab.block_coordinate import iterates as by_blocks
from viterbi_lab.cutting_plane import iterates
from viterbi_lab.iterate import Status
from viterbi_lab.qp import INTERIOR_POINT, SolverFailed, clarabel, solve
from viterbi_lab.rescaling import LINEAR, MARGIN, QUADRATIC
from viterbi_lab.tasks.sequence import SequenceTask
from viterbi_lab.working_set import WorkingSet

pytestmark = pytest.mark.filterwarnings("ignore:Solution may be inaccurate")  # wanted here

RUNG = clarabel(1e-9)
Problem = cvxpy.Problem


@dataclass
class Fault:
    """What a solver does instead of its work: says a status, changes its answer, or raises an error."""

    status: str = cvxpy.OPTIMAL
    w: float | None = 1.0
    multipliers: float | None = 1.0
    error: Exception | None = None
    seen: list[dict] = field(default_factory=list)


FAULTS = {
    "infeasible": Fault(cvxpy.INFEASIBLE, None, None),
    "unbounded": Fault(cvxpy.UNBOUNDED, None, None),
    "infeasible, inaccurate": Fault(cvxpy.INFEASIBLE_INACCURATE, None, None),
    "unbounded, inaccurate": Fault(cvxpy.UNBOUNDED_INACCURATE, None, None),
    "infeasible or unbounded": Fault(cvxpy.settings.INFEASIBLE_OR_UNBOUNDED, None, None),
    "inaccurate": Fault(cvxpy.OPTIMAL_INACCURATE, 0.5, 3.0),
    "at its limit": Fault(cvxpy.USER_LIMIT, 0.0, 0.0),
    "failed": Fault(cvxpy.SOLVER_ERROR, None, None),
    "without multipliers": Fault(multipliers=None),
    "wrong by a factor": Fault(w=1.7, multipliers=0.2),
    "negative multipliers": Fault(multipliers=-1.0),
    "NaN weights": Fault(w=np.nan),
    "NaN multipliers": Fault(multipliers=np.nan),
    "infinite weights": Fault(w=np.inf),
    "infinite multipliers": Fault(multipliers=np.inf),
    "absurd weights": Fault(w=1e200),
    "absurd multipliers": Fault(multipliers=1e300),
    "SolverError": Fault(error=cvxpy.error.SolverError("Solver 'CLARABEL' failed.\nTry another.")),
    "ValueError": Fault(error=ValueError("Problem data contains NaN or Inf.")),
    "ZeroDivisionError": Fault(error=ZeroDivisionError()),
    "LinAlgError": Fault(error=np.linalg.LinAlgError("Singular matrix")),
}


@pytest.fixture
def forced(monkeypatch):
    """``forced(fault, times)``: the first programs that cvxpy is given end by this fault."""

    def force(fault, times):
        class Faulty(Problem):
            left = times

            def solve(self, **options):
                fault.seen.append(options)
                if Faulty.left == 0:
                    return super().solve(**options)
                Faulty.left -= 1
                if fault.error is not None:
                    raise fault.error
                super().solve(**options)
                self._status = fault.status
                for variable, factor in (
                    (self.variables()[0], fault.w),
                    (self.constraints[0].dual_variables[0], fault.multipliers),
                ):
                    with np.errstate(invalid="ignore", over="ignore"):
                        variable.save_value(None if factor is None else factor * (variable.value + 1e-9))
                return None

        monkeypatch.setattr(cvxpy, "Problem", Faulty)

    return force


@pytest.fixture
def constraints(rng):
    found = WorkingSet(4, 3)
    for m in range(12):
        found.add(m % 4, np.array([m]), rng.normal(size=3), rng.uniform(1.0, 3.0))
    return found


@pytest.fixture
def examples(rng):
    task = SequenceTask(2, 2)
    sites = [rng.normal(size=(4, 2)) for _ in range(6)]
    return task, task.prepare(sites, [(x[:, 0] > 0).astype(int) for x in sites])


@pytest.mark.parametrize("penalty", [LINEAR, QUADRATIC], ids=["linear", "quadratic"])
@pytest.mark.parametrize("name", FAULTS)
def test_the_next_rung_survives_every_fault_and_its_answer_is_certified(name, penalty, constraints, forced):
    exact = solve(constraints, C=2.0, penalty=penalty)
    forced(FAULTS[name], times=1)
    found = solve(constraints, C=2.0, penalty=penalty, ladder=(RUNG, RUNG))
    assert found.gap <= 1e-7 * found.upper  # what solve promises by default
    assert found.upper == pytest.approx(exact.upper, rel=1e-6)


@pytest.mark.parametrize("name", FAULTS)
def test_an_answer_is_never_better_than_its_certificate_says(name, constraints, forced):
    """If every rung fails so, either nothing comes back, or bounds that hold the optimum between them."""
    exact = solve(constraints, C=2.0)
    forced(FAULTS[name], times=-1)
    try:
        found = solve(constraints, C=2.0, ladder=(RUNG, RUNG))
    except SolverFailed:
        return
    assert np.isfinite([found.lower, found.upper]).all()
    assert found.lower <= exact.upper * (1 + 1e-12)  # rounding
    assert found.upper >= exact.lower * (1 - 1e-12)


@pytest.mark.parametrize("name", FAULTS)
def test_a_training_by_a_faulty_solver_says_converged_only_with_a_gap_that_says_so(name, examples, forced):
    goal = 1e-3
    settings = {"C": 2.0, "relative_gap": goal, "rescaling": MARGIN, "max_passes": 20}
    *_, converged = iterates(*examples, **settings)
    forced(FAULTS[name], times=-1)
    try:
        *_, last = iterates(*examples, **settings, solver="clarabel")
    except SolverFailed:
        return
    assert last.lower <= converged.upper * (1 + 1e-12)  # rounding
    assert last.upper >= converged.lower * (1 - 1e-12)
    if last.status is Status.CONVERGED:
        assert last.relative_gap <= goal
    else:
        assert last.status in (Status.STALLED, Status.LIMIT)


def test_our_own_method_is_followed_by_clarabel_where_its_arithmetic_breaks_down(constraints, monkeypatch):
    expected = solve(constraints, C=2.0)

    def singular(*_):
        raise np.linalg.LinAlgError("Singular matrix")

    monkeypatch.setattr(np.linalg, "solve", singular)
    found = solve(constraints, C=2.0, ladder=(INTERIOR_POINT, RUNG))
    assert found.status.startswith("CLARABEL")
    assert found.upper == pytest.approx(expected.upper, rel=1e-6)


def test_a_solver_that_does_not_come_to_an_end_is_stopped_and_followed(constraints, monkeypatch):
    """The real thing: Clarabel, told to give up after no time at all, ends at its limit of time."""
    monkeypatch.setattr("viterbi_lab.qp._patience", lambda solver: {"time_limit": 1e-9})
    patient = clarabel(1e-9)
    patient.options["time_limit"] = 60.0
    found = solve(constraints, C=2.0, ladder=(clarabel(1e-9), patient))
    assert found.gap <= 1e-7 * found.upper
    rough = solve(constraints, C=2.0, ladder=(clarabel(1e-9),))
    assert rough.gap > 1e-7 * rough.upper
    assert rough.lower <= found.upper
    assert rough.upper >= found.lower


@pytest.mark.parametrize("solver", ["CLARABEL", "OSQP", "SCS"])
def test_every_solver_is_told_how_long_it_may_take(solver, constraints, forced, monkeypatch):
    monkeypatch.setenv("VITERBI_LAB_PROGRAM_SECONDS", "17")
    fault = Fault()
    forced(fault, times=0)
    solve(constraints, C=2.0, ladder=(type(RUNG)(solver, {}),))
    (options,) = fault.seen
    assert 17.0 in options.values()


def test_the_other_trainer_too_is_certified_where_it_hands_over_to_a_broken_method(examples, monkeypatch):
    monkeypatch.setattr(np.linalg, "solve", lambda *_: np.full(3, np.nan))
    *_, last = by_blocks(*examples, C=2.0, relative_gap=1e-3, rescaling=MARGIN)
    assert last.status is Status.CONVERGED
    assert last.relative_gap <= 1e-3
