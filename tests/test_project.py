"""What the project promises about itself: dependencies, licence, and no word that ties it to one place."""

import json
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def names(requirements):
    return {re.split(r"[<>=!~\[; ]", requirement)[0].lower(): requirement for requirement in requirements}


def test_conda_and_pip_install_the_same():
    wanted = names(PROJECT["dependencies"])
    for extra in ("bio", "notebook", "text", "figures", "pictures", "distributed", "test"):
        wanted |= names(PROJECT["optional-dependencies"][extra])
    wanted.pop("viterbi-lab")
    text = (ROOT / "environment.yml").read_text(encoding="utf-8")
    listed = names(re.findall(r"^ +- ([^-:\n][^:\n]*)$", text, flags=re.M))
    assert listed.pop("python") == "python" + PROJECT["requires-python"]
    for channel in ("pip", "conda-forge"):
        listed.pop(channel)
    assert listed == wanted


def test_the_top_level_holds_what_was_agreed():
    allowed = {
        "pyproject.toml", "README.md", "viterbi_lab", "apps", "tests", "assets", "environment.yml",
        "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "uv.lock",
    }  # fmt: skip
    found = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert found - allowed <= {"dist", "build"}


def test_kernels_use_neither_parallel_loops_nor_fast_mathematics():
    for source in (ROOT / "viterbi_lab").rglob("*.py"):
        code = source.read_text(encoding="utf-8")
        assert not re.search(r"\bprange\b|parallel\s*=\s*True|fastmath\s*=\s*True", code), source


def version(text):
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])


def test_floors_lie_above_the_versions_with_known_holes():
    """CVE-2026-21883 of bokeh is mended in 3.8.2, CVE-2026-91990 of tornado in 6.5.8."""
    wanted = names(PROJECT["dependencies"])
    for name, mended in (("bokeh", (3, 8, 2)), ("tornado", (6, 5, 8))):
        assert version(wanted[name].split(">=")[1].split("#")[0]) >= mended
        assert version(metadata.version(name)) >= mended


@pytest.mark.parametrize(
    ("report", "code"),
    [
        ({"dependencies": [{"name": "a", "version": "1", "vulns": []}]}, 0),
        (
            {"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "CVE-1", "fix_versions": []}]}]},
            1,
        ),
        ({"dependencies": [{"name": "a", "skip_reason": "Dependency not found on PyPI"}]}, 1),
        ({"dependencies": []}, 1),
    ],
)
def test_the_audit_fails_where_a_package_has_a_hole_or_was_skipped(report, code):
    done = subprocess.run(
        [sys.executable, ROOT / ".ci" / "audit"], input=json.dumps(report), capture_output=True, text=True
    )
    assert done.returncode == code, done.stdout
