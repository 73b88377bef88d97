"""Queries with intents: what a folder says, and what is wrong with another."""

import gzip
import json

import numpy as np
import pytest

from viterbi_lab.data.intents import read_intents

DOMAINS = {"money": ["pay", "balance"], "travel": ["book"]}
DATA = {
    "train": [["send ten", "pay"], ["fly me", "book"]],
    "val": [["how much", "balance"]],
    "test": [["a seat", "book"]],
    "oos_train": [["what is love", "oos"]],
}


def folder(path, domains=DOMAINS, data=DATA, *, packed=False):
    (path / "domains.json").write_text(json.dumps(domains))
    raw = json.dumps(data).encode()
    name = "data_full.json" + (".gz" if packed else "")
    (path / name).write_bytes(gzip.compress(raw) if packed else raw)
    return path


@pytest.mark.parametrize("packed", [False, True])
def test_queries_of_known_intents_are_read_with_their_taxonomy(tmp_path, packed):
    data = read_intents(folder(tmp_path, packed=packed))
    assert data.taxonomy.leaves == ("pay", "balance", "book")
    assert data.queries["train"] == ("send ten", "fly me")
    np.testing.assert_array_equal(data.classes["train"], [0, 2])
    assert data.classes["val"].tolist() == [1]
    assert data.taxonomy.tree_loss.tolist() == [[0, 1, 2], [1, 0, 2], [2, 2, 0]]


@pytest.mark.parametrize(
    ("domains", "data", "message"),
    [
        ({"money": ["pay", "pay"]}, DATA, "'pay' is named twice"),
        (["pay"], DATA, "must map each domain"),
        (DOMAINS, {**DATA, "val": [["what", "sing"]]}, "Entry 0 of 'val' .*'sing' is in no domain"),
        (DOMAINS, {**DATA, "test": ["what"]}, r"Entry 0 of 'test' .* not \[query, intent\]"),
        (DOMAINS, {"train": []}, "no list 'val'"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, domains, data, message):
    with pytest.raises(ValueError, match=message):
        read_intents(folder(tmp_path, domains, data))


def test_a_file_that_is_no_json_is_refused(tmp_path):
    (folder(tmp_path) / "data_full.json").write_text("{")
    with pytest.raises(ValueError, match=r"data_full\.json is no JSON"):
        read_intents(tmp_path)
