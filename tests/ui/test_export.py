"""What is taken away from the stepper brings the same problem and the same answer to another place."""

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from viterbi_lab import cli
from viterbi_lab.assets import asset
from viterbi_lab.dp import NoFeasibleLabelling, trace
from viterbi_lab.ui import export, problem_file
from viterbi_lab.ui.picture import svg
from viterbi_lab.ui.presets import presets
from viterbi_lab.ui.question import CAPPED, OWN, Question, random_scores

EXAMPLES = {title: preset.question for title, preset in presets().items()}
WORKED = next(iter(EXAMPLES.values()))
SMALL_PAGE = 60_000  # bytes


def odd_questions() -> dict[str, Question]:
    """Problems with everything that an example lacks."""
    rng = np.random.default_rng(5)
    forbidden = WORKED.rescored("step", 4, -np.inf).rescored("first", 0, -np.inf)
    return {
        "forbidden scores": forbidden,
        "order 3": Question("third order", ("a", "b"), random_scores(4, (5, 2, 3)), rng.integers(2, size=5)),
        "shorter than its order": Question(
            "short", ("a", "b"), random_scores(4, (2, 2, 3)), np.array([0, 1])
        ),
        "one site": Question("one site", ("x", "y"), random_scores(1, (1, 2, 1)), np.array([1])),
        "one label": Question("one label", ("only",), random_scores(1, (3, 1, 1)), np.zeros(3, int)),
        "a formula": Question(
            "formula",
            ("a", "b"),
            random_scores(3, (4, 2, 1)),
            np.zeros(4, int),
            rule=OWN,
            formula="min(k, 2)**2",
        ),
        "own costs": Question(
            'costs & <b>"marks"</b> </script>',
            ("a", "b"),
            random_scores(2, (3, 2, 1)),
            np.array([0, 1, 1]),
            cost=np.array([[0, 2], [1, 0], [3, 0]]),
            offset=-1.25,
            kmin=1,
            rule=CAPPED,
            op="plus",
        ),
    }


ALL = EXAMPLES | odd_questions()


@pytest.fixture(params=list(ALL))
def question(request) -> Question:
    return ALL[request.param]


def assert_the_same(one: Question, other: Question) -> None:
    assert (one.title, one.labels, one.op, one.offset, one.kmin) == (
        other.title, other.labels, other.op, other.offset, other.kmin,
    )  # fmt: skip
    np.testing.assert_array_equal(one.y, other.y)
    np.testing.assert_array_equal(one.h, other.h)
    np.testing.assert_array_equal(one.problem().cost, other.problem().cost)
    for mine, theirs in zip(one.scores.tables(), other.scores.tables(), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_json_brings_the_problem_back(question):
    assert_the_same(problem_file.read_text(export.json_text(question), "taken away"), question)


def test_json_is_read_by_strict_readers_and_holds_the_tables(question):
    def refuse(word):
        pytest.fail(f"{word} is not JSON")

    content = json.loads(export.json_text(question), parse_constant=refuse)["trace"]
    tables = trace(question.problem())
    L = np.array([[[-np.inf if x is None else x for x in row] for row in t] for t in content["L"]])
    np.testing.assert_array_equal(L, tables.L)
    assert content["answer"]["value"] == tables.decoding.value
    assert content["answer"]["y"] == [question.labels[label] for label in tables.decoding.y]


def rows_of(text: str) -> list[dict]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_table_of_cells_holds_every_defined_cell_once(question):
    tables, rows = trace(question.problem()), rows_of(export.cells_csv(question))
    assert len(rows) == np.isfinite(tables.L).sum()
    n = question.scores.n_states
    for row in rows:
        labels = [question.labels.index(name) for name in row["labels"].split(" ")]
        cell = int(row["t"]) - 1, int(row["k"]), sum(label * n**age for age, label in enumerate(labels))
        assert float(row["L"]) == tables.L[cell]
        assert float(row["L_min"]) == tables.L_min[cell]
        assert row["S"] == ("" if tables.S[cell] < 0 else question.labels[tables.S[cell]])


def test_the_table_of_scores_adds_up_to_the_score_of_the_answer(question):
    found = {tuple(row.values())[:-1]: float(row["g"]) for row in rows_of(export.scores_csv(question))}
    window, answer = question.scores.window_order, question.answer()
    names = [question.labels[label] for label in answer.y]
    total = 0.0
    for t in range(window, question.y.size + 1):
        labels = names[max(0, t - window - 1) : t]
        total += found[(str(t), *[""] * (window + 1 - len(labels)), *labels)]
    assert total == pytest.approx(answer.score, abs=1e-12)  # one rounding per site


@pytest.mark.parametrize("name", list(ALL))
def test_the_python_code_prints_the_answer_that_it_promises(name, capsys):
    code = export.python_code(ALL[name])
    exec(compile(code, "taken away", "exec"), {})
    printed = capsys.readouterr().out.strip()
    answer = ALL[name].answer()
    assert printed == f"{answer.value} {answer.k} {answer.y.tolist()}"
    assert code.strip().endswith(f"# {printed}")


def test_the_picture_is_whole_and_names_the_answer(question):
    root = ElementTree.fromstring(svg(question))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert not re.search(r"(?:href|src|url)\s*[=(]", svg(question))
    words = root.attrib["aria-label"]
    answer = question.answer()
    assert words.endswith(f"with {answer.k} wrong labels.")
    underlined = [e for e in root.iter() if e.attrib.get("text-decoration") == "underline"]
    assert len(underlined) == (answer.y != question.y).sum()
    assert "nan" not in svg(question)


def test_the_picture_shows_the_worked_example_as_the_paper_counts_it():
    texts = [
        "".join(e.itertext())
        for e in ElementTree.fromstring(svg(WORKED)).iter("{http://www.w3.org/2000/svg}text")
    ]
    assert texts.count("52") == 1
    assert "k = 4" in texts


def test_too_small_a_picture_is_refused():
    with pytest.raises(ValueError, match="at least 320×320"):
        svg(WORKED, width=100)


def test_the_page_of_the_worked_example_is_small():
    assert len(export.html(WORKED).encode()) <= SMALL_PAGE


def test_what_cannot_be_solved_cannot_be_taken_away():
    nothing = WORKED
    for index in range(3):
        nothing = nothing.rescored("first", index, -np.inf)
    with pytest.raises(NoFeasibleLabelling):
        export.html(nothing)


# in the browser, from a file, without a network


@pytest.fixture
def opened(page: Page, tmp_path):
    """``opened(question)`` opens its page from a file, in a browser that is offline."""

    def show(question: Question, place: str = "", **more) -> Page:
        path = tmp_path / "page.html"
        path.write_text(export.html(question, **more), encoding="utf-8")
        page.context.set_offline(True)
        page.goto(path.as_uri() + place)
        expect(page.locator(".vl .truth").first).to_be_attached()
        return page

    return show


@pytest.mark.browser
def test_the_page_steps_and_switches_the_operator_and_h_from_a_file(opened):
    page = opened(WORKED)
    card = page.locator(".vl .card")
    expect(page.locator(".vl")).to_be_focused()
    for _ in range(35):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".vl .where")).to_have_text("backtrack · 35/35")
    expect(card).to_contain_text("13 · 4 = 52")
    page.get_by_role("radio", name="+ margin").click()
    expect(card).to_contain_text("16 + 3 = 19")
    page.get_by_label("Loss wrapper h").select_option("k²")
    expect(card).to_contain_text("13 + 16 = 29")
    page.locator(".vl").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".vl .where")).to_have_text("backtrack · 34/35")


@pytest.mark.browser
def test_the_page_opens_where_its_address_says(opened):
    page = opened(WORKED, "#step=35&op=plus")
    expect(page.locator(".vl .card")).to_contain_text("16 + 3 = 19")
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(re.compile(r"#step=34&op=plus&rule=k$"))


@pytest.mark.browser
@pytest.mark.parametrize("name", ["order 3", "own costs", "Negative h needs a second table"])
def test_the_page_gives_the_answer_of_the_engine(opened, name):
    question = ALL[name]
    page = opened(question, step=10_000)
    answer = question.answer()
    names = ", ".join(question.labels[label] for label in answer.y)
    expect(page.locator(".vl .card")).to_contain_text(f"y* = ({names})")
    assert page.title() == question.title


@pytest.mark.browser
def test_without_scripts_the_page_shows_the_still_picture(browser, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(export.html(WORKED), encoding="utf-8")
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(path.as_uri())
    expect(page.get_by_role("img", name=re.compile("best value is 52"))).to_be_visible()
    context.close()


# the command


def test_the_command_writes_every_kind_of_file(tmp_path, capsys):
    files = {kind: tmp_path / f"out.{kind}" for kind in cli.export.EXPORTS}
    problem = asset("problems", "worked_example.json")
    arguments = [word for kind, path in files.items() for word in (f"--{kind}", str(path))]
    assert cli.main(["export", str(problem), *arguments]) == 0
    assert all(path.stat().st_size > 100 for path in files.values())
    printed = capsys.readouterr().out
    assert all(str(path) in printed for path in files.values())
    assert_the_same(problem_file.read(files["json"]), WORKED)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "problem.json: line 1, column 2: expecting"),
        ("[]", "A problem is an object"),
        ('{"title": "x"}', "There is no field 'labels'"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_a_broken_problem_is_named_without_a_traceback(tmp_path, capsys, content, said):
    path = tmp_path / "problem.json"
    path.write_text(content)
    assert cli.main(["export", str(path), "--svg", str(tmp_path / "x.svg")]) == 1
    assert said in capsys.readouterr().err
    assert not (tmp_path / "x.svg").exists()


def test_a_missing_file_is_named(tmp_path, capsys):
    assert cli.main(["export", str(tmp_path / "none.json"), "--svg", "x.svg"]) == 1
    assert "none.json" in capsys.readouterr().err


def test_without_a_file_to_write_the_command_says_which_there_are(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["export", "problem.json"])
    assert ended.value.code == 2
    assert "--html" in capsys.readouterr().err


def test_exporting_loads_neither_panel_nor_the_solver():
    """Only the drawing is needed; the page and the solver take a second to import."""
    code = "import sys, viterbi_lab.ui.export; sys.exit(bool({'panel', 'cvxpy', 'bokeh'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"g": [[1, "x"], [[1, 2], [3, 4]]]}, "g, site 1, entry 2 is 'x'; it is a number"),
        ({"g": [[1, 2], [[1, 2], [3, True]]]}, "g, site 2, row 2, entry 2 is True"),
        ({"g": [[1, 2], [[1, 2], [3]]]}, "g, site 2, row 2 has 1 entries; there are 2 labels"),
        ({"g": [[1, 2], [[1, 2], [3, float("inf")]]]}, "Infinity is no number of JSON"),
        ({"g": [[1, 2], [[1, 2], 3]]}, "g, site 2, row 2 is 3"),
        ({"y": ["a", "c"]}, "y holds 'c' at site 2"),
        ({"labels": ["a", "a"]}, "names 'a' twice"),
        ({"h": "k^9"}, "Powers are written with **"),
        ({"h": 3}, "h is 3; it is one of"),
        ({"h": [0, 1]}, "h"),
        ({"op": "minus"}, "op is 'minus'"),
        ({"kmin": 0.5}, "kmin is 0.5; it is a whole number"),
        ({"cost": [[0, 1], [1.5, 0]]}, "cost, site 2 is 1.5"),
        ({"colour": "red"}, "The field 'colour' is unknown"),
    ],
)
def test_what_is_wrong_with_a_problem_is_named_with_its_place(change, said):
    content = {"title": "t", "labels": ["a", "b"], "y": ["a", "b"], "h": "k", "op": "plus"}
    content |= {"g": [[1, 2], [[1, 2], [3, 4]]]} | change
    with pytest.raises(ValueError, match=re.escape(said)):
        problem_file.read_text(json.dumps(content), "p.json")


def test_the_examples_come_through_the_same_door():
    for path in Path(asset("problems")).glob("*.json"):
        if path.name != "order.json":
            assert problem_file.read(path).title in EXAMPLES
