"""A trained aligner: which letters it knows, how it counts gaps, and its weights; in one file.

It says which of some candidates is homologous to a sequence, and how the two are aligned; see
`viterbi_lab.tasks.alignment`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from viterbi_lab import model_file
from viterbi_lab.model_file import ALIGNER, NotAModel, believed_only_if_it_fits
from viterbi_lab.tasks.alignment import Alignment, AlignmentTask, Comparison


@dataclass(frozen=True)
class Aligned:
    """The best alignment of a sequence with one of its candidates.

    Attributes:
        alignment: it; its ``candidate`` says with which.
        score: ⟨w, Ψ⟩.
    """

    alignment: Alignment
    score: float


@dataclass(frozen=True, eq=False)
class Aligner:
    """Aligns sequences.

    Attributes:
        task: the letters, and what is local and affine.
        w: (d,) float64, the weights.
    """

    task: AlignmentTask
    w: np.ndarray

    def __post_init__(self):
        if np.shape(self.w) != (self.task.n_weights,) or not np.isfinite(self.w).all():
            raise ValueError(
                f"w has shape {np.shape(self.w)}; needed are {self.task.n_weights} finite numbers, one for "
                "each pair of letters and those of gaps."
            )

    def rank(self, comparison: Comparison) -> list[Aligned]:
        """The best alignment with each candidate, the highest score first; of equals the first candidate.

        Raises:
            ValueError: if a sequence is empty or has a letter that the model does not know.
        """
        found = []
        for number, candidate in enumerate(comparison.candidates):
            x = self.task.prepare_input(Comparison(comparison.x, (candidate,)), f"pair {number}")
            y = self.task.best(x, self.w)
            alone = self.task.output(x, y)
            score = float(self.task.joint_feature(x, y) @ self.w)
            found.append(Aligned(Alignment(alone.operations, alone.begin, number), score))
        return sorted(found, key=lambda aligned: -aligned.score)

    def save(self, path: str | os.PathLike) -> None:
        """Write it into one file; see `viterbi_lab.model_file`.

        Raises:
            OSError: if the file cannot be written; what was there before still is.
        """
        header = {
            "kind": ALIGNER,
            "alphabet": self.task.alphabet,
            "local": self.task.local,
            "affine": self.task.affine,
        }
        model_file.write(path, header, {"weights": self.w})

    @classmethod
    def load(cls, path: str | os.PathLike) -> Aligner:
        """Read what `save` wrote; it aligns as the one that was saved, bit for bit.

        Raises:
            NotAModel: if the file is none, is damaged, or holds another kind of model.
            OSError: if it cannot be read.
        """
        header, arrays = model_file.read_kind(path, ALIGNER)
        with believed_only_if_it_fits(path):
            alphabet, local, affine = header["alphabet"], header["local"], header["affine"]
            if not (isinstance(alphabet, str) and isinstance(local, bool) and isinstance(affine, bool)):
                raise NotAModel(f"{path} is damaged: it does not say which letters it knows.")
            return cls(AlignmentTask(alphabet, local=local, affine=affine), arrays["weights"])


def rows(comparison: Comparison, alignment: Alignment) -> tuple[str, str]:
    """The two stretches that are aligned, under each other, with ``-`` for gaps.

    Example:
        >>> rows(Comparison("ACD", ("CCD",)), Alignment("MIM", (1, 0)))
        ('C-D', 'CCD')
    """
    i, j = alignment.begin
    z = comparison.candidates[alignment.candidate]
    above, below = [], []
    for operation in alignment.operations:
        above.append(comparison.x[i] if operation in "MD" else "-")
        below.append(z[j] if operation in "MI" else "-")
        i, j = i + (operation in "MD"), j + (operation in "MI")
    return "".join(above), "".join(below)
