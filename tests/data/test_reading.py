"""The one door for files: what it reads, what it refuses, and that nothing else comes out of it."""

import gzip
import io
import tarfile
from pathlib import Path

import numpy as np
import pytest

from viterbi_lab.assets import asset
from viterbi_lab.data.dataset import CONLL, GENES, LETTERS, TABLE, TASKS, DataSet
from viterbi_lab.data.options import Options
from viterbi_lab.data.reading import BadFile, Limits, read

HERE = Path(__file__).parent
ODD = HERE / "odd"
FILES = sorted(path for path in ODD.rglob("*") if path.is_file() and path.suffix != ".md")
GENE = (HERE / "celegans" / "ce.1.0.gff3", HERE / "celegans" / "ce.1.0.fa")


def npz():
    stream = io.BytesIO()
    np.savez_compressed(stream, X=np.ones((4, 2)), y=["a", "b", "a", "NA"], lengths=[1, 3])
    return stream.getvalue()


def tar(*paths):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for path in paths:
            archive.add(path, arcname=path.name)
    return stream.getvalue()


def summary(data):
    return [(record.name, list(record.x), record.y) for record in data.records]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_odd_file_is_read_or_refused_in_one_sentence_as_data_of_any_kind(path, task):
    try:
        sites, said = read(path.read_bytes(), path.name, task).sites, path.name
    except BadFile as refusal:
        sites, said = 1, str(refusal)
    assert sites > 0
    assert path.name in said
    assert "\n" not in said


def test_a_byte_order_mark_changes_nothing():
    marked = (ODD / "derived" / "bom_HS08198.fa").read_bytes()
    plain = marked.removeprefix(b"\xef\xbb\xbf")
    assert plain != marked
    assert summary(read(marked, "f.fa", GENES)) == summary(read(plain, "f.fa", GENES))


def test_a_gene_is_the_same_from_a_pair_a_folder_an_archive_and_one_file(tmp_path):
    gff3, fasta = GENE
    expected = summary(read({path.name: path.read_bytes() for path in GENE}, "upload", GENES))
    for path in GENE:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    assert summary(read(tmp_path, "folder", GENES)) == expected
    assert summary(read(tmp_path / gff3.name, gff3.name, GENES)) == expected  # its FASTA stands beside it
    assert summary(read(tar(*GENE), "a.tar", GENES)) == expected
    assert summary(read(gzip.compress(tar(*GENE)), "a.tar.gz", GENES)) == expected
    whole = gff3.read_bytes() + b"##FASTA\n" + fasta.read_bytes()
    assert summary(read(whole, "whole.gff3", GENES)) == expected
    assert set(expected[0][2]) == {"N", "E", "I"}


def test_the_shipped_loci_are_read_with_their_labels():
    data = read(asset("genes", "celegans.txt.gz"), "celegans", GENES)
    assert len(data.records) == 115
    assert data.labels == ["E", "I", "N"]


def test_sequences_alone_have_no_labels():
    data = read(b">a\nACGT\n>\nTT\n", "f.fa", GENES)
    assert [(record.name, record.y) for record in data.records] == [("a", None), ("record 2", None)]
    assert not data.is_labelled


def test_places_in_codons_are_labels_on_request():
    files = {path.name: path.read_bytes() for path in GENE}
    (record,) = read(files, "f", GENES, Options(phases=True)).records
    coding = [label for label in record.y if label[0] == "E"]
    assert coding == [f"E{i % 3}" for i in range(len(coding))]
    with pytest.raises(BadFile, match="does not say which place in its codon"):
        read(asset("genes", "celegans.txt.gz"), "celegans", GENES, Options(phases=True))


def test_protein_letters_are_no_bases():
    with pytest.raises(BadFile, match=r"f.fa, p: letter 'E' at site 1 is no base"):
        read(b">p\nMEEP\n", "f.fa", GENES)


def test_an_unknown_kind_of_file_is_named_by_how_it_begins():
    with pytest.raises(BadFile, match="f is neither FASTA, GFF3, GenBank nor EMBL: it begins with 'hello'"):
        read(b"hello\n", "f", GENES)


def test_arrays_are_told_from_text_by_what_they_hold():
    assert read(npz(), "renamed.csv", TABLE).labels == ["NA", "a", "b"]


def test_what_is_too_large_is_refused_before_it_is_unpacked():
    bomb = gzip.compress(bytes(10**7))
    with pytest.raises(BadFile, match=r"f\.gz unpacks to more than 1,000 bytes"):
        read(bomb, "f.gz", TABLE, limits=Limits(packed=10**6, unpacked=1000))
    with pytest.raises(BadFile, match=f"has {len(bomb)} bytes; at most 100"):
        read(bomb, "f.gz", TABLE, limits=Limits(packed=100))
    with pytest.raises(BadFile, match="more than 1,000 bytes"):
        read(gzip.compress(bomb), "f.gz.gz", TABLE, limits=Limits(packed=10**6, unpacked=1000))


def test_a_missing_file_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(BadFile, match="gone cannot be read: No such file"):
        read(tmp_path / "gone", "gone", TABLE)


def test_several_files_are_only_read_as_genes():
    with pytest.raises(BadFile, match="2 files were given; table are read from one"):
        read({"a": b"x\n1\n", "b": b"x\n1\n"}, "f", TABLE)


def test_paths_in_an_archive_are_never_written_to(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, path in (("../evil.gff3", GENE[0]), ("../evil.fa", GENE[1])):
            archive.add(path, arcname=name)
    read(stream.getvalue(), "evil.tar", GENES)
    assert not list(tmp_path.parent.glob("evil*"))


ROUNDS = 200
SEEDS = [
    (GENES, "a.gb", (ODD / "genbank" / "GU949562.1.gb").read_bytes()),
    (GENES, "b.gb", (ODD / "genbank" / "bad_origin_wrap_CDS.gb").read_bytes()),
    (GENES, "c.embl", (ODD / "embl" / "TRBG361.embl").read_bytes()),
    (GENES, "d.gff3", GENE[0].read_bytes() + b"##FASTA\n" + GENE[1].read_bytes()),
    (GENES, "e.tar", tar(*GENE)),
    (GENES, "f.gz", gzip.compress(GENE[1].read_bytes())),
    (CONLL, "g.txt", (ODD / "conll" / "germeval_sample.tsv").read_bytes()),
    (TABLE, "h.csv", "seq;pos;x;label\na;1;0,5;A\na;2;1,5;é\n".encode()),
    (TABLE, "i.npz", npz()),
    (LETTERS, "j.tsv", b"id\taa\tss\nP\tACD\tHHE\nQ\tWY\tCC\n"),
]


@pytest.mark.parametrize(("task", "name", "raw"), SEEDS, ids=[seed[1] for seed in SEEDS])
def test_damaged_bytes_give_data_or_one_kind_of_error(task, name, raw):
    rng = np.random.default_rng(0)
    outcomes = {DataSet: 0, BadFile: 0}
    for _ in range(ROUNDS):
        damaged = bytearray(raw)
        for _ in range(rng.integers(1, 6)):
            where = int(rng.integers(len(damaged)))
            match rng.integers(4):
                case 0:
                    damaged[where] = int(rng.integers(256))
                case 1:
                    del damaged[where : where + int(rng.integers(1, 50))]
                case 2:
                    damaged[where:where] = damaged[: int(rng.integers(50))]
                case 3:
                    damaged[where:where] = bytes(rng.choice([*b"\t\n<>(),;=.-09AZ\"'"], 3).tolist())
            if not damaged:
                damaged = bytearray(b"\0")
        try:
            outcomes[type(read(bytes(damaged), name, task))] += 1
        except BadFile:
            outcomes[BadFile] += 1
    assert outcomes[BadFile] > 0
