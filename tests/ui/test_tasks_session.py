"""The state of the Tasks view, without a browser."""

import json
import time

import numpy as np
import pytest

from viterbi_lab.iterate import Status
from viterbi_lab.rescaling import VARIANTS
from viterbi_lab.ui.applications import APPLICATIONS
from viterbi_lab.ui.jobs import Signals
from viterbi_lab.ui.sessions.tasks import VIOLATED, Settings, TaskPass, TasksSession, train

PATIENCE = 300.0  # seconds for a worker to start on a busy machine, and to train something small


def run_to_the_end(session):
    until = time.monotonic() + PATIENCE
    while session.is_busy:
        session.drain()
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.parametrize("machine", list(VARIANTS))
@pytest.mark.parametrize("application", range(len(APPLICATIONS)))
def test_every_machine_trains_every_application_until_it_has_converged(application, machine):
    *passes, status = train(Settings(application, machine, 10.0), Signals())
    assert status is Status.CONVERGED
    assert [seen.number for seen in passes] == list(range(1, len(passes) + 1))
    assert passes[-1].gap <= 0.01
    # measured at least: words 0.42 of nine languages, homologues 0.83 of five candidates, trees 0.32
    assert passes[-1].score > passes[0].score


def test_a_cancelled_training_says_so():
    signals = Signals()
    signals.cancel()
    assert list(train(Settings(0, "SVM_2", 1.0), signals)) == [Status.CANCELLED]


def test_the_stage_follows_the_training_and_can_go_back_to_any_pass():
    session = TasksSession("tests", application=1)
    untrained = session.scene
    session.train()
    run_to_the_end(session)
    run = session.latest
    assert run.status == Status.CONVERGED.value
    assert session.after == len(run.passes) > 1
    np.testing.assert_array_equal(session.w, run.passes[-1].w)
    assert session.scene != untrained
    session.after = 0
    assert session.scene == untrained


def test_another_application_begins_with_its_own_weights_and_first_input():
    session = TasksSession("tests")
    session.runs.append(fake_run(session))
    session.shown, session.after = 3, 1
    session.application = 2
    assert (session.shown, session.after, session.own) == (0, 0, "")
    assert "tree" in json.loads(session.scene)["title"]
    session.application = 0
    assert session.after == 1
    assert session.own_runs == session.runs


def fake_run(session):
    from viterbi_lab.ui.sessions.tasks import TaskRun

    w = np.ones(session.current.task(False).n_weights)
    return TaskRun(0, session.settings, [TaskPass(1, 0.5, 1.0, 0.5, 3, 0.2, w)], "done", "converged")


def test_what_cannot_be_shown_is_told_and_the_stage_stays():
    session = TasksSession("tests", application=2)
    before = session.scene
    session.own = "colourless green ideas"
    assert session.error.startswith(
        "There is no parse of the sentence under the grammar: no rule for the word"
    )
    assert session.scene == before
    session.own = "Ann saw the dog"
    assert not session.error
    assert "saw the dog" in json.loads(session.scene)["title"]
    session.asked = VIOLATED
    assert "Ask for the prediction" in session.error


def test_a_run_can_be_hidden_and_only_a_run_that_is_there():
    session = TasksSession("tests")
    session.runs.append(fake_run(session))
    session.toggle(0)
    assert not session.runs[0].visible
    with pytest.raises(ValueError, match="There is no run 2; there are 1"):
        session.toggle(1)
