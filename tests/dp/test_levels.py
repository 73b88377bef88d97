"""The best score of each number of errors, against the whole tables."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies_dp import chains

from viterbi_lab.dp import ChainProblem, ChainScores, Combine, NoFeasibleLabelling, best_scores, trace


@given(chains(), st.booleans())
def test_the_best_scores_are_those_of_the_last_column_of_the_tables(chain, doubled):
    tables, y, order = chain
    scores = ChainScores.from_tables(tables, order=order)
    cost = (1 + doubled) * (np.arange(scores.n_states) != y[:, np.newaxis]) if doubled else None
    largest = y.size * (1 + doubled) if scores.n_states > 1 or cost is None else 0
    problem = ChainProblem(scores, y, np.zeros(largest + 1), Combine.PLUS, cost=cost)
    try:
        expected = trace(problem).best
    except NoFeasibleLabelling:
        expected = np.full(problem.h.size, -np.inf)
    np.testing.assert_array_equal(best_scores(problem), expected)  # scores are whole numbers: sums are exact
