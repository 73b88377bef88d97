"""A visitor's own file: what is made of it, what is refused, and that a run trains on it."""

import io
import pickle
from pathlib import Path

import numpy as np
import pytest

from viterbi_lab.data.dataset import CONLL, GENES, LETTERS, TABLE
from viterbi_lab.losses import IDENTITY
from viterbi_lab.ui import training
from viterbi_lab.ui.jobs import Signals
from viterbi_lab.ui.own_data import VALIDATION, OwnData, most_examples, prepared, read
from viterbi_lab.ui.sessions.training import DECADES, TrainingSession
from viterbi_lab.ui.settings import OWN

WORM = Path(__file__).parents[1] / "data" / "celegans"


def table(n=10, T=12, seed=0):
    """Noisy signals of blocks, as CSV."""
    rng = np.random.default_rng(seed)
    rows = ["id,t,height,label"]
    for i in range(n):
        y = np.repeat(rng.integers(2, size=T // 3), 3)
        rows += [f"s{i},{t},{2 * y[t] - 1 + rng.normal():.3f},{'up' if y[t] else 'down'}" for t in range(T)]
    return "\n".join(rows).encode()


def conll():
    sentence = "Anna B-PER\nlives O\nin O\nRome B-LOC\n"
    return "\n".join(sentence.replace("Anna", name) for name in ("Ada", "Bob", "Cid", "Dan", "Eva")).encode()


def many_words():
    """So many features that joint features are sparse."""
    rng = np.random.default_rng(0)
    word = lambda: "".join(rng.choice(list("abcdefghijklmnopqrstuvwxyz"), 7))  # noqa: E731
    sentences = (
        "\n".join(f"{word()} {'B-X' if rng.random() < 0.2 else 'O'}" for _ in range(6)) for _ in range(60)
    )
    return "\n\n".join(sentences).encode()


def letters():
    return b"id,sequence,labels\n" + b"\n".join(b"p%d,ACDEFACDEF,HHHEEHHHEE" % i for i in range(6))


def npz():
    rng = np.random.default_rng(0)
    file = io.BytesIO()
    np.savez(file, X=rng.normal(size=(50, 2)), y=np.tile(["a", "b"], 25), lengths=np.full(5, 10))
    return file.getvalue()


def genes():
    return tuple((path.name, path.read_bytes()) for path in sorted(WORM.glob("ce.*")))


FILES = {
    "table": OwnData((("signals.csv", table()),), TABLE, "refuse"),
    "conll": OwnData((("names.conll", conll()),), CONLL, "refuse"),
    "words": OwnData((("words.conll", many_words()),), CONLL, "refuse"),
    "letters": OwnData((("proteins.csv", letters()),), LETTERS, "refuse"),
    "npz": OwnData((("arrays.npz", npz()),), TABLE, "refuse"),
    "genes": OwnData(genes(), GENES, "refuse"),
}


@pytest.mark.parametrize("kind", FILES)
def test_every_kind_of_file_is_split_named_and_shown(kind):
    own = FILES[kind]
    records = read(own)
    n = most_examples(own)
    data = prepared(own, n, 0, IDENTITY)
    assert len(data.examples) + len(data.validation) == len(records.records)
    assert len(data.validation) == max(1, round(VALIDATION * len(records.records)))
    assert sorted(data.names.labels) == records.labels
    assert len(data.names.states) == len(data.names.label_of)
    for example in data.examples:
        assert data.names.labelled(example.y).max() < len(data.names.labels)
    weights = data.weights(np.zeros(data.task.n_weights))
    assert weights.features.shape == (len(data.names.states), len(data.inputs.shown))


@pytest.mark.parametrize("kind", FILES)
def test_a_worker_trains_on_the_file(kind):
    own = FILES[kind]
    session = TrainingSession()
    session.bring(own)
    session.epsilon = 0.1
    work = pickle.loads(pickle.dumps((session.settings, own)))  # as it travels
    news = list(training.train(work[0], None, work[1], Signals()))
    *_, last = [item.seen for item in news if item.seen]
    assert news[-1].status is not None
    assert 0.0 <= last.accuracy <= 1.0


def test_a_table_with_a_signal_is_learned_better_than_its_more_frequent_label():
    own = OwnData((("signals.csv", table(n=60)),), TABLE, "refuse")
    session = TrainingSession()
    session.bring(own)
    *_, last = [n.seen for n in training.train(session.settings, None, own, Signals()) if n.seen]
    truth = np.concatenate([y for _, y in prepared(own, session.n, session.seed, IDENTITY).validation])
    assert last.accuracy > max(truth.mean(), 1 - truth.mean())


def test_of_many_features_the_frequent_ones_are_shown():
    data = prepared(FILES["words"], 48, 0, IDENTITY)
    assert data.task.sparse
    assert len(data.inputs.shown) < data.task.n_features
    names = [group for group, _ in data.inputs.groups]
    assert "alphanumeric" in names  # every word is


def test_the_background_of_the_ribbons_is_what_lies_between_segments():
    assert prepared(FILES["conll"], 3, 0, IDENTITY).names.labels[0] == "O"
    assert prepared(FILES["genes"], 2, 0, IDENTITY).names.labels[0] == "N"


@pytest.mark.parametrize(
    ("own", "message"),
    [
        (OwnData((("x.csv", b"\x80\x04\x95 pickle"),), TABLE, "refuse"), "x.csv"),
        (OwnData((("x.csv", table(n=2)),), TABLE, "refuse"), "2 sequences with labels; at least 3"),
        (OwnData((("a", b">x\nACGT\n"), ("a", b"")), GENES, "refuse"), "same name"),
        (OwnData((("x.csv", b"a" * (9 * 2**20)),), TABLE, "refuse"), "at most"),
        (OwnData((("x.csv", table(n=3, T=6000)),), TABLE, "refuse"), "5000"),
    ],
)
def test_what_cannot_be_trained_on_is_refused_in_a_sentence_and_the_old_data_stay(own, message):
    session = TrainingSession()
    before = session.settings
    with pytest.raises(ValueError, match=message) as refusal:
        session.bring(own)
    assert "Traceback" not in str(refusal.value)
    assert session.settings == before


def test_what_was_repaired_or_cut_is_noted():
    session = TrainingSession()
    notes = session.bring(OwnData((("x.csv", table(n=3, T=6000)),), TABLE, "split"))
    assert any("5000" in note or "split" in note or "cut" in note for note in notes)


def test_without_a_file_nothing_can_be_trained_and_with_one_the_settings_fit_it():
    session = TrainingSession(data=OWN)
    assert not session.can_train
    session.train()
    assert session.runs == []
    session.bring(FILES["table"])
    assert session.can_train
    assert session.n == most_examples(FILES["table"])
    assert session.C in DECADES
    assert "signals.csv" in str(session.settings)


def test_the_same_bytes_have_the_same_name_and_others_another():
    one, two = (OwnData((("a.csv", content),), TABLE, "refuse") for content in (table(seed=1), table(seed=2)))
    assert one.name == OwnData((("a.csv", table(seed=1)),), TABLE, "refuse").name
    assert one.name != two.name
