"""`StructuredSVM`: a structured SVM for label sequences, in the shape of a scikit-learn estimator.

It follows the conventions of scikit-learn without needing it: settings are stored as they are given, what
training finds out ends in an underscore, and `clone` and `GridSearchCV` work.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from viterbi_lab import trainers
from viterbi_lab.iterate import Iterate, Status
from viterbi_lab.labelled import (
    as_input,
    as_list,
    checked_lists,
    count_features,
    distinct,
    encoding_of,
    numbered,
)
from viterbi_lab.losses import WRAPPERS, LabelCosts, Wrapper
from viterbi_lab.model_file import believed_only_if_it_fits
from viterbi_lab.parameters import Parameters, name_of, named
from viterbi_lab.predictor import NotFittedError, Predictor
from viterbi_lab.rescaling import PENALTIES, RESCALINGS, Penalty, Rescaling
from viterbi_lab.tasks.base import Example
from viterbi_lab.tasks.sequence import SequenceTask
from viterbi_lab.trained import Trained
from viterbi_lab.working_set import WorkingSet


class StructuredSVM(Parameters, Predictor):
    """A structured SVM that labels sequences; Bauer et al. (3) and (4), trained to a certified gap.

    It minimises ½‖w‖² + (C/n) Σ ξ_i (``penalty="linear"``) or ½‖w‖² + (C/2n) Σ ξ_i² (``"quadratic"``).

    Args:
        C: what slacks cost; positive. Larger values fit the training data more closely. Slack rescaling
            wants smaller values than margin rescaling, by about the length of the sequences.
        relative_gap: by what share of the objective it may be above the optimum at the end; None: any.
        epsilon: by how much a constraint may exceed its slack at the end, in units of the loss; None: any. If
            both are given, both hold at the end.
        rescaling: ``"slack"`` or ``"margin"``, or one of the objects SLACK and MARGIN.
        penalty: ``"linear"`` or ``"quadratic"``, or one of the objects LINEAR and QUADRATIC.
        h: the loss is h(number of wrong sites): ``"identity"``, ``"sqrt"``, ``"square"``, ``"zero-one"``, or
            a `Wrapper`.
        label_costs: (N, N) whole numbers, how much label j counts in the place of label i (row), in the order
            of the classes; by default each wrong label counts 1.
        classes: the labels, if they are not to be taken from the training data.
        start_end: whether the first and the last label of a sequence have weights of their own.
        active: the inputs hold indices of indicator features, (T, a) ints, instead of values of features.
        n_features: with ``active``, how many indicator features there are; by default one more than the
            largest index in the training data.
        trainer: ``"block_coordinate"``, the fastest; ``"cutting_plane"``, the algorithm of the papers; or
            ``"one_slack"``, the same with one slack for all examples.
        solver: what solves the programs of the cutting-plane trainers, see `viterbi_lab.qp.ladder`.
        max_passes: where to stop if the goal is not reached.
        n_jobs: threads of the oracle; the result is the same for every number.
        random_state: seed of the order in which the block-coordinate trainer visits examples.
        callback: called with every `Iterate` of the training.

    Attributes:
        classes_: list of the labels; sorted if they can be sorted, else in the order in which they came.
        task_: the `SequenceTask`, which knows the order of the weights.
        w_: (d,) float64, the weights.
        result_: the last `Iterate`, with the gap and the reason why the training ended.
        converged_: whether it ended because the goal was reached.

    Example:
        >>> X, Y = [[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]], [["exon", "intron", "intron"]]
        >>> svm = StructuredSVM(C=1.0, rescaling="margin").fit(X, Y)
        >>> svm.predict(X)
        [['exon', 'intron', 'intron']]
        >>> svm.converged_, round(svm.result_.upper, 3)
        (True, 0.563)
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        relative_gap: float | None = 1e-3,
        epsilon: float | None = None,
        rescaling: str | Rescaling = "slack",
        penalty: str | Penalty = "linear",
        h: str | Wrapper = "identity",
        label_costs: Any = None,
        classes: Sequence[Hashable] | None = None,
        start_end: bool = False,
        active: bool = False,
        n_features: int | None = None,
        trainer: str = "block_coordinate",
        solver: str = "interior_point",
        max_passes: int = 500,
        n_jobs: int = 1,
        random_state: int = 0,
        callback: Callable[[Iterate], None] | None = None,
    ):
        self.C = C
        self.relative_gap = relative_gap
        self.epsilon = epsilon
        self.rescaling = rescaling
        self.penalty = penalty
        self.h = h
        self.label_costs = label_costs
        self.classes = classes
        self.start_end = start_end
        self.active = active
        self.n_features = n_features
        self.trainer = trainer
        self.solver = solver
        self.max_passes = max_passes
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback

    # ------------------------------------------------------------------ training

    def fit(
        self, X: Sequence[Any], Y: Sequence[Sequence[Hashable]], *, site_weights: Sequence[Any] | None = None
    ) -> StructuredSVM:
        """Train.

        Args:
            X: n sequences, each (T_i, F) numbers, a (T_i, F) matrix of scipy.sparse, or with ``active``
                (T_i, a) indices. F may be a million where they are sparse.
            Y: n label sequences, each T_i labels of any hashable kind.
            site_weights: n sequences of T_i whole numbers >= 1, how often an error at each site counts.

        Returns:
            The estimator itself.

        Raises:
            ValueError: if data or a setting is not as it must be; the message names sequence and position.
            SolverFailed: if no solver can handle a quadratic program.

        Warns:
            RuntimeWarning: if the training ended without reaching its goal.
        """
        return self._follow(self.iterates(X, Y, site_weights=site_weights))

    def iterates(
        self, X: Sequence[Any], Y: Sequence[Sequence[Hashable]], *, site_weights: Sequence[Any] | None = None
    ) -> Iterator[Iterate]:
        """Train step by step: as `fit`, but yields every `Iterate`; after each the estimator can predict.

        Not taking the rest of the iterates ends the training where it is.
        """
        wrapper = named("h", self.h, WRAPPERS, Wrapper)
        label_lists = checked_lists(X, Y)
        classes = distinct(self.classes if self.classes is not None else chain.from_iterable(label_lists))
        encoding = encoding_of(X, self.active)
        inputs = [as_input(x, encoding, f"sequence {i}") for i, x in enumerate(X)]
        task = SequenceTask(
            len(classes),
            count_features(inputs, encoding) if self.n_features is None else self.n_features,
            wrapper,
            start_end=self.start_end,
            encoding=encoding,
            label_costs=None if self.label_costs is None else LabelCosts(np.asarray(self.label_costs)),
        )
        numbers = numbered(label_lists, classes)
        examples = task.prepare(inputs, numbers, site_weights)
        planes = WorkingSet.of(task, trainers.owners(self.trainer, len(examples)))
        return self._train(classes, task, examples, planes)

    def continue_fit(
        self,
        X: Sequence[Any] = (),
        Y: Sequence[Sequence[Hashable]] = (),
        *,
        site_weights: Sequence[Any] | None = None,
    ) -> StructuredSVM:
        """Go on from where the last training ended, with further sequences, or another C or goal.

        The result is that of `fit` on all sequences together; what was found before saves passes. Change C,
        ``relative_gap``, ``epsilon``, ``max_passes`` or ``n_jobs`` by `set_params` before.

        Raises:
            NotFittedError: if there is no training to go on with; a loaded model has none.
            ValueError: if a setting has changed that makes it another training, or a label is new.
        """
        self._require_fit()
        if not hasattr(self, "_examples"):
            raise NotFittedError("This model was loaded; its training data are not in the file. Call fit.")
        if self._kind() != self._trained_kind:
            raise ValueError(
                "rescaling, penalty, trainer or data settings have changed since the last training. Call fit."
            )
        examples = self._examples
        if len(X) or len(Y):
            if self.trainer == "one_slack":
                raise ValueError("With one slack, constraints belong to all examples together. Call fit.")
            label_lists, encoding = checked_lists(X, Y), self.task_.encoding
            inputs = [as_input(x, encoding, f"sequence {i}") for i, x in enumerate(X)]
            added = self.task_.prepare(inputs, numbered(label_lists, self.classes_), site_weights)
            examples = (*examples, *added)
            self._planes.extend_examples(len(added))
        return self._follow(self._train(self.classes_, self.task_, examples, self._planes))

    def path(
        self, X: Sequence[Any], Y: Sequence[Sequence[Hashable]], Cs: Sequence[float]
    ) -> list[StructuredSVM]:
        """One trained estimator for each C, like this one otherwise; each begins where the one before ended.

        Args:
            X: as for `fit`.
            Y: as for `fit`.
            Cs: values of C; ascending ones save most.
        """
        trained: list[StructuredSVM] = []
        for C in Cs:
            svm = type(self)(**{**self.get_params(), "C": C})
            if trained:
                svm._take_over(trained[-1])
                svm.continue_fit()
            else:
                svm.fit(X, Y)
            trained.append(svm)
        return trained

    # ------------------------------------------------------------------ files

    def save(self, path: str | os.PathLike) -> None:
        """Write the trained model into one file, without the training data; see `viterbi_lab.model_file`.

        Raises:
            NotFittedError: if nothing has been trained.
            ValueError: if a label is neither text, number nor truth value.
            OSError: if the file cannot be written; what was there before still is.
        """
        self._require_fit()
        self._trained.write(path, self._plain_settings())

    @classmethod
    def load(cls, path: str | os.PathLike) -> StructuredSVM:
        """Read a model that `save` wrote. It predicts as the one that was saved, bit for bit.

        Raises:
            NotAModel: if the file is none, is damaged, or was written by a newer version.
            OSError: if it cannot be read.
        """
        settings, trained = Trained.read(path)
        with believed_only_if_it_fits(path):
            svm = cls(**settings)
        if svm.h not in WRAPPERS:
            svm.h = trained.task.wrapper
        svm._learned(trained)
        return svm

    # ------------------------------------------------------------------ conventions of scikit-learn

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "result_")

    def __sklearn_tags__(self):
        from sklearn.utils import InputTags, Tags, TargetTags  # only scikit-learn asks

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=True),
            input_tags=InputTags(two_d_array=False, sparse=True),
        )

    def __repr__(self) -> str:
        settings = f"C={self.C}, rescaling={str(self.rescaling).lower()}"
        if not hasattr(self, "result_"):
            return f"<StructuredSVM {settings}: not trained>"
        state = "converged" if self.converged_ else f"NOT CONVERGED ({self.result_.status.name.lower()})"
        return f"<StructuredSVM {settings}: {state}, {_gap_of(self.result_)}>"

    # ------------------------------------------------------------------ private

    def _follow(self, training: Iterator[Iterate]) -> StructuredSVM:
        """Take all iterates; call back and warn."""
        for iterate in training:
            if self.callback is not None:
                self.callback(iterate)
        if not self.converged_:
            message = f"{self.result_.status.value} {_gap_of(self.result_)}"
            warnings.warn(message, RuntimeWarning, stacklevel=3)
        return self

    def _train(
        self, classes: list[Hashable], task: SequenceTask, examples: Sequence[Example], planes: WorkingSet
    ) -> Iterator[Iterate]:
        training = trainers.iterates(
            self.trainer,
            task,
            examples,
            planes,
            solver=self.solver,
            seed=self.random_state,
            C=self.C,
            epsilon=self.epsilon,
            relative_gap=self.relative_gap,
            rescaling=named("rescaling", self.rescaling, RESCALINGS, Rescaling),
            penalty=named("penalty", self.penalty, PENALTIES, Penalty),
            max_passes=self.max_passes,
            n_jobs=self.n_jobs,
        )
        return self._remembering(training, classes, task, examples, planes)

    def _remembering(
        self,
        training: Iterator[Iterate],
        classes: list[Hashable],
        task: SequenceTask,
        examples: Sequence[Example],
        planes: WorkingSet,
    ) -> Iterator[Iterate]:
        longest = max(len(example.h) for example in examples) - 1
        for iterate in training:
            self._learned(Trained(classes, task, longest, iterate))
            self._examples, self._planes, self._trained_kind = examples, planes, self._kind()
            yield iterate

    def _learned(self, trained: Trained) -> None:
        self._trained = trained
        self.classes_, self.task_ = trained.classes, trained.task
        self.w_, self.result_ = trained.result.w, trained.result
        self.converged_ = trained.result.status is Status.CONVERGED

    def _take_over(self, other: StructuredSVM) -> None:
        """Go on with the training of another estimator."""
        self._learned(other._trained)
        self._examples, self._planes, self._trained_kind = other._examples, other._planes, self._kind()

    def _kind(self) -> tuple:
        """The settings that decide which constraints there are."""
        return (
            str(self.rescaling).lower(),
            name_of(self.penalty),
            name_of(self.h),
            self.trainer,
            self.start_end,
            self.active,
            self.n_features,
            repr(self.label_costs),
            repr(self.classes),
        )

    def _plain_settings(self) -> dict[str, Any]:
        """The settings as JSON can say them: objects by their names, the callback not at all."""
        settings = self.get_params()
        del settings["callback"]
        for name in ("rescaling", "penalty", "h"):
            settings[name] = name_of(settings[name])
        for name in ("label_costs", "classes"):
            if settings[name] is not None:
                settings[name] = (
                    np.asarray(settings[name]).tolist() if name == "label_costs" else self.classes_
                )
        return settings


def token_scorer(svm: StructuredSVM, X: Sequence[Any], Y: Sequence[Sequence[Hashable]]) -> float:
    """The share of right sites, as scikit-learn's ``scoring`` wants it; that of `StructuredSVM.score`."""
    return svm.score(X, Y)


def sequence_scorer(svm: StructuredSVM, X: Sequence[Any], Y: Sequence[Sequence[Hashable]]) -> float:
    """The share of sequences without any wrong site, as scikit-learn's ``scoring`` wants it."""
    return float(np.mean([found == as_list(true) for found, true in zip(svm.predict(X), Y, strict=True)]))


def _gap_of(result: Iterate) -> str:
    return f"gap {max(result.gap, 0.0):.3g} of objective {result.upper:.6g}"
