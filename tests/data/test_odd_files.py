"""FASTA and GFF3 files that other readers stumbled over: the right reading or a clear sentence, each."""

import re
from pathlib import Path

import numpy as np
import pytest

from viterbi_lab.data.annotation import read_annotated, read_fasta
from viterbi_lab.data.gff3 import read_gff3
from viterbi_lab.data.text import decode
from viterbi_lab.data.transcripts import coding_transcripts, label_sites

ODD = Path(__file__).parent / "odd"
ROWS = {  # number of features of each file that is read
    "attribute_after_dot.gff3": 1,
    "attribute_w_multiple_equals.gff3": 1,
    "cds_check_fail_1.gff3": 7,
    "empty_attribute.gff3": 1,
    "fasta_seq.gff3": 0,
    "gap_fail1.gff3": 2,
    "gff3_multi_record": 7,
    "glimmer_nokeyval.gff3": 4,
    "gt_gff3_fail_1.gff3": 0,
    "gt_gff3_prob_4.gff3": 4,
    "gt_gff3_whitespace_problem.gff3": 1,
    "header_3_1_21.gff3": 0,
    "hybrid1.gff3": 6,
    "is_circular_example.gff3": 2,
    "keyval_sep_in_attrs.gff": 2,
    "mouse_extra_comma.gff3": 17,
    "multi_feature_with_different_parent_2.gff3": 5,
    "nonascii": 25,
    "percent_test.gff3": 1,
    "problem_sequence_region.gff3": 2,
    "spaces.gff3": 4,
    "trans_splicing.gff3": 11,
    "unescaped-semicolon.gff3": 1,
    "unknown_meta_directive.gff3": 0,
}
REFUSED = {
    "gff3_bad_wrong_columns": r"line 8: 8 columns; GFF3 has nine",
    "issue167.gff": r"line 1: no tab in 'An-1__chr2",
    "jgi_gff2.txt": r"line 1: attributes 'name .* are not key=value pairs; this is GFF2 or GTF",
    "wormbase_gff2_alt.txt": r"line 1: attributes 'Sequence .* this is GFF2 or GTF",
}
RECORDS = [
    "elderberry.nu",
    "f003.fa",
    "fasta_blank_lines_between_records",
    "fasta_multi_seq_spaces",
    "fasta_ws_lines_end_of_file",
    "problematic.fas",
    "tRNA.dos.fas",
    "wildcardatend.fna",
]
REFUSED_RECORDS = {
    "dups.fasta": "records 1 and 4 are both named alpha",
    "empty_seq.fas": r"record 1 \(empty\) has no sequence",
    "fasta_invalid_legacy_format": "does not begin with '>' but with ';'",
    "fasta_invalid_missing_header": "does not begin with '>'",
    "fasta_invalid_missing_seq_data_middle": r"record 2 \(seq2\) has no sequence",
    "fasta_invalid_whitespace_only_sequence": r"record 2 \(seq2\) has no sequence",
    "gt_bioseq_fail_5.fas": r"record 1 \(without a name\) has no sequence",
}


def gff3(name):
    return read_gff3(decode((ODD / "gff3" / name).read_bytes(), name), name)


def fasta(name):
    return read_fasta(decode((ODD / "fasta" / name).read_bytes(), name), name)


def test_every_odd_file_has_an_expected_outcome():
    assert {file.name for file in (ODD / "gff3").iterdir()} == ROWS.keys() | REFUSED.keys()
    assert {file.name for file in (ODD / "fasta").iterdir()} == set(RECORDS) | REFUSED_RECORDS.keys()


@pytest.mark.parametrize("name", sorted(ROWS))
def test_no_row_of_a_readable_annotation_is_lost(name):
    assert len(gff3(name).rows) == ROWS[name]


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_an_annotation_that_is_not_gff3_is_refused_with_file_and_line(name):
    with pytest.raises(ValueError, match=f"^{name}, {REFUSED[name]}"):
        gff3(name)


@pytest.mark.parametrize("name", RECORDS)
def test_every_record_of_a_readable_fasta_file_has_all_its_letters(name):
    text = (ODD / "fasta" / name).read_text()
    letters = ["".join(record.split("\n")[1:]) for record in text.split(">")[1:]]
    assert [sequence for _, sequence in fasta(name)] == ["".join(x.split()) for x in letters]


@pytest.mark.parametrize("name", sorted(REFUSED_RECORDS))
def test_a_faulty_fasta_file_is_refused(name):
    with pytest.raises(ValueError, match=f"^{name}.*{REFUSED_RECORDS[name]}"):
        fasta(name)


@pytest.mark.parametrize(
    ("name", "notice"),
    [
        ("attribute_after_dot.gff3", r"line 3: attribute '.' has no '='"),
        ("glimmer_nokeyval.gff3", "line 3: attribute \"Lack 3'-end\" has no '='"),
        ("unescaped-semicolon.gff3", "line 2: attribute 'contains Pfam profile"),
        ("gt_gff3_fail_1.gff3", "line 3: the region of ctg123 is given a second time"),
        ("problem_sequence_region.gff3", "line 4: .* has no name, start and end"),
    ],
)
def test_what_is_read_over_is_noticed_with_file_and_line(name, notice):
    assert any(re.search(f"^{name}, {notice}", found) for found in gff3(name).notices)


@pytest.mark.parametrize("name", ["empty_attribute.gff3", "keyval_sep_in_attrs.gff", "percent_test.gff3"])
def test_what_is_allowed_is_not_noticed(name):
    assert gff3(name).notices == ()


def test_blanks_around_names_and_attributes_do_not_count():
    assert gff3("gt_gff3_whitespace_problem.gff3").rows[0].seqid == "ctg123"
    assert [row.parents for row in gff3("spaces.gff3").rows] == [(), *[("contig1.1",)] * 3]


def test_escaped_letters_are_decoded_after_the_row_is_split():
    (row,) = gff3("percent_test.gff3").rows
    assert (row.seqid, row.type, row.id) == ("123,456", "regi&n", "AnID;AnotherID")


def test_an_empty_parent_after_a_trailing_comma_is_none():
    parents = {row.parents for row in gff3("mouse_extra_comma.gff3").rows if row.type == "CDS"}
    assert parents == {("XM_001475631.1",)}


def test_a_multi_line_feature_and_one_id_for_gene_and_transcript_make_one_transcript_each():
    for name, parts in (("gt_gff3_prob_4.gff3", 2), ("glimmer_nokeyval.gff3", 1)):
        (transcript,), _ = coding_transcripts(gff3(name).rows, name)
        assert len(transcript.parts) == parts


def test_a_trans_spliced_transcript_has_no_intron_between_its_distant_pieces():
    (transcript,), _ = coding_transcripts(gff3("trans_splicing.gff3").rows, "trans_splicing.gff3")
    assert len(transcript.parts) == 3
    assert transcript.introns == ((112_673, 113_215),)


def test_a_gene_over_the_origin_of_a_circular_phage_goes_on_at_its_start():
    rows = gff3("is_circular_example.gff3").rows
    transcripts, _ = coding_transcripts(rows, "")
    y = label_sites(transcripts, length=rows[0].stop)
    np.testing.assert_array_equal(np.flatnonzero(y == 0), np.arange(7238 - 6407, 6005))


def test_a_wrong_phase_is_noticed_on_either_strand():
    _, forward = coding_transcripts(gff3("cds_check_fail_1.gff3").rows, "f")
    assert len(forward) == 1
    assert "f, line 9: phase 1" in forward[0]
    # on strand -: 0 (line 12, 10 bases), then 1, 1, 2, 1 where 2, 2, 1, 2 would follow from the one before
    _, backward = coding_transcripts(gff3("hybrid1.gff3").rows, "f")
    assert {notice.split(":")[0] for notice in backward} == {f"f, line {n}" for n in (8, 9, 10, 11)}


def test_features_beyond_an_embedded_sequence_are_refused():
    with pytest.raises(ValueError, match=r"line 7: mRNA 62467934\.\.62469545 reaches beyond chr17"):
        read_annotated(ODD / "gff3" / "hybrid1.gff3")


# Rows one by one


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("s\t.\tCDS\t0\t5\t.\t+\t0\tID=c", "start '0', end '5'.*counts from 1"),
        ("s\t.\tCDS\t7\t5\t.\t+\t0\tID=c", "start '7', end '5'"),
        ("s\t.\tCDS\t1.5\t5\t.\t+\t0\tID=c", "start '1.5'"),
        ("s\t.\tCDS\t1\t-5\t.\t+\t0\tID=c", "end '-5'"),
        ("s\t.\tCDS\t1\t5\tgood\t+\t0\tID=c", "score 'good'"),
        ("s\t.\tCDS\t1\t5\t.\tplus\t0\tID=c", "strand 'plus'"),
        ("s\t.\tCDS\t1\t5\t.\t+\t3\tID=c", "phase '3'"),
        ("s\t.\tCDS\t1\t5\t.\t+\t0\tID=c\tx", "10 columns"),
        ("s\t.\tCDS\t1\t5\t.\t+\t0\tID=c;ID=d", "ID is given twice"),
        ("##gff-version 2", "only version 3 is read"),
        ("##sequence-region s 1 5\n##sequence-region s 1 6", r"s was \(1, 5\) before and is \(1, 6\)"),
    ],
)
def test_a_faulty_row_is_refused_with_its_line(line, message):
    number = 2 + line.count("\n")
    with pytest.raises(ValueError, match=f"^f, line {number}: .*{message}"):
        read_gff3(f"# a comment\n{line}\n", "f")


# Bytes


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("a\nb".encode("utf-16"), "f is UTF-16"),
        ("a\nb".encode("utf-16-le"), "f, line 1: a zero byte"),
        ("a\nµ".encode("latin-1"), "f, line 2: byte 0xb5 is not UTF-8"),
    ],
)
def test_bytes_that_are_not_utf8_text_are_refused(raw, message):
    with pytest.raises(ValueError, match=message):
        decode(raw, "f")


def test_line_ends_and_byte_order_marks_of_all_systems_read_the_same():
    for raw in (b"a\nb\n", b"a\r\nb\r\n", b"a\rb\r", b"\xef\xbb\xbfa\nb\n"):
        assert decode(raw, "f") == "a\nb\n"
