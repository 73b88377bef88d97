"""Tokens in columns: sentences, documents, comments, headers, and what is refused with its line."""

from pathlib import Path

import pytest

from viterbi_lab.data.conll import Columns, read_conll
from viterbi_lab.data.text import decode

ODD = Path(__file__).parent / "odd"


def read(name, folder="conll", **where):
    return read_conll(decode((ODD / folder / name).read_bytes(), name), name, Columns(**where))


def tokens(data):
    return [list(record.x) for record in data.records]


def test_document_markers_are_no_tokens_whatever_separates_their_columns():
    data = read("allennlp_conll2003.txt")
    assert [len(record) for record in data.records] == [7, 7]
    assert "-DOCSTART-" not in {token for sentence in tokens(data) for token in sentence}
    assert "allennlp_conll2003.txt, lines 1, 11: where documents begin, no tokens." in data.notes


def test_the_column_of_the_label_is_chosen_and_the_last_by_default():
    assert read("flair_whitespace_columns.txt").labels == ["+", "-"]
    chosen = read("flair_whitespace_columns.txt", label=1)
    assert chosen.records[0].y == ("O", "O", "O", "B-LOC", "O", "O", "O", "O")
    assert "the label is the last of 3 columns" in read("flair_whitespace_columns.txt").notes[0]


def test_a_token_with_a_blank_stays_whole_where_tabs_separate():
    data = read("flair_header_space_in_token.txt")
    assert tokens(data) == [["This", "is", "New Berlin"]]
    assert "line 1: 'WORD\\tTAG' names the columns" in data.notes[0]


def test_a_header_is_a_token_if_so_said():
    assert tokens(read("flair_header_space_in_token.txt", header=False))[0][0] == "WORD"


def test_a_wrong_separator_is_refused_with_the_line():
    with pytest.raises(ValueError, match="line 4: 3 columns separated by blanks, but 2 before"):
        read("flair_header_space_in_token.txt", separator="blanks")


def test_numbers_of_tokens_and_comments_are_told_from_tokens():
    data = read("germeval_sample.tsv", label=2)
    assert [sentence[0] for sentence in tokens(data)] == ["Schartau", "Firmengründer"]
    assert data.records[1].y[1:4] == ("B-PER", "I-PER", "I-PER")
    assert any("lines 1, 28: comments" in note for note in data.notes)
    assert set(read("germeval_sample.tsv").labels) == {"O"}  # the last column: nested entities


def test_a_hash_with_the_columns_of_a_token_is_a_token():
    data = read_conll("#\tO\n#win\tB-X\n# a comment\nit\tO\n", "f")
    assert tokens(data) == [["#", "#win", "it"]]
    assert data.notes == ("f, line 3: comments.",)


def test_words_of_conllu_that_are_not_written_are_left_out_and_listed():
    row = "\t".join(["{}", "{}", "_", "X", "_", "_", "0", "_", "_", "_"])
    text = "\n".join(
        row.format(*pair) for pair in [("1-2", "zum"), ("1", "zu"), ("2", "dem"), ("2.1", "ist")]
    )
    data = read_conll(text, "f", Columns(label=3))
    assert tokens(data) == [["zu", "dem"]]
    assert "f, lines 1, 4: no words of their own (CoNLL-U), left out." in data.notes


def test_placeholders_and_several_blank_lines_are_read():
    data = read("flair_underscore_columns.txt")
    assert len(data.records) == 6
    assert data.records[0].x[3] == "Arlésienne"
    assert any("line 86: tags are mixed" in note for note in data.notes)


def test_a_line_of_a_tab_ends_a_sentence():
    assert tokens(read_conll("a\tO\n\t\nb\tO\n", "f")) == [["a"], ["b"]]


@pytest.mark.parametrize("name", ["wikigold_IO_scheme_head.txt", "sec_conll2003_layout_head.txt"])
def test_old_schemes_are_turned_into_iob2_and_noted(name):
    data = read(name)
    assert data.scheme == "IOB2"
    assert any("are turned into IOB2" in note for note in data.notes)
    raw = read(name, scheme=None)
    assert [record.x for record in raw.records] == [record.x for record in data.records]
    assert {label[0] for label in raw.labels} == {"I", "O"}


def test_line_ends_of_dos_change_nothing():
    unix, dos = read("wikigold_IO_scheme_head.txt"), read("crlf_wikigold_head.txt", "derived")
    assert [(r.x, r.y) for r in unix.records] == [(r.x, r.y) for r in dos.records]


def test_utf16_is_refused_by_name():
    with pytest.raises(ValueError, match=r"utf16le_wikigold_head.txt is UTF-16. Save it as UTF-8"):
        read("utf16le_wikigold_head.txt", "derived")


def test_labels_that_are_no_tags_stay_as_they_are():
    data = read("utf8_es_gsd_two_columns.txt", "derived")
    assert data.scheme is None
    assert {"NOUN", "PROPN"} <= set(data.labels)
    assert (data.records[0].x[1], len(data.records), data.sites) == ("allí", 12, 277)


def test_labels_that_hold_two_tags_are_noted():
    data = read_conll("a\tB-x,B-y\nb\tI-x\n", "f")
    assert data.records[0].y == ("B-x,B-y", "I-x")
    assert "f, line 1: labels such as 'B-x,B-y' are no tags of entities" in data.notes[0]


def test_a_single_page_is_a_single_sequence():
    data = read("kb_single_page.bio")
    assert [len(record) for record in data.records] == [257]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no token"),
        ("-DOCSTART- O\n\n", "holds no token"),
        ("a O\nb\n", "line 2: 1 columns separated by blanks, but 2 before"),
        ("a\tO\nb\t\n", "line 2: column 2 is empty"),
        ("a\nb\n", "has one column"),
    ],
)
def test_what_is_no_table_of_tokens_is_refused(text, message):
    with pytest.raises(ValueError, match=f"^f.*{message}"):
        read_conll(text, "f")


def test_a_column_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(ValueError, match=r"no column 5 for the label. Columns are numbered 0\.\.1"):
        read_conll("a O\n", "f", Columns(label=5))


def test_without_labels_only_tokens_are_read():
    (record,) = read_conll("a\nb\n", "f", Columns(label=None)).records
    assert record.x == ("a", "b")
    assert record.y is None
