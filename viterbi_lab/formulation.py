"""One slack for each example, or one for all of them together: two programs with the same optimum.

With n slacks a constraint belongs to an example. With one slack (Joachims, Finley and Yu, Mach. Learn. 77,
2009) it belongs to a tuple (ŷ_1 … ŷ_n) and is the mean of their rows: ⟨w, z̄⟩ ≥ b̄ − ξ. The most violated tuple
is the tuple of the most violated labellings, so both ask the same oracle; ξ is the mean of the n slacks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np

from viterbi_lab.oracle import Look
from viterbi_lab.rescaling import Penalty

Row = tuple[int, np.ndarray, np.ndarray, float]
"""Owner, labelling, z, b."""


class Formulation(ABC):
    """What owns a slack."""

    name: str

    @abstractmethod
    def owners(self, n_examples: int) -> int:
        """How many slacks there are."""

    @abstractmethod
    def refuse(self, penalty: Penalty, batch: int) -> None:
        """Raise ValueError where this formulation is not the program that is asked for."""

    @abstractmethod
    def violation(self, look: Look) -> np.ndarray:
        """The most violated H of each owner, (owners,) float64."""

    @abstractmethod
    def rows(self, look: Look, worth: np.ndarray) -> Iterator[Row]:
        """The rows of the most violated constraints of the owners where ``worth`` (owners,) is true."""

    @abstractmethod
    def worst(self, look: Look, excess: np.ndarray) -> int:
        """The example to show as the worst, given by how much each owner's constraint exceeds its slack."""

    def __repr__(self) -> str:
        return self.name.upper()

    def __reduce__(self) -> str:
        """There is one object of each kind, also after copying and pickling: the global of that name."""
        return repr(self)


class _NSlack(Formulation):
    """An example owns a slack."""

    name = "n_slack"

    def owners(self, n_examples: int) -> int:
        return n_examples

    def refuse(self, penalty: Penalty, batch: int) -> None:
        pass

    def violation(self, look: Look) -> np.ndarray:
        return look.value

    def rows(self, look: Look, worth: np.ndarray) -> Iterator[Row]:
        return look.rows(worth)

    def worst(self, look: Look, excess: np.ndarray) -> int:
        return int(np.argmax(excess))


class _OneSlack(Formulation):
    """All examples own one slack together."""

    name = "one_slack"

    def owners(self, n_examples: int) -> int:
        return 1

    def refuse(self, penalty: Penalty, batch: int) -> None:
        if penalty.curvature > 0.0:
            raise ValueError(
                "With one slack for all examples, squared slacks are another program than with one for each. "
                "Use penalty LINEAR, or N_SLACK."
            )
        if batch:
            raise ValueError("With one slack, a pass finds one constraint. Use batch=0, or N_SLACK.")

    def violation(self, look: Look) -> np.ndarray:
        return np.array([look.value.mean()])

    def rows(self, look: Look, worth: np.ndarray) -> Iterator[Row]:
        if worth.any():
            y = np.concatenate([part.y for part in look.parts])
            yield 0, y, *look.mean_row()

    def worst(self, look: Look, excess: np.ndarray) -> int:
        return int(np.argmax(look.value))


N_SLACK: Formulation = _NSlack()
ONE_SLACK: Formulation = _OneSlack()
FORMULATIONS = {formulation.name: formulation for formulation in (N_SLACK, ONE_SLACK)}
