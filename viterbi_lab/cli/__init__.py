"""The command ``viterbi-lab``. Every subcommand is a module with a function ``add`` that describes it."""

import argparse
import sys
from collections.abc import Sequence

import viterbi_lab
from viterbi_lab.cli import check, decode, evaluate, experiment, export, figures, serve, train

COMMANDS = (serve, train, decode, evaluate, export, figures, experiment, check)
"""The modules of the subcommands, in the order in which ``--help`` names them."""


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
    for command in COMMANDS:
        command.add(commands)
    return parser
