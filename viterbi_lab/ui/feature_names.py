"""What people call the features that a builder makes, and which of them a picture shows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from viterbi_lab.features import (
    HistogramBins,
    KmerWindow,
    KmerWindows,
    LetterWindows,
    ValueWindows,
    WordFeatures,
)
from viterbi_lab.labeller import Builder
from viterbi_lab.rows import stacked
from viterbi_lab.tasks.base import Example
from viterbi_lab.ui.weights import Inputs

Groups = tuple[tuple[str, tuple[str, ...]], ...]

MOST_SHOWN = 400
FREQUENT = 120  # features are shown where there are more than that: those that occur most


def bases_around(window: KmerWindow) -> Inputs:
    """The bases before and after a site, where their window comes first among all."""
    offsets = range(window.first, window.last + 1)
    return Inputs(
        groups=tuple((_signed(offset), tuple("ACGT?")) for offset in offsets),
        shown=tuple(range(window.n_features)),
    )


def inputs_of(
    builder: Builder, columns: tuple[str, ...], examples: Sequence[Example], n_states: int
) -> Inputs:
    """Name the features of a builder.

    Args:
        builder: what describes the sites.
        columns: names of the columns of a table; empty for other data.
        examples: prepared; they say which features are frequent where not all can be shown.
        n_states: N.
    """
    if type(builder) is KmerWindows:
        return bases_around(builder.windows[0])
    groups = _GROUPS[type(builder)](builder, columns)
    F = builder.n_features
    if F <= MOST_SHOWN:
        return Inputs(groups, tuple(range(F)))
    used = abs(stacked([example.psi for example in examples])).sum(axis=0)
    weight = used[: n_states * F].reshape(n_states, F).sum(axis=0)
    shown = np.sort(np.argsort(-weight, kind="stable")[:FREQUENT]).tolist()
    named = [(group, name) for group, names in groups for name in names]
    return Inputs(tuple((named[f][0], (named[f][1],)) for f in shown), tuple(shown))


def _bins(builder: HistogramBins, columns: tuple[str, ...]) -> Groups:
    bins = tuple(f"bin {b + 1}" for b in range(builder.n_bins))
    return tuple((column, bins) for column in _columns(columns, len(builder.edges)))


def _values(builder: ValueWindows, columns: tuple[str, ...]) -> Groups:
    names = (*_columns(columns, len(builder.mean)), "there")
    return tuple((_signed(offset), names) for offset in range(builder.first, builder.last + 1))


def _letters(builder: LetterWindows, _columns: tuple[str, ...]) -> Groups:
    names = (*builder.alphabet, "other", "none")
    return tuple((_signed(offset), names) for offset in range(builder.first, builder.last + 1))


def _words(builder: WordFeatures, _columns: tuple[str, ...]) -> Groups:
    return tuple((name, ("",)) for name in builder.names)


_GROUPS = {HistogramBins: _bins, ValueWindows: _values, LetterWindows: _letters, WordFeatures: _words}


def _columns(columns: tuple[str, ...], count: int) -> tuple[str, ...]:
    return columns or tuple(f"signal {number + 1}" for number in range(count))


def _signed(offset: int) -> str:
    return f"{offset:+d}" if offset else "0"
