"""``viterbi-lab train``: train a labeller or an aligner on files and write it into another."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from viterbi_lab.cli.aligning import add_pairs
from viterbi_lab.cli.inputs import (
    FAULTS,
    add_data,
    add_task,
    complain,
    labelled,
    options_of,
    read_alignments,
    read_data,
    say,
)
from viterbi_lab.data.reading import ALIGNMENT

if TYPE_CHECKING:
    from viterbi_lab.aligner import Aligner
    from viterbi_lab.iterate import Iterate
    from viterbi_lab.labeller import Labeller
    from viterbi_lab.rescaling import Penalty
    from viterbi_lab.tasks.base import Example, Task

NOT_CONVERGED = 3
"""Exit code if the training ended before it reached its goal; the model is written."""
INTERRUPTED = 130
"""Exit code after Ctrl+C; the model of the last pass is written."""
DEFAULT_C = {("genes", "margin"): 3.0, ("genes", "slack"): 1e-4}
"""C where features are measured by their mean; elsewhere 0.02 (slack: 0.002) times the sequences."""
ALIGNMENT_C = 0.5
"""C for each pair of an alignment, whose slacks are squared."""


def add(commands: argparse._SubParsersAction) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "train",
        help="train on sequences with labels, or on alignments",
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
    parser.add_argument(
        "--seed", type=int, default=0, help="of the order of examples, and of the pairs that are drawn"
    )
    parser.add_argument("--threads", type=int, default=1, help="of the oracle; the result does not change")
    parser.add_argument("--window", type=int, help="neighbours on either side that describe a site")
    parser.add_argument("--values", action="store_true", help="table: describe by values, not by bins")
    parser.add_argument("--bins", type=int, default=10, help="table: bins of each value (default 10)")
    add_pairs(parser)
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
    from viterbi_lab.iterate import Status

    try:
        job = _aligner(chosen) if chosen.task == ALIGNMENT else _labeller(chosen)
        last = _trained(job, chosen)
        job.model(last.w).save(chosen.output)
    except FAULTS as error:
        return complain("train", error)
    except KeyboardInterrupt:
        print("viterbi-lab train: stopped before the first pass; nothing was written.", file=sys.stderr)
        return INTERRUPTED
    gap = 100 * max(last.gap, 0.0) / last.upper
    print(
        f"{chosen.output}: {job.told}, {job.task.n_weights} weights; "
        f"C={job.C:g}, {chosen.rescaling}, pass {last.number}, gap {gap:.2g} %"
    )
    if last.status is Status.CONVERGED:
        return 0
    print(f"viterbi-lab train: {last.status.value}", file=sys.stderr)
    return INTERRUPTED if last.status is Status.RUNNING else NOT_CONVERGED


@dataclass(frozen=True)
class _Job:
    """What is trained, and what becomes of its weights.

    Attributes:
        task: joint feature map and loss.
        examples: to train on.
        penalty: what slacks cost.
        C: how much.
        unit: what an example is.
        told: what there is to train on, for people.
        model: makes of weights what is saved.
    """

    task: Task
    examples: Sequence[Example]
    penalty: Penalty
    C: float
    unit: str
    told: str
    model: Callable[[np.ndarray], Labeller | Aligner]


def _labeller(chosen: argparse.Namespace) -> _Job:
    from viterbi_lab.data.long import shortened  # late, as all that computes: the help needs none of it
    from viterbi_lab.losses import WRAPPERS
    from viterbi_lab.recipes import prepare
    from viterbi_lab.rescaling import LINEAR

    options = options_of(chosen)
    whole = labelled(read_data(chosen.data, chosen.task, options), chosen.data[0])
    data = shortened(whole, chosen.long, chosen.longest)
    say(data.notes[len(whole.notes) :])
    prepared = prepare(
        data,
        wrapper=WRAPPERS[chosen.h],
        window=chosen.window,
        bins=None if chosen.values else chosen.bins,
        grammar=not chosen.no_grammar,
    )
    say(prepared.notes)
    n = len(prepared.examples)
    share = 0.02 if chosen.rescaling == "margin" else 0.002
    kept = options.for_data_like(data)
    states = len(prepared.labeller(np.zeros(prepared.task.n_weights)).states)
    return _Job(
        prepared.task,
        prepared.examples,
        LINEAR,
        chosen.C or DEFAULT_C.get((chosen.task, chosen.rescaling), share * n),
        "sequence",
        f"{n} sequences, {data.sites} sites, {states} states",
        lambda w: replace(prepared.labeller(w), read_as=kept),
    )


def _aligner(chosen: argparse.Namespace) -> _Job:
    from viterbi_lab.aligner import Aligner
    from viterbi_lab.homologues import alphabet_of, draw
    from viterbi_lab.rescaling import QUADRATIC
    from viterbi_lab.tasks.alignment import AlignmentTask, without_twins

    families = read_alignments(chosen.data)
    task = AlignmentTask(alphabet_of(families), affine=True)
    drawn, notices = draw(families, chosen.pairs, np.random.default_rng(chosen.seed), alphabet=task.alphabet)
    X, Y, twins = without_twins(drawn.X, drawn.Y)
    say((*notices, *twins))
    return _Job(
        task,
        task.prepare(X, Y),
        QUADRATIC,
        chosen.C or ALIGNMENT_C * len(X),
        "pair",
        f"{len(X)} pairs of {len(families)} alignments, {len(task.alphabet)} letters",
        lambda w: Aligner(task, w),
    )


def _trained(job: _Job, chosen: argparse.Namespace) -> Iterate:
    """The last pass of the training, which Ctrl+C ends after any pass."""
    from tqdm import tqdm

    from viterbi_lab.block_coordinate import iterates
    from viterbi_lab.rescaling import RESCALINGS

    last = None
    with tqdm(total=len(job.examples), unit=job.unit, disable=None, leave=False) as bar:
        training = iterates(
            job.task,
            job.examples,
            C=job.C,
            relative_gap=chosen.gap,
            rescaling=RESCALINGS[chosen.rescaling],
            penalty=job.penalty,
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
    return last
