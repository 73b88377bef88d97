"""Labelled DNA: the shipped loci of C. elegans, and the file they are kept in."""

import gzip

import numpy as np
import pytest

from viterbi_lab.data.loci import Locus, celegans_loci, fold, read_loci, write_loci
from viterbi_lab.metrics import segments


@pytest.fixture(scope="module")
def shipped():
    return celegans_loci()


def test_the_shipped_loci_are_those_of_the_documented_rule(shipped):
    names = [locus.name for locus in shipped]
    assert len(set(names)) == len(names) == 115
    assert {fold(name, 8) for name in names} == {0}
    assert sum(len(locus.sequence) for locus in shipped) == 92_252


def test_each_shipped_locus_is_one_whole_gene(shipped):
    for locus in shipped:
        labels = "".join(
            s for s, previous in zip(locus.labels, " " + locus.labels, strict=False) if s != previous
        )
        assert set(labels[1:-1].split("I")) == {"E"}, f"{locus.name}: {labels} is not N E I E … I E N"
        assert labels[0] == labels[-1] == "N"
        assert len(locus.transcripts) == 1


def test_each_shipped_gene_codes_for_a_protein_and_its_introns_run_from_gt_to_ag(shipped):
    for locus in shipped:
        coding = "".join(np.array(list(locus.sequence))[locus.y == 1])
        codons = [coding[i : i + 3] for i in range(0, len(coding), 3)]
        assert codons[0] == "ATG", locus.name
        assert [i for i, c in enumerate(codons) if c in ("TAA", "TAG", "TGA")] == [len(codons) - 1], (
            locus.name
        )
        for start, stop, _ in segments(locus.y, background=[0, 1]):
            assert locus.sequence[start : start + 2] + locus.sequence[stop - 2 : stop] == "GTAG", locus.name


def test_written_loci_read_back_and_the_same_loci_give_the_same_bytes(tmp_path):
    loci = [Locus("a", "ACGTn", [0, 1, 2, 1, 0], ("t.1", "t.2")), Locus("b", "T", [0])]
    for name in ("one", "two"):
        write_loci(loci, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    for ours, theirs in zip(loci, read_loci(tmp_path / "one"), strict=True):
        assert (ours.name, ours.sequence, ours.transcripts) == (
            theirs.name,
            theirs.sequence,
            theirs.transcripts,
        )
        np.testing.assert_array_equal(ours.y, theirs.y)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (">a\nAC\n", "has 2 lines; needed are three"),
        ("a\nAC\nNN\n", "line 1: needed are a line '>name'"),
        (">b\nA\nN\n>a\nAC\nNX\n", "line 4: needed are a line '>name'"),
        (">a\nAC\nNNN\n", "locus a has 2 bases but labels of shape"),
    ],
)
def test_a_file_of_another_form_is_refused_with_its_line(tmp_path, text, message):
    (tmp_path / "bad.gz").write_bytes(gzip.compress(text.encode()))
    with pytest.raises(ValueError, match=message):
        read_loci(tmp_path / "bad.gz")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (("a", "AC", [0, 3]), r"locus a has labels 0\.\.3"),
        (("a", "AX", [0, 0]), "locus a: letter 'X' at site 1"),
        (("a", "", []), "locus a: the sequence is empty"),
        (("a b", "A", [0]), "names are words without blanks"),
        (("a", "A", [0], ("t 1",)), "names are words without blanks"),
    ],
)
def test_a_locus_is_checked_when_it_is_made(fields, message):
    with pytest.raises(ValueError, match=message):
        Locus(*fields)


def test_a_locus_cannot_be_changed():
    locus = Locus("a", "AC", np.array([0, 1]))
    with pytest.raises(ValueError, match="read-only"):
        locus.y[0] = 1


def test_folds_depend_on_the_name_alone():
    # md5("a") = 0cc175b9c0f1b6a831c399e269772661 (RFC 1321); its value modulo 16 is its last digit
    assert fold("a", 16) == 1
    assert fold("a", 256) == 0x61
