"""``viterbi-lab figures``: make Figures 4 to 7 of Bauer et al. as PNG, SVG, CSV and HTML files."""

import argparse
import sys
from pathlib import Path

FIGURES = ("4", "5", "6", "7")
KINDS = ("png", "svg", "csv", "html")


def add(commands: argparse._SubParsersAction) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "figures",
        help="make Figures 4 to 7 of Bauer et al.; 4 and 5 are measured, 7 shows the results that come along",
    )
    parser.add_argument(
        "folder", type=Path, nargs="?", default=Path("figures"), help="where to (default %(default)s)"
    )
    parser.add_argument(
        "--only", nargs="+", choices=FIGURES, default=FIGURES, metavar="N", help="of 4, 5, 6 and 7"
    )
    parser.add_argument(
        "--kinds",
        nargs="+",
        choices=KINDS,
        help="of png, svg, csv and html (default: all; without matplotlib csv and html)",
    )
    parser.add_argument(
        "--results",
        type=Path,
        metavar="FILE",
        help="own results of Fig. 7, from `python -m viterbi_lab.experiments figure7 FOLDER --gather FILE`",
    )
    parser.set_defaults(run=_figures)


def _figures(chosen: argparse.Namespace) -> int:
    from viterbi_lab.experiments import gathered  # late: the other commands need no kernels
    from viterbi_lab.experiments.concentration import heat
    from viterbi_lab.experiments.example import example
    from viterbi_lab.experiments.scaling import measure
    from viterbi_lab.ui import figure_files, finished

    def results() -> gathered.Gathered:
        return gathered.read(chosen.results) if chosen.results else gathered.shipped()

    make = {
        "4": lambda: finished.figure4(list(measure())),
        "5": lambda: finished.figure5(heat()),
        "6": lambda: finished.figure6(example()),
        "7": lambda: finished.figure7(results()),
    }
    kinds = chosen.kinds or (KINDS if figure_files.can_draw() else ("csv", "html"))
    try:
        for number in chosen.only:
            figure = make[number]()
            for place in figure_files.write(figure, chosen.folder, kinds):
                print(f"{place}: {figure.title}")
    except (OSError, ValueError, figure_files.NoMatplotlib) as error:
        print(f"viterbi-lab figures: {error}", file=sys.stderr)
        return 1
    if kinds == ("csv", "html"):
        print(figure_files.NEEDS_MATPLOTLIB)
    return 0
