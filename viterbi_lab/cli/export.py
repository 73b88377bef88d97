"""``viterbi-lab export``: write a problem as a page that steps by itself, a picture, tables or code."""

import argparse
import sys
from pathlib import Path

EXPORTS = {
    "html": ("html", "a page that steps, switches ⊙ and changes h without a server"),
    "svg": ("svg", "the finished trellis as a picture"),
    "png": ("png", "the same as pixels, for slides (extra: pictures)"),
    "gif": ("gif", "the play-through as an animated GIF (extra: pictures)"),
    "json": ("json_text", "the problem with all its tables; can be read again"),
    "csv": ("cells_csv", "every cell: t, k, labels, L, S"),
    "scores": ("scores_csv", "the scores g as CSV"),
    "python": ("python_code", "a script that solves the problem with this library"),
}
"""What ``export`` can write: the function of ``viterbi_lab.ui.export``, and what comes of it."""


def add(commands: argparse._SubParsersAction) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "export",
        help="write a problem as a page that steps by itself, a picture, tables or Python code",
    )
    parser.add_argument(
        "problem", type=Path, help="JSON file as in assets/problems, or as the lab's Step view exports it"
    )
    for kind, (_, what) in EXPORTS.items():
        parser.add_argument(f"--{kind}", type=Path, metavar="FILE", help=what)
    parser.set_defaults(run=_export, complain=parser.error)


def _export(chosen: argparse.Namespace) -> int:
    wanted = {kind: path for kind in EXPORTS if (path := getattr(chosen, kind)) is not None}
    if not wanted:
        chosen.complain("name at least one file to write: " + ", ".join(f"--{kind} FILE" for kind in EXPORTS))

    from viterbi_lab.dp import NoFeasibleLabelling, TooBig  # late: the other commands need no kernels
    from viterbi_lab.files import replace_file
    from viterbi_lab.ui import export, problem_file

    try:
        question = problem_file.read(chosen.problem)
        for kind, path in wanted.items():
            content = getattr(export, EXPORTS[kind][0])(question)
            replace_file(path, content if isinstance(content, bytes) else content.encode())
            print(f"{path}: {EXPORTS[kind][1]}")
    except (OSError, ValueError, NoFeasibleLabelling, TooBig) as error:
        print(f"viterbi-lab export: {error}", file=sys.stderr)
        return 1
    return 0
