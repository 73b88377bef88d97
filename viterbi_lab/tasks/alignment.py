"""Learning to align sequences from known alignments; T04, section 4.4.

An alignment of two sequences substitutes, deletes and inserts letters. Its score is the sum of the weights
of its operations, and an example is a sequence with candidates, of which one is its homologue, aligned in a
known way: this alignment is to score higher by 1 than any alignment with any other candidate. The weights
are, with A letters in the alphabet,

    substitution    letter of x · A + letter of z
    gap             A²                    every letter deleted or inserted
    gap             A², A² + 1            the first letter of a gap, every further one   (with affine=True)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from viterbi_lab.dp import Combine
from viterbi_lab.dp.builders import DELETE, FREE, INSERT, SUBSTITUTE, Grid, either, grid, known
from viterbi_lab.dp.hypergraph import GraphProblem, best_derivation, table
from viterbi_lab.tasks.base import Example
from viterbi_lab.tasks.graph import GraphTask, Parts

AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
OPERATIONS = {"M": SUBSTITUTE, "D": DELETE, "I": INSERT}


@dataclass(frozen=True)
class Alignment:
    """An alignment of a stretch of x with a stretch of a candidate z.

    Attributes:
        operations: one letter for each operation from left to right: M aligns a letter of x with one of z, D
            leaves out a letter of x, I one of z.
        begin: where the stretches of x and of z begin; (0, 0) for global alignments.
        candidate: the place of z among the candidates.
    """

    operations: str
    begin: tuple[int, int] = (0, 0)
    candidate: int = 0

    @classmethod
    def of_rows(cls, row_x: str, row_z: str, *, local: bool = False) -> Alignment:
        """Read two rows of an alignment, with ``-`` and ``.`` for gaps; columns of two gaps mean nothing.

        Args:
            row_x: x with gaps.
            row_z: z with gaps, as long.
            local: leave out the gaps before the first and after the last pair of letters.

        Raises:
            ValueError: if the rows have different lengths.

        Example:
            >>> Alignment.of_rows("AC-D", "-CCD", local=True)
            Alignment(operations='MIM', begin=(1, 0), candidate=0)
        """
        if len(row_x) != len(row_z):
            raise ValueError(f"The rows have {len(row_x)} and {len(row_z)} columns. They must have as many.")
        kinds = {(True, True): "M", (True, False): "D", (False, True): "I", (False, False): ""}
        operations = "".join(kinds[a not in "-.", b not in "-."] for a, b in zip(row_x, row_z, strict=True))
        if not local:
            return cls(operations)
        kept = operations.strip("DI")
        before = operations[: operations.find("M")] if kept else ""
        return cls(kept, (before.count("D"), before.count("I")))


@dataclass(frozen=True)
class Comparison:
    """An input: a sequence and what it is compared with.

    Attributes:
        x: the sequence.
        candidates: at least one sequence; in training one of them is the homologue.
    """

    x: str
    candidates: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Candidates:
    """What the edges of a comparison mean.

    Attributes:
        grids: the alignments with each candidate.
        first_edge: (k + 1,) int64, where the edges of each grid begin; the last k edges choose one.
    """

    grids: tuple[Grid, ...]
    first_edge: np.ndarray


@dataclass(frozen=True)
class AlignmentTask(GraphTask):
    """Which of some candidates is homologous to a sequence, and how they align; 0/1 loss.

    Attributes:
        alphabet: the letters, each once.
        local: compare stretches of the sequences (Smith and Waterman), else the whole (Needleman and Wunsch).
        affine: opening a gap and extending it have weights of their own.
        alternatives: the known alignment is to win against other alignments with the homologue, too.

    Example:
        >>> task = AlignmentTask("AC", local=False)
        >>> (example,) = task.prepare([Comparison("AC", ("AC", "CA"))], [Alignment("MM")])
        >>> example.psi
        array([1., 0., 0., 1., 0.])
    """

    alphabet: str = AMINO_ACIDS
    local: bool = True
    affine: bool = False
    alternatives: bool = False
    _codes: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self):
        if not self.alphabet or len(set(self.alphabet)) < len(self.alphabet):
            raise ValueError(f"The alphabet {self.alphabet!r} must have letters, each once.")
        object.__setattr__(self, "_codes", {letter: code for code, letter in enumerate(self.alphabet)})

    @property
    def n_weights(self) -> int:
        """A² + 1, or A² + 2."""
        return len(self.alphabet) ** 2 + (2 if self.affine else 1)

    @property
    def capped(self) -> bool:
        """True: the loss is 1 for any wrong alignment."""
        return True

    def prepare(self, X: Sequence[Comparison], Y: Sequence[Alignment]) -> tuple[Example, ...]:
        """Check training data.

        Args:
            X: n comparisons.
            Y: the known alignment of each with its homologue.

        Raises:
            ValueError: if there is no example, X and Y differ in length, a sequence is empty or has a letter
                outside the alphabet, an alignment does not fit its sequences, or another candidate equals the
                homologue. Examples are named, counted from 0.
        """
        if len(X) != len(Y):
            raise ValueError(f"X holds {len(X)} comparisons, Y {len(Y)} alignments. Give one for each.")
        if not len(X):
            raise ValueError("There is no example to train on. Give at least one.")
        return tuple(
            self._example(number, comparison, known)
            for number, (comparison, known) in enumerate(zip(X, Y, strict=True))
        )

    def prepare_input(self, x: Comparison, where: str = "the comparison") -> Parts:
        """Check a comparison: its parts are the alignments with all candidates."""
        codes, others = self._checked(x, where)
        return self._parts(codes, others, [self._grid(codes, z) for z in others])

    def encode(self, x: Parts, edges: np.ndarray) -> np.ndarray:
        """The edges themselves."""
        return edges

    def weights_of(self, x: Parts, y: np.ndarray) -> np.ndarray:
        """The weights of the edges."""
        return x.weight[y]

    def output(self, x: Parts, y: np.ndarray) -> Alignment:
        """The alignment that edges of a comparison stand for."""
        which = int(y[0] - x.source.first_edge[-1])
        made = x.source.grids[which]
        steps = (y[:0:-1] - x.source.first_edge[which]).tolist()
        begin = (int(made.row[steps[0]]), int(made.column[steps[0]]))
        return Alignment("".join("MDI"[made.op[e]] for e in steps if made.op[e] != FREE), begin, which)

    def candidate_scores(self, x: Parts, w: np.ndarray) -> np.ndarray:
        """The score of the best alignment with each candidate of a prepared comparison, (k,) float64."""
        problem = GraphProblem(x.graph, x.scores(w), np.zeros(1), Combine.PLUS)
        roots = x.graph.tails[x.source.first_edge[-1] :, 0]
        return table(problem, problem.scores)[problem.starts[roots]]

    def loss(self, y: np.ndarray, y_hat: np.ndarray) -> float:
        """1 for any other alignment than the true one."""
        return float(not np.array_equal(y, y_hat))

    def _example(self, number: int, comparison: Comparison, alignment: Alignment) -> Example:
        where = f"example {number}"
        codes, others = self._checked(comparison, where)
        homologue = alignment.candidate
        operations = self._checked_alignment(comparison, alignment, where)
        twins = [c for c, z in enumerate(comparison.candidates) if z == comparison.candidates[homologue]]
        if len(twins) > 1:
            raise ValueError(
                f"Candidates {twins[0]} and {twins[1]} of {where} are the same sequence, and one of them is "
                "the homologue: no weights can tell them apart. Remove the other, as `without_twins` does."
            )
        grids = [self._grid(codes, z) for z in others]
        alone = known(operations, alignment.begin)
        if not self.alternatives:
            grids[homologue] = alone
        parts = self._parts(codes, others, grids)
        choose = int(parts.source.first_edge[-1])
        cost = np.zeros(parts.graph.n_edges, np.int64)
        cost[choose:] = np.arange(len(others)) != homologue
        own = (
            _same_alignment(grids[homologue], alone) if self.alternatives else np.arange(len(alone.op))[::-1]
        )
        begin, end = parts.source.first_edge[homologue : homologue + 2]
        cost[begin:end] = 1
        cost[begin + own] = 0
        y = np.concatenate([[choose + homologue], begin + own])
        return Example(number, parts, y, self.joint_feature(parts, y), np.array([0.0, 1.0]), cost)

    def _grid(self, x: np.ndarray, z: np.ndarray) -> Grid:
        return _shared_grid(len(x), len(z), self.local, self.affine)

    def _parts(self, x: np.ndarray, others: list[np.ndarray], grids: list[Grid]) -> Parts:
        weights = [self._weights(x, z, made) for z, made in zip(others, grids, strict=True)]
        weights.append(np.full(len(grids), self.n_weights, np.int32))  # choosing has no weight
        first = np.concatenate([[0], np.cumsum([made.graph.n_edges for made in grids])])
        graph = either([made.graph for made in grids])
        return Parts(graph, np.concatenate(weights), Candidates(tuple(grids), first))

    def _weights(self, x: np.ndarray, z: np.ndarray, made: Grid) -> np.ndarray:
        """(E,) int32, the number of the weight of each edge of a grid."""
        A = len(self.alphabet)
        weight = np.full(len(made.op), A * A, np.int32)
        if self.affine:
            weight[~made.opens] += 1
        pairs = made.op == SUBSTITUTE
        weight[pairs] = x[made.row[pairs] - 1] * A + z[made.column[pairs] - 1]
        weight[made.op == FREE] = self.n_weights
        return weight

    def _checked(self, comparison: Comparison, where: str) -> tuple[np.ndarray, list[np.ndarray]]:
        """The letters of x and of the candidates as numbers."""
        if not comparison.candidates:
            raise ValueError(
                f"The sequence of {where} is compared with nothing. Give at least one candidate."
            )
        others = [self._coded(z, f"candidate {c} of {where}") for c, z in enumerate(comparison.candidates)]
        return self._coded(comparison.x, f"the sequence of {where}"), others

    def _coded(self, sequence: str, where: str) -> np.ndarray:
        if not sequence:
            raise ValueError(f"There is no letter in {where}. Leave it out, or give its letters.")
        for position, letter in enumerate(sequence):
            if letter not in self._codes:
                raise ValueError(
                    f"Letter {letter!r} of {where}, position {position} is none of {self.alphabet!r}."
                )
        return np.array([self._codes[letter] for letter in sequence], dtype=np.int32)

    def _checked_alignment(self, comparison: Comparison, alignment: Alignment, where: str) -> list[int]:
        """The operations of a known alignment as numbers."""
        if alignment.candidate not in range(len(comparison.candidates)):
            raise ValueError(
                f"The alignment of {where} is with candidate {alignment.candidate}, of which there are "
                f"{len(comparison.candidates)}, counted from 0."
            )
        unknown = set(alignment.operations) - set(OPERATIONS)
        if unknown or not alignment.operations:
            raise ValueError(
                f"The alignment of {where} has the operations {alignment.operations!r}. Give letters M (a "
                "pair), D (only x) and I (only z), at least one."
            )
        lengths = (len(comparison.x), len(comparison.candidates[alignment.candidate]))
        for name, length, begin, skips in zip("xz", lengths, alignment.begin, "ID", strict=True):
            used = len(alignment.operations) - alignment.operations.count(skips)
            within = begin >= 0 and begin + used <= length
            fits = within if self.local else (begin, used) == (0, length)
            if not fits:
                allowed = "a stretch" if self.local else "all"
                raise ValueError(
                    f"The alignment of {where} uses the letters {begin}..{begin + used - 1} of {name}, which "
                    f"has {length}. It must be of {allowed} of {name}."
                )
        return [OPERATIONS[letter] for letter in alignment.operations]


def without_twins(
    X: Sequence[Comparison], Y: Sequence[Alignment]
) -> tuple[list[Comparison], list[Alignment], tuple[str, ...]]:
    """Comparisons without the decoys that are the same sequence as the homologue: no weights tell them apart.

    Args:
        X: comparisons.
        Y: the known alignment of each with its homologue.

    Returns:
        Comparisons and alignments, in which candidates have moved up, and a sentence for every decoy that
        was left out.

    Example:
        >>> X, Y, left_out = without_twins([Comparison("AC", ("AC", "CA", "AC"))], [Alignment("MM")])
        >>> X[0].candidates, left_out
        (('AC', 'CA'), ('Candidate 2 of example 0 was left out: it is the homologue, candidate 0.',))
    """
    comparisons, alignments, notices = [], [], []
    for number, (comparison, alignment) in enumerate(zip(X, Y, strict=True)):
        own = alignment.candidate
        twins = {
            c
            for c, z in enumerate(comparison.candidates)
            if c != own and own in range(len(comparison.candidates)) and z == comparison.candidates[own]
        }
        notices += [
            f"Candidate {c} of example {number} was left out: it is the homologue, candidate {own}."
            for c in sorted(twins)
        ]
        kept = tuple(z for c, z in enumerate(comparison.candidates) if c not in twins)
        comparisons.append(replace(comparison, candidates=kept))
        alignments.append(replace(alignment, candidate=own - sum(c < own for c in twins)))
    return comparisons, alignments, tuple(notices)


@lru_cache(maxsize=32)
def _shared_grid(m: int, n: int, local: bool, affine: bool) -> Grid:
    """Grids do not change, and sequences of the same lengths have the same."""
    return grid(m, n, local=local, affine=affine)


def _same_alignment(made: Grid, alone: Grid) -> np.ndarray:
    """The edges of a grid that are the known alignment, heads before tails."""
    wanted = set(zip(alone.op.tolist(), alone.row.tolist(), alone.column.tolist(), strict=True))
    edges = zip(made.op.tolist(), made.row.tolist(), made.column.tolist(), strict=True)
    allowed = np.array([edge in wanted for edge in edges])
    # a shorter alignment would use only such edges, too, but fewer of them
    return best_derivation(made.graph, np.where(allowed, 1.0, -np.inf)).edges
