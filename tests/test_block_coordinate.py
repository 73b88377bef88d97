"""Dual ascent over cached planes: the laws of the cutting-plane trainer, and its own."""

import naive_training
import numpy as np
import pytest
import strategies
from hypothesis import example, given, settings
from hypothesis import strategies as st

from viterbi_lab import block_coordinate, cutting_plane, oracle, sweeps
from viterbi_lab.block_coordinate import iterates, path
from viterbi_lab.data.genes import generate
from viterbi_lab.features import HistogramBins
from viterbi_lab.iterate import Status
from viterbi_lab.losses import IDENTITY, ZERO_ONE
from viterbi_lab.qp import certify
from viterbi_lab.rescaling import LINEAR, MARGIN, QUADRATIC, SLACK, VARIANTS
from viterbi_lab.tasks.sequence import ACTIVE, SequenceTask
from viterbi_lab.working_set import WorkingSet

RESCALINGS = pytest.mark.parametrize("rescaling", [SLACK, MARGIN])
PENALTIES = pytest.mark.parametrize("penalty", [LINEAR, QUADRATIC])


def run(task, examples, C=1.0, relative_gap=1e-4, rescaling=SLACK, **settings):
    return list(iterates(task, examples, C=C, relative_gap=relative_gap, rescaling=rescaling, **settings))


@pytest.fixture
def separable(rng):
    """Six short sequences whose labels show in their features, with a few faults."""
    task = SequenceTask(2, 2)
    X = rng.normal(size=(6, 4, 2))
    Y = (X[:, :, 0] + 0.7 * rng.normal(size=(6, 4)) > 0).astype(int)
    return task, task.prepare(list(X), list(Y))


def gene_sequences(n):
    """Gene sequences of the paper at σ = 2 with its features: 88 weights."""
    sequences = generate(n, sigma=2.0, rng=np.random.default_rng(0))
    bins = HistogramBins.fit([x for x, _ in sequences])
    task = SequenceTask(2, bins.n_features, start_end=True, encoding=ACTIVE)
    return task, task.prepare(bins.transform_all([x for x, _ in sequences]), [y for _, y in sequences])


@pytest.fixture(scope="module")
def genes():
    return gene_sequences(10)


@RESCALINGS
@PENALTIES
@given(strategies.weighted_problems(), st.sampled_from([0.01, 1.0, 10.0, 1e3]))
@settings(max_examples=25)
def test_training_encloses_the_optimum_over_all_constraints(rescaling, penalty, problem, C):
    task, X, Y, site_weights, _ = problem
    examples = task.prepare(X, Y, site_weights)
    last = run(task, examples, C, 1e-5, rescaling, penalty=penalty)[-1]
    X = [naive_training.indicators(x, task.n_features) if task.encoding is ACTIVE else x for x in X]
    table = task.wrapper.table(50)
    rows = list(
        naive_training.constraints(
            X,
            [y.tolist() for y in Y],
            task.n_states,
            lambda k: table[k],
            task.start_end,
            task.label_costs,
            site_weights,
        )
    )
    expected = naive_training.optimum(rows, len(X), C, rescaling.name, penalty.power)[0] if rows else 0.0
    accuracy = 1e-6 * (1 + expected)  # the referee's own
    assert last.status is Status.CONVERGED
    assert last.lower <= expected + accuracy
    assert last.upper >= expected - accuracy
    assert last.relative_gap <= 1e-5


@pytest.mark.parametrize("name", list(VARIANTS))
@pytest.mark.parametrize("C", ["0.1", "1", "10", "1000"])
def test_g06_training_reaches_the_golden_optimum(golden, name, C):
    data, variant = golden("g06_ssvm_optima"), VARIANTS[name]
    seq = data["seq"]
    wrapper = ZERO_ONE if variant.zero_one else IDENTITY
    task = SequenceTask(seq["N"], seq["V"], wrapper, encoding=ACTIVE)
    examples = task.prepare([np.array(x)[:, np.newaxis] for x in seq["X"]], [np.array(y) for y in seq["Y"]])
    last = run(task, examples, float(C), 1e-8, variant.rescaling, penalty=variant.penalty)[-1]
    assert last.status is Status.CONVERGED
    assert last.upper == pytest.approx(data["results"][f"seq|{name}|C={C}"]["obj"], rel=1e-6)


@RESCALINGS
@PENALTIES
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_both_trainers_enclose_the_same_optimum(genes, rescaling, penalty, C):
    settings = {"C": C, "relative_gap": 1e-5, "rescaling": rescaling, "penalty": penalty}
    *_, by_blocks = iterates(*genes, **settings)
    *_, by_planes = cutting_plane.iterates(*genes, **settings)
    assert by_blocks.status is by_planes.status is Status.CONVERGED
    assert max(by_blocks.lower, by_planes.lower) <= min(by_blocks.upper, by_planes.upper) * (1 + 1e-12)


@RESCALINGS
@PENALTIES
def test_the_dual_value_never_falls(genes, rescaling, penalty):
    lowers = [it.lower for it in run(*genes, 0.1, 1e-6, rescaling, penalty=penalty)]
    assert len(lowers) > 4
    assert (np.diff(lowers) >= 0.0).all()


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
@PENALTIES
def test_multipliers_give_the_weights_and_prove_the_lower_value(genes, rescaling, penalty, monkeypatch):
    monkeypatch.setattr(block_coordinate, "SWEEPS_BEFORE_HANDING_OVER", 10**6)
    task, examples = genes
    planes, C, n = WorkingSet(len(examples), task.n_weights), 0.5, len(examples)
    training = iterates(
        task, examples, C=C, relative_gap=1e-3, rescaling=rescaling, penalty=penalty, working_set=planes
    )
    for it in training:
        a = planes.multipliers
        w, mass = a @ planes.rows, np.bincount(planes.owners, a, n)
        dual = a @ planes.bounds - 0.5 * w @ w
        if penalty is LINEAR:
            assert mass.max() <= C / n * (1 + 1e-12)  # rounding
        else:
            dual -= 0.5 * n / C * mass @ mass
        assert (a >= 0).all()
        assert it.lower == pytest.approx(dual, rel=1e-12)
        np.testing.assert_allclose(it.w, w, atol=1e-12)


@RESCALINGS
@PENALTIES
def test_multipliers_prove_the_lower_value_after_handing_over(genes, rescaling, penalty, monkeypatch):
    monkeypatch.setattr(block_coordinate, "SWEEPS_BEFORE_HANDING_OVER", -(10**6))
    task, examples = genes
    planes, C = WorkingSet(len(examples), task.n_weights), 0.5
    last = run(task, examples, C, 1e-6, rescaling, penalty=penalty, working_set=planes, drop_after=10**6)[-1]
    _, _, proved = certify(planes, planes.multipliers, C=C, penalty=penalty)
    assert proved == pytest.approx(last.lower, rel=1e-12)


@pytest.fixture(scope="module")
def many():
    """600 gene sequences, enough to begin with some of them."""
    return gene_sequences(600)


@RESCALINGS
@PENALTIES
def test_of_many_examples_it_begins_with_some_and_needs_fewer_calls(many, rescaling, penalty, monkeypatch):
    settings = {"C": 1.0, "relative_gap": 1e-2, "rescaling": rescaling, "penalty": penalty}
    some = run(*many, **settings)
    monkeypatch.setattr(block_coordinate, "FEWEST_TO_BEGIN_WITH_SOME", 601)
    all_along = run(*many, **settings)
    assert some[0].w.any()
    assert not all_along[0].w.any()
    assert some[-1].oracle_calls < all_along[-1].oracle_calls
    assert some[-1].status is all_along[-1].status is Status.CONVERGED
    assert max(some[-1].lower, all_along[-1].lower) <= min(some[-1].upper, all_along[-1].upper)


def test_beginning_with_some_examples_can_be_cancelled_and_is_the_same_with_threads(many):
    (only,) = run(*many, cancelled=lambda: True)
    assert (only.status, only.number, only.oracle_calls) == (Status.CANCELLED, 0, 0)
    one, three = (run(*many, n_jobs=jobs) for jobs in (1, 3))
    assert [it.w.tobytes() for it in one] == [it.w.tobytes() for it in three]


def test_the_same_seed_gives_the_same_bits_and_another_seed_the_same_optimum(genes):
    first, second, other = (run(*genes, 0.1, 1e-6, seed=seed) for seed in (3, 3, 4))
    assert [it.w.tobytes() for it in first] == [it.w.tobytes() for it in second]
    assert [it.lower for it in first] == [it.lower for it in second]
    assert first[-1].w.tobytes() != other[-1].w.tobytes()
    assert max(first[-1].lower, other[-1].lower) <= min(first[-1].upper, other[-1].upper)


@RESCALINGS
def test_threads_do_not_change_a_bit(genes, rescaling):
    one, many = (run(*genes, 0.1, 1e-5, rescaling, n_jobs=jobs) for jobs in (1, 3))
    assert [it.w.tobytes() for it in one] == [it.w.tobytes() for it in many]
    assert [it.upper for it in one] == [it.upper for it in many]


@RESCALINGS
@PENALTIES
@pytest.mark.parametrize("C", [1e-8, 1e-2, 1e6])
def test_the_extremes_of_c_converge_on_gene_data(genes, rescaling, penalty, C):
    # spec F 44
    last = run(*genes, C, 1e-6, rescaling, penalty=penalty)[-1]
    assert last.status is Status.CONVERGED
    assert np.isfinite(last.w).all()
    assert last.gap <= 1e-6 * last.upper


@RESCALINGS
@PENALTIES
def test_the_interior_point_method_takes_over_where_sweeps_take_too_long(
    genes, rescaling, penalty, monkeypatch
):
    alone = run(*genes, 1.0, 1e-5, rescaling, penalty=penalty)[-1]
    monkeypatch.setattr(block_coordinate, "SWEEPS_BEFORE_HANDING_OVER", 1 - genes[0].n_weights)  # one sweep
    helped = run(*genes, 1.0, 1e-5, rescaling, penalty=penalty)[-1]
    assert helped.status is Status.CONVERGED
    assert max(alone.lower, helped.lower) <= min(alone.upper, helped.upper) * (1 + 1e-12)


@RESCALINGS
@pytest.mark.parametrize("factor", [0.01, 0.5, 2.0, 100.0])
def test_planes_of_another_c_save_passes(genes, rescaling, factor):
    task, examples = genes
    planes = WorkingSet(len(examples), task.n_weights)
    run(task, examples, 0.1, 1e-4, rescaling, working_set=planes)
    warm = run(task, examples, 0.1 * factor, 1e-4, rescaling, working_set=planes)
    cold = run(task, examples, 0.1 * factor, 1e-4, rescaling)
    assert warm[-1].status is Status.CONVERGED
    assert len(warm) <= len(cold)
    assert max(warm[-1].lower, cold[-1].lower) <= min(warm[-1].upper, cold[-1].upper) * (1 + 1e-12)


def test_a_finer_goal_goes_on_where_the_coarse_one_ended(genes):
    task, examples = genes
    planes = WorkingSet(len(examples), task.n_weights)
    coarse = run(task, examples, 0.1, 1e-2, working_set=planes)
    finer = run(task, examples, 0.1, 1e-5, working_set=planes)
    cold = run(task, examples, 0.1, 1e-5)
    assert finer[0].lower >= coarse[-1].lower * (1 - 1e-12)
    assert len(finer) < len(cold)


def test_added_examples_go_on_with_the_planes_of_the_others(genes):
    task, examples = genes
    planes = WorkingSet(8, task.n_weights)
    run(task, examples[:8], 0.1, 1e-4, working_set=planes)
    planes.extend_examples(2)
    warm, cold = run(task, examples, 0.1, 1e-4, working_set=planes), run(task, examples, 0.1, 1e-4)
    assert warm[-1].status is Status.CONVERGED
    assert len(warm) < len(cold)
    assert max(warm[-1].lower, cold[-1].lower) <= min(warm[-1].upper, cold[-1].upper) * (1 + 1e-12)


@RESCALINGS
def test_a_path_over_c_reaches_every_optimum_with_fewer_calls(genes, rescaling):
    Cs = [10.0**exponent for exponent in range(-8, 7)]
    task, examples = genes
    calls, cold_calls = 0, 0
    for C, last in path(task, examples, Cs, relative_gap=1e-3, rescaling=rescaling):
        cold = run(task, examples, C, 1e-3, rescaling)[-1]
        assert last.status is Status.CONVERGED
        assert max(last.lower, cold.lower) <= min(last.upper, cold.upper) * (1 + 1e-12)
        calls, cold_calls = calls + last.oracle_calls, cold_calls + cold.oracle_calls
    assert calls < cold_calls


def test_idle_planes_are_dropped_and_the_optimum_stays(genes):
    kept, dropped = (run(*genes, 1.0, 1e-6, drop_after=patience) for patience in (1000, 1))
    assert dropped[-1].status is Status.CONVERGED
    assert dropped[-1].planes < kept[-1].planes
    assert max(kept[-1].lower, dropped[-1].lower) <= min(kept[-1].upper, dropped[-1].upper) * (1 + 1e-12)


def test_an_epsilon_is_met_as_the_cutting_plane_trainer_meets_it(separable):
    *_, last = iterates(*separable, C=3.0, epsilon=1e-3, rescaling=SLACK)
    assert last.status is Status.CONVERGED
    assert last.violated == 0
    assert last.gap <= 3.0 * 1e-3 + 1e-9 * last.upper


def test_of_two_goals_both_are_reached(separable):
    *_, last = iterates(*separable, C=1e4, epsilon=0.1, relative_gap=1e-6, rescaling=SLACK)
    assert last.status is Status.CONVERGED
    assert (last.violated, last.relative_gap <= 1e-6) == (0, True)


@PENALTIES
def test_a_goal_finer_than_the_arithmetic_stalls_and_says_so(separable, penalty):
    last = run(*separable, 1e3, 1e-300, penalty=penalty)[-1]
    assert last.status is Status.STALLED
    assert last.relative_gap < 1e-6  # as far as a program can be solved


def test_a_training_that_is_cut_short_says_so(genes):
    # spec F 45
    passes = run(*genes, max_passes=2)
    assert [it.status for it in passes] == [Status.RUNNING, Status.LIMIT]


@pytest.mark.parametrize("parts", [0, 1, 5, 10, 11, 12, 25])
def test_cancelling_acts_within_one_part_of_a_pass(genes, parts, monkeypatch):
    monkeypatch.setattr(oracle, "MOST_WORK", 0)
    made = []
    passes = run(*genes, cancelled=lambda: len(made) >= parts, progress=lambda done, n: made.append(done))
    assert len(made) == parts
    last = passes[-1]
    assert last.status is Status.CANCELLED
    if len(passes) > 1:  # the last complete pass, under another status
        np.testing.assert_array_equal(last.w, passes[-2].w)
        assert (last.number, last.upper) == (passes[-2].number, passes[-2].upper)
    else:
        assert (last.number, last.upper, last.worst) == (0, np.inf, None)


def test_it_converges_without_a_plane_if_there_is_no_wrong_labelling():
    task = SequenceTask(1, 1)
    (only,) = run(task, task.prepare([np.ones((3, 1))], [np.zeros(3, int)]))
    assert (only.status, only.planes, only.upper, only.lower) == (Status.CONVERGED, 0, 0.0, 0.0)


def test_a_view_may_keep_any_iterate(separable):
    kept = [(it, it.w.copy(), it.slack.copy()) for it in iterates(
        *separable, C=1.0, relative_gap=1e-5, rescaling=SLACK
    )]  # fmt: skip
    for it, w, slack in kept:
        np.testing.assert_array_equal(it.w, w)
        np.testing.assert_array_equal(it.slack, slack)
        assert not it.w.flags.writeable
        assert not it.slack.flags.writeable


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"C": 0.0}, "C=0.0; it must be a positive number"),
        ({"relative_gap": None}, "Neither epsilon nor relative_gap is given"),
        ({"relative_gap": -1.0}, "relative_gap=-1.0"),
        ({"max_passes": 0}, "max_passes=0; it is at least 1"),
        ({"drop_after": 0}, "drop_after=0; it is at least 1"),
        ({"working_set": WorkingSet(5, 8)}, "is for 5 examples and 8 weights; this training has 6 and 8"),
    ],
)
def test_a_setting_out_of_range_is_refused_before_the_first_pass(separable, setting, message):
    with pytest.raises(ValueError, match=message):
        iterates(*separable, **{"C": 1.0, "relative_gap": 0.1, "rescaling": SLACK} | setting)


def test_training_without_examples_is_refused():
    with pytest.raises(ValueError, match="no example"):
        iterates(SequenceTask(2, 1), (), C=1.0, relative_gap=0.1, rescaling=SLACK)


@PENALTIES
def test_one_example_with_one_plane_has_its_closed_form(penalty):
    # maximise a b − ½ a² ‖z‖² − (n/2C) a² if squares cost: a = b/(‖z‖² + n/C); else at most C/n
    z, b, C = np.array([[3.0, 4.0]]), np.array([2.0]), 0.05
    a, w, mass = np.zeros(1), np.zeros(2), np.zeros(1)
    box, curvature = (C, 0.0) if penalty is LINEAR else (np.inf, 1 / C)
    sweeps.sweep(
        np.array([0]), np.array([0]), np.array([0, 1]), z, b, a, w, mass, box, curvature,
        np.empty(1), np.empty(2), 10,
    )  # fmt: skip
    expected = min(C, 2 / 25) if penalty is LINEAR else 2 / (25 + 1 / C)
    assert a[0] == pytest.approx(expected, rel=1e-14)
    np.testing.assert_allclose(w, expected * z[0], rtol=1e-14)
    assert mass[0] == a[0]


@PENALTIES
@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30)
@example(411749)
def test_a_sweep_reports_the_gap_it_found_and_never_lowers_the_dual(penalty, seed):
    rng = np.random.default_rng(seed)
    n, P, d, C = 3, 4, 2, 2.0
    Z, b = rng.normal(size=(n * P, d)), rng.uniform(0.1, 3, n * P)
    order, starts = rng.permutation(n * P), np.arange(0, n * P + 1, P)
    owners = np.empty(n * P, int)
    owners[order] = np.repeat(np.arange(n), P)
    a, mass, w = np.zeros(n * P), np.zeros(n), np.zeros(d)
    box, curvature = (C / n, 0.0) if penalty is LINEAR else (np.inf, n / C)

    def dual():
        return (
            a @ b
            - 0.5 * (a @ Z) @ (a @ Z)
            - 0.5 * curvature * np.bincount(owners, a) @ np.bincount(owners, a)
        )

    before, gaps = dual(), []
    # Mass that crawls along a nearly flat edge takes thousands of sweeps.
    while not gaps or (gaps[-1] > 1e-9 * gaps[0] and len(gaps) < 20_000):
        w_before, a_before, mass_before = w.copy(), a.copy(), mass.copy()
        slack = np.zeros(n)
        np.maximum.at(slack, owners, b - Z @ w)
        gap = 0.5 * w @ w + penalty.cost(slack, C) - before
        found = sweeps.sweep(
            np.arange(n), order, starts, Z, b, a, w, mass, box, curvature, np.empty(P), np.empty(d), 3
        )
        if np.array_equal(a, a_before):  # nothing moved: every example saw the same weights
            assert found == pytest.approx(gap, abs=1e-9)
            np.testing.assert_array_equal(w, w_before)
            np.testing.assert_array_equal(mass, mass_before)
        assert (a >= 0).all()
        np.testing.assert_allclose(w, a @ Z, atol=1e-12)
        np.testing.assert_allclose(mass, np.bincount(owners, a), atol=1e-12)
        assert mass.max() <= box
        gaps.append(found)
        after = dual()
        assert after >= before - 1e-12
        before = after
    assert gaps[-1] <= 1e-9 * gaps[0]  # ascent converges
