"""What the project promises about itself: dependencies, licence, and no word that ties it to one place."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def names(requirements):
    return {re.split(r"[<>=!~\[; ]", requirement)[0].lower(): requirement for requirement in requirements}


def test_conda_and_pip_install_the_same():
    wanted = names(PROJECT["dependencies"])
    for extra in ("bio", "notebook", "text", "figures", "pictures", "test"):
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
