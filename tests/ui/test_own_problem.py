"""Problems that somebody brings: every example opens again, and what is wrong is told by its place."""

import io
import json
import pickle
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Page, expect

from viterbi_lab.ui import own_problem, problem_arrays, problem_file, problem_table
from viterbi_lab.ui.own_problem import MOST_BYTES, examples, read
from viterbi_lab.ui.presets import presets
from viterbi_lab.ui.question import Question, random_scores
from viterbi_lab.ui.views.page import lab

COLD = 120_000  # ms: the first page of a machine compiles the kernels
WORKED = next(iter(presets().values())).question
CSV = examples()["example.csv"].decode()


def facts(question: Question) -> dict:
    """All of a problem but its title and the way h is written."""
    return {**problem_file.content_of(question), "title": "", "h": question.h.tolist(), "order": 0}


def npz(**arrays) -> bytes:
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    return out.getvalue()


@pytest.mark.parametrize("name", list(examples()))
def test_the_example_of_every_format_is_the_worked_example(name):
    brought = read(examples()[name], name)
    assert facts(brought.question) == facts(WORKED)
    assert brought.notes == ()


@pytest.mark.parametrize("preset", list(presets()))
def test_every_example_problem_goes_through_csv_unchanged(preset):
    question = presets()[preset].question
    assert facts(read(problem_table.text_of(question).encode(), "x.csv").question) == facts(question)


@pytest.mark.parametrize("size", [(4, 2, 1), (5, 2, 2), (5, 2, 3), (1, 3, 1), (2, 2, 2)])
def test_random_problems_of_every_order_go_through_npz_unchanged(size):
    T, N, _ = size
    question = Question("", tuple("abc"[:N]), random_scores(3, size), np.arange(T) % N, op="plus", rule="k²")
    back = read(problem_arrays.bytes_of(question), "x.npz").question
    assert back.answer().value == question.answer().value
    np.testing.assert_array_equal(back.answer().y, question.answer().y)
    np.testing.assert_array_equal(back.h, question.h)


def test_separators_marks_and_line_ends_are_told_not_hidden():
    raw = b"\xef\xbb\xbf" + CSV.replace(",", ";").replace("\n", "\r\n").encode()
    brought = read(raw, "x.csv")
    assert facts(brought.question) == facts(WORKED)
    assert brought.notes == (
        "A semicolon separates the columns.",
        "It begins with a byte order mark.",
        "Its lines end by CR.",
    )


def line(number: int, text: str) -> str:
    lines = CSV.split("\n")
    lines[number - 1] = text
    return "\n".join(lines)


FIRST_ROW = CSV.split("\n").index("t,y,from,1,2,3") + 2  # its line, counted from 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (line(FIRST_ROW, "1,3,,2,x,3"), f"line {FIRST_ROW}, column 5 (label 2): “x” is not a number"),
        (line(FIRST_ROW, "1,3,,2,nan,3"), f"line {FIRST_ROW}, column 5 (label 2): nan is not a score"),
        (
            line(FIRST_ROW, "1,3,,2,1,5,3"),
            f"line {FIRST_ROW} has 7 cells, but line {FIRST_ROW - 1} has 6. Write decimals",
        ),
        (
            line(FIRST_ROW, '1,3,,2,"1,5",3'),
            f"line {FIRST_ROW}, column 5 (label 2): “1,5” is not a number. Write decimals with a point",
        ),
        (line(FIRST_ROW, "1,7,,2,1,3"), f"line {FIRST_ROW}, column 2: y is “7”; the labels are 1, 2, 3"),
        (line(FIRST_ROW, "2,3,,2,1,3"), f"line {FIRST_ROW}, column 1: t is “2”; it is 1 here"),
        (line(FIRST_ROW + 1, "2,2,9,4,5,1"), f"line {FIRST_ROW + 1}, column 3: from is “9”"),
        (
            line(FIRST_ROW + 1, "2,2,2,4,5,1"),
            f"line {FIRST_ROW + 2}, column 3: from “2” stands there a second time",
        ),
        (line(FIRST_ROW + 2, "2,3,2,2,3,4"), f"line {FIRST_ROW + 2}, column 2: y is “3”, but “2”"),
        ("\n".join(CSV.split("\n")[:-2]), "site t = 4 has no row from “3”"),
        (CSV.replace("t,y,from", "time,y,from"), "does not name the columns"),
        (CSV.replace("from,1,2,3", "from,1,2,2"), "column 5: “2” is no name for a label"),
        (CSV.replace("# op: times", "# op: pow"), "op is “pow”; it is one of times"),
        (CSV.replace("# h: k", "# h: k^2"), "h: Powers are written with **"),
        ("# colour: red\n" + CSV, "line 1: “# colour: red” is no setting"),
        ("# op: plus\n" + CSV, "op stands there a second time"),
        ("t,y,from,1\n", "no rows below"),
        ("", "is empty"),
        ('{"title": "x",\n "labels": [}', "line 2, column 13"),
        ('{"title": "x", "title": "y"}', "'title' stands twice"),
        (json.dumps({**problem_file.content_of(WORKED), "g": [[1, 2, None]]}), "g, site 1, entry 3 is None"),
        (
            json.dumps(
                {**problem_file.content_of(WORKED), "g": [[1, 2, 3]] + [[[1, 2, 3], [1, 2], [1, 2, 3]]] * 3}
            ),
            "g, site 2, row 2 has 2 entries",
        ),
        (json.dumps(problem_file.content_of(WORKED)).replace("[2, 1, 3]", "[2, NaN, 3]"), "NaN is no number"),
    ],
)
def test_what_is_wrong_with_a_text_is_told_by_its_place(text, said):
    with pytest.raises(ValueError, match=r"mine\.txt") as error:
        read(text.encode(), "mine.txt")
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (CSV.encode("utf-16"), "UTF-16. Save it as UTF-8"),
        (CSV.replace("from,1", "from,é").encode("latin-1"), "byte 0xe9 is not UTF-8"),
        (b" " * (MOST_BYTES + 1), "at most 8000000 are read"),
    ],
)
def test_what_cannot_be_text_is_told(raw, said):
    with pytest.raises(ValueError, match=r"mine\.txt") as error:
        read(raw, "mine.txt")
    assert said in str(error.value)


G, Y = np.arange(36.0).reshape(4, 3, 3), np.array([2, 1, 0, 2])
G[0] = G[0, 0]


def bent(where: tuple, value: float) -> np.ndarray:
    g = G.copy()
    g[where] = value
    return g


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"y": Y}, "there is no array g"),
        ({"g": G}, "there is no array y"),
        ({"g": G[:, :2], "y": Y}, "g has shape (4, 2, 3); it is (T, N, N)"),
        ({"g": bent((2, 1, 0), np.nan), "y": Y}, "g[2, 1, 0] is nan"),
        ({"g": bent((2, 1, 0), np.inf), "y": Y}, "g[2, 1, 0] is inf"),
        ({"g": bent((0, 1, 0), 7), "y": Y}, "g[0] differs along its axis 0"),
        ({"g": G.astype(str), "y": Y}, "it is an array of numbers"),
        ({"g": G, "y": Y[:3]}, "y has shape (3,)"),
        ({"g": G, "y": Y + 0.5}, "of whole numbers"),
        ({"g": G, "y": Y + 1}, "y[0] is 3; labels are 0..2"),
        ({"g": G, "y": Y, "h": np.arange(4)}, "h has shape (4,); it is (5,)"),
        ({"g": G, "y": Y, "h": np.array([0, 1, np.inf, 3, 4])}, "h[2] is inf"),
        ({"g": G, "y": Y, "labels": np.array(["a", "b", "a"])}, "labels[2] is 'a'"),
        ({"g": G, "y": Y, "op": np.array("pow")}, "op is 'pow'"),
        ({"g": G, "y": np.array([{}, {}, {}, {}], object)}, "Python objects, which are never unpacked"),
        ({"g": np.zeros((0, 3, 3)), "y": Y[:0]}, "g has shape (0, 3, 3)"),
        ({"g": np.full((4, 3, 3), -np.inf), "y": Y}, "forbidden"),
    ],
)
def test_what_is_wrong_with_arrays_is_told_by_name_and_index(arrays, said):
    raw = npz(**arrays)
    with pytest.raises(ValueError, match=r".") as error:
        read(raw, "mine.npz").question.answer()
    assert said in str(error.value)


def test_a_bomb_is_refused_by_its_size_before_it_is_unpacked():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("g.npy", b"\0" * (MOST_BYTES + 1))
    assert len(out.getvalue()) < 20_000
    with pytest.raises(ValueError, match="unpacks to 8000001 bytes; at most 8000000"):
        read(out.getvalue(), "bomb.npz")


def test_a_pickle_is_never_unpacked():
    class Bomb:
        def __reduce__(self):
            return pytest.fail, ("a pickle was unpacked",)

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("g.npy", pickle.dumps(Bomb()))
        archive.writestr("y.npy", b"")
    with pytest.raises(ValueError, match="no array of NumPy"):
        read(out.getvalue(), "bomb.npz")


@given(st.data())
def test_a_damaged_file_is_read_or_refused_in_words(data):
    name = data.draw(st.sampled_from(list(examples())))
    raw = bytearray(examples()[name])
    for _ in range(data.draw(st.integers(1, 6))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    with suppress(ValueError):  # any other exception fails the test
        read(bytes(raw), name)


def test_a_problem_too_long_to_decode_while_a_page_waits_is_refused(monkeypatch):
    question = Question("long", ("a", "b"), random_scores(0, (900, 2, 1)), np.zeros(900, int))
    raw = problem_table.text_of(question).encode()
    assert read(raw, "long.csv").question.size == (900, 2, 1)
    monkeypatch.setattr(own_problem, "MOST_WORK", 1000.0)
    with pytest.raises(ValueError, match=r"long.csv: T = 900 sites .* Use viterbi_lab\.decode"):
        read(raw, "long.csv")


@pytest.mark.browser
def test_a_problem_is_pasted_opened_refused_and_its_example_opens_again(page: Page, serve, tmp_path):
    page.goto(serve(lab))
    expect(page.locator(".vl .nodes > *")).to_have_count(30, timeout=COLD)
    page.get_by_text("Own problem").click()
    field = page.get_by_label("Paste JSON or CSV")
    field.fill("t,y,from,a,b\n1,a,,1,oops\n")
    page.get_by_role("button", name="Show pasted problem").click()
    expect(
        page.get_by_text("Pasted text: line 2, column 5 (label b): “oops” is not a number")
    ).to_be_visible()
    expect(page.locator(".vl .truth")).to_have_count(4)
    field.fill("t,y,from,a,b\n1,a,,1,5\n2,b,a,0,1\n2,b,b,3,2\n")
    page.get_by_role("button", name="Show pasted problem").click()
    expect(page.locator(".vl:visible .truth")).to_have_text(["a", "b"])
    expect(page.get_by_text("is not a number")).to_be_hidden()
    chooser = page.locator("input[type=file][accept*=npz]")
    for ending in (".JSON", ".CSV", ".NPZ"):
        with page.expect_download() as download:
            page.get_by_role("button", name=ending).click()
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        chooser.set_input_files(path)
        expect(page.locator(".vl:visible .truth")).to_have_text(["3", "2", "1", "3"])
        field.fill("t,y,from,a,b\n1,a,,1,5\n2,b,a,0,1\n2,b,b,3,2\n")
        page.get_by_role("button", name="Show pasted problem").click()
        expect(page.locator(".vl:visible .truth")).to_have_text(["a", "b"])
    large = tmp_path / "large.csv"
    large.write_bytes(b"x" * (MOST_BYTES + 1))
    chooser.set_input_files(large)
    page.wait_for_timeout(500)
    expect(page.locator(".vl:visible .truth")).to_have_text(["a", "b"])
