"""``python -m viterbi_lab.experiments``: finds every experiment and runs the one that is named."""

import importlib
import pkgutil

import pytest

import viterbi_lab.experiments
from viterbi_lab.cli import main as lab
from viterbi_lab.experiments import EXPERIMENTS
from viterbi_lab.experiments.__main__ import main


def test_every_module_with_a_command_is_listed():
    modules = [module.name for module in pkgutil.iter_modules(viterbi_lab.experiments.__path__)]
    commands = {
        name
        for name in modules
        if name != "__main__" and hasattr(importlib.import_module(f"viterbi_lab.experiments.{name}"), "main")
    }
    assert commands == set(EXPERIMENTS)


def test_the_named_experiment_gets_the_other_arguments(monkeypatch):
    received = []
    monkeypatch.setattr("viterbi_lab.experiments.celegans.main", received.append)
    main(["celegans", "--train", "3"])
    assert received == [["--train", "3"]]


@pytest.mark.parametrize("arguments", [[], ["--help"]])
def test_without_a_name_all_are_listed(arguments, capsys):
    main(arguments)
    printed = capsys.readouterr().out
    assert all(name in printed for name in EXPERIMENTS)


def test_an_unknown_name_is_refused_with_those_there_are():
    with pytest.raises(SystemExit, match=r"(?s)no experiment 'parsnip'.*celegans"):
        main(["parsnip"])


def test_the_command_line_of_the_lab_offers_the_same(monkeypatch, capsys):
    received = []
    monkeypatch.setattr("viterbi_lab.experiments.celegans.main", received.append)
    assert lab(["experiment", "celegans", "--train", "3"]) == 0
    assert received == [["--train", "3"]]
    assert lab(["experiment"]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in EXPERIMENTS)
