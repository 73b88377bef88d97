"""``viterbi-lab train``: train a labeller on a file and write it into another."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from viterbi_lab.cli.inputs import FAULTS, add_data, add_task, complain, labelled, options_of, read_data

NOT_CONVERGED = 3
"""Exit code if the training ended before it reached its goal; the model is written."""
INTERRUPTED = 130
"""Exit code after Ctrl+C; the model of the last pass is written."""
DEFAULT_C = {("genes", "margin"): 3.0, ("genes", "slack"): 1e-4}
"""C where features are measured by their mean; elsewhere 0.02 (slack: 0.002) times the sequences."""


def add(commands: argparse._SubParsersAction) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "train",
        help="train a labeller on sequences with labels",
        epilog=f"Exit code: 0, 1 after an error, {NOT_CONVERGED} if the model was written without reaching "
        f"the gap, {INTERRUPTED} after Ctrl+C.",
    )
    add_task(parser)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="MODEL", help="file to write")
    parser.add_argument("--rescaling", choices=("margin", "slack"), default="margin", help="(default margin)")
    parser.add_argument(
        "--h",
        choices=("identity", "sqrt", "square", "zero-one"),
        default="identity",
        help="the loss is h of the number of wrong sites (default identity)",
    )
    parser.add_argument("--C", type=float, help="what slacks cost (default: by task and number of sequences)")
    parser.add_argument(
        "--gap", type=float, default=0.02, help="share of the objective it may miss at the end (default 0.02)"
    )
    parser.add_argument("--passes", type=int, default=500, help="where to stop in any case (default 500)")
    parser.add_argument("--seed", type=int, default=0, help="of the order in which examples are visited")
    parser.add_argument("--threads", type=int, default=1, help="of the oracle; the result does not change")
    parser.add_argument("--window", type=int, help="neighbours on either side that describe a site")
    parser.add_argument("--values", action="store_true", help="table: describe by values, not by bins")
    parser.add_argument("--bins", type=int, default=10, help="table: bins of each value (default 10)")
    parser.add_argument("--no-grammar", action="store_true", help="genes: train labels, not states of a gene")
    parser.add_argument(
        "--long",
        choices=("refuse", "split", "window"),
        default="refuse",
        help="sequences above --longest: refuse them, split them between sites of the background, or keep "
        "windows around all else (default refuse)",
    )
    parser.add_argument("--longest", type=int, default=5000, help="sites to train on at once (default 5000)")
    add_data(parser)
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace) -> int:
    from tqdm import tqdm  # late, as all that computes: the help needs none of it

    from viterbi_lab.block_coordinate import iterates
    from viterbi_lab.data.long import shortened
    from viterbi_lab.iterate import Status
    from viterbi_lab.losses import WRAPPERS
    from viterbi_lab.recipes import prepare
    from viterbi_lab.rescaling import RESCALINGS

    try:
        options = options_of(chosen)
        data = labelled(read_data(chosen.data, chosen.task, options), chosen.data[0])
        whole, data = data, shortened(data, chosen.long, chosen.longest)
        _say(data.notes[len(whole.notes) :])
        prepared = prepare(
            data,
            wrapper=WRAPPERS[chosen.h],
            window=chosen.window,
            bins=None if chosen.values else chosen.bins,
            grammar=not chosen.no_grammar,
        )
        _say(prepared.notes)
        n = len(prepared.examples)
        share = 0.02 if chosen.rescaling == "margin" else 0.002
        C = chosen.C or DEFAULT_C.get((chosen.task, chosen.rescaling), share * n)
        last = None
        with tqdm(total=n, unit="sequence", disable=None, leave=False) as bar:
            training = iterates(
                prepared.task,
                prepared.examples,
                C=C,
                relative_gap=chosen.gap,
                rescaling=RESCALINGS[chosen.rescaling],
                max_passes=chosen.passes,
                n_jobs=chosen.threads,
                seed=chosen.seed,
                progress=lambda done, _: bar.update(done - bar.n),
            )
            try:
                for last in training:
                    bar.reset()
                    bar.set_description(f"pass {last.number}, gap {100 * last.gap / last.upper:.3g} %")
            except KeyboardInterrupt:
                if last is None:  # there are no weights to keep
                    raise
        labeller = replace(prepared.labeller(last.w), read_as=options.for_data_like(data))
        labeller.save(chosen.output)
    except FAULTS as error:
        return complain("train", error)
    except KeyboardInterrupt:
        print("viterbi-lab train: stopped before the first pass; nothing was written.", file=sys.stderr)
        return INTERRUPTED
    gap = 100 * max(last.gap, 0.0) / last.upper
    print(
        f"{chosen.output}: {n} sequences, {data.sites} sites, {len(labeller.states)} states, "
        f"{prepared.task.n_weights} weights; C={C:g}, {chosen.rescaling}, pass {last.number}, gap {gap:.2g} %"
    )
    if last.status is Status.CONVERGED:
        return 0
    print(f"viterbi-lab train: {last.status.value}", file=sys.stderr)
    return INTERRUPTED if last.status is Status.RUNNING else NOT_CONVERGED


def _say(notes: tuple[str, ...]) -> None:
    for note in notes:
        print(note, file=sys.stderr)
