"""``viterbi-lab evaluate``: compare what a model says with the labels of a file."""

import argparse
from pathlib import Path

from viterbi_lab.cli.aligning import add_pairs, score
from viterbi_lab.cli.inputs import AS_TRAINED, FAULTS, add_data, complain, labelled, options_of, read_data


def add(commands: argparse._SubParsersAction) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "evaluate", help="score a model by sites, labels and segments, or by pairs of letters"
    )
    parser.add_argument("model", type=Path, help="file that train wrote")
    parser.add_argument(
        "--background", help="label whose runs are no segments (default: O, N, or the most frequent)"
    )
    add_pairs(parser)
    parser.add_argument(
        "--seed", type=int, default=1, help="of their drawing; not that of the training (default 1)"
    )
    add_data(parser, AS_TRAINED)
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace) -> int:
    from tqdm import tqdm  # late, as all that computes: the help needs none of it

    from viterbi_lab.data.long import background_of
    from viterbi_lab.evaluation import evaluate, report
    from viterbi_lab.labeller import Labeller
    from viterbi_lab.model_file import ALIGNER, kind

    try:
        if kind(chosen.model) == ALIGNER:
            print(score(chosen.model, chosen.data, chosen.pairs, chosen.seed))
            return 0
        labeller = Labeller.load(chosen.model)
        options = options_of(chosen, labeller.read_as)
        data = labelled(read_data(chosen.data, labeller.task, options), chosen.data[0])
        background = chosen.background or background_of(data)
        predicted = tqdm(labeller.label_all(data), total=len(data.records), unit="sequence", disable=None)
        true = [record.y for record in data.records]
        found = evaluate(true, list(predicted), background=background, scheme=data.scheme)
    except FAULTS as error:
        return complain("evaluate", error)
    print(report(found))
    return 0
