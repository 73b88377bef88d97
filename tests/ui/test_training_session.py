"""The state behind the Train view, without any view: what a run does, and what stops it."""

import os
import pickle
import signal
import time
from dataclasses import asdict

import numpy as np
import pytest

import viterbi_lab.ui.training as training
from viterbi_lab.cutting_plane import Status
from viterbi_lab.data.gene_states import ALLOWED, STATES
from viterbi_lab.dp import decode
from viterbi_lab.qp import SolverFailed
from viterbi_lab.ui.datasets import data_of, most_examples
from viterbi_lab.ui.jobs import Job, Signals
from viterbi_lab.ui.sessions import runs
from viterbi_lab.ui.sessions.runs import Runs, Visitors
from viterbi_lab.ui.sessions.stepper import StepperSession
from viterbi_lab.ui.sessions.training import SUGGESTED_C, TrainingSession
from viterbi_lab.ui.settings import BLOCKS, CELEGANS, GENES, PLANES, TRAINERS, Settings

PATIENCE = 120.0  # seconds until a test gives up: the first run of a machine compiles
QUICK = {"n": 5, "sigma": 1.0, "epsilon": 0.05, "C": 0.1}


class Threads:
    """Runs jobs in this process, where a test can break something."""

    def job(self, work, name, refusals, owner):
        return Job(work, name, refusals)


@pytest.fixture
def here(monkeypatch):
    """Runs are trained in this process."""
    monkeypatch.setattr(runs, "WORKERS", Threads())


def finish(session):
    """Drain as the view does until the run is over."""
    wait_for(session, lambda: not session.is_busy)
    return session.current


def wait_for(session, condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"still waiting; the worker says: {session.phase}"
        session.drain()
        time.sleep(0.005)


@pytest.fixture
def session():
    session = TrainingSession(**QUICK)
    yield session
    session.cancel()


@pytest.fixture
def slow_session():
    """A run of many passes: small ε, much noise."""
    session = TrainingSession(n=60, sigma=10.0, epsilon=0.001, C=10.0)
    yield session
    session.cancel()


@pytest.mark.parametrize("trainer", [BLOCKS, PLANES])
@pytest.mark.parametrize("rescaling", ["slack", "margin"])
def test_a_run_ends_converged_with_the_gap_below_epsilon(session, rescaling, trainer):
    session.param.update(rescaling=rescaling, trainer=trainer)
    session.train()
    run = finish(session)
    assert run.status == Status.CONVERGED.value
    assert run.word == "converged"
    *before, last = run.passes
    assert last.gap <= run.settings.epsilon
    assert all(seen.gap > run.settings.epsilon for seen in before)


def test_passes_arrive_in_order_and_none_is_missing(session):
    session.train()
    run = finish(session)
    assert [seen.number for seen in run.passes] == list(range(1, len(run.passes) + 1))


def test_a_trained_model_beats_the_majority_label_on_sequences_it_has_not_seen(session):
    session.train()
    run = finish(session)
    y = np.concatenate([y for _, y in data_of(run.settings).validation])
    assert run.passes[-1].accuracy > max(np.mean(y), 1 - np.mean(y))


def test_the_same_settings_give_the_same_run(session):
    session.train()
    first = finish(session)
    session.train()
    second = finish(session)
    assert [seen.accuracy for seen in first.passes] == [seen.accuracy for seen in second.passes]
    assert [seen.upper for seen in first.passes] == [seen.upper for seen in second.passes]
    np.testing.assert_array_equal(first.w, second.w)


def test_another_seed_gives_other_data():
    one, two = (data_of(Settings(GENES, "slack", 1.0, 3, 1.0, 1.0, "k", seed)) for seed in (1, 2))
    assert any((a[1] != b[1]).any() for a, b in zip(one.validation, two.validation, strict=True))


def test_more_training_examples_keep_the_validation_sequences():
    few, many = (data_of(Settings(GENES, "slack", 1.0, n, 1.0, 1.0, "k", 1)) for n in (3, 9))
    for (_, a), (_, b) in zip(few.validation, many.validation, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("rescaling", ["slack", "margin"])
def test_the_window_of_an_attack_is_part_of_the_very_problem_the_oracle_solved(session, rescaling):
    session.rescaling = rescaling
    session.train()
    for seen in finish(session).passes:
        for attack in (seen.worst, seen.followed):
            window, sites = attack.window, slice(attack.window.first, None)
            decoded = decode(window.problem)
            assert decoded.value == pytest.approx(attack.value, rel=1e-9)  # the same sum in another order
            inside = attack.y_hat[sites][: decoded.y.size]
            k = int((inside != attack.y[sites][: decoded.y.size]).sum())
            score = window.problem.objective(path_score(window.problem, inside), k)
            assert score == pytest.approx(attack.value, rel=1e-9)


def path_score(problem, y):
    """The score of a labelling, part by part."""
    first, *others = problem.scores.tables()
    return first[y[0]] + sum(table[y[t], y[t + 1]] for t, table in enumerate(others))


@pytest.mark.parametrize("rescaling", ["slack", "margin"])
def test_no_number_of_errors_has_a_lead_worth_more_than_the_attack(session, rescaling):
    session.rescaling = rescaling
    session.train()
    for seen in finish(session).passes:
        for attack in (seen.worst, seen.followed):
            assert attack.leads[0] == pytest.approx(0.0, abs=1e-9)  # the truth leads itself by nothing
            k = np.arange(attack.leads.size)
            values = (attack.leads + 1) * k if rescaling == "slack" else attack.leads + k
            rounding = 1e-6 * float(1 + np.abs(attack.leads).max()) * k.size  # of a lead to float32, times k
            assert values.max() == pytest.approx(attack.value, abs=rounding)
            assert values[attack.k] == pytest.approx(attack.value, abs=rounding)


def test_a_pass_takes_less_room_on_its_way_than_the_features_of_one_example():
    settings = Settings(CELEGANS, "margin", 1.0, 3, 0.1, 0.1, "k", 1)
    seen = next(news.seen for news in training.train(settings, None, None, Signals()) if news.seen)
    assert len(pickle.dumps(seen)) < len(pickle.dumps(data_of(settings).examples[0].x)) / 2


def test_everything_a_run_tells_survives_its_way_between_processes(session):
    for news in training.train(session.settings, None, None, Signals()):
        copy = pickle.loads(pickle.dumps(news))
        assert (copy.seen is None) == (news.seen is None)
        if news.seen:
            np.testing.assert_array_equal(copy.seen.worst.y_hat, news.seen.worst.y_hat)
            assert (
                decode(copy.seen.worst.window.problem).value == decode(news.seen.worst.window.problem).value
            )


def test_the_followed_example_stays_the_same(session):
    session.train()
    passes = finish(session).passes
    assert len({seen.followed.example for seen in passes}) == 1


@pytest.mark.parametrize("trainer", [BLOCKS, PLANES])
def test_only_examples_whose_slack_is_positive_use_all_of_their_dual_weight(session, trainer):
    session.param.update(trainer=trainer, epsilon=0.001, n=12)
    session.train()
    *_, last = finish(session).passes
    assert last.support.shape == (12,)
    assert last.support.min() >= 0
    assert last.support.max() <= 1 + 1e-6  # stored as float32
    unused = last.support == 0  # complementary slackness: these need no slack, nor a constraint
    assert unused.sum() < 12


def test_continuing_with_another_price_needs_fewer_passes_than_starting_anew(session):
    session.param.update(n=30, epsilon=0.001)
    session.train()
    finish(session)
    assert not session.can_continue  # nothing has changed
    session.C = 1.0
    assert session.can_continue
    session.continue_training()
    warm = finish(session)
    assert warm.continues == 0
    session.train()
    cold = finish(session)
    assert warm.word == cold.word == "converged"
    assert len(warm.passes) < len(cold.passes)
    assert warm.passes[-1].lower <= cold.passes[-1].upper  # both certify the same optimum
    assert cold.passes[-1].lower <= warm.passes[-1].upper


def test_a_run_of_another_program_cannot_be_continued(session):
    session.train()
    finish(session)
    session.param.update(C=1.0, rescaling="margin")
    assert not session.can_continue
    session.continue_training()
    assert len(session.runs) == 1


def test_a_cancelled_run_can_go_on_where_it_stopped(slow_session):
    slow_session.train()
    wait_for(slow_session, lambda: len(slow_session.current.passes) >= 2)
    slow_session.cancel()
    before = finish(slow_session).passes[-1]
    slow_session.epsilon = 0.1
    slow_session.continue_training()
    run = finish(slow_session)
    assert run.word == "converged"
    assert run.passes[0].lower >= before.lower * (1 - 1e-9)  # nothing that was proved is lost


def test_the_suggested_price_follows_the_data_and_a_chosen_one_stays():
    session = TrainingSession()
    session.data = CELEGANS
    assert SUGGESTED_C[CELEGANS, "slack"] == session.C
    session.rescaling = "margin"
    assert SUGGESTED_C[CELEGANS, "margin"] == session.C
    session.C = 100.0
    session.data = GENES
    assert session.C == 100.0


def test_cancel_keeps_what_was_done_and_lets_the_next_run_start(slow_session):
    slow_session.train()
    run = slow_session.current
    wait_for(slow_session, lambda: len(run.passes) >= 2)
    slow_session.cancel()
    finish(slow_session)
    assert run.status == Status.CANCELLED.value
    assert len(run.passes) >= 2
    slow_session.param.update(**QUICK)
    slow_session.train()
    assert finish(slow_session).word == "converged"
    assert [run.number for run in slow_session.runs] == [0, 1]


def test_a_run_cancelled_at_once_has_no_pass_and_says_so(session):
    session.train()
    session.cancel()
    run = finish(session)
    assert run.word == "cancelled"
    assert run.passes == []


def test_a_paused_run_adds_no_pass_until_it_is_resumed(slow_session):
    slow_session.train()
    run = slow_session.current
    wait_for(slow_session, lambda: run.passes)
    slow_session.pause()
    assert slow_session.is_paused
    time.sleep(1.0)  # a program that is being solved may still end, and with it one pass
    slow_session.drain()
    held = len(run.passes)
    time.sleep(0.5)
    slow_session.drain()
    assert len(run.passes) == held
    assert run.word == "paused"
    slow_session.resume()
    wait_for(slow_session, lambda: len(run.passes) > held)


def test_only_one_run_goes_on_at_a_time(slow_session):
    slow_session.train()
    slow_session.train()
    assert len(slow_session.runs) == 1


def test_the_phase_names_pass_example_and_program():
    class Listener(Signals):
        said = ()

        def say(self, phase):
            self.said += (phase,)

    listener = Listener()
    for _ in training.train(Settings(GENES, "slack", 1.0, 5, 0.1, 0.1, "k", 1), None, None, listener):
        pass
    assert listener.said[0] == "preparing the data"
    assert "pass 1 · oracle 5/5" in listener.said
    assert any(phase.startswith("pass 1 · QP, ") for phase in listener.said)


def test_settings_changed_since_the_last_run_are_named(session):
    assert session.changed == ()
    session.train()
    finish(session)
    assert session.changed == ()
    session.C = 1.0
    session.rescaling = "margin"
    assert session.changed == ("rescaling", "C")


def test_changing_settings_does_not_change_a_run_that_goes_on(slow_session):
    slow_session.train()
    before = slow_session.current.settings
    slow_session.C = 1e-3
    assert slow_session.current.settings == before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("C", -1.0),
        ("C", float("nan")),
        ("epsilon", 0.0),
        ("sigma", 3.0),
        ("n", 0),
        ("n", 10**6),
        ("seed", -1),
        ("rescaling", "both"),
        ("data", "/etc/passwd"),
        ("wrapper", "k**99"),
    ],
)
def test_a_setting_outside_its_range_is_refused_and_the_old_one_stays(session, name, value):
    before = session.settings
    with pytest.raises(ValueError, match=name):
        setattr(session, name, value)
    assert session.settings == before


def test_n_is_at_most_what_the_data_set_has(session):
    session.n = most_examples(GENES)
    session.data = CELEGANS
    assert session.n == most_examples(CELEGANS)
    with pytest.raises(ValueError, match="n"):
        session.n = most_examples(CELEGANS) + 1


def test_more_loci_than_there_are_is_refused_in_a_sentence():
    too_many = most_examples(CELEGANS) + 1
    with pytest.raises(ValueError, match=f"n={too_many}, but there are {too_many - 1} loci"):
        data_of(Settings(CELEGANS, "slack", 1.0, too_many, 1.0, 1.0, "k", 1))


def test_validation_loci_are_not_among_those_trained_on():
    data = data_of(Settings(CELEGANS, "margin", 1.0, most_examples(CELEGANS), 1.0, 1.0, "k", 1))
    trained = {example.x.tobytes() for example in data.examples}
    assert not any(x.tobytes() in trained for x, _ in data.validation)


def test_real_genes_can_be_trained_on(session):
    session.param.update(data=CELEGANS, n=3, rescaling="margin", epsilon=0.05, C=0.1)
    session.train()
    run = finish(session)
    assert run.word == "converged"
    assert run.card.names.states == STATES
    assert set(run.passes[-1].prediction) <= {0, 1, 2}
    stepper = StepperSession()
    for seen in run.passes:
        stepper.load(seen.worst.window.problem, "an attack")
        assert "words" not in stepper.message()  # it can be drawn
    for seen in run.passes:  # the grammar holds for the oracle too
        assert ALLOWED[seen.worst.y_hat[:-1], seen.worst.y_hat[1:]].all()


def test_a_solver_that_fails_ends_the_run_with_its_own_sentence(session, here, monkeypatch):
    def broken(*_, **__):
        raise SolverFailed("CLARABEL: NumericalError")
        yield

    monkeypatch.setitem(TRAINERS, BLOCKS, broken)
    session.train()
    run = finish(session)
    assert run.word == "failed"
    assert run.status == str(SolverFailed("CLARABEL: NumericalError"))


def test_an_error_of_the_program_ends_the_run_with_one_sentence(session, here, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("secret")
        yield

    monkeypatch.setitem(TRAINERS, BLOCKS, broken)
    session.train()
    run = finish(session)
    assert run.word == "failed"
    assert "secret" not in run.status
    session.train()
    assert session.is_busy


def test_a_run_can_be_hidden_and_shown_again(session):
    session.train()
    finish(session)
    session.toggle(0)
    assert not session.runs[0].visible
    session.toggle(0)
    assert session.runs[0].visible
    with pytest.raises(ValueError, match="no run 2"):
        session.toggle(1)


def test_a_page_opened_later_finds_the_runs_of_its_visitor_and_the_job_that_goes_on(slow_session):
    visitors = Visitors()
    settings = asdict(slow_session.settings)
    settings.pop("own")  # a file is brought, not set
    first = TrainingSession(visitors.enter("me"), **settings)
    first.train()
    wait_for(first, lambda: first.current.passes)
    second = TrainingSession(visitors.enter("me"))  # a reload: the old page lives on for a while
    visitors.leave("me")
    assert second.settings == first.settings
    assert second.runs == first.runs
    assert second.is_busy
    assert second.is_behind
    stranger = TrainingSession(visitors.enter("you"))
    assert stranger.runs == []
    second.pause()
    visitors.leave("me")  # the last page of this visitor
    assert finish(second).word == "cancelled"


def test_each_of_two_pages_is_told_that_there_is_something_to_draw():
    shared = Runs()
    one, two = TrainingSession(shared, **QUICK), TrainingSession(shared)
    one.train()
    finish(one)
    assert two.is_behind
    assert two.drain()
    assert not two.is_behind
    assert not two.drain()


def test_a_worker_killed_in_a_run_ends_it_with_a_sentence_and_the_next_can_be_started(slow_session):
    slow_session.train()
    run = slow_session.current
    wait_for(slow_session, lambda: run.passes)
    done = len(run.passes)
    for pid in runs.WORKERS.pids:
        os.kill(pid, signal.SIGKILL)
    finish(slow_session)
    assert run.word == "failed"
    assert run.status.startswith("The process of this job was ended from outside")
    assert len(run.passes) >= done
    slow_session.param.update(**QUICK)
    slow_session.train()
    assert finish(slow_session).word == "converged"
