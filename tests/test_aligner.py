"""Aligners: trained on alignments by the command line, kept in a file, used on sequences."""

import gzip
import re
from pathlib import Path

import numpy as np
import pytest

from viterbi_lab import cli, homologues, model_file
from viterbi_lab.aligner import Aligner, rows
from viterbi_lab.data.alignments import read_alignment
from viterbi_lab.data.families import Family
from viterbi_lab.data.reading import BadFile, read_aligned, read_sequences
from viterbi_lab.homologues import alphabet_of, draw
from viterbi_lab.labeller import Labeller
from viterbi_lab.model_file import NotAModel
from viterbi_lab.tasks.alignment import AlignmentTask, Comparison

ROOT = "ACGTTGCAACGTGTCA"


def family(name, letters, n=4):
    """Sequences that differ from one by a letter each, and lack another one."""
    sequences = []
    for i in range(n):
        changed = letters[:i] + letters[(i + 5) % len(letters)] + letters[i + 1 :]
        sequences.append(changed[: 8 + i] + "-" + changed[9 + i :])
    return Family(name, tuple(f"{name}{i}" for i in range(n)), tuple(sequences))


def stockholm(one):
    lines = [f"{name} {row}" for name, row in zip(one.names, one.rows, strict=True)]
    return "# STOCKHOLM 1.0\n" + "\n".join(lines) + "\n//\n"


FAMILIES = [family("one", ROOT), family("two", "GGGTCCATTTACCGAT")]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("families").mkdir()
    for one in FAMILIES:
        Path("families", f"{one.name}.sto").write_text(stockholm(one))
    return tmp_path


def trained(*data):
    arguments = ["train", "--task", "alignment", "-o", "model", "--pairs", "6", "--gap", "0.05"]
    return cli.main([*arguments, *map(str, data)])


def test_an_aligner_is_trained_scored_and_used(files, capsys):
    assert trained("families") == 0
    assert "6 pairs of 2 alignments, 4 letters, 18 weights" in capsys.readouterr().out
    assert cli.main(["evaluate", "model", "families", "--pairs", "6"]) == 0
    shares = [float(share) for share in re.findall(r"([\d.]+) %", capsys.readouterr().out)]
    assert shares[0] == 100  # these few families can be told apart
    assert shares[1] > 70  # a gap beside equal letters may lie on either side of them
    Path("s.fa").write_text(f">x\n{ROOT.lower()}\n>far\nGGGTCCATTT\n>near\n{ROOT[:6]}{ROOT[7:]}\n")
    assert cli.main(["decode", "model", "s.fa", "-o", "out.sto"]) == 0
    first, second, _ = Path("out.sto").read_text().split("//\n")
    found = read_alignment(f"{first}//\n", "first")
    assert found.names == ("x/1-16", "near/1-15")
    assert found.rows == (ROOT, f"{ROOT[:6]}-{ROOT[7:]}")
    assert "far/" in second
    assert cli.main(["decode", "model", "s.fa"]) == 0
    assert capsys.readouterr().out == Path("out.sto").read_text()


def test_one_alignment_is_enough_to_train_on(files, capsys):
    assert trained("families/one.sto") == 0  # decoys are its own letters, shuffled
    assert "1 alignments" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (">x\nACGT\n", "holds one sequence. Give it with those"),
        (">x\nACGT\n>y\nACXT\n", "s.fa: y has X, but the model knows the letters ACGT only"),
        ("ACGT", "does not begin with '>'"),
    ],
)
def test_what_cannot_be_aligned_is_said_in_one_sentence(files, capsys, content, message):
    trained("families")
    Path("s.fa").write_text(content)
    Path("out").write_text("precious")
    capsys.readouterr()
    assert cli.main(["decode", "model", "s.fa", "-o", "out"]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert Path("out").read_text() == "precious"


def test_two_files_of_one_name_are_refused(files, capsys):
    Path("other").mkdir()
    Path("other/one.sto").write_text(stockholm(FAMILIES[0]))
    assert trained("families/one.sto", "other/one.sto") == 1
    assert "two files are named one.sto" in capsys.readouterr().err


def model():
    task = AlignmentTask("ACGT", affine=True)
    return Aligner(task, np.random.default_rng(0).normal(size=task.n_weights))


def test_a_saved_aligner_aligns_bit_for_bit_as_before(tmp_path):
    before = model()
    before.save(tmp_path / "m")
    after = Aligner.load(tmp_path / "m")
    comparison = Comparison("ACGTTG", ("CGTT", "TTGA", "ACG"))
    assert after.rank(comparison) == before.rank(comparison)
    assert after.task == before.task
    with pytest.raises(NotAModel):
        Labeller.load(tmp_path / "m")


def test_candidates_are_ranked_as_all_together():
    made, comparison = model(), Comparison("ACGTTG", ("CGTT", "TTGA", "ACG", "TTGA"))
    ranked = made.rank(comparison)
    scores = made.task.candidate_scores(made.task.prepare_input(comparison), made.w)
    assert [found.score for found in ranked] == pytest.approx(sorted(scores, reverse=True), rel=1e-12)
    places = [found.alignment.candidate for found in ranked]
    assert sorted(places) == [0, 1, 2, 3]
    assert places.index(1) + 1 == places.index(3)  # equals keep their order


def test_rows_are_the_letters_that_are_aligned():
    made, comparison = model(), Comparison("ACGTTG", ("CGTT", "TTGA"))
    for found in made.rank(comparison):
        above, below = rows(comparison, found.alignment)
        assert len(above) == len(below)
        assert above.replace("-", "") in comparison.x
        assert below.replace("-", "") in comparison.candidates[found.alignment.candidate]


@pytest.mark.parametrize(
    "change",
    [{"alphabet": "ACG"}, {"alphabet": 5}, {"alphabet": "AACG"}, {"affine": "yes"}, {"kind": "labeller"}],
)
def test_a_file_that_says_something_else_is_refused(tmp_path, change):
    model().save(tmp_path / "m")
    header, arrays = model_file.read(tmp_path / "m")
    model_file.write(tmp_path / "m", {**header, **change}, arrays)
    with pytest.raises(NotAModel):
        Aligner.load(tmp_path / "m")


def test_weights_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="w has shape"):
        Aligner(AlignmentTask("AC"), np.zeros(3))


def test_alignments_of_a_folder_are_read_and_other_files_named(files):
    Path("families/README.md").write_text("About them.")
    families, notes = read_aligned(Path("families"), "families")
    assert families == FAMILIES
    assert notes == ("README.md is no alignment by its name, and not read.",)


def test_a_packed_alignment_is_read_whatever_its_name():
    families, _ = read_aligned(gzip.compress(stockholm(FAMILIES[0]).encode()), "upload.gz")
    assert families[0].rows == FAMILIES[0].rows


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"hello", "a is neither Stockholm, Clustal nor MSF"),
        (stockholm(family("a", ROOT, n=1)).encode(), "a has one sequence, so nothing is aligned"),
        ({"one.sto": b"", "x.txt": b""}, "one.sto"),
        ({"a.txt": b"", "b.txt": b""}, "2 files were given, none with a name in .sto"),
        ({name: stockholm(FAMILIES[0]).encode() for name in ("a.sto", "a.aln")}, "two files are named a"),
        (Path("nowhere"), "a cannot be read: No such file"),
    ],
)
def test_what_is_no_alignment_is_refused_in_a_sentence(source, message):
    with pytest.raises(BadFile, match=re.escape(message)):
        read_aligned(source, "a")


def test_sequences_are_read_in_upper_case():
    assert read_sequences(gzip.compress(b">x one\nac\ngt\n"), "s.fa.gz") == [("x", "ACGT")]


def test_letters_tell_whether_they_are_of_dna_rna_or_proteins():
    assert alphabet_of(FAMILIES) == "ACGT"
    assert alphabet_of([Family("r", ("a", "b"), ("ACGUN-" * 3, "ACGU--" * 3))]) == "ACGU"
    assert alphabet_of([Family("p", ("a", "b"), ("ACDEFGHIK", "ACDEFGHIK"))]) == homologues.AMINO_ACIDS


def test_decoys_are_of_other_families_or_shuffled(rng):
    both, _ = draw(FAMILIES, 4, rng, alphabet="ACGT")
    for n, comparison in enumerate(both.X):
        other = "#".join(FAMILIES[1 - n % 2].sequences)
        assert all(decoy in other for decoy in comparison.candidates[1:])
    alone, _ = draw(FAMILIES[:1], 2, rng, alphabet="ACGT")
    for comparison in alone.X:
        assert len(comparison.candidates) == 1 + homologues.DECOYS
        assert {"".join(sorted(z)) for z in comparison.candidates} == {
            "".join(sorted(comparison.candidates[0]))
        }


def test_families_without_usable_pairs_are_refused(rng):
    with pytest.raises(ValueError, match=r"pairs were drawn that cannot be used. The pair .* fewer than 10"):
        draw([Family("short", ("a", "b"), ("ACG", "ACG"))], 1, rng)
