"""The experiments on proteins and entities, on made-up data of their form and at toy size."""

import dataclasses

import numpy as np
import pytest

from viterbi_lab.data.loci import fold
from viterbi_lab.data.reading import read
from viterbi_lab.experiments import EXPERIMENTS, entities, proteins
from viterbi_lab.experiments.__main__ import main


def protein_table(n=12):
    """Letters that tell their structure: A and L in helices, V and T in strands, all else coil."""
    rng = np.random.default_rng(0)
    rows = ["id\taa\tdssp3"]
    for i in range(n):
        structure = "".join(label * int(rng.integers(2, 6)) for label in rng.permutation([*"HECHEC"]))
        letters = "".join(rng.choice([*{"H": "AL", "E": "VT", "C": "GP"}[label]]) for label in structure)
        rows.append(f"p{i}\t{letters}\t{structure}")
    return "\n".join(rows) + "\n"


def tokens(n=30):
    """Names after Mr and places after in; names and places are the same words."""
    rng = np.random.default_rng(0)
    sentences = []
    for _ in range(n):
        name, place = rng.choice(["Reed", "Lee", "Bath", "Hull"], 2)
        sentences.append(f"Mr O\n{name} B-PER\nlives O\nin O\n{place} B-LOC\n. O\n")
    return "\n".join(sentences)


def test_every_protein_is_tested_once_and_never_trained_on():
    data = read(protein_table().encode(), "t", "letters")
    trials = proteins.run(data, ways=proteins.WAYS[:1], n_folds=2)
    folds = [test for trial, test in trials if trial.way == "most frequent"]
    tested = [record.name for test in folds for record in test.records]
    assert sorted(tested) == sorted(record.name for record in data.records)
    for number, (_, test) in enumerate(trials[::2]):
        assert {fold(record.name, 2) for record in test.records} == {number}


def test_structure_that_letters_tell_is_found():
    data = read(protein_table().encode(), "t", "letters")
    header, majority, margin = proteins.table(proteins.run(data, proteins.WAYS[:1], 2)).splitlines()
    assert header.split()[1] == "Q3"
    assert float(margin.split("= k")[1].split()[0]) > 90
    assert float(majority.split()[2]) < 60


def test_an_empty_fold_is_refused():
    data = read(protein_table(1).encode(), "t", "letters")
    with pytest.raises(ValueError, match=r"fold \d of 5 holds \d of 1 proteins"):
        proteins.run(data, ways=())


def test_sentences_are_divided_by_their_text():
    data = read(tokens().encode(), "t", "conll")
    train, test = entities.split(data, 3)
    assert len(train.records) + len(test.records) == len(data.records)
    assert not {record.x for record in train.records} & {record.x for record in test.records}


def test_entities_that_context_tells_are_found_by_every_way_and_by_crfsuite():
    pytest.importorskip("pycrfsuite", reason="python-crfsuite is in the extra bench")
    data = read(tokens().encode(), "t", "conll")
    train, test = entities.split(data, 3)
    ways = [dataclasses.replace(way, C_each=1.0) for way in entities.WAYS]
    lines = entities.table(entities.run(train, test, ways)).splitlines()[1:]
    assert lines[0].startswith("python-crfsuite")
    assert len(lines) == 1 + len(ways)
    for line in lines:
        assert float(line[16:].split()[2]) == 100.0, line  # F1


def test_the_commands_read_files_and_print_tables(tmp_path, capsys, monkeypatch):
    (tmp_path / "p.tsv").write_text(protein_table())
    (tmp_path / "t.conll").write_text(tokens())
    monkeypatch.setattr(proteins, "WAYS", proteins.WAYS[:1])
    main(["proteins", str(tmp_path / "p.tsv"), "--folds", "2"])
    assert "most frequent" in capsys.readouterr().out
    monkeypatch.setattr(entities, "run", lambda train, test: [])
    main(["entities", str(tmp_path / "t.conll")])
    assert "sentences to train on" in capsys.readouterr().out
    assert {"proteins", "entities"} <= EXPERIMENTS.keys()
