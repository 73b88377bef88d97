"""``viterbi-lab experiment``: run an experiment by its name, as ``python -m viterbi_lab.experiments``."""

import argparse


def add(commands: argparse._SubParsersAction) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "experiment", help="make the table of an experiment; without a name list them"
    )
    parser.add_argument("name", nargs="?", help="which one")
    parser.add_argument(
        "options", nargs=argparse.REMAINDER, help="its options: viterbi-lab experiment NAME --help tells them"
    )
    parser.set_defaults(run=_experiment)


def _experiment(chosen: argparse.Namespace) -> int:
    from viterbi_lab.experiments.__main__ import main  # late: the other commands need no kernels

    main([*([] if chosen.name is None else [chosen.name]), *chosen.options])
    return 0
