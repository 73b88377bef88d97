"""The command ``viterbi-lab``: serve the lab, export a problem, or check that everything needed is there."""

import argparse
import importlib
import platform
import sys
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path

import viterbi_lab
from viterbi_lab.assets import asset
from viterbi_lab.dp.compile import cache_directory

DEFAULT_PORT = 5006
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
EXPORTS = {
    "html": ("html", "a page that steps, switches ⊙ and changes h without a server"),
    "svg": ("svg", "the finished trellis as a picture"),
    "json": ("json_text", "the problem with all its tables; can be read again"),
    "csv": ("cells_csv", "every cell: t, k, labels, L, S"),
    "scores": ("scores_csv", "the scores g as CSV"),
    "python": ("python_code", "a script that solves the problem with this library"),
}
"""What ``export`` can write: the function of ``viterbi_lab.ui.export``, and what comes of it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; without a subcommand it serves the lab.

    Args:
        arguments: what follows the name of the command; by default from the command line.

    Returns:
        The exit code: 0, or 1 if the command could not do what it was asked.
    """
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if not arguments or (arguments[0].startswith("-") and arguments[0] not in ("-h", "--help", "--version")):
        arguments.insert(0, "serve")
    chosen = _parser().parse_args(arguments)
    return chosen.run(chosen)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="viterbi-lab",
        description="Step through loss-augmented Viterbi inference and train structured SVMs in the browser.",
        epilog="Without a command: serve.",
    )
    parser.add_argument("--version", action="version", version=f"viterbi-lab {viterbi_lab.__version__}")
    commands = parser.add_subparsers(required=True, metavar="command")

    serve = commands.add_parser("serve", help="serve the lab on this machine (the default)")
    serve.add_argument(
        "--port",
        type=_port,
        default=DEFAULT_PORT,
        help=f"port to listen on, 0 for any free one (default {DEFAULT_PORT})",
    )
    browser = serve.add_mutually_exclusive_group()
    browser.add_argument(
        "--show",
        action="store_true",
        default=sys.stdout.isatty(),
        help="open the page in the browser (the default when started from a terminal)",
    )
    browser.add_argument("--no-browser", dest="show", action="store_false", help="do not open a browser")
    serve.set_defaults(run=_serve)

    export = commands.add_parser(
        "export",
        help="write a problem as a page that steps by itself, a picture, tables or Python code",
    )
    export.add_argument(
        "problem", type=Path, help="JSON file as in assets/problems, or as the lab's Step view exports it"
    )
    for kind, (_, what) in EXPORTS.items():
        export.add_argument(f"--{kind}", type=Path, metavar="FILE", help=what)
    export.set_defaults(run=_export, complain=export.error)

    check = commands.add_parser("check", help="print versions and whether every part is in order")
    check.set_defaults(run=_check)
    return parser


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port. Give a whole number 0..65535.")
    return int(text)


def _serve(chosen: argparse.Namespace) -> int:
    from viterbi_lab.ui.views.server import PortTaken, serve  # late: `check` must run without a page

    try:
        serve(chosen.port, show=chosen.show, announce=_announce)
    except PortTaken as error:
        print(
            f"{error} Is the lab running already? Look at http://127.0.0.1:{chosen.port}, "
            f"or choose another port: viterbi-lab --port {_another(chosen.port)}",
            file=sys.stderr,
        )
        return 1
    return 0


def _announce(address: str) -> None:
    print(f"Viterbi Lab is ready at {address}", "Stop it with Ctrl+C.", sep="\n", flush=True)


def _another(port: int) -> int:
    return port + 1 if port < 65535 else DEFAULT_PORT


def _export(chosen: argparse.Namespace) -> int:
    wanted = {kind: path for kind in EXPORTS if (path := getattr(chosen, kind)) is not None}
    if not wanted:
        chosen.complain("name at least one file to write: " + ", ".join(f"--{kind} FILE" for kind in EXPORTS))

    from viterbi_lab.dp import NoFeasibleLabelling, TooBig  # late: the other commands need no kernels
    from viterbi_lab.ui import export, problem_file

    try:
        question = problem_file.read(chosen.problem)
        for kind, path in wanted.items():
            path.write_text(getattr(export, EXPORTS[kind][0])(question), encoding="utf-8")
            print(f"{path}: {EXPORTS[kind][1]}")
    except (OSError, ValueError, NoFeasibleLabelling, TooBig) as error:
        print(f"viterbi-lab export: {error}", file=sys.stderr)
        return 1
    return 0


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
    for folder, pattern in (("problems", "*.json"), ("genes", "*.gz")):
        try:
            files = list(asset(folder).glob(pattern))
        except FileNotFoundError as error:
            yield f"assets/{folder}", False, str(error)
        else:
            yield f"assets/{folder}", bool(files), f"{len(files)} files"


if __name__ == "__main__":
    sys.exit(main())
