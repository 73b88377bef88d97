"""The protocol of Bauer et al. 2014, Section IV-B, and one cell of its grid.

A cell is one data set at one noise σ, the first n of its training sequences, and one way of rescaling. For
it, models are trained for all C along a path, each from the planes of the one before; the C with most right
sites in the validation sequences is chosen, the smallest of equals; its model labels the test sequences.

How many iterations training takes is counted in trainings of their own, from nothing, because a path spreads
them over all C: passes of the cutting-plane training with a slack for each example, at the chosen C and at
one that is the same for all cells; and, where n is small enough, iterations with one slack for all examples.
The paper says neither which of these its Fig. 7 counts, nor ε.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from viterbi_lab import block_coordinate, cutting_plane
from viterbi_lab.data.genes import SIGMAS, SignalSequence, splits
from viterbi_lab.dp import Combine
from viterbi_lab.features import HistogramBins
from viterbi_lab.formulation import N_SLACK, ONE_SLACK, Formulation
from viterbi_lab.iterate import Iterate
from viterbi_lab.rescaling import RESCALINGS
from viterbi_lab.tasks.base import Corpus, Example
from viterbi_lab.tasks.sequence import ACTIVE, SequenceTask

DATA_SETS = 10
SIZES = (10, 20, 50, 100, 200, 500, 1000)
PATH_TRAINER = "block_coordinate: pairwise sweeps, interior point where they take too long"
COUNT_TRAINER = "cutting_plane: interior_point"


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
class OnPath:
    """One C of the path.

    Attributes:
        C: what slacks cost.
        validation_right: right sites of the validation sequences.
        status: name of the `Status` at the end.
        passes: passes of the oracle over the training sequences.
        oracle_calls: what they add up to.
        constraints: in the working set at the end.
        objective: ½‖w‖² + C/n Σξ, exact.
        relative_gap: by what share of it the optimum may be lower.
    """

    C: float
    validation_right: int
    status: str
    passes: int
    oracle_calls: int
    constraints: int
    objective: float
    relative_gap: float


@dataclass(frozen=True)
class Count:
    """A training from nothing whose iterations are counted; attributes as in `OnPath`."""

    C: float
    status: str
    passes: int
    oracle_calls: int
    constraints: int
    objective: float
    relative_gap: float


@dataclass(frozen=True)
class CellResult:
    """What one cell came to. All of it but ``seconds`` is the same, bit for bit, at every repetition.

    Attributes:
        cell: which.
        path: by ascending C.
        C: the chosen one.
        test_right: right sites of the test sequences.
        test_sites: all of them.
        n_slack: passes at the chosen C.
        n_slack_fixed: passes at the C that is the same everywhere.
        one_slack: iterations at the chosen C; None where n is too large.
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


def run_cell(protocol: Protocol, cell: Cell) -> CellResult:
    """Train along the path, choose C, test, and count iterations.

    Raises:
        ValueError: if the cell wants more training sequences than there are, or another setting is wrong.
        SolverFailed: if no solver can handle a quadratic program.
    """
    begin = time.process_time()
    if cell.n > protocol.pool:
        raise ValueError(f"n={cell.n}, but a data set has {protocol.pool} training sequences.")
    data = _data(protocol, cell.data_set, cell.sigma)
    examples, rescaling = data.examples(cell.n), RESCALINGS[cell.rescaling]
    path: list[OnPath] = []
    best: tuple[OnPath, np.ndarray] | None = None
    goal = {"epsilon": protocol.epsilon, "rescaling": rescaling}
    for C, last in block_coordinate.path(data.task, examples, protocol.Cs, **goal):
        path.append(OnPath(validation_right=data.validation.right(last.w), **_account(C, last)))
        if best is None or path[-1].validation_right > best[0].validation_right:
            best = path[-1], last.w
    chosen, w = best

    def count(C: float, formulation: Formulation, most: int = 500) -> Count:
        *_, last = cutting_plane.iterates(
            data.task, examples, C=C, formulation=formulation, max_passes=most, **goal
        )
        return Count(**_account(C, last))

    return CellResult(
        cell=cell,
        path=tuple(path),
        C=chosen.C,
        test_right=data.test.right(w),
        test_sites=len(data.test.truth),
        n_slack=count(chosen.C, N_SLACK),
        n_slack_fixed=count(protocol.C_fixed, N_SLACK),
        one_slack=count(chosen.C, ONE_SLACK, protocol.one_slack_most)
        if cell.n <= protocol.one_slack_up_to
        else None,
        seconds=time.process_time() - begin,
    )


@dataclass(frozen=True)
class Agreement:
    """The objective of one cell at one C by two trainers, each to a certified gap.

    Attributes:
        cell: which.
        C: what slacks cost.
        fast: ``(lower, upper)`` by block_coordinate.
        reference: the same by the cutting planes of the papers with Clarabel by cvxpy.
    """

    cell: Cell
    C: float
    fast: tuple[float, float]
    reference: tuple[float, float]

    @property
    def difference(self) -> float:
        """How far the two objectives are apart, as a share of the reference."""
        return abs(self.fast[1] - self.reference[1]) / self.reference[1]


def agreement(protocol: Protocol, cell: Cell, C: float, relative_gap: float = 1e-5) -> Agreement:
    """Train one cell at one C by the fast trainer and by the reference, both to this gap."""
    data = _data(protocol, cell.data_set, cell.sigma)
    examples = data.examples(cell.n)

    def bounds(iterates: Callable[..., Any], **settings: Any) -> tuple[float, float]:
        *_, last = iterates(
            data.task,
            examples,
            C=C,
            relative_gap=relative_gap,
            rescaling=RESCALINGS[cell.rescaling],
            **settings,
        )
        return last.lower, last.upper

    return Agreement(
        cell,
        C,
        bounds(block_coordinate.iterates),
        bounds(cutting_plane.iterates, solver="clarabel"),
    )


@dataclass(frozen=True, eq=False)
class Sheet:
    """Sequences to be labelled, and their true labels (ΣT,), which labelling does not see."""

    task: SequenceTask
    corpus: Corpus
    truth: np.ndarray

    def right(self, w: np.ndarray) -> int:
        """How many sites argmax_ŷ ⟨w, Ψ(x, ŷ)⟩ labels as they are; Bauer et al. (5).

        All at once, as loss-augmented inference without a loss. Ties go to the labelling with most 0, as if
        no site were in a gene, and not to the truth.
        """
        n = len(self.corpus)
        nothing = [np.zeros(len(example.h)) for example in self.corpus.examples]
        found = self.task.optima(self.corpus, w, nothing, Combine.PLUS, np.zeros(n), 1)
        return int(np.count_nonzero(found.y == self.truth))


@dataclass(frozen=True, eq=False)
class Data:
    """One data set at one σ, with its features."""

    task: SequenceTask
    bins: HistogramBins
    train: list[SignalSequence]
    validation: Sheet
    test: Sheet

    def examples(self, n: int) -> tuple[Example, ...]:
        """The first n training sequences, prepared."""
        part = self.train[:n]
        return self.task.prepare(self.bins.transform_all([s.x for s in part]), [s.y for s in part])


@lru_cache(maxsize=1)  # the cells of one data set and σ come one after the other
def _data(protocol: Protocol, data_set: int, sigma: float) -> Data:
    drawn = splits(
        sigma=sigma,
        rng=np.random.default_rng([protocol.seed, data_set]),
        n_train=protocol.pool,
        n_validation=protocol.n_validation,
        n_test=protocol.n_test,
        T=protocol.T,
        r=protocol.r,
        mode=protocol.mode,
    )
    bins = HistogramBins.fit([s.x for s in drawn.train], protocol.n_bins)
    task = SequenceTask(2, bins.n_features, start_end=True, encoding=ACTIVE)

    def sheet(part: list[SignalSequence]) -> Sheet:
        unseen = [np.zeros_like(s.y) for s in part]
        corpus = task.gather(task.prepare(bins.transform_all([s.x for s in part]), unseen))
        return Sheet(task, corpus, np.concatenate([s.y for s in part]))

    return Data(task, bins, drawn.train, sheet(drawn.validation), sheet(drawn.test))


def _account(C: float, last: Iterate) -> dict[str, Any]:
    return {
        "C": C,
        "status": last.status.name,
        "passes": last.number,
        "oracle_calls": last.oracle_calls,
        "constraints": last.planes,
        "objective": last.upper,
        "relative_gap": last.relative_gap,
    }
