"""The experiment on intents, with a few made-up queries in the place of CLINC150."""

import json

import numpy as np
import pytest

from viterbi_lab.data.intents import Intents, read_intents
from viterbi_lab.experiments.clinc150 import PUBLISHED, draw, machines, main, outcome, run, table
from viterbi_lab.taxonomy import Taxonomy

LEAVES = ("pay", "balance", "book", "cancel")
WORDS = {
    "pay": "send money to pay rent",
    "balance": "how much money is left",
    "book": "fly me to rome on monday",
    "cancel": "drop my flight to rome",
}


def made_up(rng, per_class=6):
    """Queries of three of the words of their intent."""
    taxonomy = Taxonomy({"all": None, "money": "all", "travel": "all", **dict(
        zip(LEAVES, ("money", "money", "travel", "travel"), strict=True)
    )})  # fmt: skip
    queries, classes = {}, {}
    for split in ("train", "val", "test"):
        classes[split] = np.repeat(np.arange(4), per_class)
        queries[split] = tuple(
            " ".join(rng.choice(WORDS[LEAVES[k]].split(), 3, replace=False)) for k in classes[split]
        )
    return Intents(taxonomy, queries, classes)


@pytest.fixture(scope="module")
def data():
    return made_up(np.random.default_rng(0))


@pytest.fixture(scope="module")
def rows(data):
    return run(data, 2, 2)


def test_every_machine_learns_on_every_draw(rows):
    assert [row.method for row in rows] == ["LinearSVC, one-vs-rest", *PUBLISHED[2]]
    for row in rows:
        assert len(row.outcomes) == 2
        for found in row.outcomes:
            assert found.accuracy > 0.4  # by chance: 0.25
            assert found.tree_loss < 1.0  # by chance: 1.25


def test_features_are_those_of_the_training_queries_and_a_draw_is_of_its_seed(data):
    one, same, other = draw(data, 2, 1), draw(data, 2, 1), draw(data, 2, 2)
    np.testing.assert_array_equal(one.X.toarray(), same.X.toarray())
    assert one.X.shape != other.X.shape or (one.X != other.X).nnz > 0
    assert one.y.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert (one.X.toarray() != 0).any(axis=0).all()  # no feature is known from other queries only


def test_tree_loss_and_accuracy_are_of_the_same_predictions(data):
    drawn = draw(data, 2, 1)
    machine = machines(data)["tax Δ"]
    predict, planes = machine(drawn, 1.0)
    X, y = drawn.others["test"]
    found = outcome(data, machine, drawn, 1.0, "test")
    wrong = predict(X) != y
    assert found.accuracy == 1 - wrong.mean()
    assert wrong.mean() <= found.tree_loss <= 2 * wrong.mean()
    assert planes == found.planes > 0


def test_too_few_queries_are_refused(data):
    with pytest.raises(ValueError, match="A class has 6 training queries; 7 of each"):
        draw(data, 7, 0)


def test_the_table_shows_the_paper_beside_every_machine_of_it(rows):
    lines = table(rows).splitlines()[2:]
    assert len(lines) == len(rows)
    assert lines[0].endswith("| – |")
    assert lines[4].endswith("| 21.73, 1.33 |")
    assert "±" in lines[1]


def test_the_command_reads_a_folder_and_writes_the_table(data, tmp_path, monkeypatch, capsys):
    (tmp_path / "domains.json").write_text(
        json.dumps({"money": ["pay", "balance"], "travel": ["book", "cancel"]})
    )
    pairs = {
        split: [[query, LEAVES[k]] for query, k in zip(data.queries[split], data.classes[split], strict=True)]
        for split in data.queries
    }
    (tmp_path / "data_full.json").write_text(json.dumps(pairs))
    assert read_intents(tmp_path).queries == data.queries
    monkeypatch.setattr("viterbi_lab.experiments.clinc150.SHARES", (1.0,))
    main([str(tmp_path), "--draws", "1", "--per-class", "2", "--out", str(tmp_path / "table.md")])
    assert capsys.readouterr().out == (tmp_path / "table.md").read_text()
