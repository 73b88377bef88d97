"""A trained labeller: what describes sites, which states there are, and the weights; in one file.

`StructuredSVM` works on features that are there already. A labeller begins with data as they were read, so it
keeps what made the features too, and for genes the states behind the labels.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Protocol

import numpy as np

from viterbi_lab import model_file
from viterbi_lab.data.dataset import TASKS, DataSet
from viterbi_lab.data.options import Options
from viterbi_lab.dp import ChainScores, viterbi
from viterbi_lab.features import (
    HistogramBins,
    KmerWindow,
    KmerWindows,
    LetterWindows,
    ValueWindows,
    WordFeatures,
)
from viterbi_lab.model_file import LABELLER, NotAModel, believed_only_if_it_fits
from viterbi_lab.tasks.encoding import ENCODINGS, Encoding

SITES_AT_ONCE = 10_000


class Builder(Protocol):
    """What turns the sites of a record into features; see `viterbi_lab.features`."""

    @property
    def n_features(self) -> int:
        """F."""

    def transform(self, x: Any) -> Any:
        """The features of each site."""


@dataclass(frozen=True, eq=False)
class Labeller:
    """Labels sequences of one kind.

    Attributes:
        task: the kind of data, one of ``viterbi_lab.data.dataset.TASKS``.
        features: what describes the sites.
        encoding: how the features are written down.
        states: names of the N states of the chain.
        labels: the label of each state.
        emissions: (N, F) float64 weights.
        transitions: (N, N) float64, −inf where a state may not follow another.
        start: (N,) float64, −inf where a sequence may not begin.
        end: (N,) float64, −inf where it may not end.
        about: what else to keep in the file: plain values as JSON has them.
        read_as: how the training data were read, so that others can be read alike.
    """

    task: str
    features: Builder
    encoding: Encoding
    states: tuple[str, ...]
    labels: tuple[str, ...]
    emissions: np.ndarray
    transitions: np.ndarray
    start: np.ndarray
    end: np.ndarray
    about: dict[str, Any] = field(default_factory=dict)
    read_as: Options = field(default_factory=Options)

    def __post_init__(self):
        N, F = len(self.states), self.features.n_features
        shapes = {"emissions": (N, F), "transitions": (N, N), "start": (N,), "end": (N,)}
        for name, shape in shapes.items():
            if np.shape(getattr(self, name)) != shape:
                raise ValueError(f"{name} has shape {np.shape(getattr(self, name))}; needed is {shape}.")
        if self.task not in TASKS or len(self.labels) != N:
            raise ValueError(f"task={self.task!r}, {N} states with {len(self.labels)} labels do not fit.")

    def label(self, x: Any) -> tuple[str, ...]:
        """The best labelling of one sequence, Bauer et al. (5).

        Features are computed for some sites at a time: of a long sequence only N scores for each site and
        the levels of Algorithm 2 are kept, about 16·N bytes a site.

        Args:
            x: the sites of a record.

        Raises:
            ValueError: if the features cannot read the sites.
        """
        emissions = np.concatenate(list(self._emissions(x)))
        scores = ChainScores.trusted_homogeneous(emissions, self.transitions, self.start, self.end)
        return tuple(self.labels[state] for state in viterbi(scores).y)

    def label_all(self, data: DataSet) -> Iterator[tuple[str, ...]]:
        """The best labelling of each record.

        Raises:
            ValueError: if the data are of another kind, or their columns are not those of the training.
        """
        if data.task != self.task:
            raise ValueError(f"The model labels {self.task}; these data are {data.task}.")
        known = tuple(self.about.get("columns", data.columns))
        if data.columns != known:
            raise ValueError(
                f"The model was trained on columns {', '.join(known)}; these data have "
                f"{', '.join(data.columns)}."
            )
        for record in data.records:
            yield self.label(record.x)

    def _emissions(self, x: Any) -> Iterator[np.ndarray]:
        """(sites, N) scores of states, for some sites at a time."""
        reach = getattr(self.features, "reach", None)
        step = SITES_AT_ONCE if reach is not None else len(x)
        for begin in range(0, len(x), step):
            stop = min(begin + step, len(x))
            # at a cut the features see their neighbours; at an end there are none, here as in training
            first, last = (
                (begin, stop) if reach is None else (max(0, begin - reach), min(len(x), stop + reach))
            )
            described = self.features.transform(x[first:last])[begin - first : stop - first]
            checked = self.encoding.check(described, self.features.n_features, "the sequence")
            yield self.encoding.scores(checked, self.emissions)

    def save(self, path: str | os.PathLike) -> None:
        """Write it into one file; see `viterbi_lab.model_file`.

        Raises:
            OSError: if the file cannot be written; what was there before still is.
        """
        chain = {"transitions": self.transitions, "start": self.start, "end": self.end}
        header = {
            "kind": LABELLER,
            "task": self.task,
            "features": _described(self.features),
            "encoding": repr(self.encoding),
            "states": list(self.states),
            "labels": list(self.labels),
            "forbidden": {name: np.argwhere(np.isneginf(w)).tolist() for name, w in chain.items()},
            "about": self.about,
            "read_as": self.read_as.plain(),
        }
        finite = {name: np.where(np.isneginf(w), 0.0, w) for name, w in chain.items()}
        model_file.write(path, header, {"emissions": self.emissions, **finite})

    @classmethod
    def load(cls, path: str | os.PathLike) -> Labeller:
        """Read what `save` wrote; it labels as the one that was saved, bit for bit.

        Raises:
            NotAModel: if the file is none, is damaged, or holds another kind of model.
            OSError: if it cannot be read.
        """
        header, arrays = model_file.read_kind(path, LABELLER)
        with believed_only_if_it_fits(path):
            for name, places in header["forbidden"].items():
                for place in places:
                    arrays[name][tuple(place)] = -np.inf
            if any(np.isnan(array).any() or np.isposinf(array).any() for array in arrays.values()):
                raise NotAModel(f"{path} is damaged: it holds weights that are no numbers.")
            return cls(
                header["task"],
                _rebuilt(header["features"]),
                ENCODINGS[header["encoding"]],
                tuple(header["states"]),
                tuple(header["labels"]),
                *(arrays[name] for name in ("emissions", "transitions", "start", "end")),
                dict(header["about"]),
                Options.of_plain(header.get("read_as", {})),  # files of earlier versions do not say
            )


def _described(features: Builder) -> dict[str, Any]:
    """A builder as JSON can say it."""
    if isinstance(features, KmerWindows):
        settings: dict[str, Any] = asdict(features)
    else:  # a copy in depth of a million names takes long
        settings = {one.name: getattr(features, one.name) for one in fields(features) if one.init}
    plain = {name: x.tolist() if isinstance(x, np.ndarray) else x for name, x in settings.items()}
    return {"builder": type(features).__name__, **plain}


def _rebuilt(described: dict[str, Any]) -> Builder:
    settings = dict(described)
    name = settings.pop("builder")
    if name == KmerWindows.__name__:
        return KmerWindows(tuple(KmerWindow(**window) for window in settings["windows"]))
    return {kind.__name__: kind for kind in _BUILDERS}[name](**settings)


_BUILDERS: Sequence[type] = (HistogramBins, LetterWindows, ValueWindows, WordFeatures)
