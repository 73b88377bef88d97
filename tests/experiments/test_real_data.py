"""The experiments on proteins and entities, on made-up data of their form and at toy size."""

import dataclasses
import re

import numpy as np
import pytest

from viterbi_lab.data.loci import fold
from viterbi_lab.data.reading import read
from viterbi_lab.experiments import EXPERIMENTS, entities, proteins
from viterbi_lab.experiments.__main__ import main
from viterbi_lab.experiments.rivals import linear_svm
from viterbi_lab.experiments.ways import FACTORS, pooled, try_way
from viterbi_lab.features import LetterWindows

LETTERS_OF = {"H": "AL", "E": "VT", "C": "GP"}


def protein_table(n=12):
    """Letters that tell their structure: A and L in helices, V and T in strands, all else coil."""
    rng = np.random.default_rng(0)
    rows = ["id\taa\tdssp3"]
    for i in range(n):
        structure = "".join(label * int(rng.integers(2, 6)) for label in rng.permutation([*"HECHEC"]))
        letters = "".join(rng.choice([*LETTERS_OF[label]]) for label in structure)
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
    folds = [test for trial, test in trials if trial.way == "most frequent label"]
    tested = [record.name for test in folds for record in test.records]
    assert sorted(tested) == sorted(record.name for record in data.records)
    for number, (_, test) in enumerate(trials[::2]):
        assert {fold(record.name, 2) for record in test.records} == {number}


def test_structure_that_letters_tell_is_found():
    data = read(protein_table().encode(), "t", "letters")
    made = proteins.table(proteins.run(data, proteins.WAYS[:1], 2), "t")
    (majority, margin), q3 = made.rows, made.columns.index("Q3, %")
    assert float(margin[q3]) > 90
    assert float(majority[q3]) < 60


def test_all_ways_are_compared_on_the_same_few_proteins():
    data = read(protein_table().encode(), "t", "letters")
    ways = [dataclasses.replace(way, C_each=0.02) for way in proteins.WAYS]
    few, all_of_them = (proteins.compare(data, n, ways, n_folds=2) for n in (2, 100))
    assert [trial.way for trial, _ in few] == ["most frequent label", *(way.name for way in ways)]
    _, test = proteins.split(data, 0, 2)
    for _, tested in (*few, *all_of_them):
        assert tested.records == test.records
    right = [pooled([pair], "C")[0].accuracy for pair in (few[1], all_of_them[1])]
    assert right[0] < right[1]


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
    factors = {way.name: 1.0 / way.C_each for way in entities.WAYS} | {"python-crfsuite": 1.0}
    made = entities.table(entities.run(train, test, factors), "t")
    assert [row[0] for row in made.rows] == ["python-crfsuite", *(way.name for way in entities.WAYS)]
    assert {row[made.columns.index("F1, %")] for row in made.rows} == {"100.0"}


def test_features_that_our_ways_have_are_those_of_the_rivals():
    pytest.importorskip("pycrfsuite", reason="python-crfsuite is in the extra bench")
    data = read(protein_table().encode(), "t", "letters")
    alone, whole, by_site = proteins.rivals(data, data)
    for trial in (alone, whole, by_site):
        right = [
            a == b
            for y, r in zip(trial.predicted, data.records, strict=True)
            for a, b in zip(y, r.y, strict=True)
        ]
        assert np.mean(right) > 0.9, trial.way  # letters tell the structure


def test_sites_alone_are_labelled_by_a_linear_svm():
    data = read(protein_table().encode(), "t", "letters")
    features = LetterWindows.fit([record.x for record in data.records], 0, 0)
    trial = linear_svm(data, data, features, C=1.0)
    label = {letter: structure for structure, own in LETTERS_OF.items() for letter in own}
    assert trial.predicted == tuple(tuple(label[x] for x in record.x) for record in data.records)


def test_c_is_chosen_by_f1_on_sentences_that_are_not_trained_on(monkeypatch):
    data = read(tokens().encode(), "t", "conll")
    best = {"margin, h = k": 0.3, "slack, h = √k": 3.0, "python-crfsuite": 0.1}
    seen = []

    def pooled(trials, background):
        (((name, factor), _),) = trials
        seen.append((name, factor))
        counts = dataclasses.make_dataclass("Counts", ["f1"])(1 - abs(factor - best.get(name, 1.0)))
        return dataclasses.make_dataclass("Scores", ["all_segments"])(counts), 0.0

    def try_way(way, train, test, *, gap):
        assert not {record.x for record in train.records} & {record.x for record in test.records}
        own = next(one for one in entities.WAYS if one.name == way.name)
        return way.name, round(way.C_each / own.C_each, 6)

    monkeypatch.setattr(entities, "pooled", pooled)
    monkeypatch.setattr(entities, "try_way", try_way)
    monkeypatch.setattr(entities, "crfsuite", lambda train, test, describe, c2: [("python-crfsuite", 1 / c2)])
    wanted = {name: best.get(name, 1.0) for name in entities.CHOSEN}
    assert entities.choose(data) == wanted
    assert len(seen) == 5 * len(FACTORS)


def test_a_training_that_missed_its_goal_is_marked():
    data = read(protein_table().encode(), "t", "letters")
    trial = try_way(proteins.WAYS[0], data, data, gap=1e-9, max_passes=1)
    assert re.fullmatch(r"0\.06 \(gap \d+ %\)", trial.setting)
    assert try_way(proteins.WAYS[0], data, data, gap=0.05).setting == "0.06"


def test_the_commands_read_files_and_print_tables(tmp_path, capsys, monkeypatch):
    (tmp_path / "p.tsv").write_text(protein_table())
    (tmp_path / "t.conll").write_text(tokens())
    monkeypatch.setattr(proteins, "WAYS", proteins.WAYS[:1])
    monkeypatch.setattr(proteins, "rivals", lambda train, test: [])
    main(["proteins", str(tmp_path / "p.tsv"), "--folds", "2", "--out", str(tmp_path / "p.md")])
    printed = capsys.readouterr().out
    assert "| most frequent label | – |" in printed
    assert printed == (tmp_path / "p.md").read_text(encoding="utf-8")
    monkeypatch.setattr(entities, "run", lambda *arguments: [])
    main(["entities", str(tmp_path / "t.conll")])
    assert "sentences to train on" in capsys.readouterr().out
    assert {"proteins", "entities"} <= EXPERIMENTS.keys()
