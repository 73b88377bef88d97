"""Fig. 6 of Bauer et al. 2014: one synthetic gene sequence, and the states it may pass through."""

from __future__ import annotations

import numpy as np

from viterbi_lab.data.genes import SignalSequence, generate

SIGMA = 2.0
SEED = 3  # three genes, well inside

STATES = ("start", "−", "+", "end")
TRANSITIONS = (
    ("start", "−"),
    ("start", "+"),
    ("−", "−"),
    ("−", "+"),
    ("+", "−"),
    ("+", "+"),
    ("−", "end"),
    ("+", "end"),
)
"""What may follow what, Section IV-A: a sequence begins and ends with either label."""


def example(sigma: float = SIGMA, seed: int = SEED) -> SignalSequence:
    """The sequence of the figure."""
    return generate(1, sigma=sigma, rng=np.random.default_rng(seed))[0]
