"""Small random training problems for hypothesis: at most 4 sites and 3 states, so all can be enumerated."""

import numpy as np
from hypothesis import strategies as st

from viterbi_lab.losses import IDENTITY, SQRT, SQUARE, ZERO_ONE, LabelCosts, capped, listed
from viterbi_lab.tasks.sequence import ACTIVE, DENSE, SequenceTask

wrappers = st.sampled_from([IDENTITY, SQRT, SQUARE, ZERO_ONE, capped(2), listed([0, 3, 1, 4, 2])])


@st.composite
def training_problems(draw, max_examples=3):
    """``(task, X, Y, rng)``: values or indices, with and without start and end weights; small numbers."""
    return _draw(draw, max_examples, False)


@st.composite
def weighted_problems(draw):
    """``(task, X, Y, site_weights, rng)``: errors cost by their labels, their site, both or neither."""
    return _draw(draw, 2, True)


def _draw(draw, max_examples, weighted):
    n_states, n_features = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    encoding = draw(st.sampled_from([DENSE, ACTIVE]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    costs = None
    if weighted and draw(st.booleans()):
        table = rng.integers(1, 4, size=(n_states, n_states))
        np.fill_diagonal(table, 0)
        costs = LabelCosts(table)
    wrapper = draw(st.sampled_from([IDENTITY, SQRT, SQUARE, ZERO_ONE, capped(2)]) if weighted else wrappers)
    task = SequenceTask(n_states, n_features, wrapper, draw(st.booleans()), encoding, costs)
    X, Y = [], []
    for _ in range(draw(st.integers(1, max_examples))):
        length = draw(st.integers(1, 4))
        if encoding is ACTIVE:
            X.append(rng.integers(0, n_features, size=(length, 2)))
        else:
            X.append(rng.integers(-2, 3, size=(length, n_features)).astype(float))
        Y.append(rng.integers(0, n_states, size=length))
    if not weighted:
        return task, X, Y, rng
    weights = [rng.integers(1, 3, size=len(y)) for y in Y] if draw(st.booleans()) else None
    return task, X, Y, weights, rng


def weights(task, rng):
    """Weights with few different values, so that labellings tie."""
    return rng.integers(-2, 3, size=task.n_weights) / 2
