"""What importing the library loads, and what it leaves alone."""

import json
import subprocess
import sys

import pytest

HEAVY = ("panel", "panel_material_ui", "bokeh", "holoviews", "cvxpy", "clarabel", "scipy")


def modules_after(statement: str) -> set[str]:
    """The modules a fresh interpreter holds after a statement."""
    code = f"{statement}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    return modules_after("import viterbi_lab")


@pytest.mark.parametrize("name", HEAVY)
def test_importing_the_library_does_not_load(loaded, name):
    assert name not in loaded


def test_importing_the_library_takes_little_more_than_numpy_and_numba(loaded):
    """Seconds vary with the machine; the number of modules does not."""
    bare = modules_after("import numpy, numba")
    extra = {name for name in loaded - bare if not name.startswith("viterbi_lab")}
    assert len(extra) <= 60, sorted(extra)


@pytest.mark.parametrize(
    "module", ["viterbi_lab.ui.jobs", "viterbi_lab.ui.sessions.training", "viterbi_lab.ui.sessions.stepper"]
)
def test_sessions_and_jobs_load_no_widgets(module):
    loaded = modules_after(f"import {module}")
    assert not loaded & {"panel", "panel_material_ui", "bokeh", "holoviews"}


def test_the_command_prints_its_help_without_loading_the_page():
    loaded = modules_after(
        "import contextlib, io, viterbi_lab.cli\n"
        "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):\n"
        "    viterbi_lab.cli.main(['--help'])"
    )
    assert not loaded & {"panel", "bokeh", "cvxpy"}
