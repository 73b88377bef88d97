"""``viterbi-lab check``: print versions and whether every part is in order."""

import argparse
import importlib
import platform
import sys
from collections.abc import Iterator
from importlib import metadata

import viterbi_lab
from viterbi_lab.assets import asset
from viterbi_lab.dp.compile import cache_directory

DISTRIBUTIONS = (
    "numpy",
    "numba",
    "param",
    "cvxpy",
    "clarabel",
    "panel",
    "panel-material-ui",
    "bokeh",
    "tornado",
)
PARTS = (
    "viterbi_lab.dp",
    "viterbi_lab.cutting_plane",
    "viterbi_lab.qp",
    "viterbi_lab.estimator",
    "viterbi_lab.ui.views.page",
)


def add(commands: argparse._SubParsersAction) -> None:
    """Describe the command."""
    parser = commands.add_parser("check", help="print versions and whether every part is in order")
    parser.set_defaults(run=_check)


def _check(chosen: argparse.Namespace) -> int:
    all_right = True
    for name, right, detail in _findings():
        print(f"{'ok  ' if right else 'FAIL'}  {name:<28} {detail}")
        all_right &= right
    print("Everything is in order." if all_right else "Something is missing; see the lines marked FAIL.")
    return 0 if all_right else 1


def _findings() -> Iterator[tuple[str, bool, str]]:
    """Yield what is looked at, whether it is in order, and what was found."""
    yield "viterbi-lab", True, viterbi_lab.__version__
    yield "python", sys.version_info >= (3, 11), f"{platform.python_version()} on {platform.platform()}"
    for name in DISTRIBUTIONS:
        try:
            yield name, True, metadata.version(name)
        except metadata.PackageNotFoundError:
            yield name, False, "not installed"
    for name in PARTS:
        try:
            importlib.import_module(name)
        except ImportError as error:
            yield name, False, str(error)
        else:
            yield name, True, "imports"
    directory = cache_directory()
    yield "kernel cache", directory is not None, str(directory or "no private folder can be written")
    for folder, pattern in (("problems", "*.json"), ("genes", "*.gz"), ("experiments", "*.json")):
        try:
            files = list(asset(folder).glob(pattern))
        except FileNotFoundError as error:
            yield f"assets/{folder}", False, str(error)
        else:
            yield f"assets/{folder}", bool(files), f"{len(files)} files"
