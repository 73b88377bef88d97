"""From FASTA and GFF3 to loci labelled N, E, I."""

import builtins
import io
import shutil
import tarfile
from pathlib import Path

import numpy as np
import pytest

from viterbi_lab.data.annotation import main, read_annotated, read_collection, read_fasta
from viterbi_lab.data.loci import fold, read_loci
from viterbi_lab.metrics import segments

CELEGANS = Path(__file__).parent / "celegans"
GENE = """\
chr\t.\tgene\t11\t70\t.\t+\t.\tID=g
chr\t.\tmRNA\t11\t70\t.\t+\t.\tID=t;Parent=g
chr\t.\tCDS\t21\t30\t.\t+\t0\tID=c;Parent=t
chr\t.\tCDS\t41\t55\t.\t+\t2\tID=c;Parent=t
"""
GENE_LABELS = "N" * 20 + "E" * 10 + "I" * 10 + "E" * 15 + "N" * 25


@pytest.fixture
def sequence():
    return "".join(np.random.default_rng(11).choice(list("ACGT"), size=80))


@pytest.fixture
def read(tmp_path, sequence):
    """Reads an annotation of one sequence, ``chr`` of 80 random bases."""

    def read(gff3, fasta=f">chr\n{sequence}\n", **options):
        (tmp_path / "a.gff3").write_bytes(gff3.encode())
        (tmp_path / "a.fa").write_bytes(fasta.encode())
        return read_annotated(tmp_path / "a.gff3", tmp_path / "a.fa", **options)

    return read


def mirrored(gff3, length):
    """The same rows as seen from the other strand."""
    rows = []
    for line in gff3.splitlines():
        fields = line.split("\t")
        fields[3], fields[4] = str(length + 1 - int(fields[4])), str(length + 1 - int(fields[3]))
        fields[6] = {"+": "-", "-": "+"}[fields[6]]
        rows.append("\t".join(fields))
    return "\n".join(rows) + "\n"


def reverse_complement(sequence):
    return sequence[::-1].translate(str.maketrans("ACGT", "TGCA"))


# Labels


def test_coding_parts_are_e_gaps_between_them_i_and_all_else_n(read, sequence):
    (locus,) = read(GENE).loci
    assert (locus.name, locus.sequence, locus.labels) == ("chr", sequence, GENE_LABELS)
    assert locus.transcripts == ("t",)


def test_a_gene_on_the_other_strand_gives_the_same_locus_when_that_strand_is_read(read, sequence):
    fasta = f">chr\n{reverse_complement(sequence)}\n"
    (locus,) = read(mirrored(GENE, 80), fasta, strand="-").loci
    assert (locus.sequence, locus.labels) == (sequence, GENE_LABELS)


def test_genes_of_the_strand_that_is_not_read_are_n_and_noticed(read):
    reading = read(GENE, strand="-")
    assert reading.loci[0].labels == "N" * 80
    assert any("t lies on the other strand" in notice for notice in reading.notices)
    assert any("all bases are N" in notice for notice in reading.notices)


def test_the_order_of_the_rows_does_not_matter(read):
    rng = np.random.default_rng(12)
    for _ in range(5):
        rows = rng.permutation(GENE.splitlines())
        assert read("\n".join(rows) + "\n").loci[0].labels == GENE_LABELS


def test_dos_line_ends_a_byte_order_mark_and_blank_lines_change_nothing(read, sequence):
    (locus,) = read("\ufeff" + GENE.replace("\n", "\r\n\r\n"), f"\ufeff>chr x\r\n{sequence}\r\n").loci
    assert (locus.sequence, locus.labels) == (sequence, GENE_LABELS)


def test_introns_suggested_by_reads_of_rna_are_not_labelled(read):
    rna = "chr\tRNASeq_splice\tintron\t22\t28\t13.0\t+\t.\t\n"
    assert read(rna + GENE + rna).loci[0].labels == GENE_LABELS


def test_of_several_transcripts_the_one_with_most_coding_bases_counts(read):
    longer = "chr\t.\tmRNA\t1\t70\t.\t+\t.\tID=a;Parent=g\nchr\t.\tCDS\t1\t30\t.\t+\t.\tParent=a\n"
    (locus,) = read(GENE + longer).loci
    assert locus.labels == "E" * 30 + "N" * 50
    assert locus.transcripts == ("a",)


def test_of_equally_long_transcripts_the_first_id_counts(read):
    rows = "".join(
        f"chr\t.\tmRNA\t1\t80\t.\t+\t.\tID={name};Parent=g\n"
        f"chr\t.\tCDS\t{start}\t{start + 5}\t.\t+\t.\tParent={name}\n"
        for name, start in (("t2", 5), ("t1", 25), ("t3", 45))
    )
    assert read(rows).loci[0].transcripts == ("t1",)


def test_two_genes_are_labelled_and_lie_n_apart(read):
    rows = "".join(
        f"chr\t.\tCDS\t{a}\t{b}\t.\t+\t.\tID={name}\n"
        for name, a, b in (("one", 1, 10), ("two", 31, 40), ("two", 51, 60))
    )
    labels = "E" * 10 + "N" * 20 + "E" * 10 + "I" * 10 + "E" * 10 + "N" * 20
    (locus,) = read(rows).loci
    assert (locus.labels, locus.transcripts) == (labels, ("one", "two"))


def test_of_overlapping_genes_the_longer_counts_and_the_other_is_noticed(read):
    short = "chr\t.\tCDS\t50\t60\t.\t+\t.\tID=short\n"
    reading = read(GENE + short)
    assert reading.loci[0].labels == GENE_LABELS
    assert any("short overlaps t" in notice for notice in reading.notices)


def test_a_shared_coding_part_counts_for_each_of_its_transcripts(read):
    shared = GENE.replace("Parent=t\n", "Parent=t,u\n", 2).replace("Parent=g,", "Parent=g")
    only_u = "chr\t.\tmRNA\t11\t80\t.\t+\t.\tID=u;Parent=g\nchr\t.\tCDS\t71\t80\t.\t+\t.\tParent=u\n"
    (locus,) = read(shared + only_u).loci
    assert locus.transcripts == ("u",)
    assert locus.labels == GENE_LABELS[:55] + "I" * 15 + "E" * 10


def test_a_sequence_without_coding_features_is_all_n(read):
    reading = read("chr\t.\tgene\t1\t50\t.\t+\t.\tID=g\n")
    assert reading.loci[0].labels == "N" * 80
    assert any("no CDS on strand +" in notice for notice in reading.notices)


def test_coding_features_beyond_the_origin_of_a_circular_sequence_go_on_at_its_start(read):
    rows = "chr\t.\tregion\t1\t80\t.\t+\t.\tID=r;Is_circular=true\nchr\t.\tCDS\t71\t95\t.\t+\t0\tID=c\n"
    assert read(rows).loci[0].labels == "E" * 15 + "N" * 55 + "E" * 10
    with pytest.raises(ValueError, match=r"a.gff3, line 1: CDS 71\.\.95 reaches beyond chr"):
        read(rows.splitlines()[1])


# What does not fit together


@pytest.mark.parametrize(
    ("gff3", "message"),
    [
        (
            "chr2\t.\tCDS\t1\t5\t.\t+\t0\tID=c",
            "a.gff3, line 1: a feature on chr2, but .*a.fa holds no sequence",
        ),
        (
            "\nchr\t.\tgene\t1\t81\t.\t+\t.\tID=g",
            r"line 2: gene 1\.\.81 reaches beyond chr, which has 80 bases",
        ),
        ("##sequence-region chr 1 79", "chr has 79 bases, but its sequence has 80"),
        ("chr\t.\tCDS\t1\t5\t.\t.\t0\tID=c", r"line 1: the CDS of c has strand '\.'"),
        (
            "chr\t.\tCDS\t1\t5\t.\t+\t0\tID=c\nchr\t.\tCDS\t9\t12\t.\t-\t0\tID=c",
            "lines 1, 2: the CDS parts of c lie on several strands",
        ),
        (
            "chr\t.\tmRNA\t5\t9\t.\t+\t.\tID=t\nchr\t.\tCDS\t5\t10\t.\t+\t0\tParent=t",
            r"line 2: CDS 5\.\.10 lies outside of its parent t \(line 1\)",
        ),
        ("chr\t.\tCDS\t1\t5\t.\t+\t0\tParent=x", "no CDS has its parent in the file; missing are x"),
    ],
)
def test_an_annotation_that_does_not_fit_is_refused_with_file_and_line(read, gff3, message):
    with pytest.raises(ValueError, match=message):
        read(gff3)


@pytest.mark.parametrize(
    ("fasta", "message"),
    [
        (">chr\nAC-GT\n", "locus chr: letter '-' at site 2 is no base"),
        (">chr\n>x\nACGT\n", r"record 1 \(chr\) has no sequence"),
        (">chr\nA\n>chr\nC\n", "records 1 and 2 are both named chr"),
        (">\nACGT\n", "locus '' has the name ''"),
        ("", "does not begin with '>'"),
    ],
)
def test_faulty_sequences_are_refused(read, fasta, message):
    with pytest.raises(ValueError, match=message):
        read("", fasta)


def test_the_strand_is_plus_minus_or_both(read):
    with pytest.raises(ValueError, match=r"strand='\.'; allowed are \+, -, both"):
        read(GENE, strand=".")


def test_embedded_sequences_are_read_and_two_sources_are_refused(tmp_path, read, sequence):
    whole = GENE + f"##FASTA\n>chr\n{sequence}\n"
    (tmp_path / "b.gff3").write_text(whole)
    (locus,) = read_annotated(tmp_path / "b.gff3").loci
    assert (locus.sequence, locus.labels) == (sequence, GENE_LABELS)
    with pytest.raises(ValueError, match="Exactly one"):
        read(whole)
    (tmp_path / "c.gff3").write_text(GENE)
    with pytest.raises(ValueError, match="Exactly one"):
        read_annotated(tmp_path / "c.gff3")


def test_without_biopython_the_message_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def without_biopython(name, *rest, **options):
        if name.split(".")[0] == "Bio":
            raise ModuleNotFoundError(name)
        return real(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", without_biopython)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "viterbi-lab\[bio\]"'):
        read_fasta(">a\nACGT\n", "a.fa")


# Real loci


@pytest.fixture(scope="module")
def celegans():
    return read_collection(CELEGANS)


def test_the_labels_of_real_loci_are_those_of_the_annotation_read_by_eye(celegans):
    spans = {
        locus.name: [(s.start + 1, s.stop) for s in segments(locus.y, background=[0, 2])]
        for locus in celegans.loci
    }
    assert spans == {
        "ce.1.0": [(100, 212), (259, 295)],
        "ce.1.219": [(109, 169), (335, 492)],
        "ce.1.252": [(104, 269), (344, 486)],
        "ce.2.12": [(106, 155), (255, 342), (392, 520)],
    }


def test_coding_sequences_of_real_loci_are_proteins_and_their_introns_run_from_gt_to_ag(celegans):
    for locus in celegans.loci:
        coding = "".join(np.array(list(locus.sequence))[locus.y == 1])
        codons = [coding[i : i + 3] for i in range(0, len(coding), 3)]
        assert (codons[0], len(codons[-1])) == ("ATG", 3)
        assert [i for i, c in enumerate(codons) if c in ("TAA", "TAG", "TGA")] == [len(codons) - 1]
        for start, stop, _ in segments(locus.y, background=[0, 1]):
            assert locus.sequence[start : start + 2] + locus.sequence[stop - 2 : stop] == "GTAG"


def test_pieces_of_a_neighbouring_gene_do_not_count_and_are_noticed(celegans):
    pieces = [notice for notice in celegans.notices if "no row of its own" in notice]
    assert len(pieces) == len(celegans.notices) == 2
    assert all("ce.1.252.gff3: Transcript:R07E5.10." in notice for notice in pieces)


def test_of_transcripts_of_equal_coding_length_the_first_is_chosen(celegans):
    assert next(x for x in celegans.loci if x.name == "ce.1.219").transcripts == ("Transcript:R09B5.3a.1",)


# Collections and the command


def test_a_tar_file_reads_as_the_folder_it_holds(tmp_path, celegans):
    with tarfile.open(tmp_path / "loci.tar.gz", "w:gz") as tar:
        tar.add(CELEGANS, arcname="some/folder")
    found = read_collection(tmp_path / "loci.tar.gz").loci
    assert [(x.name, x.sequence, x.labels) for x in found] == [
        (x.name, x.sequence, x.labels) for x in celegans.loci
    ]


def test_a_file_without_partner_an_empty_folder_and_a_name_given_twice_are_refused(tmp_path):
    with pytest.raises(ValueError, match="holds no pair of files"):
        read_collection(tmp_path)
    shutil.copy(CELEGANS / "ce.1.0.fa", tmp_path)
    with pytest.raises(ValueError, match=r"ce\.1\.0\.fa is no pair"):
        read_collection(tmp_path)
    shutil.copy(CELEGANS / "ce.1.0.gff3", tmp_path)
    for suffix in (".fa", ".gff3"):
        shutil.copy(CELEGANS / f"ce.1.0{suffix}", tmp_path / f"copy{suffix}")
    with pytest.raises(ValueError, match=r"several sequences named ce\.1\.0"):
        read_collection(tmp_path)


def test_a_tar_file_is_never_unpacked_and_its_links_are_not_followed(tmp_path):
    with tarfile.open(tmp_path / "evil.tar", "w") as tar:
        for name in ("../up.fa", "../up.gff3"):
            data = b">up\nACGT\n" if name.endswith("fa") else b"##gff-version 3\n"
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
        link = tarfile.TarInfo("link.fa")
        link.type, link.linkname = tarfile.SYMTYPE, str(CELEGANS / "ce.1.0.fa")
        tar.addfile(link)
    assert [locus.name for locus in read_collection(tmp_path / "evil.tar").loci] == ["up"]
    assert not (tmp_path.parent / "up.fa").exists()


def test_the_command_writes_the_loci_whose_hash_is_divisible(tmp_path, capsys, celegans):
    out = tmp_path / "kept.txt.gz"
    main([str(CELEGANS), "--out", str(out), "--one-in", "2"])
    kept = [locus.name for locus in celegans.loci if fold(locus.name, 2) == 0]
    assert 0 < len(kept) < 4
    assert [locus.name for locus in read_loci(out)] == kept
    assert f"{len(kept)} of 4 loci" in capsys.readouterr().out
