"""Tables of numbers and of letters, as text and as arrays. By case 29."""

import base64
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from viterbi_lab.data.arrays import read_npz
from viterbi_lab.data.letters import read_letters
from viterbi_lab.data.table import Layout, read_table
from viterbi_lab.data.text import decode

CASE = json.loads(
    (Path(__file__).parents[1] / "cases" / "29-csv-bom-semicolon-NA.json").read_text(encoding="utf-8")
)
RAW = base64.b64decode(CASE["input"]["bytes_base64"])


def as_lists(data):
    return [{"id": r.name, "X": r.x.tolist(), "y": r.y and list(r.y)} for r in data.records]


def test_marks_semicolons_decimal_commas_and_labels_like_missing_values_are_read_as_case_29_says():
    data = read_table(decode(RAW, "f.csv"), "f.csv")
    assert as_lists(data) == CASE["expected"]["sequences"]
    assert data.columns == tuple(CASE["input"]["columns"]["features"])
    for told in ("a semicolon separates", "the decimal sign is a comma", "column 'label' holds the labels"):
        assert any(told in note for note in data.notes)


def test_the_columns_can_be_named_instead():
    columns = CASE["input"]["columns"]
    layout = Layout(
        columns["sequence"], columns["order"], columns["label"], tuple(columns["features"]), ";", ","
    )
    data = read_table(decode(RAW, "f.csv"), "f.csv", layout)
    assert as_lists(data) == CASE["expected"]["sequences"]
    assert data.notes == ()


def test_latin_1_is_refused_with_its_line_not_shown_garbled():
    with pytest.raises(ValueError, match=r"f\.csv, line 4: byte 0xe9 is not UTF-8"):
        decode(RAW.decode("utf-8-sig").encode("latin-1"), "f.csv")


def test_rows_are_ordered_by_their_numbers_and_that_is_noted():
    data = read_table("seq,pos,x,label\na,2,1,A\nb,1,5,C\na,1,3,B\n", "f")
    assert as_lists(data)[0] == {"id": "a", "X": [[3.0], [1.0]], "y": ["B", "A"]}
    assert "f, lines 2, 4: rows of sequence a are ordered by 'pos'." in data.notes


def test_a_gap_in_the_numbers_is_noted():
    data = read_table("seq,pos,x\na,1,1\na,4,2\n", "f")
    assert "f, line 3: after site 1 of sequence a comes 4; they are taken as neighbours." in data.notes


def test_quoted_cells_may_hold_separators_and_lines_are_counted_over_them():
    with pytest.raises(ValueError, match="f, line 4: 'no' in column 'x' is no number"):
        read_table('name,x\n"a,\nb",1\n"a,\nb",no\n', "f")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("x,label\n", "no rows below"),
        ("x,label\n1,A\n2,\n", r"line 3: the label \(column 'label'\) is missing"),
        ("x,label\n1,A\n\n2\n", "line 4 has 1 cells where a comma separates, but the first line has 2"),
        ("x;label\n0,5;A\n1.5;A\n", "writes both '1.5' and '0,5'"),
        ("x,label\nNaN,A\n", "line 2: 'NaN' in column 'x' is no number"),
        ("x,label\n1e999,A\n", "line 2: '1e999' in column 'x' is too large"),
        ("x,label\n=cmd|'/c calc'!A1,A\n", "line 2: .* in column 'x' is no number"),
        ("1,2\n3,4\n", "line 1: numbers where the columns should be named"),
        ("x,,label\n1,2,A\n", "line 1: column 2 has no name"),
        ("x,x\n1,2\n", "line 1: two columns are named 'x'"),
        ("label\nA\n", "no column left for features"),
        ("seq,x\na,1\nb,2\na,3\n", "line 4: rows of sequence a stand apart"),
        ("seq,pos,x\na,1,1\na,1.0,2\n", r"lines 2 and 3: site 1.0 of sequence a is there twice"),
        ("seq,x\n,1\n", "line 2: column 'seq' is empty"),
        ('x,label\n"1,A\n', "line 2: unexpected end of data"),
        (",".join(f"x{i}" for i in range(10_001)) + "\n", "10001 columns; at most 10000"),
    ],
)
def test_what_is_no_table_is_refused_with_its_line(text, message):
    with pytest.raises(ValueError, match=f"^f.*{message}"):
        read_table(text, "f")


def test_a_column_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(ValueError, match="no column 'tag'; it has x, label"):
        read_table("x,label\n1,A\n", "f", Layout(label="tag"))


# Letters


def test_letters_and_their_labels_are_found_by_their_lengths():
    data = read_letters("id\tlength\taa\tss\nP\t3\tA C D\tHHE\nQ\t2\tWY\tCC\n", "f")
    assert [(r.name, r.x, r.y) for r in data.records] == [
        ("P", "ACD", tuple("HHE")),
        ("Q", "WY", tuple("CC")),
    ]
    assert "f: column 'aa' holds the sites, column 'ss' their labels." in data.notes


def test_letters_and_labels_of_different_number_are_refused_with_the_line():
    with pytest.raises(ValueError, match="f, line 3: 2 letters in 'aa', but 1 in 'ss'"):
        read_letters("aa,ss\nACD,HHE\nWY,C\n", "f", letters="aa", labels="ss")


# Arrays


def npz(**arrays):
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def test_arrays_say_what_the_same_table_says():
    table = read_table("seq,x,v,label\na,1,2,NA\na,3,4,B\nb,5,6,B\n", "f")
    X, y = np.arange(1.0, 7.0).reshape(3, 2), np.array(["NA", "B", "B"])
    arrays = read_npz(npz(X=X, y=y, lengths=[2, 1], names=["a", "b"], columns=["x", "v"]), "f", 10**6)
    assert as_lists(arrays) == as_lists(table)
    assert arrays.columns == table.columns


def test_one_array_without_labels_is_one_sequence():
    (record,) = read_npz(npz(X=np.ones((3, 2), np.int8)), "f", 10**6).records
    assert record.x.dtype == np.float64
    assert record.y is None


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"y": [1]}, "no array X"),
        ({"X": [1.0]}, r"X has shape \(1,\); needed are 2 dimensions"),
        ({"X": [[np.nan]]}, r"X\[0, 0\] is nan"),
        ({"X": [["a"]]}, "needed are numbers"),
        ({"X": [[{}]]}, "holds Python objects, which are never unpacked"),
        ({"X": [[1.0]], "y": [1, 2]}, "y has 2 values"),
        ({"X": [[1.0]], "y": [""]}, r"y\[0\] is empty"),
        ({"X": [[1.0]], "lengths": [2]}, r"whole numbers 1\.\.1"),
        ({"X": [[1.0], [2.0]], "lengths": [1]}, "lengths add up to 1, but X has 2"),
        ({"X": [[1.0]], "names": ["a", "b"]}, "names has 2 values"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(arrays, message):
    with pytest.raises(ValueError, match=f"^f.*{message}"):
        read_npz(npz(**{name: np.array(value) for name, value in arrays.items()}), "f", 10**6)


def test_an_array_of_another_name_is_noted():
    assert read_npz(npz(X=[[1.0]], z=[1]), "f", 10**6).notes == (
        "f: array 'z' has no meaning here and is not read.",
    )


def test_a_file_that_lies_about_its_sizes_costs_nothing():
    small, header = npz(X=np.zeros((1, 1))), io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (10**9, 10**6)}
    )
    liar = io.BytesIO()
    with zipfile.ZipFile(liar, "w") as archive:
        archive.writestr("X.npy", header.getvalue() + bytes(8))
    with pytest.raises(ValueError, match="f: X is damaged: 8 bytes are there"):
        read_npz(liar.getvalue(), "f", 10**6)
    with pytest.raises(ValueError, match=r"unpacks to .* bytes; at most 10 are read"):
        read_npz(small, "f", 10)


def test_a_table_of_too_many_rows_is_refused_with_the_limit_before_it_is_split(monkeypatch):
    monkeypatch.setenv("VITERBI_LAB_TABLE_ROWS", "3")
    assert len(read_table("x,y\n1,a\n2,b\n3,a\n", "f").records[0].y) == 3
    with pytest.raises(ValueError, match=r"f has 5 lines, and VITERBI_LAB_TABLE_ROWS allows 3 rows"):
        read_table("x,y\n1,a\n2,b\n3,a\n4,b\n", "f")
