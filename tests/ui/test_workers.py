"""Worker processes: every way to end badly ends one job, in one sentence, and no other."""

import os
import signal
import time
from functools import partial
from pathlib import Path

import faults
import pytest

from viterbi_lab.limits import Limits
from viterbi_lab.ui.jobs import JobState
from viterbi_lab.ui.workers import Workers

PATIENCE = 60.0  # seconds until a test gives up
HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def faults_can_be_found(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(HERE))


@pytest.fixture
def hire():
    """``hire(...)`` gives workers with these limits; they are sent home at the end."""
    hired = []

    def start(first=None, **limits):
        hired.append(Workers(Limits(**{"workers": 1, **limits}), first))
        return hired[-1]

    yield start
    for workers in hired:
        workers.close()


@pytest.fixture
def workers(hire):
    return hire()


def started(workers, work, owner="", refusals=(ValueError,)):
    job = workers.job(work, "test", refusals, owner)
    job.start()
    return job


def run(workers, work, **options):
    job = started(workers, work, **options)
    assert job.join(PATIENCE)
    return job


def wait_for(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def first_result(job):
    """Wait until the job has begun."""
    seen = []
    wait_for(lambda: seen.extend(job.drain()[0]) or seen)
    return seen[0]


def test_every_result_arrives_once_and_in_order(workers):
    job = run(workers, partial(faults.count, 150))
    assert job.drain() == (list(range(150)), JobState.FINISHED)
    assert job.drain() == ([], JobState.FINISHED)


def test_the_work_runs_in_another_process_of_low_rank_with_one_thread(workers):
    (where,), _ = run(workers, faults.say_where).drain()
    assert where["pid"] != os.getpid()
    assert where["nice"] > os.nice(0)
    assert set(where["threads"].values()) == {"1"}


def test_one_process_serves_job_after_job(workers):
    pids = {run(workers, faults.say_where).drain()[0][0]["pid"] for _ in range(3)}
    assert len(pids) == 1


def test_the_phase_is_the_latest_thing_the_work_said(workers):
    job = started(workers, faults.beat)
    first_result(job)
    wait_for(lambda: job.phase.startswith("tick"))
    job.cancel()
    assert job.join(PATIENCE)


def test_a_paused_job_does_nothing_until_it_is_resumed(workers):
    job = started(workers, faults.beat)
    first_result(job)
    job.pause()
    time.sleep(0.3)  # a result on its way may still come
    job.drain()
    time.sleep(0.3)
    assert job.drain() == ([], JobState.PAUSED)
    job.resume()
    assert first_result(job)
    assert job.state is JobState.RUNNING
    job.cancel()
    assert job.join(PATIENCE)


def test_a_job_paused_while_it_waits_begins_paused(workers):
    other = started(workers, faults.beat)
    first_result(other)
    job = started(workers, faults.beat)
    job.pause()
    other.cancel()
    wait_for(lambda: job.state is JobState.PAUSED)
    time.sleep(0.3)
    assert len(job.drain()[0]) <= 1
    job.resume()
    wait_for(lambda: job.drain()[0])
    job.cancel()
    assert job.join(PATIENCE)


@pytest.mark.parametrize("work", [faults.beat, faults.deaf, faults.holds_the_lock])
def test_cancel_takes_effect_within_a_second_whatever_the_work_does(workers, work):
    job = started(workers, work)
    first_result(job)
    job.cancel()
    begin = time.process_time(), time.monotonic()
    assert job.join(PATIENCE)
    assert job.state is JobState.CANCELLED
    assert job.error == ""
    waited = time.monotonic() - begin[1]
    assert waited < 1.0 + 2.0  # seconds; two more for a busy machine


def test_a_paused_job_can_be_cancelled(workers):
    job = started(workers, faults.beat)
    first_result(job)
    job.pause()
    job.cancel()
    assert job.join(PATIENCE)
    assert job.state is JobState.CANCELLED


def test_a_refusal_is_shown_in_its_own_words(workers):
    assert run(workers, faults.refuse).error == "C must be positive, got -1."


def test_an_unexpected_error_is_shown_as_one_sentence_and_logged_in_full(workers, caplog):
    job = run(workers, faults.break_down)
    assert job.drain() == (["first"], JobState.FAILED)
    assert "secret" not in job.error
    assert "\n" not in job.error
    number = job.error.rsplit(" ", 1)[1].rstrip(".")
    assert number in caplog.text
    assert "secret path" in caplog.text


@pytest.mark.parametrize(
    "work",
    [
        partial(faults.die, signal.SIGKILL),
        partial(faults.die, signal.SIGSEGV),
        partial(faults.die, signal.SIGABRT),
        faults.leave,
    ],
)
def test_a_worker_that_dies_fails_its_own_job_with_a_sentence_and_the_next_job_runs(hire, work):
    workers = hire(workers=2)
    neighbour = started(workers, faults.beat, owner="neighbour")
    first_result(neighbour)
    job = run(workers, work)
    assert job.drain() == (["begun"], JobState.FAILED)
    assert job.error.startswith("The process of this job was ended from outside")
    assert run(workers, partial(faults.count, 3)).drain()[0] == [0, 1, 2]
    assert neighbour.state is JobState.RUNNING
    neighbour.cancel()
    assert neighbour.join(PATIENCE)


def test_a_worker_killed_between_two_jobs_is_replaced_without_a_word(workers):
    run(workers, partial(faults.count, 1))
    (pid,) = workers.pids
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not workers.pids)
    assert run(workers, partial(faults.count, 2)).drain() == ([0, 1], JobState.FINISHED)


def test_a_greedy_job_is_refused_memory_and_no_other_notices(hire):
    workers = hire(workers=2, job_bytes=400_000_000)
    neighbour = started(workers, faults.beat, owner="neighbour")
    first_result(neighbour)
    job = run(workers, faults.greedy)
    assert job.state is JobState.FAILED
    assert "more memory than the 400,000,000 bytes" in job.error
    assert "VITERBI_LAB_JOB_BYTES" in job.error
    assert neighbour.state is JobState.RUNNING
    neighbour.cancel()
    assert neighbour.join(PATIENCE)


def test_a_job_that_takes_too_long_is_stopped_and_keeps_its_results(hire):
    job = run(hire(job_seconds=1), faults.deaf)
    assert job.drain() == (["begun"], JobState.FAILED)
    assert "after 1 seconds" in job.error
    assert "VITERBI_LAB_JOB_SECONDS" in job.error


def test_a_paused_job_gives_way_after_a_while_if_others_wait(hire):
    workers = hire(pause_seconds=1)
    job = started(workers, faults.beat, owner="asleep")
    first_result(job)
    job.pause()
    time.sleep(1.5)
    assert job.state is JobState.PAUSED  # nobody waits
    assert run(workers, partial(faults.count, 1), owner="awake").state is JobState.FINISHED
    assert job.state is JobState.FAILED
    assert "while others waited" in job.error


def test_what_libraries_print_is_not_taken_for_results(workers):
    assert run(workers, faults.chatter).drain() == (["still understood"], JobState.FINISHED)


def test_a_result_that_cannot_travel_is_an_error_of_the_program(workers):
    job = run(workers, faults.unsendable)
    assert job.drain() == (["first"], JobState.FAILED)
    assert "error in the program" in job.error


def test_work_that_cannot_travel_is_refused_at_once(workers):
    with pytest.raises((AttributeError, TypeError), match=r"pickle|local"):
        workers.job(lambda signals: iter(()), "test")


def test_a_reader_that_does_not_come_holds_the_work_and_costs_no_memory(workers):
    job = started(workers, partial(faults.flood, 100_000))
    first_result(job)
    time.sleep(1.0)
    said = int(job.phase)
    time.sleep(0.5)
    assert int(job.phase) == said < 2000  # mailbox and pipe are full
    job.cancel()
    assert job.join(PATIENCE)
    assert job.state is JobState.CANCELLED


def test_waiting_jobs_know_their_place_and_users_take_turns(workers):
    running = started(workers, faults.beat, owner="a")
    first_result(running)
    second_of_a = started(workers, partial(faults.count, 1), owner="a")
    first_of_b = started(workers, partial(faults.count, 1), owner="b")
    assert first_of_b.phase == "waiting for a free worker, next"
    assert second_of_a.phase == "waiting for a free worker, 1 ahead"
    assert second_of_a.state is JobState.WAITING
    running.cancel()
    assert second_of_a.join(PATIENCE)
    assert first_of_b.state is JobState.FINISHED


def test_a_waiting_job_can_be_cancelled_and_the_others_move_up(workers):
    running = started(workers, faults.beat, owner="a")
    first_result(running)
    first, second = (started(workers, faults.beat, owner=name) for name in "bc")
    first.cancel()
    assert first.state is JobState.CANCELLED
    assert second.phase == "waiting for a free worker, next"
    for job in (running, second):
        job.cancel()
        assert job.join(PATIENCE)


def test_more_jobs_of_one_user_than_allowed_are_refused_with_the_limit(workers):
    jobs = [started(workers, faults.beat, owner="a") for _ in range(3)]
    assert jobs[2].state is JobState.FAILED
    assert "You have 2 jobs" in jobs[2].error
    assert "VITERBI_LAB_JOBS_PER_USER allows 2" in jobs[2].error
    for job in jobs[:2]:
        job.cancel()
        assert job.join(PATIENCE)


def test_a_full_queue_is_named_with_its_limit(hire):
    workers = hire(queued_jobs=2)
    running = started(workers, faults.beat, owner="first")
    first_result(running)
    jobs = [started(workers, faults.beat, owner=f"{n}") for n in range(3)]
    assert "2 jobs wait already, and VITERBI_LAB_QUEUED_JOBS allows 2" in jobs[2].error
    for job in (running, *jobs):
        job.cancel()
        assert job.join(PATIENCE)


def test_a_worker_is_made_ready_before_its_first_job(hire):
    workers = hire(first=faults.say_where)
    workers.warm()
    assert run(workers, partial(faults.count, 1)).state is JobState.FINISHED
    assert len(workers.pids) == 1


def test_a_worker_that_cannot_start_fails_the_job_with_a_sentence(hire):
    job = run(hire(first=faults.leave), partial(faults.count, 1))
    assert job.state is JobState.FAILED
    assert job.error == "No worker process could be started. The log has the details."


def test_closing_ends_every_process_and_job(hire):
    workers = hire()
    running = started(workers, faults.deaf, owner="a")
    first_result(running)
    waiting = started(workers, faults.beat, owner="b")
    pids = workers.pids
    workers.close()
    assert running.join(PATIENCE)
    assert waiting.join(PATIENCE)
    assert {running.state, waiting.state} == {JobState.CANCELLED}
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))
    assert started(workers, faults.beat).state is JobState.CANCELLED
