from dataclasses import replace

import naive_training
import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

from viterbi_lab import cutting_plane, oracle
from viterbi_lab.cutting_plane import iterates
from viterbi_lab.data.genes import generate
from viterbi_lab.features import HistogramBins
from viterbi_lab.iterate import Goal, Iterate, Status
from viterbi_lab.losses import ZERO_ONE
from viterbi_lab.qp import solve
from viterbi_lab.rescaling import LINEAR, MARGIN, QUADRATIC, SLACK
from viterbi_lab.tasks.sequence import ACTIVE, SequenceTask
from viterbi_lab.working_set import WorkingSet

RESCALINGS = pytest.mark.parametrize("rescaling", [SLACK, MARGIN])
PENALTIES = pytest.mark.parametrize("penalty", [LINEAR, QUADRATIC])
BATCHES = pytest.mark.parametrize("batch", [0, 1])


def run(task, examples, C=1.0, epsilon=1e-3, rescaling=SLACK, **settings) -> list[Iterate]:
    return list(iterates(task, examples, C=C, epsilon=epsilon, rescaling=rescaling, **settings))


@pytest.fixture
def separable(rng):
    """Six short sequences whose labels show in their features, with a few faults."""
    task = SequenceTask(2, 2)
    X = rng.normal(size=(6, 4, 2))
    Y = (X[:, :, 0] + 0.7 * rng.normal(size=(6, 4)) > 0).astype(int)
    return task, task.prepare(list(X), list(Y))


@pytest.fixture(scope="module")
def genes():
    """Ten gene sequences of the paper at σ = 2 with its features: 88 weights."""
    sequences = generate(10, sigma=2.0, rng=np.random.default_rng(0))
    bins = HistogramBins.fit([x for x, _ in sequences])
    task = SequenceTask(2, bins.n_features, start_end=True, encoding=ACTIVE)
    return task, task.prepare(bins.transform_all([x for x, _ in sequences]), [y for _, y in sequences])


def optimum(task, examples, C, rescaling, penalty):
    """The referee's objective, with every constraint written out."""
    X = [
        naive_training.indicators(e.x, task.n_features) if task.encoding is ACTIVE else e.x for e in examples
    ]
    table = task.wrapper.table(max(len(e.y) for e in examples))
    rows = list(
        naive_training.constraints(
            X, [e.y.tolist() for e in examples], task.n_states, lambda k: table[k], task.start_end
        )
    )
    if not rows:
        return 0.0
    return naive_training.optimum(rows, len(examples), C, rescaling.name, penalty.power)[0]


@RESCALINGS
@PENALTIES
@BATCHES
@given(strategies.training_problems(), st.sampled_from([0.1, 1.0, 10.0]))
@settings(max_examples=12)
def test_training_encloses_the_optimum_over_all_constraints(rescaling, penalty, batch, problem, C):
    task, X, Y, _ = problem
    examples, epsilon = task.prepare(X, Y), 1e-3
    last = run(task, examples, C, epsilon, rescaling, penalty=penalty, batch=batch)[-1]
    expected = optimum(task, examples, C, rescaling, penalty)
    accuracy = 1e-6 * (1 + expected)  # the referee's own
    assert last.status is Status.CONVERGED
    assert last.lower <= expected + accuracy
    assert last.upper >= expected - accuracy
    assert last.gap <= penalty.tolerance(last.slack, C, epsilon) + 1e-9 * last.upper  # spec F 36


@RESCALINGS
@PENALTIES
@BATCHES
def test_the_dual_value_never_falls(separable, rescaling, penalty, batch):
    # spec F 34: every program has the constraints of the one before
    passes = run(*separable, rescaling=rescaling, penalty=penalty, batch=batch, epsilon=1e-5)
    lowers = [0.0, *(lower for it in passes for lower in it.lowers)]
    assert len(lowers) == passes[-1].qp_solves + 1 > 4
    assert (np.diff(lowers) >= -1e-7 * lowers[-1]).all()  # the gap to which a program is solved
    assert passes[-1].lower == lowers[-1]


@RESCALINGS
@PENALTIES
def test_the_upper_value_is_the_exact_objective_of_the_weights(separable, rescaling, penalty):
    task, examples = separable
    rows = list(
        naive_training.constraints([e.x for e in examples], [e.y.tolist() for e in examples], 2, lambda k: k)
    )
    for it in run(task, examples, rescaling=rescaling, penalty=penalty):
        slack = np.zeros(len(examples))
        for i, _, delta_psi, loss in rows:
            H = naive_training.violation(it.w, delta_psi, loss, rescaling.name, penalty.power)
            slack[i] = max(slack[i], H)
        np.testing.assert_allclose(it.slack, slack, atol=1e-12)  # rounding
        assert it.upper == pytest.approx(0.5 * it.w @ it.w + penalty.cost(slack, 1.0), rel=1e-12)


@RESCALINGS
@BATCHES
def test_no_constraint_is_added_twice(separable, rescaling, batch):
    # spec F 43; WorkingSet.add would raise, and no two rows of an example are equal
    task, examples = separable
    constraints = WorkingSet(len(examples), task.n_weights)
    passes = run(
        task, examples, rescaling=rescaling, batch=batch, working_set=constraints, epsilon=1e-6, C=100.0
    )
    rows = np.column_stack([constraints.owners, constraints.bounds, constraints.rows])
    assert len(np.unique(rows, axis=0)) == len(rows) == passes[-1].planes
    assert sum(it.added for it in passes) == len(rows)
    assert max(np.bincount(constraints.owners)) <= 2**4 - 1  # there are no more wrong labellings


@RESCALINGS
def test_one_program_a_pass_or_one_a_constraint_reach_the_same_optimum(separable, rescaling):
    epsilon, C = 1e-4, 3.0
    once, often = (run(*separable, C, epsilon, rescaling, batch=batch)[-1] for batch in (0, 1))
    assert max(once.lower, often.lower) <= min(once.upper, often.upper) + 1e-9  # rounding
    assert often.planes <= once.planes
    assert often.qp_solves == often.planes


@RESCALINGS
@PENALTIES
def test_the_order_of_the_examples_does_not_move_the_optimum(separable, rescaling, penalty, rng):
    # spec F 46
    task, examples = separable
    order = rng.permutation(len(examples))
    shuffled = task.prepare([examples[i].x for i in order], [examples[i].y for i in order])
    one, other = (
        run(task, data, C=3.0, epsilon=1e-7, rescaling=rescaling, penalty=penalty)[-1]
        for data in (examples, shuffled)
    )
    assert one.upper == pytest.approx(other.upper, rel=1e-6)
    np.testing.assert_allclose(one.slack[order], other.slack, atol=1e-3)  # √ of that


@BATCHES
def test_the_same_settings_give_the_same_bits(separable, batch):
    first, second = (run(*separable, batch=batch, rng=np.random.default_rng(5)) for _ in range(2))
    assert [it.w.tobytes() for it in first] == [it.w.tobytes() for it in second]
    assert first[-1].lower == second[-1].lower


def test_a_random_order_is_another_order(separable):
    task, examples = separable
    constraints = WorkingSet(len(examples), task.n_weights)
    run(task, examples, working_set=constraints, rng=np.random.default_rng(1), max_passes=1)
    assert sorted(constraints.owners) == list(range(6)) != constraints.owners.tolist()


def test_another_order_of_cutting_ends_at_the_same_optimum(separable):
    ordered, random = (run(*separable, batch=1, rng=rng)[-1] for rng in (None, np.random.default_rng(1)))
    assert max(ordered.lower, random.lower) <= min(ordered.upper, random.upper) + 1e-9  # rounding


def test_slack_and_margin_rescaling_coincide_for_zero_one_loss(separable):
    # spec F 41
    _, examples = separable
    task = SequenceTask(2, 2, ZERO_ONE)
    examples = task.prepare([e.x for e in examples], [e.y for e in examples])
    slack, margin = (run(task, examples, epsilon=1e-7, rescaling=r)[-1] for r in (SLACK, MARGIN))
    assert slack.upper == pytest.approx(margin.upper, rel=1e-6)


def test_slack_and_margin_rescaling_differ_for_the_hamming_loss(separable):
    slack, margin = (run(*separable, epsilon=1e-5, rescaling=r)[-1] for r in (SLACK, MARGIN))
    assert abs(slack.upper - margin.upper) > 0.01 * margin.upper


@RESCALINGS
def test_constraints_found_at_one_c_hold_at_another(separable, rescaling):
    task, examples = separable
    constraints = WorkingSet(len(examples), task.n_weights)
    run(task, examples, C=1.0, rescaling=rescaling, working_set=constraints)
    known = len(constraints)
    warm = run(task, examples, C=2.0, rescaling=rescaling, working_set=constraints)
    cold = run(task, examples, C=2.0, rescaling=rescaling)
    assert warm[-1].status is Status.CONVERGED
    assert max(warm[-1].lower, cold[-1].lower) <= min(warm[-1].upper, cold[-1].upper) + 1e-9  # rounding
    assert len(warm) < len(cold)
    assert warm[-1].planes == known + sum(it.added for it in warm)


@BATCHES
def test_a_training_that_is_cut_short_says_so(separable, batch):
    # spec F 45
    passes = run(*separable, max_passes=2, batch=batch)
    assert [it.status for it in passes] == [Status.RUNNING, Status.LIMIT]
    assert passes[-1].violated > 0


@RESCALINGS
@PENALTIES
@BATCHES
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
def test_a_relative_gap_is_reached_at_every_c(separable, rescaling, penalty, batch, C):
    passes = run(*separable, C, None, rescaling, penalty=penalty, batch=batch, relative_gap=1e-4)
    assert passes[-1].status is Status.CONVERGED
    assert passes[-1].relative_gap <= 1e-4
    assert all(it.relative_gap > 1e-4 for it in passes[:-1])


@BATCHES
def test_of_two_goals_both_are_reached(separable, batch):
    # at C = 1e4 a constraint may exceed its slack by 0.1 while the objective is far from its optimum
    by_epsilon = run(*separable, 1e4, 0.1, batch=batch)[-1]
    both = run(*separable, 1e4, 0.1, batch=batch, relative_gap=1e-5)[-1]
    assert by_epsilon.status is both.status is Status.CONVERGED
    assert by_epsilon.relative_gap > 1e-5 >= both.relative_gap
    finer = run(*separable, 1e-2, 1e-6, batch=batch, relative_gap=0.5)[-1]
    assert finer.violated == 0
    assert finer.gap <= 1e-2 * 1e-6 + 1e-9 * finer.upper


@PENALTIES
@given(st.floats(1e-8, 1e6), st.floats(0, 1e3), st.floats(1e-9, 1e3))
def test_the_excess_that_fills_a_gap_is_the_inverse_of_the_gap_of_an_excess(penalty, C, slack, gap):
    slack = np.array([slack, 0.0])
    excess = penalty.excess(slack, C, gap)
    # the tolerance is a difference of two costs, and has their rounding
    assert penalty.tolerance(slack, C, excess) == pytest.approx(
        gap, rel=1e-9, abs=1e-12 * penalty.cost(slack, C)
    )


def test_a_goal_without_a_gap_is_the_epsilon_of_the_paper():
    slack = np.ones(3)
    assert Goal(0.1, None).threshold(LINEAR, slack, 5.0, 7.0) == 0.1
    assert Goal(0.1, None).allowed_gap(LINEAR, slack, 5.0, 7.0) == pytest.approx(0.5, rel=1e-7)
    assert Goal(None, 0.1).allowed_gap(LINEAR, slack, 5.0, 7.0) == pytest.approx(0.7)
    assert Goal(None, 0.1).threshold(LINEAR, slack, 5.0, 7.0) == pytest.approx(0.07)  # ½ 0.1 7/5


@pytest.mark.parametrize("solver", ["interior_point", "clarabel"])
def test_every_solver_finds_the_same_optimum(separable, solver):
    found = run(*separable, 3.0, 1e-6, solver=solver)[-1]
    assert found.upper == pytest.approx(run(*separable, 3.0, 1e-6)[-1].upper, rel=1e-6)


@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")  # wanted here
def test_a_rough_solver_is_certified_as_rough(separable):
    last = run(*separable, 30.0, 1e-6, solver="osqp")[-1]
    reference = run(*separable, 30.0, 1e-6)[-1]
    assert last.status in (Status.STALLED, Status.CONVERGED)
    assert last.lower <= reference.upper
    assert last.upper >= reference.lower


@RESCALINGS
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_do_not_change_a_bit(genes, rescaling, n_jobs):
    one, many = (run(*genes, 1.0, 0.5, rescaling, n_jobs=jobs) for jobs in (1, n_jobs))
    assert [it.w.tobytes() for it in one] == [it.w.tobytes() for it in many]
    assert [it.upper for it in one] == [it.upper for it in many]


@BATCHES
def test_an_epsilon_finer_than_the_arithmetic_stalls_and_says_so(separable, batch):
    last = run(*separable, epsilon=1e-300, batch=batch, C=1e3)[-1]
    assert last.status is Status.STALLED
    assert last.relative_gap < 1e-6  # as far as the program can be solved


def test_a_program_that_is_less_exact_than_epsilon_stalls_the_training(separable, monkeypatch):
    # nothing is violated, but the dual value does not prove it
    def solve_roughly(*args, **kwargs):
        result = solve(*args, **kwargs)
        return replace(result, lower=result.lower - 0.01)

    monkeypatch.setattr(cutting_plane, "solve", solve_roughly)
    last = run(*separable, C=1.0, epsilon=1e-3)[-1]
    assert last.violated == 0
    assert last.gap > 0.001
    assert last.status is Status.STALLED


@BATCHES
def test_it_converges_without_a_constraint_if_there_is_no_wrong_labelling(batch):
    task = SequenceTask(1, 1)
    (only,) = run(task, task.prepare([np.ones((3, 1))], [np.zeros(3, int)]), batch=batch)
    assert (only.status, only.planes, only.upper, only.lower) == (Status.CONVERGED, 0, 0.0, 0.0)
    assert only.relative_gap == 0.0


@pytest.fixture
def small_parts(monkeypatch):
    """Parts of a pass with one example each."""
    monkeypatch.setattr(oracle, "MOST_WORK", 0)


@pytest.mark.parametrize("calls", [0, 1, 5, 6, 7, 20])
@BATCHES
def test_cancelling_acts_within_one_part_of_a_pass(separable, small_parts, batch, calls):
    made = []
    passes = run(
        *separable,
        batch=batch,
        epsilon=1e-8,
        cancelled=lambda: len(made) >= calls,
        progress=lambda done, n: made.append(done),
    )
    assert len(made) == calls
    last = passes[-1]
    assert last.status is Status.CANCELLED
    if len(passes) > 1:  # the last complete pass, under another status
        np.testing.assert_array_equal(last.w, passes[-2].w)
        assert (last.number, last.lower, last.upper) == (passes[-2].number, *_enclosure(passes[-2]))
    else:
        assert (last.number, last.lower, last.upper, last.worst) == (0, 0.0, np.inf, None)


def _enclosure(it):
    return it.lower, it.upper


def test_progress_is_reported_after_every_part(separable, small_parts):
    reports = []
    passes = run(*separable, progress=lambda done, n: reports.append((done, n)))
    assert reports == [(done, 6) for _ in passes for done in range(1, 7)]
    assert passes[-1].oracle_calls == len(reports)


def test_a_view_may_keep_any_iterate(separable):
    kept = []
    for it in iterates(*separable, C=1.0, epsilon=1e-3, rescaling=SLACK):
        kept.append((it, it.w.copy(), it.slack.copy()))
    for it, w, slack in kept:
        np.testing.assert_array_equal(it.w, w)
        np.testing.assert_array_equal(it.slack, slack)
        assert not it.w.flags.writeable
        assert not it.slack.flags.writeable


def test_the_worst_violation_is_that_of_the_weights_of_its_iterate(separable):
    task, examples = separable
    for it in run(task, examples):
        delta_psi = task.delta_psi(it.worst.example, it.worst.y_hat)
        H = SLACK.violation(it.w @ delta_psi, it.worst.loss)
        assert pytest.approx(it.worst.value, abs=1e-12) == H  # rounding
        assert it.worst.value == pytest.approx(it.slack[it.worst.example.number], abs=1e-12)


def test_the_worst_violation_exceeds_its_slack_most(separable):
    # at first no constraint is known, so it is the largest of all; values differ because of the features
    task, examples = separable
    constraints = WorkingSet(len(examples), task.n_weights)
    passes = iterates(task, examples, C=1.0, epsilon=1e-3, rescaling=SLACK, working_set=constraints)
    known = np.zeros(len(examples))
    for it in passes:
        excess = it.slack - known
        assert excess[it.worst.example.number] >= excess.max() - 1e-6  # the accuracy of a program
        known = solve(constraints, C=1.0).slack


def test_every_status_is_a_sentence_for_the_user():
    assert all(status.value.endswith(".") and status.value[0].isupper() for status in Status)
    assert "not converged" in Status.LIMIT.value
    assert "not converged" in Status.CANCELLED.value


@RESCALINGS
@pytest.mark.parametrize("C", [1e-8, 1e6])
def test_the_extremes_of_c_converge_on_gene_data(genes, rescaling, C):
    # spec F 44
    task, examples = genes
    constraints = WorkingSet(len(examples), task.n_weights)
    last = run(task, examples, C, epsilon=0.1, rescaling=rescaling, working_set=constraints)[-1]
    assert last.status is Status.CONVERGED
    assert np.isfinite(last.w).all()
    assert np.isfinite([last.lower, last.upper]).all()
    program = solve(constraints, C=C, unit=last.lower)
    assert program.upper > 0
    assert program.gap < 1e-6 * program.upper


@RESCALINGS
def test_the_risk_is_at_most_the_mean_slack_at_any_weights(genes, rescaling):
    # spec A.9: also before convergence, since the slacks are exact
    from viterbi_lab.oracle import predict

    task, examples = genes
    for it in run(task, examples, epsilon=5.0, rescaling=rescaling):
        risk = np.mean([task.loss(e.y, predict(task, e.x, it.w)) for e in examples])
        assert risk <= it.slack.mean() + 1e-9  # rounding


def test_spent_time_is_counted(separable):
    last = run(*separable)[-1]
    assert last.oracle_seconds > 0
    assert last.qp_seconds > 0


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"C": 0.0}, "C=0.0; it must be a positive number"),
        ({"C": np.nan}, "C=nan"),
        ({"C": np.inf}, "C=inf"),
        ({"epsilon": 0.0}, "epsilon=0.0; it must be a positive number"),
        ({"epsilon": -1.0}, "epsilon=-1.0"),
        ({"epsilon": None}, "Neither epsilon nor relative_gap is given"),
        ({"relative_gap": 0.0}, "relative_gap=0.0; it must be a positive number"),
        ({"solver": "mosaic"}, "solver='mosaic'; known are interior_point"),
        ({"batch": 2}, "batch=2; allowed are 0"),
        ({"max_passes": 0}, "max_passes=0; it is at least 1"),
        ({"working_set": WorkingSet(5, 8)}, "is for 5 examples and 8 weights; this training has 6 and 8"),
        ({"working_set": WorkingSet(6, 9)}, "is for 6 examples and 9 weights"),
    ],
)
def test_a_setting_out_of_range_is_refused_before_the_first_pass(separable, setting, message):
    with pytest.raises(ValueError, match=message):
        iterates(*separable, **{"C": 1.0, "epsilon": 0.1, "rescaling": SLACK} | setting)


def test_training_without_examples_is_refused():
    with pytest.raises(ValueError, match="no example"):
        iterates(SequenceTask(2, 1), (), C=1.0, epsilon=0.1, rescaling=SLACK)
