"""Hypothesis strategies for chain problems small enough to look at every labelling."""

import numpy as np
from hypothesis import strategies as st
from numba.core import config

from viterbi_lab.dp import Combine

INTERPRETED = bool(config.DISABLE_JIT)
"""True where kernels run as Python, a hundred times slower: same tests, smaller sizes."""

WRAPPERS = {
    "id": lambda k: k,
    "sqrt": np.sqrt,
    "01": lambda k: np.minimum(k, 1.0),
    "sq": lambda k: k**2,
    "min2": lambda k: np.minimum(k, 2.0),
    "neg": lambda k: -k,
    "alt": lambda k: (-1.0) ** k * k,
    "shift": lambda k: k - 2.0,
}


def wrapper(name, largest):
    return np.asarray(WRAPPERS[name](np.arange(largest + 1, dtype=float)), float)


@st.composite
def chains(draw, max_length=5, max_states=3, max_order=3, forbidden=True, integers=True):
    """(tables, y, order): small integer scores make many ties; some windows are forbidden."""
    length = draw(st.integers(1, max_length))
    n_states = draw(st.integers(1, max_states))
    order = draw(st.integers(0, max_order))
    numbers = st.integers(-3, 3).map(float) if integers else st.floats(-5, 5, allow_subnormal=False)
    entry = st.one_of(numbers, numbers, numbers, st.just(-np.inf)) if forbidden else numbers
    tables = []
    for t in range(length):
        axes = min(t, order) + 1
        values = draw(st.lists(entry, min_size=n_states**axes, max_size=n_states**axes))
        tables.append(np.array(values).reshape((n_states,) * axes))
    y = draw(st.lists(st.integers(0, n_states - 1), min_size=length, max_size=length))
    return tables, np.array(y), order


@st.composite
def wrappers(draw, largest):
    """h(0..largest): the named ones, or any small integers."""
    if draw(st.booleans()):
        return wrapper(draw(st.sampled_from(sorted(WRAPPERS))), largest)
    return np.array(draw(st.lists(st.integers(-3, 3), min_size=largest + 1, max_size=largest + 1)), float)


operators = st.sampled_from(list(Combine))
