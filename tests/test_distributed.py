"""Training over a cluster of two worker processes, held against training on one machine."""

import os
import signal
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import dask
import distributed
import numpy as np
import pytest

from viterbi_lab import cutting_plane
from viterbi_lab.distributed import iterates, load, scatter
from viterbi_lab.formulation import ONE_SLACK
from viterbi_lab.iterate import Status
from viterbi_lab.oracle import SeparationOracle
from viterbi_lab.rescaling import MARGIN, SLACK
from viterbi_lab.tasks.sequence import SequenceTask
from viterbi_lab.working_set import WorkingSet


@contextmanager
def cluster():
    """The client of two worker processes on this machine."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
        ) as two,
        distributed.Client(two) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client():
    with cluster() as client:
        yield client


@pytest.fixture
def doomed():
    """A cluster of one test, which may kill its workers: those are not always started again."""
    with dask.config.set({"distributed.scheduler.allowed-failures": 1}), cluster() as client:
        yield client


def sequences(n, n_features=3, length=6):
    """Sequences whose labels show in their first feature, with faults: no weights satisfy them all."""
    rng = np.random.default_rng(7)
    task = SequenceTask(2, n_features)
    X = rng.normal(size=(n, length, n_features))
    Y = (X[:, :, 0] + 0.7 * rng.normal(size=(n, length)) > 0).astype(int)
    return task, task.prepare(list(X), list(Y))


def some(begin, end):
    """A loader: what a worker would read from its own disk."""
    return sequences(41)[1][begin:end]


ENDS = [(0, 10), (10, 20), (20, 30), (30, 41)]


def by_one_machine(task, examples, **settings):
    *_, last = cutting_plane.iterates(task, examples, formulation=ONE_SLACK, **settings)
    return last


@pytest.mark.parametrize("rescaling", [SLACK, MARGIN])
@pytest.mark.parametrize(("count", "planes"), [(5, 1), (5, 3)])
def test_the_optimum_is_that_of_one_machine(client, rescaling, count, planes):
    """41 examples make shards of unequal size; both objectives are certified to 1e-6 of themselves."""
    task, examples = sequences(41)
    goal = {"C": 3.0, "relative_gap": 1e-6}
    alone = by_one_machine(task, examples, rescaling=rescaling, **goal)
    *_, last = iterates(
        scatter(client, task, examples, rescaling=rescaling, count=count), planes=planes, **goal
    )
    assert last.status is alone.status is Status.CONVERGED
    assert last.lower <= alone.upper
    assert alone.lower <= last.upper
    assert last.upper == pytest.approx(alone.upper, rel=1e-6)


def test_one_plane_a_round_takes_the_rounds_of_one_machine(client):
    """The same algorithm: until rounding tells them apart, every iterate is the same."""
    task, examples = sequences(41)
    goal = {"C": 1.0, "epsilon": 0.01}
    alone = list(cutting_plane.iterates(task, examples, formulation=ONE_SLACK, rescaling=SLACK, **goal))
    rounds = list(iterates(scatter(client, task, examples, rescaling=SLACK), **goal))
    for there, here in zip(rounds, alone, strict=True):
        assert (there.number, there.planes, there.added, there.violated, there.status) == (
            here.number, here.planes, here.added, here.violated, here.status,
        )  # fmt: skip
        assert (there.oracle_calls, there.qp_solves) == (here.oracle_calls, here.qp_solves)
        assert there.upper == pytest.approx(here.upper, rel=1e-5)  # w is as exact as √1e-10, cf. qp
        assert there.slack.mean() == pytest.approx(here.slack.mean(), rel=1e-5)


def test_the_objective_is_that_of_the_exact_oracle(client):
    task, examples = sequences(41)
    for round_ in iterates(scatter(client, task, examples, rescaling=SLACK), C=1.0, relative_gap=0.01):
        slack = np.maximum(SeparationOracle(task, examples, SLACK).look(round_.w).value, 0.0)
        exact = 0.5 * round_.w @ round_.w + slack.mean()
        assert round_.upper == pytest.approx(exact, rel=1e-12)  # sums in another order


@dataclass(frozen=True)
class Deadly(SequenceTask):
    """A task whose oracle kills the process it runs in, once, if a file is there."""

    trap: Path = Path()

    def optima(self, *args):
        if self.trap.is_file():
            self.trap.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().optima(*args)


def noted(calls, begin, end):
    """A loader that notes in a file that it was called."""
    with calls.open("a") as file:
        file.write("called\n")
    return some(begin, end)


def certified_as(last, alone):
    """Whether two trainings found the same optimum, as far as their certificates tell."""
    return (
        last.status is alone.status is Status.CONVERGED
        and last.lower <= alone.upper
        and alone.lower <= last.upper
    )


def test_a_worker_that_dies_in_the_middle_of_a_round_is_survived(doomed, tmp_path):
    task, examples = sequences(41)
    goal = {"C": 3.0, "relative_gap": 1e-4}
    deadly = Deadly(task.n_states, task.n_features, trap=tmp_path / "trap")
    shards = scatter(doomed, deadly, examples, rescaling=SLACK, count=4)
    for round_ in iterates(shards, **goal):
        if round_.number == 2:
            deadly.trap.touch()
    assert not deadly.trap.exists()
    assert round_.oracle_calls == 41 * round_.number
    assert certified_as(round_, by_one_machine(task, examples, rescaling=SLACK, **goal))


def test_shards_that_died_between_rounds_are_loaded_again(doomed, tmp_path):
    task, examples = sequences(41)
    goal, calls = {"C": 3.0, "relative_gap": 1e-4}, tmp_path / "calls"
    shards = load(doomed, task, [partial(noted, calls, *ends) for ends in ENDS], rescaling=SLACK)
    for round_ in iterates(shards, **goal):
        if round_.number == 2:
            assert len(calls.read_text().splitlines()) == len(ENDS)
            for pid in doomed.run(os.getpid).values():
                os.kill(pid, signal.SIGKILL)
    assert len(calls.read_text().splitlines()) >= 2 * len(ENDS)
    assert certified_as(round_, by_one_machine(task, examples, rescaling=SLACK, **goal))


def test_a_shard_over_which_workers_die_again_and_again_is_told(doomed):
    task, _ = sequences(41)
    shards = load(doomed, task, [partial(os._exit, 1)], rescaling=SLACK)
    with pytest.raises(ConnectionError, match="more and smaller shards"):
        next(iterates(shards, C=1.0, epsilon=0.1))


def bytes_written(client, monkeypatch, n, rounds=4):
    """What the processes of the client and the scheduler really wrote in some rounds, and what was said."""
    from distributed.comm.tcp import TCP

    task, examples = sequences(n, n_features=2_000, length=2)
    shards = scatter(client, task, examples, rescaling=MARGIN, count=2)
    training = iterates(shards, C=1.0, relative_gap=1e-12)
    next(training)  # now the shards are where they stay
    written = []
    write = TCP.write

    async def counting(self, *args, **kwargs):
        written.append(await write(self, *args, **kwargs))
        return written[-1]

    with monkeypatch.context() as patch:
        patch.setattr(TCP, "write", counting)
        said = [next(training) for _ in range(rounds)]
    return sum(written), sum(round_.bytes_out + round_.bytes_back for round_ in said)


def test_a_round_sends_weights_out_and_planes_back_however_many_examples_there_are(client, monkeypatch):
    d, S, rounds = 4_004, 2, 4
    few, said = bytes_written(client, monkeypatch, n=10)
    many, said_again = bytes_written(client, monkeypatch, n=100)
    assert said == said_again == rounds * (S * 8 * d + 8 * (d + 4))
    # Both processes write what passes through them: the weights twice, the plane at most twice.
    # The rest are Dask's own messages.
    assert said <= few <= 2.2 * said
    assert many == pytest.approx(few, rel=0.05)


def test_the_training_is_cancelled_between_rounds(client):
    task, examples = sequences(41)
    seen = []
    for round_ in iterates(
        scatter(client, task, examples, rescaling=SLACK), C=1.0, epsilon=1e-3, cancelled=lambda: len(seen) > 1
    ):
        seen.append(round_)
    assert [round_.status for round_ in seen] == [Status.RUNNING, Status.RUNNING, Status.CANCELLED]
    assert seen[-1].upper == seen[-2].upper


def test_what_a_loader_raises_is_raised_by_the_training(client):
    task, _ = sequences(41)
    shards = load(client, task, [partial(int, "no data")], rescaling=SLACK)
    with pytest.raises(ValueError, match="no data"):
        next(iterates(shards, C=1.0, epsilon=0.1))


def test_training_goes_on_from_the_planes_of_another_cost_of_slacks(client):
    task, examples = sequences(41)
    shards = scatter(client, task, examples, rescaling=SLACK)
    planes = WorkingSet(1, task.n_weights)
    *_, cold = iterates(shards, C=3.0, relative_gap=1e-3)
    for C in (2.0, 3.0):
        *_, warm = iterates(shards, C=C, relative_gap=1e-3, working_set=planes)
    assert warm.number < cold.number
    assert warm.lower <= cold.upper
    assert cold.lower <= warm.upper


def test_settings_out_of_range_are_refused(client):
    task, examples = sequences(4)
    with pytest.raises(ValueError, match=r"4 examples make 1\.\.4 shards"):
        scatter(client, task, examples, rescaling=SLACK, count=5)
    with pytest.raises(ValueError, match="no example"):
        scatter(client, task, (), rescaling=SLACK)
    with pytest.raises(ValueError, match="no loader"):
        load(client, task, [], rescaling=SLACK)
    shards = scatter(client, task, examples, rescaling=SLACK, count=2)
    with pytest.raises(ValueError, match=r"planes=3; 2 shards bring 1\.\.2"):
        iterates(shards, C=1.0, epsilon=0.1, planes=3)
    with pytest.raises(ValueError, match="max_passes=0"):
        iterates(shards, C=1.0, epsilon=0.1, max_passes=0)


def test_without_dask_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ModuleNotFoundError, match=r"viterbi-lab\[distributed\]"):
        load(None, sequences(1)[0], [partial(some, 0, 1)], rescaling=SLACK)
