"""Learning to align: homologues among decoys; T04, section 4.4.

    python -m viterbi_lab.experiments alignment

Two data sets. Synthetic ones as far as T04 tells how (`viterbi_lab.experiments.synthetic_homologues`), and
pairs of real sequences whose alignment Pfam knows (`viterbi_lab.experiments.pfam_pairs`).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from viterbi_lab.data.families import read_families, shipped_families
from viterbi_lab.experiments.pfam_pairs import real_table, run_real
from viterbi_lab.experiments.report import deliver, page
from viterbi_lab.experiments.synthetic_homologues import run, table


def main(arguments: Sequence[str] | None = None) -> None:
    """Train alignments on synthetic homologues and on pairs of Pfam, and print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m viterbi_lab.experiments alignment", description=main.__doc__
    )
    parser.add_argument("--seeds", type=int, default=10, help="how many draws (default 10)")
    parser.add_argument("--families", type=Path, help="folder of Stockholm files; default: the shipped ones")
    parser.add_argument("--out", type=Path, help="write the page there, too: assets/tables/alignment.md")
    options = parser.parse_args(arguments)
    folder = options.families
    families = shipped_families() if folder is None else read_families(sorted(folder.glob("*.sto")))
    seeds = range(options.seeds)
    text = page(
        "Alignments",
        f"python -m viterbi_lab.experiments alignment --seeds {options.seeds}",
        [table(run(seeds)), real_table(run_real(families, seeds))],
    )
    deliver(text, options.out)


if __name__ == "__main__":
    main()
