"""A visitor's own file: read through the one safe door, split for training and validation, and named.

Nothing in a file is executed; what was repaired, chosen or left out is listed in its notes.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from viterbi_lab.data import reading
from viterbi_lab.data.dataset import DataSet as Records
from viterbi_lab.data.dataset import Record
from viterbi_lab.data.long import LONGEST, background_of, shortened
from viterbi_lab.losses import Wrapper
from viterbi_lab.recipes import prepare
from viterbi_lab.ui.feature_names import inputs_of
from viterbi_lab.ui.names import DataSet, Names
from viterbi_lab.ui.weights import Weights

VALIDATION = 0.2  # of the sequences
FEWEST = 3  # sequences with labels: two to train on, one to look at
MOST_LABELS = 40  # that ribbons can tell apart, if barely
MOST_KEPT = 2  # files that stay read


@dataclass(frozen=True)
class OwnData:
    """Files as a visitor gave them.

    Attributes:
        files: their names and contents.
        kind: one of ``viterbi_lab.data.dataset.TASKS``.
        long: what to do with long sequences, one of ``viterbi_lab.data.long.CHOICES``.
    """

    files: tuple[tuple[str, bytes], ...]
    kind: str
    long: str

    @property
    def name(self) -> str:
        """What to call it: the names of the files, and a mark of what is in them."""
        digest = hashlib.sha256()
        for name, content in self.files:
            digest.update(name.encode() + b"\0" + content + self.kind.encode() + self.long.encode())
        return f"{', '.join(name for name, _ in self.files)} #{digest.hexdigest()[:6]}"


@lru_cache(maxsize=MOST_KEPT)
def read(own: OwnData) -> Records:
    """Return the sequences of a file.

    Raises:
        ValueError: if the file is no such file, too large, without labels, or too small to train on.
    """
    contents = dict(own.files)
    if len(contents) < len(own.files):
        raise ValueError("Two of the files have the same name. Give each file once.")
    source = contents if len(contents) > 1 else own.files[0][1]
    found = reading.read(source, own.files[0][0], own.kind)
    labelled = [record for record in found.records if record.y is not None]
    if len(labelled) < FEWEST:
        raise ValueError(
            f"There are {len(labelled)} sequences with labels; at least {FEWEST} are needed, to train on "
            "some and look at others."
        )
    if len(found.labels) > MOST_LABELS:
        raise ValueError(
            f"There are {len(found.labels)} different labels; at most {MOST_LABELS} can be shown."
        )
    bare = len(found.records) - len(labelled)
    notes = (f"{bare} sequences have no labels and are left out.",) if bare else ()
    found = replace(found, records=tuple(labelled), notes=(*notes, *found.notes))
    return shortened(found, own.long, LONGEST)


def most_examples(own: OwnData) -> int:
    """Return how many sequences there are to train on."""
    return len(_split(read(own), 0)[0])


@lru_cache(maxsize=MOST_KEPT)
def prepared(own: OwnData, n: int, seed: int, wrapper: Wrapper) -> DataSet:
    """Return the data of a run.

    Args:
        own: the file.
        n: training examples.
        seed: of the split into training and validation.
        wrapper: h.

    Raises:
        ValueError: as `read`; or if there are fewer sequences, or none can be trained on.
    """
    records = read(own)
    train_on, validation = _split(records, seed)
    if n > len(train_on):
        raise ValueError(f"n={n}, but there are {len(train_on)} sequences to train on. Choose a smaller n.")
    made = prepare(replace(records, records=tuple(train_on[:n])), wrapper=wrapper)
    blank = made.labeller(np.zeros(made.task.n_weights))
    background = background_of(records)
    labels = (background, *(label for label in records.labels if label != background))
    inputs = inputs_of(blank.features, records.columns, made.examples, len(blank.states))

    def weights(w: np.ndarray) -> Weights:
        labeller = made.labeller(w)
        return Weights.of_chain(
            labeller.emissions, labeller.transitions, labeller.start, labeller.end, inputs
        )

    return DataSet(
        names=Names(
            labels=labels,
            heights=tuple(np.linspace(0.18, 1.0, len(labels)).tolist()) if len(labels) > 1 else (0.18,),
            states=blank.states,
            label_of=tuple(labels.index(label) for label in blank.labels),
        ),
        inputs=inputs,
        task=made.task,
        weights=weights,
        examples=made.examples,
        validation=tuple(
            (
                made.task.prepare_input(blank.features.transform(record.x), record.name),
                np.array([labels.index(label) for label in record.y]),
            )
            for record in validation
        ),
    )


def _split(records: Records, seed: int) -> tuple[list[Record], list[Record]]:
    """Sequences to train on and to validate with; the same seed gives the same."""
    order = np.random.default_rng(seed).permutation(len(records.records))
    held = max(1, round(VALIDATION * len(order)))
    chosen = [records.records[place] for place in order]
    return chosen[held:], chosen[:held]
