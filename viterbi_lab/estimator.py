"""`StructuredSVM`: a structured SVM for label sequences, in the shape of a scikit-learn estimator."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from viterbi_lab.cutting_plane import Iterate, Status, iterates
from viterbi_lab.losses import WRAPPERS, Wrapper
from viterbi_lab.oracle import predict
from viterbi_lab.rescaling import PENALTIES, RESCALINGS, Penalty, Rescaling
from viterbi_lab.tasks.base import Example
from viterbi_lab.tasks.sequence import ACTIVE, DENSE, SequenceTask


class StructuredSVM:
    """A structured SVM that labels sequences; Bauer et al. (3) and (4), trained to a certified gap.

    It minimises ½‖w‖² + (C/n) Σ ξ_i (``penalty="linear"``) or ½‖w‖² + (C/2n) Σ ξ_i² (``"quadratic"``).

    Args:
        C: what slacks cost; positive. Larger values fit the training data more closely. Slack rescaling
            wants smaller values than margin rescaling, by about the length of the sequences.
        epsilon: by how much a constraint may exceed its slack at the end, in units of the loss.
        rescaling: ``"slack"`` or ``"margin"``, or one of the objects SLACK and MARGIN.
        penalty: ``"linear"`` or ``"quadratic"``, or one of the objects LINEAR and QUADRATIC.
        h: the loss is h(number of wrong sites): ``"identity"``, ``"sqrt"``, ``"square"``, ``"zero-one"``, or
            a `Wrapper`.
        classes: the labels, if they are not to be taken from the training data.
        start_end: whether the first and the last label of a sequence have weights of their own.
        active: the inputs hold indices of indicator features, (T, a) ints, instead of values of features.
        n_features: with ``active``, how many indicator features there are; by default one more than the
            largest index in the training data.
        batch: 0 solves one quadratic program a pass, 1 one for every constraint.
        max_passes: where to stop if ε is not reached.
        on_iteration: called with every `Iterate` of the training.

    Attributes:
        classes_: list of the labels; sorted if they can be sorted, else in the order in which they came.
        task_: the `SequenceTask`, which knows the order of the weights.
        w_: (d,) float64, the weights.
        result_: the last `Iterate`, with the gap and the reason why the training ended.
        converged_: whether it ended because ε was reached.

    Example:
        >>> X, Y = [[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]], [["exon", "intron", "intron"]]
        >>> svm = StructuredSVM(C=1.0, epsilon=1e-3, rescaling="margin").fit(X, Y)
        >>> svm.predict(X)
        [['exon', 'intron', 'intron']]
        >>> round(svm.result_.upper, 4)
        0.5625
    """

    result_: Iterate | None = None
    converged_: bool = False

    def __init__(
        self,
        C: float = 1.0,
        *,
        epsilon: float = 0.1,
        rescaling: str | Rescaling = "slack",
        penalty: str | Penalty = "linear",
        h: str | Wrapper = "identity",
        classes: Sequence[Hashable] | None = None,
        start_end: bool = False,
        active: bool = False,
        n_features: int | None = None,
        batch: int = 0,
        max_passes: int = 500,
        on_iteration: Callable[[Iterate], None] | None = None,
    ):
        self.C = C
        self.epsilon = epsilon
        self.rescaling = rescaling
        self.penalty = penalty
        self.h = h
        self.classes = classes
        self.start_end = start_end
        self.active = active
        self.n_features = n_features
        self.batch = batch
        self.max_passes = max_passes
        self.on_iteration = on_iteration

    def fit(self, X: Sequence[Any], Y: Sequence[Sequence[Hashable]]) -> StructuredSVM:
        """Train.

        Args:
            X: n sequences, each (T_i, F) numbers, or with ``active`` (T_i, a) indices.
            Y: n label sequences, each T_i labels of any hashable kind.

        Returns:
            The estimator itself.

        Raises:
            ValueError: if data or a setting is not as it must be; the message names sequence and position.
            SolverFailed: if no solver can handle a quadratic program.

        Warns:
            RuntimeWarning: if the training ended without reaching ε.
        """
        for iterate in self.iterates(X, Y):
            if self.on_iteration is not None:
                self.on_iteration(iterate)
        if not self.converged_:
            message = f"{self.result_.status.value} {_gap_of(self.result_)}"
            warnings.warn(message, RuntimeWarning, stacklevel=2)
        return self

    def iterates(self, X: Sequence[Any], Y: Sequence[Sequence[Hashable]]) -> Iterator[Iterate]:
        """Train step by step: as `fit`, but yields every `Iterate`; after each the estimator can predict.

        Not taking the rest of the iterates ends the training where it is.
        """
        rescaling = _named("rescaling", self.rescaling, RESCALINGS, Rescaling)
        penalty = _named("penalty", self.penalty, PENALTIES, Penalty)
        wrapper = _named("h", self.h, WRAPPERS, Wrapper)
        if len(X) != len(Y):
            raise ValueError(f"X holds {len(X)} sequences, Y {len(Y)}. Give one label sequence for each.")
        if not len(X):
            raise ValueError("There is no sequence to train on. Give at least one.")
        label_lists = [_as_list(labels) for labels in Y]
        classes = _distinct(self.classes if self.classes is not None else chain.from_iterable(label_lists))
        number_of = {label: number for number, label in enumerate(classes)}
        inputs = [self._as_input(x, f"sequence {i}") for i, x in enumerate(X)]
        task = SequenceTask(
            len(classes),
            self._count_features(inputs),
            wrapper,
            start_end=self.start_end,
            encoding=ACTIVE if self.active else DENSE,
        )
        numbers = [_numbered(labels, number_of, f"sequence {i}") for i, labels in enumerate(label_lists)]
        examples = task.prepare(inputs, numbers)
        self.classes_, self.task_ = classes, task
        return self._train(examples, rescaling, penalty)

    def predict(self, X: Sequence[Any]) -> list[list[Hashable]]:
        """The best labelling of each sequence, Bauer et al. (5), in the labels that `fit` was given."""
        self._require_fit()
        labelled = []
        for i, x in enumerate(X):
            prepared = self.task_.prepare_input(self._as_input(x, f"sequence {i}"), f"sequence {i}")
            labelled.append([self.classes_[number] for number in predict(self.task_, prepared, self.w_)])
        return labelled

    def score(self, X: Sequence[Any], Y: Sequence[Sequence[Hashable]]) -> float:
        """The share of sites that `predict` labels as in Y, over all sequences together."""
        predicted, truths = self.predict(X), [_as_list(labels) for labels in Y]
        if [len(labels) for labels in predicted] != [len(labels) for labels in truths]:
            raise ValueError("X and Y differ in their numbers of sequences or sites. Give one label a site.")
        pairs = list(zip(chain.from_iterable(predicted), chain.from_iterable(truths), strict=True))
        if not pairs:
            raise ValueError("There is no site to score. Give at least one sequence.")
        return sum(found == true for found, true in pairs) / len(pairs)

    def __repr__(self) -> str:
        settings = f"C={self.C}, epsilon={self.epsilon}, rescaling={self.rescaling}"
        if self.result_ is None:
            return f"<StructuredSVM {settings}: not trained>"
        state = "converged" if self.converged_ else f"NOT CONVERGED ({self.result_.status.name.lower()})"
        return f"<StructuredSVM {settings}: {state}, {_gap_of(self.result_)}>"

    def _train(
        self, examples: Sequence[Example], rescaling: Rescaling, penalty: Penalty
    ) -> Iterator[Iterate]:
        for iterate in iterates(
            self.task_,
            examples,
            C=self.C,
            epsilon=self.epsilon,
            rescaling=rescaling,
            penalty=penalty,
            batch=self.batch,
            max_passes=self.max_passes,
        ):
            self.w_, self.result_ = iterate.w, iterate
            self.converged_ = iterate.status is Status.CONVERGED
            yield iterate

    def _require_fit(self) -> None:
        if self.result_ is None:
            raise ValueError("This StructuredSVM is not fitted yet. Call fit with training data first.")

    def _as_input(self, x: Any, where: str) -> np.ndarray:
        try:
            values = np.asarray(x)
        except ValueError as error:  # rows of different length
            raise ValueError(f"The features of {where} are no table: {error}") from error
        if self.active or values.dtype.kind not in "iub":
            return values
        return values.astype(np.float64)

    def _count_features(self, inputs: list[np.ndarray]) -> int:
        if self.n_features is not None:
            return self.n_features
        if not all(x.ndim == 2 for x in inputs):
            return 1  # prepare says what is wrong
        if self.active:
            return 1 + max(int(x.max(initial=0)) for x in inputs)
        return inputs[0].shape[1]


def _gap_of(result: Iterate) -> str:
    return f"gap {result.gap:.3g} of objective {result.upper:.6g}"


def _named(setting: str, value: Any, known: Mapping[str, Any], kind: type) -> Any:
    """The object that a setting means: itself, or the one of that name."""
    if isinstance(value, kind):
        return value
    if value not in known:
        raise ValueError(f"{setting}={value!r}; known are {', '.join(known)}, or a {kind.__name__}.")
    return known[value]


def _as_list(labels: Any) -> list[Hashable]:
    """The labels of one sequence as Python objects."""
    return labels.tolist() if isinstance(labels, np.ndarray) else list(labels)


def _distinct(labels: Iterable[Hashable]) -> list[Hashable]:
    """The different labels: sorted if they can be sorted, else in the order in which they come."""
    try:
        distinct = list(dict.fromkeys(labels))
    except TypeError as error:
        raise ValueError(f"Labels must be hashable, as text and numbers are: {error}.") from error
    for label in distinct:
        if label != label:
            raise ValueError(f"Label {label!r} does not equal itself. Replace it by a label that does.")
    try:
        return sorted(distinct)
    except TypeError:
        return distinct


def _numbered(labels: list[Hashable], number_of: Mapping[Hashable, int], where: str) -> np.ndarray:
    """(T,) int64, the numbers of the labels of one sequence."""
    for t, label in enumerate(labels):
        if label not in number_of:
            raise ValueError(
                f"Label {label!r} of {where}, position {t} is none of the classes {list(number_of)}."
            )
    return np.array([number_of[label] for label in labels], dtype=np.int64)
