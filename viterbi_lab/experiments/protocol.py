"""The protocol of Bauer et al. 2014, Section IV-B: the grid of its cells, and what each comes to.

A cell is one data set at one noise σ, the first n of its training sequences, and one way of rescaling. What
is done for it says `viterbi_lab.experiments.cells`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from viterbi_lab.data.genes import SIGMAS
from viterbi_lab.rescaling import RESCALINGS

DATA_SETS = 10
SIZES = (10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True)
class Protocol:
    """What all cells of a grid have in common.

    Attributes:
        seed: of all data; data set number i is drawn by ``default_rng([seed, i])``.
        pool: training sequences of a data set, of which a cell takes the first n. All of them place the bins.
        n_validation: sequences that choose C.
        n_test: sequences that are reported.
        T: sites of a sequence.
        r: signals at a site.
        n_bins: histogram bins of a signal.
        mode: how blocks may meet, see `viterbi_lab.data.genes`.
        Cs: values of C, ascending.
        epsilon: where all trainings stop, in wrong sites.
        C_fixed: the C at which iterations are counted in every cell.
        one_slack_up_to: the largest n for which iterations with one slack are counted; 0 for none.
        one_slack_most: where those stop if they have not converged.
    """

    seed: int = 2014
    pool: int = 1000
    n_validation: int = 1000
    n_test: int = 1000
    T: int = 100
    r: int = 4
    n_bins: int = 10
    mode: str = "overlap"
    Cs: tuple[float, ...] = tuple(10.0**exponent for exponent in range(-8, 7))
    epsilon: float = 0.1
    C_fixed: float = 0.1
    one_slack_up_to: int = 100
    one_slack_most: int = 400


@dataclass(frozen=True, order=True)
class Cell:
    """One place in the grid.

    Attributes:
        data_set: its number, from 0.
        sigma: σ of the noise.
        n: training sequences.
        rescaling: ``"slack"`` or ``"margin"``.
    """

    data_set: int
    sigma: float
    n: int
    rescaling: str

    def __str__(self) -> str:
        return f"data set {self.data_set + 1}, σ={self.sigma:g}, n={self.n}, {self.rescaling}"


@dataclass(frozen=True)
class Count:
    """One training, and what was counted in it.

    Attributes:
        C: what slacks cost.
        status: name of the `Status` at the end.
        passes: passes of the oracle over the training sequences.
        oracle_calls: what they add up to.
        constraints: in the working set at the end.
        objective: ½‖w‖² + C/n Σξ, exact.
        relative_gap: by what share of it the optimum may be lower.
    """

    C: float
    status: str
    passes: int
    oracle_calls: int
    constraints: int
    objective: float
    relative_gap: float


@dataclass(frozen=True)
class OnPath(Count):
    """One C of the path.

    Attributes:
        validation_right: right sites of the validation sequences.
    """

    validation_right: int


@dataclass(frozen=True)
class CellResult:
    """What one cell came to. All of it but ``seconds`` is the same, bit for bit, at every repetition.

    Attributes:
        cell: which.
        path: by ascending C.
        C: the chosen one.
        test_right: right sites of the test sequences.
        test_sites: all of them.
        n_slack: training from nothing at the chosen C.
        n_slack_fixed: the same at the C that is the same everywhere.
        one_slack: with one slack, at the chosen C; None where n is too large.
        seconds: of processor time.
    """

    cell: Cell
    path: tuple[OnPath, ...]
    C: float
    test_right: int
    test_sites: int
    n_slack: Count
    n_slack_fixed: Count
    one_slack: Count | None
    seconds: float

    @property
    def accuracy(self) -> float:
        """Share of right sites in the test sequences."""
        return self.test_right / self.test_sites


def grid(
    data_sets: int = DATA_SETS, sigmas: Sequence[float] = SIGMAS, sizes: Sequence[int] = SIZES
) -> tuple[Cell, ...]:
    """All cells, one data set after the other, so that a part of them is a smaller experiment."""
    return tuple(
        Cell(data_set, float(sigma), n, rescaling)
        for data_set in range(data_sets)
        for sigma in sigmas
        for n in sizes
        for rescaling in RESCALINGS
    )
