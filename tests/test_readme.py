"""The README is true: its code runs, its files exist, its pictures are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, flags=re.S)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_its_code_runs(number, capsys):
    exec(compile(BLOCKS[number], f"README block {number}", "exec"), {"__name__": "readme"})
    printed = capsys.readouterr().out
    assert printed
    assert "nan" not in printed


def test_the_first_example_converges_in_twelve_lines(capsys):
    assert len(BLOCKS[0].strip().splitlines()) <= 12
    exec(compile(BLOCKS[0], "README", "exec"), {"__name__": "readme"})
    printed = capsys.readouterr().out
    assert "converged" in printed
    assert float(printed.split()[-1]) > 0.9


def test_its_map_names_what_is_there():
    (block,) = re.findall(r"## Map\n\n```\n(.*?)```", README, flags=re.S)
    folders = {0: ROOT, 2: ROOT / "viterbi_lab"}
    for line in block.splitlines():
        depth = len(line) - len(line.lstrip())
        name = line.split()[0]
        parent = ROOT / "viterbi_lab" / "dp" if depth == 4 else folders[depth]
        assert (parent / name).exists(), f"{name} is in the map, not in {parent}"
    mentioned = set(re.findall(r"[\w]+\.py", block))
    for module in (ROOT / "viterbi_lab" / "dp").glob("*.py"):
        assert module.name in mentioned | {"__init__.py"}, f"{module.name} is missing in the map"


def test_its_links_and_pictures_exist():
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert targets
    for target in targets:
        assert (ROOT / target).exists(), target


def test_its_commands_exist():
    assert "uv run viterbi-lab" in README
    assert "uv run pytest" in README
    assert "uv run pytest" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
