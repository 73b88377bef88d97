"""A window of a problem has, for every labelling of its sites, the value of the whole problem."""

import itertools

import numpy as np
import pytest

from viterbi_lab.dp import ChainProblem, ChainScores, Combine, decode
from viterbi_lab.ui.window import MOST_STATES, READABLE_ROWS, cut, readable

ROUNDING = 1e-9  # a dozen sums of scores below 20, in another order


def random_problem(rng, *, T, N, order, op=Combine.TIMES, weighted=False, kmin=0):
    tables = [rng.uniform(-5, 5, size=(N,) * (min(t, order) + 1)) for t in range(T)]
    y = rng.integers(N, size=T)
    cost = rng.integers(0, 3, size=(T, N)) if weighted else None
    largest = int(cost.max(axis=1).sum()) if weighted else T
    return ChainProblem(
        ChainScores.from_tables(tables, order=order),
        y,
        rng.uniform(-1, 4, size=largest + 1),
        op,
        offset=1.5,
        kmin=kmin,
        cost=cost,
    )


def value(problem, labels):
    k = int(problem.cost[np.arange(labels.size), labels].sum())
    return problem.objective(problem.scores.score(labels), k)


@pytest.mark.parametrize("order", [0, 1, 2, 3])
@pytest.mark.parametrize("op", list(Combine))
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("first", "stop"), [(0, 3), (2, 5), (3, 7), (0, 7), (4, 5), (1, 3)])
def test_every_labelling_of_the_window_has_its_value_in_the_whole(order, op, weighted, first, stop):
    rng = np.random.default_rng(first + 10 * stop + 100 * order)
    problem = random_problem(rng, T=7, N=2, order=order, op=op, weighted=weighted)
    rest = rng.integers(2, size=7)
    window = cut(problem, rest, first, stop)
    for labels in itertools.product(range(2), repeat=stop - first):
        whole = rest.copy()
        whole[first:stop] = labels
        assert value(window, np.array(labels)) == pytest.approx(value(problem, whole), abs=ROUNDING)


@pytest.mark.parametrize("op", list(Combine))
@pytest.mark.parametrize("order", [0, 1, 2])
def test_a_labelling_of_few_states_has_its_value_in_the_whole(op, order):
    rng = np.random.default_rng(order)
    problem = random_problem(rng, T=6, N=4, order=order, op=op)
    rest = rng.integers(4, size=6)
    states = np.union1d(problem.y[2:5], [0])
    window = cut(problem, rest, 2, 5, states)
    for labels in itertools.product(range(states.size), repeat=3):
        whole = rest.copy()
        whole[2:5] = states[list(labels)]
        assert value(window, np.array(labels)) == pytest.approx(value(problem, whole), abs=ROUNDING)


@pytest.mark.parametrize("op", list(Combine))
@pytest.mark.parametrize("site", [None, 0, 7, 29])
def test_of_many_states_those_of_the_truth_and_the_optimum_are_shown_and_it_stays_the_optimum(op, site):
    rng = np.random.default_rng(7)
    problem = random_problem(rng, T=30, N=9, order=1, op=op)
    best = decode(problem)
    window = readable(problem, best.y, site)
    size = window.problem.y.size
    assert 2 <= len(window.states) <= MOST_STATES
    assert site is None or window.first <= site < window.first + size
    part = decode(window.problem)
    assert part.value == pytest.approx(best.value, abs=ROUNDING)
    np.testing.assert_array_equal(np.array(window.states)[part.y], best.y[window.first : window.first + size])


@pytest.mark.parametrize("op", list(Combine))
def test_with_the_rest_at_the_optimum_the_window_has_the_same_optimum(op):
    rng = np.random.default_rng(3)
    for _ in range(20):
        problem = random_problem(rng, T=12, N=3, order=1, op=op)
        best = decode(problem)
        part = decode(cut(problem, best.y, 4, 9))
        np.testing.assert_array_equal(part.y, best.y[4:9])
        assert part.value == pytest.approx(best.value, abs=ROUNDING)


def test_a_forbidden_transition_into_the_window_stays_forbidden():
    transitions = np.array([[0.0, -np.inf], [0.0, 0.0]])
    scores = ChainScores.homogeneous(np.zeros((5, 2)), transitions)
    y = np.zeros(5, int)
    window = cut(ChainProblem(scores, y, np.arange(6.0), Combine.PLUS), y, 1, 3)
    # both neighbours are held at label 0, and 0 -> 1 is forbidden: only (0, 0) is left
    assert decode(window).k == 0


def test_the_true_labelling_is_excluded_only_while_the_rest_is_right():
    rng = np.random.default_rng(5)
    problem = random_problem(rng, T=6, N=2, order=1, kmin=1)
    right = problem.y
    wrong = right.copy()
    wrong[0] = 1 - wrong[0]
    assert cut(problem, right, 2, 5).kmin == 1
    assert cut(problem, wrong, 2, 5).kmin == 0


def test_an_order_0_problem_stays_one():
    problem = random_problem(np.random.default_rng(6), T=6, N=2, order=0)
    assert cut(problem, problem.y, 2, 5).scores.order == 0


def test_a_short_problem_is_shown_whole():
    problem = random_problem(np.random.default_rng(7), T=5, N=3, order=1)
    window = readable(problem, problem.y)
    assert window.problem is problem
    assert window.title == "all 5 sites"


def test_the_readable_window_names_its_sites_from_one():
    rng = np.random.default_rng(8)
    problem = random_problem(rng, T=100, N=2, order=1)
    labelling = problem.y.copy()
    labelling[40:60] = 1 - labelling[40:60]
    window = readable(problem, labelling)
    T = window.problem.scores.length
    assert 2 * (T + 1) <= READABLE_ROWS
    assert window.title == f"sites {window.first + 1}–{window.first + T} of 100, rest held fixed at ŷ"
    np.testing.assert_array_equal(window.problem.y, problem.y[window.first : window.first + T])


def test_the_readable_window_shows_right_beside_wrong_sites():
    y = np.zeros(100, int)
    labelling = y.copy()
    labelling[40:60] = 1
    scores = ChainScores.homogeneous(np.zeros((100, 2)), np.zeros((2, 2)))
    window = readable(ChainProblem(scores, y, np.arange(101.0), Combine.PLUS), labelling)
    T = window.problem.scores.length
    wrong = (labelling != y)[window.first : window.first + T].sum()
    assert wrong == T // 2


def test_one_wrong_site_is_shown_in_the_middle():
    y = np.zeros(100, int)
    labelling = y.copy()
    labelling[50] = 1
    scores = ChainScores.homogeneous(np.zeros((100, 2)), np.zeros((2, 2)))
    window = readable(ChainProblem(scores, y, np.arange(101.0), Combine.PLUS), labelling)
    middle = window.first + (window.problem.scores.length - 1) / 2
    assert abs(middle - 50) <= 1


@pytest.mark.parametrize(("first", "stop"), [(3, 3), (-1, 2), (4, 8)])
def test_a_window_outside_the_sequence_is_refused(first, stop):
    problem = random_problem(np.random.default_rng(9), T=7, N=2, order=1)
    with pytest.raises(ValueError, match="not inside"):
        cut(problem, problem.y, first, stop)
