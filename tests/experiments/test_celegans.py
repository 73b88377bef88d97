"""The experiment on genes of C. elegans, at reduced size."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from viterbi_lab.data.loci import celegans_loci, fold
from viterbi_lab.experiments import celegans
from viterbi_lab.experiments.celegans import MODELS, main, majority, run, split, table, train_and_test


@pytest.fixture(scope="module")
def loci():
    return celegans_loci()


@pytest.fixture(scope="module")
def results(loci):
    """The majority label, and the gene states by margin and by slack, trained on 30 loci."""
    return run(loci, n_train=30, models=MODELS[1:3])


def test_gene_states_beat_the_majority_label_by_far_on_loci_not_trained_on(results):
    baseline, *trained = results
    for result in trained:
        assert result.error < baseline.error / 3, result.method  # measured: 0.11 and 0.11 against 0.61
        assert result.exons.f1 > 0.4  # measured: 0.55 and 0.54
        assert result.status == "converged"


def test_all_counts_of_a_result_are_of_the_same_sites(loci, results):
    _, test = split(loci, 30)
    sites = sum(len(locus.y) for locus in test)
    exons = sum(np.count_nonzero(np.diff(locus.y == 1, prepend=False) & (locus.y == 1)) for locus in test)
    for result in results:
        assert sum(c.true for c in result.labels) == sum(c.predicted for c in result.labels) == sites
        assert 1 - sum(c.correct for c in result.labels) / sites == pytest.approx(result.error)
        assert result.exons.true == exons
        assert result.n_test == len(test)


def test_no_test_locus_is_trained_on_and_the_test_does_not_depend_on_the_training_size(loci):
    few, test_of_few = split(loci, 10)
    everything, test_of_all = split(loci[::-1])
    assert [locus.name for locus in few] == [locus.name for locus in everything[:10]]
    assert [locus.name for locus in test_of_few] == [locus.name for locus in test_of_all]
    assert len(everything) + len(test_of_all) == len(loci)
    assert all(fold(locus.name, 5) == 0 for locus in test_of_all)
    assert all(fold(locus.name, 5) != 0 for locus in everything)


def test_more_loci_than_there_are_and_an_empty_test_are_refused(loci):
    with pytest.raises(ValueError, match=r"89 loci to train on and 26 to test on; needed are 90 and 1"):
        split(loci, 90)
    with pytest.raises(ValueError, match="and 0 to test on"):
        split([locus for locus in loci if fold(locus.name, 5) != 0])


def test_the_majority_label_is_that_of_the_training_loci(loci):
    train, test = split(loci)
    relabelled = [dataclasses.replace(locus, y=np.full(len(locus.y), 2)) for locus in train]
    assert majority(relabelled, test).method == "always I"
    assert majority(relabelled, test).labels[2].recall == 1


def test_training_twice_gives_the_same_labels(loci):
    train, test = split(loci, 4)
    first, second = (train_and_test(MODELS[1], train, test[:5]) for _ in range(2))
    assert dataclasses.replace(first, seconds=0) == dataclasses.replace(second, seconds=0)


def test_loci_come_from_a_folder_of_pairs_too(capsys, monkeypatch):
    folder = Path(__file__).parents[1] / "data" / "celegans"
    monkeypatch.setattr(celegans, "run", lambda loci, n_train: [majority(loci, loci)])
    main(["--loci", str(folder)])
    assert "of 4" in capsys.readouterr().out


def test_the_table_has_a_line_for_each_method(results):
    header, *lines = table(results).splitlines()
    assert "wrong sites" in header
    assert [line[: len(r.method)] for line, r in zip(lines, results, strict=True)] == [
        r.method for r in results
    ]
    assert "–" in lines[0]  # the majority label predicts no exon: no precision
    assert f"{100 * results[1].error:.1f} %" in lines[1]


def test_the_command_prints_the_table(capsys, monkeypatch):
    monkeypatch.setattr(
        "viterbi_lab.experiments.celegans.run", lambda loci, n_train: [majority(*split(loci, n_train))]
    )
    main(["--train", "3"])
    assert "always " in capsys.readouterr().out
