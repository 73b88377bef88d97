"""What training has found out, and how it is kept in a model file."""

from __future__ import annotations

import os
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from viterbi_lab.iterate import Iterate, Status
from viterbi_lab.losses import WRAPPERS, LabelCosts, listed
from viterbi_lab.model_file import NotAModel, believed_only_if_it_fits, read_kind, write
from viterbi_lab.tasks.encoding import ENCODINGS
from viterbi_lab.tasks.sequence import SequenceTask


@dataclass(frozen=True, eq=False)
class Trained:
    """Labels, task and weights of a trained model.

    Attributes:
        classes: the labels in the order of their numbers.
        task: the task, which knows the order of the weights.
        longest: for how many errors its losses are known, at least.
        result: the last iterate, with the weights.
    """

    classes: list[Hashable]
    task: SequenceTask
    longest: int
    result: Iterate

    def write(self, path: str | os.PathLike, settings: dict[str, Any]) -> None:
        """Write it into one file, with settings that JSON can say; see `viterbi_lab.model_file`.

        Raises:
            ValueError: if a label is neither text, number nor truth value.
            OSError: if the file cannot be written; what was there before still is.
        """
        for label in self.classes:
            if not isinstance(label, str | int | float | bool):
                raise ValueError(
                    f"Label {label!r} is of type {type(label).__name__}. A file keeps labels that are text, "
                    "numbers or truth values."
                )
        task, result = self.task, self.result
        header = {
            "settings": settings,
            "classes": self.classes,
            "task": {
                "n_states": task.n_states,
                "n_features": task.n_features,
                "start_end": task.start_end,
                "encoding": repr(task.encoding),
                "label_costs": None if task.label_costs is None else task.label_costs.table.tolist(),
                "wrapper": task.wrapper.name,
                "h": task.wrapper.table(self.longest).tolist(),
            },
            "result": {
                "status": result.status.name,
                "number": result.number,
                "planes": result.planes,
                "added": result.added,
                "violated": result.violated,
                "oracle_calls": result.oracle_calls,
                "qp_solves": result.qp_solves,
                "examples": max(len(result.slack), 1),
            },
        }
        bounds = np.array([result.lower, result.upper, result.oracle_seconds, result.qp_seconds])
        write(path, header, {"weights": result.w, "slack": result.slack, "bounds": bounds})

    @classmethod
    def read(cls, path: str | os.PathLike) -> tuple[dict[str, Any], Trained]:
        """The settings in a file that `write` wrote, and the model.

        Raises:
            NotAModel: if the file is none, is damaged, or was written by a newer version.
            OSError: if it cannot be read.
        """
        header, arrays = read_kind(path, None)
        with believed_only_if_it_fits(path):
            settings, about, how = header["settings"], header["task"], header["result"]
            costs = about["label_costs"]
            task = SequenceTask(
                int(about["n_states"]),
                int(about["n_features"]),
                WRAPPERS.get(about["wrapper"]) or listed(about["h"], about["wrapper"]),
                start_end=bool(about["start_end"]),
                encoding=ENCODINGS[about["encoding"]],
                label_costs=None if costs is None else LabelCosts(np.array(costs)),
            )
            classes, w, bounds = list(header["classes"]), arrays["weights"], arrays["bounds"]
            if len(classes) != task.n_states or w.shape != (task.n_weights,) or not np.isfinite(w).all():
                raise NotAModel(f"{path} is damaged: its weights do not fit its labels and features.")
            for array in (w, arrays["slack"]):
                array.flags.writeable = False
            result = Iterate(
                number=how["number"],
                w=w,
                slack=arrays["slack"],
                lower=float(bounds[0]),
                upper=float(bounds[1]),
                planes=how["planes"],
                added=how["added"],
                violated=how["violated"],
                lowers=(),
                oracle_calls=how["oracle_calls"],
                qp_solves=how["qp_solves"],
                oracle_seconds=float(bounds[2]),
                qp_seconds=float(bounds[3]),
                worst=None,
                status=Status[how["status"]],
            )
            return settings, cls(classes, task, len(about["h"]) - 1, result)
