"""Training on what can be used: an example that a task refuses does not lose the others."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from viterbi_lab.tasks.base import Example, Task


@dataclass(frozen=True)
class LeftOut:
    """An example that was not used.

    Attributes:
        number: its place in the data, from 0.
        reason: what its task said.
    """

    number: int
    reason: str

    def __str__(self) -> str:
        return f"Example {self.number} was left out. {self.reason}"


@dataclass(frozen=True, eq=False)
class Usable:
    """Training data without what their task refuses.

    Attributes:
        examples: prepared, numbered by their places among the used ones.
        numbers: their places in the data.
        left_out: the others.
    """

    examples: tuple[Example, ...]
    numbers: tuple[int, ...]
    left_out: tuple[LeftOut, ...]


def usable(task: Task, X: Sequence[Any], Y: Sequence[Any]) -> Usable:
    """Prepare the examples that the task accepts, and list the others with its reasons.

    Args:
        task: the application.
        X: n inputs, as for ``task.prepare``.
        Y: their outputs.

    Raises:
        ValueError: if X and Y differ in length, or the task accepts none.

    Example:
        >>> from viterbi_lab.tasks.sequence import SequenceTask
        >>> X, Y = [[[1.0], [2.0]], []], [[0, 1], []]
        >>> print(*usable(SequenceTask(2, 1), X, Y).left_out)
        Example 1 was left out. The features of sequence 1 have shape (0,); needed is (T, 1) with T >= 1.
    """
    n = len(Y)
    if (len(X) if isinstance(X, list | tuple) else X.shape[0]) != n:
        raise ValueError(f"There are {n} outputs and another number of inputs. Give one for each.")
    numbers, left_out = [], []
    for i in range(n):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # one example has not all classes
                task.prepare(X[i : i + 1], Y[i : i + 1])
        except ValueError as refused:
            # a task numbers what it is given, and this example was given alone
            left_out.append(
                LeftOut(i, re.sub(r"\b([Ee]xample|[Ss]entence|[Ss]equence) 0\b", rf"\1 {i}", str(refused)))
            )
        else:
            numbers.append(i)
    if not numbers:
        raise ValueError(f"No example can be used. {left_out[0] if left_out else 'There is none.'}")
    chosen = [
        [data[i] for i in numbers] if isinstance(data, list | tuple) else data[numbers] for data in (X, Y)
    ]
    return Usable(task.prepare(*chosen), tuple(numbers), tuple(left_out))
