"""The structure of a gene as a chain of states, finer than the labels N, E, I.

A chain of order 1 with the three labels alone cannot know the reading frame, nor where a gene or an intron
begins: what stands there would have to be rewarded at every site of it. So the first and last base of a gene
and of an intron, and the three places of a codon, get states of their own. What may follow what is a grammar;
the places of a codon are not kept over an intron.
"""

from __future__ import annotations

import numpy as np

from viterbi_lab.data.loci import E, I, N

STATES = ("N", "start", "E0", "E1", "E2", "stop", "donor", "I", "acceptor")
"""N between genes; the first and the last coding base; coding, by place in the codon; the first base of an
intron, its inner bases, its last."""

LABEL_OF_STATE = np.array([N, E, E, E, E, E, I, I, I])
"""(9,) int64, the label N, E or I of each state."""

_FOLLOWERS = {
    "N": ("N", "start"),
    "start": ("E1", "donor"),
    "E0": ("E1", "donor"),
    "E1": ("E2", "stop", "donor"),
    "E2": ("E0", "donor"),
    "stop": ("N",),
    "donor": ("I", "acceptor"),
    "I": ("I", "acceptor"),
    "acceptor": ("E0", "E1", "E2", "stop"),
}

ALLOWED = np.array([[after in _FOLLOWERS[before] for after in STATES] for before in STATES])
"""(9, 9) bool, whether state ``j`` may follow state ``i``."""

BORDERS = np.array([state == "N" for state in STATES])
"""(9,) bool, the states in which a sequence may begin and end: only whole genes are described."""


def to_states(y: np.ndarray) -> np.ndarray:
    """The states of a sequence with labels N, E, I.

    Args:
        y: (T,) int, labels 0..2 for N, E, I, of any number of whole genes with N before and after each.

    Returns:
        (T,) int64, states 0..8 in the order of ``STATES``.

    Raises:
        ValueError: if a gene touches an end of the sequence, begins or ends with I, codes for a number of
            bases that is no multiple of 3, or has an intron of a single base.

    Example:
        >>> " ".join(STATES[s] for s in to_states(np.array([0, 1, 1, 2, 2, 1, 0])))
        'N start E1 donor acceptor stop N'
    """
    y = np.asarray(y)
    states = np.full(len(y), STATES.index("N"), dtype=np.int64)
    edges = np.flatnonzero(np.diff(y != N, prepend=False, append=False))
    for first, last in zip(edges[::2], edges[1::2] - 1, strict=True):
        gene = y[first : last + 1]
        where = f"the gene at sites {first}..{last} (from 0)"
        if first == 0 or last == len(y) - 1:
            raise ValueError(f"{where} touches an end of the sequence; a whole gene has N on either side.")
        if gene[0] != E or gene[-1] != E:
            raise ValueError(
                f"{where} begins or ends with an intron; a gene begins and ends with coding bases."
            )
        coding = gene == E
        if coding.sum() % 3:
            raise ValueError(f"{where} codes for {coding.sum()} bases, which is no multiple of 3.")
        before, after = np.roll(coding, 1), np.roll(coding, -1)
        if (~coding & before & after).any():
            raise ValueError(f"{where} has an intron of one base; at least two are needed.")
        inside = np.where(coding, STATES.index("E0") + (np.cumsum(coding) - 1) % 3, STATES.index("I"))
        inside[~coding & before] = STATES.index("donor")
        inside[~coding & after] = STATES.index("acceptor")
        inside[0], inside[-1] = STATES.index("start"), STATES.index("stop")
        states[first : last + 1] = inside
    return states


def to_labels(states: np.ndarray) -> np.ndarray:
    """The labels N, E, I of states: (T,) int64 from (T,) ints in 0..8."""
    return LABEL_OF_STATE[states]
