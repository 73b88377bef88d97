"""The worker thread, its mailbox, and how it is paused and cancelled."""

import threading
import time

import pytest

from viterbi_lab.ui.jobs import Job, JobState

PATIENCE = 20.0  # seconds until a test gives up; nothing here takes a tenth of one


class Metronome:
    """Work that counts and can be watched from outside."""

    def __init__(self) -> None:
        self.ticks = 0
        self.beat = threading.Condition()

    def work(self, signals):
        while not signals.stop():
            with self.beat:
                self.ticks += 1
                self.beat.notify_all()
            signals.say(f"tick {self.ticks}")
            yield self.ticks
            time.sleep(0.001)

    def wait_for(self, ticks):
        with self.beat:
            assert self.beat.wait_for(lambda: self.ticks >= ticks, PATIENCE)


@pytest.fixture
def metronome():
    return Metronome()


@pytest.fixture
def job(metronome):
    job = Job(metronome.work, "metronome")
    yield job
    job.cancel()
    if job.state is not JobState.WAITING:
        assert job.join(PATIENCE)


def count_to(n):
    def work(signals):
        yield from range(n)

    return work


def run(work):
    job = Job(work, "test")
    job.start()
    assert job.join(PATIENCE)
    return job


def test_every_result_arrives_once_and_in_order():
    job = run(count_to(1000))
    results, state = job.drain()
    assert results == list(range(1000))
    assert state is JobState.FINISHED
    assert job.drain() == ([], JobState.FINISHED)


def test_no_result_is_left_behind_when_the_state_says_it_is_over():
    for _ in range(50):
        job = Job(count_to(20), "short")
        job.start()
        seen, state = [], JobState.WAITING
        while not state.is_over:
            results, state = job.drain()
            seen += results
        assert seen == list(range(20))


def test_a_job_waits_until_it_is_started(job):
    assert job.state is JobState.WAITING


def test_cancel_ends_the_work_at_its_next_look(job, metronome):
    job.start()
    metronome.wait_for(3)
    job.cancel()
    assert job.join(PATIENCE)
    assert job.state is JobState.CANCELLED


def test_a_paused_job_does_nothing_until_it_is_resumed(job, metronome):
    job.start()
    metronome.wait_for(3)
    job.pause()
    time.sleep(0.05)  # the tick under way may still end
    held = metronome.ticks
    time.sleep(0.05)
    assert metronome.ticks == held
    assert job.state is JobState.PAUSED
    job.resume()
    metronome.wait_for(held + 3)
    assert job.state is JobState.RUNNING


def test_a_paused_job_can_be_cancelled(job, metronome):
    job.start()
    metronome.wait_for(1)
    job.pause()
    job.cancel()
    assert job.join(PATIENCE)
    assert job.state is JobState.CANCELLED


def test_a_job_cancelled_before_its_first_step_yields_nothing():
    job = Job(Metronome().work, "early")
    job.cancel()
    job.start()
    assert job.join(PATIENCE)
    assert job.drain() == ([], JobState.CANCELLED)


def test_the_phase_is_the_latest_thing_the_work_said(job, metronome):
    job.start()
    metronome.wait_for(5)
    job.cancel()
    job.join(PATIENCE)
    assert job.phase == f"tick {metronome.ticks}"


def test_results_before_a_failure_are_kept():
    def work(signals):
        yield "first"
        raise RuntimeError("secret path /home/someone")

    job = run(work)
    assert job.drain() == (["first"], JobState.FAILED)


def test_an_unexpected_error_is_shown_as_one_sentence_and_logged_in_full(caplog):
    def work(signals):
        yield "first"
        raise RuntimeError("secret path /home/someone")

    job = run(work)
    assert "secret" not in job.error
    assert "\n" not in job.error
    number = job.error.rsplit(" ", 1)[1].rstrip(".")
    assert number in caplog.text
    assert "secret path" in caplog.text


def test_a_refusal_is_shown_in_its_own_words():
    def work(signals):
        raise ValueError("C must be positive, got -1.")
        yield

    assert run(work).error == "C must be positive, got -1."


def test_an_error_after_cancelling_counts_as_failed():
    def work(signals):
        while not signals.stop():
            yield None
        raise RuntimeError("while cleaning up")

    job = Job(work, "test")
    job.start()
    job.cancel()
    assert job.join(PATIENCE)
    assert job.state is JobState.FAILED
