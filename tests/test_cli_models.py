"""``viterbi-lab train``, ``decode`` and ``evaluate``: files in, files out, and how they fail."""

import re
from pathlib import Path

import numpy as np
import pytest

from viterbi_lab import block_coordinate, cli
from viterbi_lab.assets import asset
from viterbi_lab.cli.decode import _write_genes
from viterbi_lab.data.conll import read_conll
from viterbi_lab.data.gff3 import read_gff3
from viterbi_lab.data.transcripts import coding_transcripts, label_sites

PAIR = Path(__file__).parent / "data" / "celegans"
TABLE = "seq,x,v,label\n" + "".join(f"s{i // 6},{i % 3},{i % 2},{'ABC'[i % 3]}\n" for i in range(60))
TOKENS = "Anna B-PER\nmet O\nBob B-PER\nLee I-PER\n. O\n\nBob B-PER\nLee I-PER\nslept O\n. O\n\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(TABLE)
    Path("tokens.txt").write_text(TOKENS * 2)
    Path("letters.tsv").write_text("id\taa\tss\nP\tACDACDW\tHHEHHEC\nQ\tWYDAC\tCCEHH\n")
    return tmp_path


@pytest.mark.parametrize(
    ("task", "data", "sites"),
    [
        ("table", "table.csv", 60),
        ("conll", "tokens.txt", 18),
        ("letters", "letters.tsv", 12),
        ("genes", PAIR, None),
    ],
)
def test_a_model_is_trained_scored_and_used(files, capsys, task, data, sites):
    C = [] if task == "genes" else ["--C", "10"]
    assert cli.main(["train", "--task", task, "-o", "model", "--gap", "0.05", *C, str(data)]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("model: ")
    assert "gap" in said.out
    assert cli.main(["evaluate", "model", str(data)]) == 0
    report = capsys.readouterr().out
    assert "right only with label, first and last site" in report
    accuracy = float(next(line for line in report.splitlines() if "pooled" in line).split()[-2])
    assert accuracy > 95  # these few sequences can be told apart by their features
    if sites is not None:
        assert f"sites                         {sites}" in report
    assert cli.main(["decode", "model", str(data), "-o", "out"]) == 0
    first = capsys.readouterr()
    assert cli.main(["decode", "model", str(data)]) == 0
    assert capsys.readouterr().out == Path("out").read_text(encoding="utf-8")
    assert first.out == ""


def test_what_is_there_is_not_lost_to_data_that_do_not_fit(files, capsys):
    cli.main(["train", "--task", "table", "-o", "model", "--C", "10", "table.csv"])
    Path("other.csv").write_text("seq,z\na,1\n")
    Path("out").write_text("precious")
    assert cli.main(["decode", "model", "other.csv", "-o", "out"]) == 1
    assert "other.csv has no column 'x' for a feature; free are z" in capsys.readouterr().err
    assert Path("out").read_text() == "precious"


def test_decoded_tokens_can_be_read_again(files):
    cli.main(["train", "--task", "conll", "-o", "model", "--C", "10", "tokens.txt"])
    cli.main(["decode", "model", "tokens.txt", "-o", "out"])
    again = read_conll(Path("out").read_text(), "out")
    before = read_conll(TOKENS * 2, "tokens")
    assert [record.x for record in again.records] == [record.x for record in before.records]


CHAINS = "chain;no;a;b;ss\n" + "".join(
    f"c{i // 6};{i % 6};{i % 3},5;{i % 2};{'ABC'[i % 3]}\n" for i in range(60)
)


def test_a_model_remembers_how_its_table_was_read(files, capsys):
    Path("chains.txt").write_text(CHAINS)
    said = ["--sequence", "chain", "--order", "no", "--label", "ss", "--features", "b", "a"]
    assert cli.main(["train", "--task", "table", "-o", "model", "--C", "10", "chains.txt", *said]) == 0
    assert cli.main(["evaluate", "model", "chains.txt"]) == 0
    printed = capsys.readouterr().out
    assert "sequences                     10" in printed
    assert "sites                         60" in printed
    assert cli.main(["decode", "model", "chains.txt"]) == 0
    labelled = capsys.readouterr().out
    # without its labels, with columns in another order and one more
    rows = [line.split(";") for line in CHAINS.splitlines()]
    Path("bare.txt").write_text("".join(f"{b};{chain};{no};{b}0;{a}\n" for chain, no, a, b, _ in rows))
    assert cli.main(["decode", "model", "bare.txt"]) == 0
    assert capsys.readouterr().out == labelled


def test_what_is_given_counts_more_than_what_a_model_remembers(files, capsys):
    cli.main(["train", "--task", "table", "-o", "model", "--C", "10", "--label", "label", "table.csv"])
    Path("other.csv").write_text(TABLE.replace("label", "structure"))
    assert cli.main(["evaluate", "model", "other.csv"]) == 1
    assert "no column 'label'" in capsys.readouterr().err
    assert cli.main(["evaluate", "model", "--label", "structure", "other.csv"]) == 0


def test_a_model_remembers_the_columns_of_its_tokens(files, capsys):
    Path("four.txt").write_text(
        "".join(
            f"{n} {' x '.join(line.split())} y\n" if line else "\n"
            for n, line in enumerate(TOKENS.split("\n"))
        )
    )
    said = ["--token", "1", "--tag", "3"]
    assert cli.main(["train", "--task", "conll", "-o", "model", "--C", "10", "four.txt", *said]) == 0
    assert cli.main(["evaluate", "model", "four.txt"]) == 0
    assert "PER" in capsys.readouterr().out
    assert cli.main(["decode", "model", "four.txt"]) == 0
    assert capsys.readouterr().out.startswith("Anna\tB-PER\nmet\tO\n")


class Rows:
    """What a writer of TSV was given."""

    def __init__(self):
        self.lines = []

    def writerow(self, row):
        self.lines.append("\t".join(map(str, row)))


def test_decoded_genes_are_gff3_with_the_same_labels():
    rng = np.random.default_rng(0)
    for _ in range(50):
        blocks = [(label, int(rng.integers(1, 9))) for label in rng.choice([*"NEI"], 12)]
        # an intron lies between coding bases of one gene
        y = "N" + "".join(label * length for label, length in blocks) + "N"
        y = y.replace("IN", "EN").replace("NI", "NE")
        rows = Rows()
        _write_genes("chr", y, rows)
        read = read_gff3("##gff-version 3\n" + "\n".join(rows.lines), "f").rows
        transcripts, notices = coding_transcripts(read, "f")
        assert "".join("NEI"[j] for j in label_sites(transcripts, len(y))) == y
        assert notices == []  # every phase follows from the part before


def test_the_shipped_genes_can_be_trained_on_and_long_ones_are_refused(files, capsys):
    shipped = str(asset("genes", "celegans.txt.gz"))
    assert cli.main(["train", "--task", "genes", "-o", "model", "--longest", "600", shipped]) == 1
    error = capsys.readouterr().err
    assert "sites; up to 600 are trained on. Choose 'split'" in error
    assert not Path("model").exists()


def test_what_is_cut_or_left_out_is_said(files, capsys):
    Path("long.tsv").write_text("aa,ss\n" + "A" * 30 + "," + "CCHHC" * 6 + "\n")
    arguments = ["--task", "letters", "-o", "model", "--long", "split", "--longest", "12", "long.tsv"]
    assert cli.main(["train", *arguments]) == 0
    assert "30 sites, cut into 3 pieces; 0 sites of C left out" in capsys.readouterr().err


def test_a_goal_that_was_not_reached_has_an_exit_code_of_its_own(files, capsys):
    arguments = ["train", "--task", "table", "-o", "model", "--passes", "1", "table.csv"]
    assert cli.main(arguments) == 3
    assert Path("model").exists()
    assert capsys.readouterr().err.splitlines()[-1].startswith("viterbi-lab train: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "--task", "table", "-o", "m", "gone.csv"], "train: gone.csv cannot be read: No such file"),
        (["train", "--task", "table", "-o", "m", "gone.csv", "gone2.csv"], "train: .*No such file"),
        (["train", "--task", "genes", "-o", "m", "table.csv"], "train: table.csv is neither FASTA"),
        (["train", "--task", "table", "-o", "no/m", "table.csv"], "train: .*No such file"),
        (["train", "--task", "table", "-o", "m", "--label", "tag", "table.csv"], "no column 'tag'"),
        (["train", "--task", "table", "-o", "m", "--C", "-1", "table.csv"], "C=-1"),
        (["decode", "table.csv", "table.csv"], "decode: table.csv is not a model"),
        (["evaluate", "gone", "table.csv"], "evaluate: .*No such file"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(files, capfd, arguments, message):
    assert cli.main(arguments) == 1
    error = capfd.readouterr().err
    assert re.search(message, error)
    assert "Traceback" not in error


def interrupted_after(passes, trainer):
    """The trainer, with Ctrl+C after so many passes."""

    def iterates(*positional, **settings):
        for iterate in trainer(*positional, **settings):
            if iterate.number > passes:
                raise KeyboardInterrupt
            yield iterate

    return iterates


@pytest.mark.parametrize("passes", [0, 2])
def test_on_ctrl_c_the_model_of_the_last_pass_is_kept(files, capsys, monkeypatch, passes):
    arguments = ["train", "--task", "table", "-o", "model", "--gap", "1e-12", "table.csv"]
    monkeypatch.setattr(block_coordinate, "iterates", interrupted_after(passes, block_coordinate.iterates))
    assert cli.main(arguments) == 130
    assert Path("model").exists() == (passes > 0)
    said = capsys.readouterr()
    assert ("pass 2" in said.out) if passes else ("nothing was written" in said.err)
