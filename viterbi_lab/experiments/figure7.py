"""Fig. 7 of Bauer et al. 2014: accuracy and iterations against the number of training sequences.

    python -m viterbi_lab.experiments figure7 results --workers 2

goes through the grid of `viterbi_lab.experiments.protocol` and leaves a file for each cell in the folder
``results``. Stopped at any moment, by any means, the same command goes on where it was. With

    python -m viterbi_lab.experiments figure7 results --gather figure7.json

the data sets that are complete become one file, after a sample of cells has been trained once more by the
reference, cvxpy, to the same objective; what they say is printed. So the file of the lab was made.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from viterbi_lab.data.genes import SIGMAS
from viterbi_lab.experiments import gathered
from viterbi_lab.experiments.agreement import agreement
from viterbi_lab.experiments.cell_files import digest, read_all, read_protocol
from viterbi_lab.experiments.protocol import DATA_SETS, SIZES, Cell, Protocol, grid
from viterbi_lab.experiments.sweep import Progress, available_cores, sweep
from viterbi_lab.experiments.trends import account, statements, table


def main(arguments: Sequence[str] | None = None) -> None:
    """Train over the grid of Fig. 7 of Bauer et al., on all cores; stop and go on at will."""
    options = _parser().parse_args(arguments)
    cells = grid(options.data_sets, options.sigmas, options.sizes)
    try:
        if options.gather:
            _gather(options.folder, cells, options.gather)
        else:
            _go_through(options.folder, cells, options.workers)
    except (ValueError, OSError) as error:  # NotACell and OtherProtocol are ValueErrors
        raise SystemExit(str(error)) from error
    except KeyboardInterrupt:
        raise SystemExit("Stopped. The same command goes on from here.") from None


def _go_through(folder: Path, cells: Sequence[Cell], workers: int) -> None:
    failed: tuple = ()
    for progress in sweep(Protocol(), cells, folder, workers=workers):
        failed = progress.failed
        sys.stderr.write(line(progress) + "\n")
    results = read_all(folder)
    sys.stdout.write(f"{len(results)} cells in {folder}, digest {digest(results)}\n")
    for cell, why in failed:
        sys.stderr.write(f"{cell} failed. {why}\n")
    if failed:
        raise SystemExit(f"{len(failed)} cells failed. The same command tries them again.")


def _gather(folder: Path, cells: Sequence[Cell], place: Path) -> None:
    protocol, results = read_protocol(folder), gathered.complete(cells, read_all(folder))
    agreements = [agreement(protocol, cell, C) for cell, C in gathered.sample(results)]
    whole = gathered.gather(protocol, results, agreements, digest(results))
    gathered.write(whole, place)
    sys.stdout.writelines(f"{sentence}\n" for sentence in account(whole))
    sys.stdout.write(f"\n{table(whole)}\n\n")
    sys.stdout.writelines(f"- {statement}\n" for statement in statements(whole))
    for checked in agreements:
        sys.stdout.write(f"cvxpy, {checked.cell}: objectives differ by {checked.difference:.1e}\n")


def line(progress: Progress) -> str:
    """One line on how far the sweep has come."""
    if progress.cell is None:
        damaged = "".join(f"{why} It is computed again.\n" for why in progress.damaged)
        return f"{damaged}{progress.done} of {progress.total} cells are there"
    left = "" if progress.seconds_left is None else f", about {duration(progress.seconds_left)} left"
    failed = f", {len(progress.failed)} failed" if progress.failed else ""
    return f"{progress.done} of {progress.total} cells{failed}{left}; last {progress.cell}"


def duration(seconds: float) -> str:
    """A length of time as one says it; no more exact than an estimate is."""
    if seconds < 90:
        return f"{max(5, 5 * round(seconds / 5))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m viterbi_lab.experiments figure7", description=main.__doc__
    )
    parser.add_argument("folder", type=Path, help="where the results of the cells are and go")
    parser.add_argument(
        "--workers",
        type=int,
        default=available_cores(),
        help="processes that train (default: one for each core, %(default)s)",
    )
    parser.add_argument("--gather", type=Path, metavar="FILE", help="write complete data sets into one file")
    parser.add_argument("--data-sets", type=int, default=DATA_SETS, help="default %(default)s")
    parser.add_argument("--sigmas", type=float, nargs="+", default=SIGMAS, help="default %(default)s")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="default %(default)s")
    return parser


if __name__ == "__main__":
    main()
