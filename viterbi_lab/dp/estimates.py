"""What the exact methods are expected to cost, and when bounds are worth their try.

Fitted to measurements at T = 50 to 2000 and N = 2 to 16. Letters as in :mod:`viterbi_lab.dp.kernels`;
times are nanoseconds.
"""

from viterbi_lab.dp.compile import kernel
from viterbi_lab.dp.layout import checkpoint_distance
from viterbi_lab.dp.plain import in_vectors

SHARE, PASS_SHARE = 0.2, 0.03
"""What the search with its pass, and the cells of the pass alone, may cost of the time of the full table."""

OVERHEAD = 20_000.0
"""Nanoseconds of one search besides its decodings."""

FEWEST_DECODINGS = 8.0
"""Trained models need about so many; where fewer are affordable, the full table is filled at once."""

EDGES_PER_NANOSECOND = 30.0
MOST_DECODINGS = 64


@kernel
def full_nanoseconds(T, N, S, counts, two_sided):
    """What the full table is expected to cost, with ``counts`` values of k."""
    per_site = 12.0 + 6.0 * S if checkpoint_distance(T, S) == 1 else 70.0 + 18.0 * S
    once = (0.5 * S * N * counts / EDGES_PER_NANOSECOND + per_site) * T
    return 2 * once if two_sided else once


@kernel
def plain_nanoseconds(T, N, S):
    """What one plain decoding is expected to cost: forwards, the walk back, the bounds of all k."""
    return (N + 4.5 if in_vectors(N, S) else 0.45 * S * N + 20.0) * T


@kernel
def pass_nanoseconds(T, N, S):
    """What the pass is expected to cost: completions backwards, then two cells a site."""
    return (S + 6.0) * N * T


@kernel
def affordable_decodings(T, N, S, counts, two_sided, effort):
    """How many plain decodings fit into the share of the search."""
    time = effort * full_nanoseconds(T, N, S, counts, two_sided)
    return (SHARE * time - OVERHEAD - pass_nanoseconds(T, N, S)) / plain_nanoseconds(T, N, S)


@kernel
def worth_bounding(T, N, S, counts, two_sided):
    """True where enough plain decodings are affordable to promise an answer."""
    return affordable_decodings(T, N, S, counts, two_sided, 1.0) >= FEWEST_DECODINGS


@kernel
def search_budget(T, N, S, counts, two_sided, effort):
    """(decodings, cells) that may be spent; ``effort`` multiplies the shares."""
    time = effort * full_nanoseconds(T, N, S, counts, two_sided)
    most = affordable_decodings(T, N, S, counts, two_sided, effort)
    room = min(max(PASS_SHARE * time / (8 * N), 2.0 * min(effort, 8.0) * T), 16.0 * T * S)
    return int(min(max(most, 4.0), 1.0 * MOST_DECODINGS)), int(room)
