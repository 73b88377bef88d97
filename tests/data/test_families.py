"""Known alignments of protein families."""

import pytest

from viterbi_lab.data.families import read_families, read_family, shipped_families
from viterbi_lab.tasks.alignment import Alignment

INTERLEAVED = """# STOCKHOLM 1.0
#=GF ID two
a/1-5  AC.
b/1-4  A-C

a/1-5  gtA
b/1-4  G.A
//
"""


def test_rows_are_read_across_blocks_in_upper_case_with_one_sign_for_gaps(tmp_path):
    path = tmp_path / "two.sto"
    path.write_text(INTERLEAVED)
    family = read_family(path)
    assert (family.name, family.names) == ("two", ("a/1-5", "b/1-4"))
    assert family.rows == ("AC-GTA", "A-CG-A")
    assert family.sequences == ("ACGTA", "ACGA")
    assert Alignment.of_rows(*family.rows) == Alignment("MDIMDM")


def test_the_shipped_families_are_proteins_and_all_rows_have_all_columns():
    families = shipped_families()
    assert [family.name for family in families] == ["Caudal_act", "LuxC", "Pkinase", "RRM_1", "fn3"]
    for family in families:
        assert len({len(row) for row in family.rows}) == 1
        assert len(family.rows) == len(family.names)
        assert set("".join(family.sequences)) <= set("ACDEFGHIKLMNPQRSTVWYX")


def test_a_file_that_is_no_alignment_is_refused(tmp_path):
    path = tmp_path / "x.sto"
    path.write_text(">a\nACGT\n")
    with pytest.raises(ValueError, match="is neither Stockholm, Clustal nor MSF"):
        read_families([path])
