"""Small random training problems for hypothesis: at most 4 sites and 3 states, so all can be enumerated."""

import numpy as np
from hypothesis import strategies as st

from viterbi_lab.losses import IDENTITY, SQRT, SQUARE, ZERO_ONE, capped, listed
from viterbi_lab.tasks.sequence import ACTIVE, DENSE, SequenceTask

wrappers = st.sampled_from([IDENTITY, SQRT, SQUARE, ZERO_ONE, capped(2), listed([0, 3, 1, 4, 2])])


@st.composite
def training_problems(draw, max_examples=3):
    """``(task, X, Y, rng)``: values or indices, with and without start and end weights; small numbers."""
    n_states, n_features = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    encoding = draw(st.sampled_from([DENSE, ACTIVE]))
    task = SequenceTask(n_states, n_features, draw(wrappers), draw(st.booleans()), encoding)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X, Y = [], []
    for _ in range(draw(st.integers(1, max_examples))):
        length = draw(st.integers(1, 4))
        if encoding is ACTIVE:
            X.append(rng.integers(0, n_features, size=(length, 2)))
        else:
            X.append(rng.integers(-2, 3, size=(length, n_features)).astype(float))
        Y.append(rng.integers(0, n_states, size=length))
    return task, X, Y, rng


def weights(task, rng):
    """Weights with few different values, so that labellings tie."""
    return rng.integers(-2, 3, size=task.n_weights) / 2
