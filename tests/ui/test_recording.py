"""Recorded runs: what is written is what is read, what is damaged is refused, a replay computes nothing."""

import gzip
import json

import numpy as np
import pytest

from viterbi_lab.assets import asset
from viterbi_lab.iterate import Status
from viterbi_lab.ui import recording as recording_module
from viterbi_lab.ui import training
from viterbi_lab.ui.jobs import JobState, Signals
from viterbi_lab.ui.recording import Recording, read, write
from viterbi_lab.ui.replay import LONGEST, SHORTEST, Replay
from viterbi_lab.ui.settings import CELEGANS, GENES, PLANES, Settings
from viterbi_lab.ui.views.records import SHIPPED


def record(settings):
    news = list(training.train(settings, None, None, Signals()))
    return Recording(
        settings,
        news[0].card,
        tuple(item.seen for item in news if item.seen),
        next(item.status for item in news if item.status),
        next(item.w for item in reversed(news) if item.seen),
    )


@pytest.fixture(scope="module")
def genes():
    return record(Settings(GENES, "slack", 1.0, 5, 0.1, 0.05, "k", 1))


@pytest.fixture(scope="module")
def worm():
    return record(Settings(CELEGANS, "margin", 1.0, 3, 0.1, 0.3, "k", 1, PLANES))


def same_attack(a, b):
    for name in ("y", "y_hat", "leads"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    assert (a.example, a.value, a.k) == (b.example, b.value, b.k)
    assert (a.window.title, a.window.first, a.window.states) == (
        b.window.title,
        b.window.first,
        b.window.states,
    )
    one, two = a.window.problem, b.window.problem
    np.testing.assert_array_equal(one.cost, two.cost)
    np.testing.assert_array_equal(one.h, two.h)
    assert (one.op, one.offset, one.kmin) == (two.op, two.offset, two.kmin)
    for mine, theirs in zip(one.scores.tables(), two.scores.tables(), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("which", ["genes", "worm"])
def test_what_is_written_is_what_is_read(which, request):
    before = request.getfixturevalue(which)
    after = read(write(before), "run")
    assert after.settings == before.settings
    assert after.status is before.status
    np.testing.assert_array_equal(after.w, before.w)
    assert (after.card.names, after.card.inputs) == (before.card.names, before.card.inputs)
    np.testing.assert_array_equal(after.card.truth, before.card.truth)
    assert len(after.passes) == len(before.passes)
    for a, b in zip(after.passes, before.passes, strict=True):
        for name in ("number", "seconds", "lower", "upper", "gap", "planes", "oracle_calls", "accuracy"):
            assert getattr(a, name) == getattr(b, name)
        for name in ("prediction", "support"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
        np.testing.assert_array_equal(a.weights.features, b.weights.features)
        np.testing.assert_array_equal(a.weights.steps, b.weights.steps)
        same_attack(a.worst, b.worst)
        same_attack(a.followed, b.followed)


def test_the_same_recording_gives_the_same_bytes(genes):
    assert write(genes) == write(read(write(genes), "run"))


def content(recording):
    return json.loads(gzip.decompress(write(recording)))


def packed(document):
    return gzip.compress(json.dumps(document).encode())


DAMAGES = {
    "another version": (lambda d: d.update(version=2), "has version 2; this program reads version 1"),
    "another format": (lambda d: d.update(format="x"), "format is 'x'"),
    "an unknown field": (lambda d: d.update(code="import os"), "unknown field 'code'"),
    "too few weights": (lambda d: d.update(w=[1.0]), "w has 1 entries; it has"),
    "no pass": (lambda d: d.update(passes=[]), "has 0 passes"),
    "an unknown trainer": (lambda d: d["settings"].update(trainer="magic"), "trainer is 'magic'"),
    "a label beyond": (lambda d: d["passes"][0].update(prediction=[[7, 100]]), "in 0..1"),
    "too many labels": (lambda d: d["passes"][0].update(prediction=[[0, 101]]), "has 101 labels; it has 100"),
    "a number that is none": (lambda d: d["passes"][0].update(upper="9"), "upper is '9'; it is a number"),
    "a gap that is true": (lambda d: d["passes"][0].update(gap=True), "gap is True; it is a number"),
    "too few supports": (lambda d: d["passes"][0].update(support=[0.0]), "has 1 entries; it has 5"),
    "a missing row": (lambda d: d["passes"][0].update(steps=[]), "has 0 rows; it has 3"),
    "time running back": (lambda d: d["passes"][-1].update(seconds=-1.0), "comes before it in time"),
    "an example beyond": (lambda d: d["passes"][0]["worst"].update(example=5), "example is 5; it is in 0..4"),
    "a problem of other labels": (
        lambda d: d["passes"][0]["worst"]["problem"].update(
            labels=["a", "b"], y=["a"] * len(d["passes"][0]["worst"]["problem"]["y"])
        ),
        "labels are not states of the card",
    ),
    "a window beyond": (lambda d: d["passes"][0]["worst"].update(first=99), "reaches beyond its 100 sites"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused_with_its_name_and_the_place(genes, damage):
    document = content(genes)
    change, message = DAMAGES[damage]
    change(document)
    with pytest.raises(ValueError, match=r"^mine: ") as refusal:
        read(packed(document), "mine")
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    "raw", [b"", b"plain text", b"\x80\x04\x95", gzip.compress(b"{")[:-4], gzip.compress(b"[")]
)
def test_what_is_no_recorded_run_is_refused_in_a_sentence(raw):
    with pytest.raises(ValueError, match=r"^mine: "):
        read(raw, "mine")


def test_a_file_that_unpacks_without_end_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(recording_module, "MOST_BYTES", 1000)
    with pytest.raises(ValueError, match="more than"):
        read(gzip.compress(b" " * 10**6), "mine")


def test_brackets_without_end_are_refused():
    with pytest.raises(ValueError, match=r"^mine: "):
        read(gzip.compress(b"[" * 10**5), "mine")


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_a_replay_brings_every_pass_in_order_and_then_how_it_ended(genes, clock):
    replay = Replay(genes, clock)
    assert replay.state is JobState.PAUSED
    replay.start()
    news, _ = replay.drain()
    assert [item.card for item in news] == [genes.card]
    seen, state = [], replay.state
    for _ in range(len(genes.passes) * 20):
        clock.now += LONGEST / 10
        news, state = replay.drain()
        seen += news
    assert state is JobState.FINISHED
    assert [item.seen for item in seen if item.seen] == list(genes.passes)
    assert [item.w is not None for item in seen if item.seen] == [False] * (len(genes.passes) - 1) + [True]
    assert seen[-1].status is Status.CONVERGED


def test_two_passes_are_never_closer_than_can_be_seen(genes, clock):
    replay = Replay(genes, clock)
    replay.start()
    replay.drain()
    clock.now += SHORTEST * 1.01
    news, _ = replay.drain()
    assert len([item for item in news if item.seen]) <= 1


def test_a_paused_replay_stands_still_and_a_cancelled_one_ends(genes, clock):
    replay = Replay(genes, clock)
    replay.start()
    replay.drain()
    replay.pause()
    clock.now += 1000.0
    assert replay.drain() == ([], JobState.PAUSED)
    replay.resume()
    clock.now += LONGEST
    assert any(item.seen for item in replay.drain()[0])
    replay.cancel()
    assert replay.drain() == ([], JobState.CANCELLED)


def test_the_run_that_comes_with_the_lab_can_be_replayed():
    path = asset(*SHIPPED)
    shipped = read(path.read_bytes(), path.name)
    assert shipped.status is Status.CONVERGED
    assert shipped.passes[-1].gap <= shipped.settings.epsilon
    assert shipped.w is not None
