"""GenBank, EMBL and alignment files that other readers stumbled over; case 32."""

import io
import json
from pathlib import Path

import numpy as np
import pytest

from viterbi_lab.data.alignments import read_alignment
from viterbi_lab.data.genbank import read_genbank, transcript_of
from viterbi_lab.data.text import decode

ODD = Path(__file__).parent / "odd"
CASE = json.loads(
    (Path(__file__).parents[1] / "cases" / "32-genbank-join-complement-partial.json").read_text(
        encoding="utf-8"
    )
)
LENGTHS = {  # the one locus with bases of each file that is read, and how many bases are E on either strand
    "GU949562.1.gb": (717, 0),
    "bad_origin_wrap_CDS.gb": (256, 69),
    "empty_feature_qualifier.gb": (6497, 0),
    "genbank_multi_records": (9, 0),
    "invalid_locus_line_spacing.gb": (6497, 0),
    "no_cds_example.gb": (13065, 0),
    "phiX174_PX1CG.gb": (5386, 4800),
    "revcomp_mrna.gb": (50040, 2850),
    "TRBG361.embl": (1859, 1482),
}
REFUSED = {
    "chickoval_1980.gbk": "line 1: Biopython cannot read the record: Did not recognise the LOCUS line layout",
    "genbank_missing_locus_name": "holds no bases to label.*line 1: a record without bases",
    "no_origin_no_end.gb": "holds no bases to label.*line 1: a record without bases",
    "Human_contigs.embl": "holds no bases to label.*line 1.*line 73: a record without bases",
}
HEAD = (
    "LOCUS       X                         30 bp    DNA     {topology} SYN 01-JAN-2000\n"
    "FEATURES             Location/Qualifiers\n"
)
TAIL = "ORIGIN\n        1 gaactcgtgt tgtcgagcga cggaattaga\n//\n"


def read(name, strand="both"):
    folder = "embl" if name.endswith(".embl") else "genbank"
    return read_genbank(decode((ODD / folder / name).read_bytes(), name), name, strand=strand, format=folder)


def made(*features, topology="linear  ", strand="both"):
    """A record of 30 bases with (location, qualifiers …) of CDS features."""
    lines = []
    for location, *qualifiers in features:
        lines.append(f"     CDS             {location}")
        lines += [f"                     /{qualifier}" for qualifier in qualifiers]
    text = HEAD.format(topology=topology) + "\n".join(lines) + ("\n" if lines else "") + TAIL
    reading = read_genbank(text, "f", strand=strand)
    return reading.loci[0], reading.notices


def test_every_odd_file_has_an_expected_outcome():
    files = {file.name for folder in ("genbank", "embl") for file in (ODD / folder).iterdir()}
    assert files == LENGTHS.keys() | REFUSED.keys()


@pytest.mark.parametrize("name", sorted(LENGTHS))
def test_a_readable_record_keeps_its_length_and_its_coding_bases(name):
    (locus,) = read(name).loci
    assert (len(locus.sequence), locus.labels.count("E")) == LENGTHS[name]


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_record_without_bases_is_refused_with_file_and_line(name):
    with pytest.raises(ValueError, match=f"(?s)^{name}.*{REFUSED[name]}"):
        read(name)


def test_what_biopython_guesses_is_noticed():
    assert any("Expected sequence length 181589, found 50040" in n for n in read("revcomp_mrna.gb").notices)
    assert any("line 30: Attempting to parse malformed" in n for n in read("genbank_multi_records").notices)
    assert any("incorrect origin wrapping" in n for n in read("bad_origin_wrap_CDS.gb").notices)


def test_a_protein_is_left_out_and_noticed():
    assert (
        "genbank_multi_records, line 1: a record of a protein, left out."
        in read("genbank_multi_records").notices
    )


def test_a_gene_feature_is_no_evidence_of_coding():
    reading = read("no_cds_example.gb")
    assert set(reading.loci[0].labels) == {"N"}
    assert "no_cds_example.gb, line 1: no CDS; all bases are N." in reading.notices


# Case 32


def test_case_32_is_labelled_on_either_strand():
    expected = CASE["expected"]
    both, plus, minus = (
        read_genbank(CASE["input"]["text"], "f", strand=strand).loci[0] for strand in ("both", "+", "-")
    )
    assert both.sequence == expected["sequence"]
    assert "".join("01"[label == "E"] for label in both.labels) == expected["label_string"]
    strands = [
        "." if a != "E" != b else "+" if a == "E" else "-"
        for a, b in zip(plus.labels, minus.labels[::-1], strict=True)
    ]
    assert "".join(strands) == expected["strand_string"]
    assert len(both.transcripts) == expected["number_of_CDS"]
    for locus, cds in ((plus, "cds_1"), (minus, "cds_2")):
        coding = np.array([*locus.labels]) == "E"
        assert "".join(np.array([*locus.sequence])[coding]) == expected[cds]["spliced"]


def test_codon_start_shifts_the_frame_and_not_the_labels():
    (plus,) = read_genbank(CASE["input"]["text"], "f").loci
    # AACTGTTC with codon_start=2: A is the last base of a codon
    assert plus.places[plus.y == 1].tolist() == [2, 0, 1, 2, 0, 1, 2, 0]
    (minus,) = read_genbank(CASE["input"]["text"], "f", strand="-").loci
    assert minus.places[minus.y == 1].tolist() == [0, 1, 2, 0, 1, 2]


# Locations


def test_both_ways_to_write_a_gene_on_the_other_strand_are_the_same():
    a, _ = made(("complement(join(18..20,24..26))",))
    b, _ = made(("join(complement(24..26),complement(18..20))",))
    assert a.labels == b.labels == "N" * 17 + "EEEIIIEEE" + "N" * 4
    np.testing.assert_array_equal(a.places, b.places)


@pytest.mark.parametrize("location", ["join(28..30,1..6)", "28..6"])
def test_a_gene_over_the_origin_has_no_intron_there(location):
    locus, _ = made((location,), topology="circular")
    assert locus.labels == "E" * 6 + "N" * 21 + "E" * 3
    assert locus.places.tolist() == [0, 1, 2] * 2 + [-1] * 21 + [0, 1, 2]


def test_an_intron_may_lie_over_the_origin():
    locus, _ = made(("join(22..27,4..6)",), topology="circular")
    assert locus.labels == "IIIEEE" + "N" * 15 + "E" * 6 + "III"


def test_of_genes_that_overlap_over_the_origin_the_longest_counts():
    locus, notices = made(("join(25..30,1..6)", 'gene="a"'), ("4..9", 'gene="b"'), topology="circular")
    assert locus.transcripts == ("a",)
    assert any("b overlaps a, which codes for more" in notice for notice in notices)


def test_of_several_transcripts_of_a_gene_the_longest_counts():
    locus, _ = made(("1..12", 'gene="g"', 'protein_id="short"'), ("1..15", 'gene="g"', 'protein_id="long"'))
    assert locus.transcripts == ("long",)


def test_copies_of_a_gene_that_lie_apart_both_count():
    locus, _ = made(("1..6", 'gene="g"'), ("13..18", 'gene="g"'))
    assert locus.labels.count("E") == 12


@pytest.mark.parametrize(
    ("location", "places"),
    [
        ("join(1..4,4..8)", [0, 1, 2, 1, 2, 0, 1, 2]),  # base 4 is read twice
        ("join(1..4,6..10)", [0, 1, 2, 0, 0, 1, 2, 0, 1, 2]),  # base 5 is skipped
    ],
)
def test_where_the_ribosome_slips_there_is_no_intron(location, places):
    locus, _ = made((location, "ribosomal_slippage"))
    assert locus.labels == "E" * len(places) + "N" * (30 - len(places))
    assert locus.places[: len(places)].tolist() == places


def test_a_skipped_base_is_noticed():
    _, notices = made(("join(1..4,6..10)", "ribosomal_slippage", 'gene="g"'))
    assert "f, line 3: where the ribosome slips in g, skipped bases are labelled E." in notices


@pytest.mark.parametrize(
    ("location", "qualifiers", "why"),
    [
        ("join(1..6,complement(10..15))", (), "is trans-spliced"),
        ("join(1..6,10..15)", ("trans_splicing",), "is trans-spliced"),
        ("join(10..15,1..6)", (), "not in order"),
        ("1..6", ("pseudo",), "is a pseudogene"),
        ("join(1..6,J00194.1:10..15)", (), "lies partly on another record"),
        ("7-9", (), "has a location that Biopython cannot read"),
        ("25..40", (), "reaches beyond the 30 bases"),
    ],
)
def test_what_cannot_be_labelled_does_not_count_and_is_noticed_with_its_line(location, qualifiers, why):
    locus, notices = made((location, 'gene="g"', *qualifiers))
    assert set(locus.labels) == {"N"}
    assert any(notice.startswith("f, line 3: ") and why in notice for notice in notices)


@pytest.mark.parametrize(("location", "strand"), [("<1..6", "+"), ("complement(<1..6)", "-")])
def test_a_partial_gene_is_labelled_as_far_as_it_goes(location, strand):
    locus, _ = made((location,), strand=strand)
    assert locus.labels.count("E") == 6


def test_which_end_of_a_gene_is_missing_follows_its_strand():
    from Bio import SeqIO

    for name, expected in (("cds_1", (True, False)), ("cds_2", (False, False))):
        record = SeqIO.read(io.StringIO(CASE["input"]["text"]), "genbank")
        feature = [f for f in record.features if f.type == "CDS"][name == "cds_2"]
        assert transcript_of(feature, record, "f", []).partial == expected
        assert expected[0] == CASE["expected"][name]["partial_5prime"]
        feature.location = feature.location._flip(len(record))
        assert transcript_of(feature, record, "f", []).partial == expected


def test_two_records_of_one_name_are_refused():
    text = HEAD.format(topology="linear  ") + TAIL
    with pytest.raises(ValueError, match="f, line 6: a second record is named X"):
        read_genbank(text + text, "f")


def test_what_is_no_genbank_file_is_refused():
    with pytest.raises(ValueError, match="f does not begin with LOCUS"):
        read_genbank("hello\n", "f")


# Alignments


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("simple.sth", (2, 104)),
        ("pfam4.seed.txt", (8, 301)),
        ("hedgehog.aln", (5, 447)),
        ("W_prot.msf", (11, 99)),
    ],
)
def test_alignments_are_read_with_one_sign_for_gaps(name, shape):
    found = read_alignment(decode((ODD / "alignment" / name).read_bytes(), name), name)
    assert (len(found.names), {len(row) for row in found.rows}) == (shape[0], {shape[1]})
    assert not set("".join(found.rows)) & set(".~")


def test_a_row_that_was_filled_up_is_noticed():
    found = read_alignment(decode((ODD / "alignment" / "W_prot.msf").read_bytes(), "w"), "w")
    assert any("truncated" in notice for notice in found.notices)


def test_the_structure_of_an_alignment_is_kept():
    found = read_alignment(decode((ODD / "alignment" / "simple.sth").read_bytes(), "s"), "s")
    assert len(found.columns["SS_cons"]) == 104


def test_what_is_no_alignment_is_refused():
    with pytest.raises(ValueError, match="f is neither Stockholm, Clustal nor MSF"):
        read_alignment(">a\nACGT\n", "f")
