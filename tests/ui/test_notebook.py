"""The trellis in a notebook: five lines, both homes, and the notebooks that come with the lab."""

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import nbclient
import nbformat
import numpy as np
import pytest
from playwright.sync_api import Page, expect

import viterbi_lab as vl
from viterbi_lab.ui import problem_file
from viterbi_lab.ui.notebook import HOMES, Result, Trellis

NOTEBOOKS = sorted((Path(__file__).parents[2] / "apps" / "notebooks").glob("*.ipynb"))
PATIENCE = 120.0  # seconds for a kernel or a JupyterLab to start on a busy machine


def own_problem(**more) -> vl.ChainProblem:
    scores = vl.ChainScores.from_tables([[1, 2], [[3, 1], [0, 2]], [[1, 1], [4, 0]]])
    values = {"y": np.array([0, 1, 1]), "h": np.arange(4.0), "op": vl.Combine.PLUS} | more
    return vl.ChainProblem(scores, **values)


def test_five_lines_give_the_answer_of_the_worked_example(tmp_path):
    lab = vl.Trellis("worked_example", op="slack", h="identity")
    lab.step = 27
    assert lab.step == 27
    assert lab.result == Result(value=52.0, score=13.0, k=4, y=("2", "3", "3", "1"))
    written = lab.export(tmp_path / "worked_example.html")
    assert "DecompressionStream" in written.read_text(encoding="utf-8")


def test_the_operator_and_h_are_changed_and_read_back():
    lab = Trellis()
    lab.op = "margin"
    assert (lab.op, lab.result.value) == ("plus", 19.0)
    lab.h = [0, 1, 1, 1, 1]
    assert lab.h == [0, 1, 1, 1, 1]
    lab.h = lambda k: k**3
    assert lab.h == [0, 1, 8, 27, 64]
    lab.h = "min(k, 2)"
    assert lab.h == [0, 1, 2, 2, 2]
    lab.h = "sqrt"
    assert lab.h == pytest.approx(np.sqrt(np.arange(5)), rel=1e-15)  # the same function
    assert lab.result.value == vl.decode(lab.problem).value


def test_an_own_problem_is_shown_with_its_labels():
    problem = own_problem()
    lab = Trellis(problem, labels=("N", "G"))
    answer = vl.decode(problem)
    assert lab.result == Result(answer.value, answer.score, answer.k, tuple("NG"[j] for j in answer.y))


def test_a_file_is_read_by_its_path(tmp_path):
    path = Trellis("negative_h", op="margin").export(tmp_path / "mine.json")
    assert Trellis(path).result == Trellis("negative_h", op="margin").result
    assert Trellis(str(path)).op == "plus"
    assert problem_file.read(path).labels


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"op": "minus"}, "op is 'minus'"),
        ({"h": "cube"}, "“cube” is unknown"),
        ({"h": [0, 1]}, "T = 4"),
        ({"home": "qt"}, "home is 'qt'"),
        ({"labels": ("a", "b", "c")}, "A file names its own labels"),
    ],
)
def test_what_a_trellis_cannot_take_is_said(arguments, said):
    with pytest.raises(ValueError, match=said):
        Trellis(**arguments)


def test_a_problem_with_too_few_names_is_refused():
    with pytest.raises(ValueError, match="N = 2"):
        Trellis(own_problem(), labels=("N",))


def test_an_unknown_name_lists_the_examples():
    with pytest.raises(FileNotFoundError, match="worked_example"):
        Trellis("fig2")


def test_an_unknown_ending_lists_the_known_ones(tmp_path):
    with pytest.raises(ValueError, match=r"\.html, \.svg"):
        Trellis().export(tmp_path / "picture.bmp")


# the widget without a browser


def test_the_widget_sends_arrays_as_bytes_and_takes_an_edit():
    lab = Trellis(home="anywidget")
    widget = lab.view()
    np.testing.assert_array_equal(np.frombuffer(widget.problem["y"], "<i4"), [2, 1, 0, 2])
    assert widget.h["k"] == [0, 1, 2, 3, 4]
    widget.edit = {"serial": 1, "kind": "step", "index": 0, "text": "40"}  # as the browser would
    assert widget.reply == {"serial": 1, "error": ""}
    assert lab.problem.scores.tables()[1][0, 0] == 40
    widget.edit = {"serial": 2, "kind": "step", "index": 0, "text": "x"}
    assert "not a number" in widget.reply["error"]


def test_python_and_the_widget_see_the_same_step_operator_and_h():
    lab = Trellis(home="anywidget")
    widget = lab.view()
    lab.step = 12
    assert widget.step == 12
    widget.step, widget.op, widget.rule = 5, "plain", "k²"
    assert (lab.step, lab.op, lab.h) == (5, "plain", [0, 1, 4, 9, 16])
    lab.op = "slack"
    assert widget.op == "times"


@pytest.mark.parametrize("home", HOMES)
def test_each_home_shows_itself_as_the_last_line_of_a_cell(home):
    lab = Trellis(home=home)
    assert lab.view() is lab.view()
    bundle = lab._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert data
    assert repr(lab) == "<Trellis 'Three answers (after Fig. 2)': T = 4, N = 3, ℓ = 1, step 0>"


# the notebooks


def test_there_are_notebooks():
    assert {path.stem for path in NOTEBOOKS} == {"algorithm_1", "five_lines"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_outputs(path):
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_top_to_bottom(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=PATIENCE, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    shown = [
        output.data
        for cell in notebook.cells
        if cell.cell_type == "code" and "Trellis" in cell.source
        for output in cell.outputs
        if output.output_type == "execute_result"
    ]
    assert shown
    assert any("application/vnd.jupyter.widget-view+json" in data for data in shown)


@pytest.fixture
def jupyterlab(tmp_path):
    """A JupyterLab server of its own in a folder with one notebook; its address."""
    for path in NOTEBOOKS:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    home = {f"JUPYTER_{name}_DIR": str(tmp_path / name) for name in ("CONFIG", "RUNTIME", "DATA")}
    options = ["--no-browser", "--allow-root", f"--port={port}", "--ServerApp.port_retries=0"]
    options += ["--IdentityProvider.token=", f"--ServerApp.root_dir={tmp_path}"]
    process = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *options],
        env={**os.environ, **home},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address, until = f"http://127.0.0.1:{port}", time.monotonic() + PATIENCE
    while True:
        assert process.poll() is None, "JupyterLab ended by itself"
        assert time.monotonic() < until, "JupyterLab did not start"
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"{address}/api", timeout=5)
            break
        time.sleep(0.3)
    yield address
    process.terminate()
    process.wait(PATIENCE)


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize("home", HOMES)
def test_in_jupyterlab_the_cell_shows_the_stage_and_python_reads_its_step(
    jupyterlab, page: Page, home, tmp_path
):
    """The first cell shows the stage, which is clicked; the second reads the step back."""
    cells = [f'import viterbi_lab as vl\nlab = vl.Trellis(home="{home}")\nlab', '"step %d of lab" % lab.step']
    content = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": {"name": "python3", "display_name": "P"}},
    }
    content["cells"] = [
        {
            "cell_type": "code",
            "id": f"c{n}",
            "metadata": {},
            "source": source,
            "outputs": [],
            "execution_count": None,
        }
        for n, source in enumerate(cells)
    ]
    (tmp_path / "clicked.ipynb").write_text(json.dumps(content))
    page.goto(f"{jupyterlab}/lab/tree/clicked.ipynb")
    page.locator(".jp-CodeCell .cm-content").first.click(timeout=PATIENCE * 1000)
    ready = page.locator(".jp-Notebook-ExecutionIndicator[data-status='idle']").first
    expect(ready).to_be_attached(timeout=PATIENCE * 1000)  # a cell that is run before may show nothing
    page.keyboard.press("Shift+Enter")
    stage = page.locator(".vl")
    expect(stage.locator(".nodes > *")).to_have_count(30, timeout=PATIENCE * 1000)
    stage.get_by_label("Next column").click()
    expect(stage.locator(".where")).to_have_text("t = 1 · 3/35")
    stage.focus()
    page.keyboard.press("ArrowRight")
    expect(stage.locator(".where")).to_have_text("t = 2 · 4/35")
    page.wait_for_timeout(500)  # the step is reported every 150 ms
    page.locator(".jp-CodeCell .cm-content").last.click()
    page.keyboard.press("Shift+Enter")
    expect(page.get_by_text(re.compile("step 4 of lab")).last).to_be_visible()
