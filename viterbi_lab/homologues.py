"""Examples of alignments: pairs of homologues of families, among stretches of other families as decoys.

Each is a sequence, its homologue and decoys, with the alignment that the family knows of the first two; see
`viterbi_lab.tasks.alignment`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from viterbi_lab.block_coordinate import iterates
from viterbi_lab.data.families import Family
from viterbi_lab.iterate import Iterate
from viterbi_lab.rescaling import MARGIN, QUADRATIC
from viterbi_lab.tasks.alignment import AMINO_ACIDS, Alignment, AlignmentTask, Comparison

DNA, RNA = "ACGT", "ACGU"
NEARLY_ALL = 0.85
C, EPSILON = 10.0, 0.1  # as in T04, section 4.4, but for C
LONGEST = 120  # letters of a stretch
DECOYS = 5
FEWEST = 10  # letters aligned in a stretch, else it tells little
ATTEMPTS = 20  # pairs drawn for each that is used


@dataclass(frozen=True, eq=False)
class Homologues:
    """Comparisons, and the known alignment of each with its homologue, the candidate 0."""

    X: tuple[Comparison, ...]
    Y: tuple[Alignment, ...]


def draw(
    families: Sequence[Family],
    n: int,
    rng: np.random.Generator,
    *,
    chosen: Sequence[str] | None = None,
    alphabet: str = AMINO_ACIDS,
) -> tuple[Homologues, list[str]]:
    """Draw pairs of sequences of one family each, with decoys from others; of one family shuffled letters.

    Args:
        families: all of them.
        n: pairs.
        rng: source of randomness.
        chosen: names of the families that the pairs are from, in turn; None: all.
        alphabet: the letters that may be in a pair or a decoy.

    Returns:
        The pairs, and a sentence for each that was drawn but cannot be used.

    Raises:
        ValueError: if nearly all pairs cannot be used.
    """
    by_name = {family.name: family for family in families}
    names = list(by_name) if chosen is None else list(chosen)
    X, Y, notices = [], [], []
    while len(X) < n:
        family = by_name[names[len(X) % len(names)]]
        one, other = rng.choice(len(family.rows), size=2, replace=False)
        rows = _stretch(family.rows[one], family.rows[other], rng)
        x, z = (row.replace("-", "") for row in rows)
        known = Alignment.of_rows(*rows, local=True)
        where = f"{family.names[one]} and {family.names[other]} of {family.name}"
        outside = sorted(set(x + z) - set(alphabet))
        if outside or known.operations.count("M") < FEWEST:
            reason = (
                f"has the letters {''.join(outside)}" if outside else f"aligns fewer than {FEWEST} letters"
            )
            notices.append(f"The pair {where} was left out: it {reason}.")
            if len(notices) > ATTEMPTS * n:
                raise ValueError(f"{len(notices)} pairs were drawn that cannot be used. {notices[-1]}")
            continue
        decoys = _decoys(families, family, z, alphabet, rng)
        X.append(Comparison(x, (z, *decoys)))
        Y.append(known)
    return Homologues(tuple(X), tuple(Y)), notices


def alphabet_of(families: Sequence[Family]) -> str:
    """The letters of DNA or RNA if nearly all are of it, else the twenty amino acids.

    Example:
        >>> alphabet_of([Family("f", ("a", "b"), ("AC-GT", "ACNGT"))])
        'ACGT'
    """
    letters = Counter(letter for family in families for row in family.sequences for letter in row)
    for alphabet in (DNA, RNA):
        if sum(letters[letter] for letter in alphabet) >= NEARLY_ALL * letters.total():
            return alphabet
    return AMINO_ACIDS


def train(task: AlignmentTask, data: Homologues) -> Iterate:
    """SVM_2 on the known alignments."""
    examples = task.prepare(data.X, data.Y)
    *_, last = iterates(task, examples, C=C, epsilon=EPSILON, rescaling=MARGIN, penalty=QUADRATIC)
    return last


def recovered(found: Alignment, known: Alignment) -> float:
    """The share of the pairs of a known alignment that another one has, too; 0 with another candidate."""
    true = aligned_pairs(known)
    return len(true & aligned_pairs(found)) / len(true) if found.candidate == known.candidate else 0.0


def aligned_pairs(alignment: Alignment) -> set[tuple[int, int]]:
    """The pairs (letter of x, letter of z) that an alignment puts in one column."""
    i, j = alignment.begin
    pairs = set()
    for operation in alignment.operations:
        if operation == "M":
            pairs.add((i, j))
        i, j = i + (operation in "MD"), j + (operation in "MI")
    return pairs


def _stretch(row_x: str, row_z: str, rng: np.random.Generator) -> tuple[str, str]:
    """Columns of two rows that are not gaps in both, and of these a stretch of bearable length."""
    columns = [pair for pair in zip(row_x, row_z, strict=True) if pair != ("-", "-")]
    begin = int(rng.integers(max(1, len(columns) - LONGEST + 1)))
    kept = columns[begin : begin + LONGEST]
    return "".join(a for a, _ in kept), "".join(b for _, b in kept)


def _decoys(
    families: Sequence[Family], own: Family, z: str, alphabet: str, rng: np.random.Generator
) -> list[str]:
    """Stretches of other families about as long as z; where there are none, z with its letters shuffled."""
    usable = any(
        set(letters) <= set(alphabet)
        for family in families
        if family.name != own.name
        for letters in family.sequences
    )
    decoys: list[str] = []
    while len(decoys) < DECOYS:
        if not usable:
            decoys.append("".join(rng.permutation([*z])))
            continue
        family = families[rng.integers(len(families))]
        letters = family.sequences[rng.integers(len(family.rows))]
        begin = int(rng.integers(max(1, len(letters) - len(z) + 1)))
        decoy = letters[begin : begin + len(z)]
        if family.name != own.name and set(decoy) <= set(alphabet):
            decoys.append(decoy)
    return decoys
