"""Limits: each has a name, a default, a variable and a sentence; a refusal names all that helps."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from viterbi_lab.limits import Limits, variable

ROOT = Path(__file__).parents[1]
NAMES = [limit.name for limit in fields(Limits)]


@pytest.mark.parametrize("name", NAMES)
def test_the_environment_overrides_a_limit_and_no_other(monkeypatch, name):
    monkeypatch.setenv(variable(name), "17")
    limits = Limits.from_environment()
    assert getattr(limits, name) == Limits.in_force(name) == 17
    assert [other for other in NAMES if getattr(limits, other) != getattr(Limits(), other)] == [name]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["", "-1", "1.5", "1e9", "many", "٥", " 7", "0x10"])
def test_what_is_no_limit_is_refused_with_its_name_and_meaning(monkeypatch, name, text):
    monkeypatch.setenv(variable(name), text)
    with pytest.raises(ValueError, match=f"{variable(name)}={re.escape(repr(text))} is not a whole number"):
        Limits.from_environment()


@pytest.mark.parametrize("name", [name for name in NAMES if name != "workers"])
def test_nothing_can_be_limited_to_nothing(monkeypatch, name):
    monkeypatch.setenv(variable(name), "0")
    with pytest.raises(ValueError, match="at least 1"):
        Limits.in_force(name)


def test_every_limit_says_what_it_limits():
    described = Limits.described()
    assert [variable(name) for name in NAMES] == [named for named, _, _ in described]
    assert all(default >= 0 and len(what.split()) >= 3 for _, default, what in described)


def test_every_limit_is_used():
    sources = [
        path.read_text(encoding="utf-8")
        for path in (ROOT / "viterbi_lab").rglob("*.py")
        if path.name != "limits.py" or path.parent.name == "dp"
    ]
    everything = "\n".join(sources)
    for name in NAMES:
        asked = name if name != "workers" else "n_workers"
        assert re.search(rf'limits\.{asked}\b|in_force\("{asked}"\)', everything), name


def test_zero_workers_means_all_processors_but_one(monkeypatch):
    for processors, workers in ((1, 1), (2, 1), (8, 7), (None, 1)):
        monkeypatch.setattr("os.cpu_count", lambda processors=processors: processors)
        assert Limits().n_workers == workers
    assert Limits(workers=3).n_workers == 3
