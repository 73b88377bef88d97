"""Features of words: what they are, how they look, how they begin and end, and which stand beside them.

Each feature is a string such as ``-1:lower=the``, so that other programs can be given the same ones. Those
seen in training are numbered; others have no weight and are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_RUNS = re.compile(r"(.)\1+")
_KINDS = (
    ("digits", str.isdigit),
    ("upper", str.isupper),
    ("title", str.istitle),
    ("alphanumeric", str.isalnum),
)


def shape(word: str) -> str:
    """Upper case as X, lower case as x, digits as d, all else as it is; runs once.

    Example:
        >>> shape("McDonald's-24")
        "XxXx'x-d"
    """
    letters = "".join("X" if c.isupper() else "x" if c.islower() else "d" if c.isdigit() else c for c in word)
    return _RUNS.sub(r"\1", letters)


def describe(tokens: Sequence[str], window: int = 2, affixes: int = 4) -> list[list[str]]:
    """The features of each token as strings, each once.

    Args:
        tokens: of one sentence.
        window: how many neighbours on either side are described, by their lower case and shape.
        affixes: the longest beginning and end of the token itself.

    Returns:
        T lists of strings.

    Example:
        >>> describe(["In", "Rome"], window=1, affixes=2)[1]
        ['lower=rome', 'shape=Xx', 'word=Rome', 'prefix=r', 'suffix=e', 'prefix=ro', 'suffix=me', 'title', 'alphanumeric', 'last', '-1:lower=in', '-1:shape=Xx']
    """  # noqa: E501 - a doctest shows a line as it is printed
    own = [[f"lower={token.lower()}", f"shape={shape(token)}"] for token in tokens]
    described = []
    for t, token in enumerate(tokens):
        lower = token.lower()
        features = [*own[t], f"word={token}"]
        for length in range(1, min(affixes, len(token)) + 1):
            features += [f"prefix={lower[:length]}", f"suffix={lower[-length:]}"]
        features += [name for name, holds in _KINDS if holds(token)]
        if t == 0:
            features.append("first")
        if t == len(tokens) - 1:
            features.append("last")
        for offset in (o for o in range(-window, window + 1) if o and 0 <= t + o < len(tokens)):
            features += [f"{offset:+d}:{feature}" for feature in own[t + offset]]
        described.append(features)
    return described


@dataclass(frozen=True)
class WordFeatures:
    """The features of `describe` that were seen in training, numbered.

    Attributes:
        names: the features, by their number.
        window: neighbours on either side that are described.
        affixes: the longest beginning and end.
    """

    names: tuple[str, ...]
    window: int = 2
    affixes: int = 4
    _number: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self):
        object.__setattr__(self, "names", tuple(self.names))
        number = {name: place for place, name in enumerate(self.names)}
        if not number or len(number) < len(self.names):
            raise ValueError(
                f"{len(self.names)} names of features, {len(number)} different; needed are some."
            )
        object.__setattr__(self, "_number", number)

    @classmethod
    def fit(
        cls, sentences: Sequence[Sequence[str]], window: int = 2, affixes: int = 4, at_least: int = 1
    ) -> WordFeatures:
        """Number the features of the training sentences, sorted.

        Args:
            sentences: each a sequence of tokens.
            window: as in `describe`.
            affixes: as in `describe`.
            at_least: how often a feature must occur to be kept.

        Raises:
            ValueError: if no feature is left.
        """
        counts = Counter(
            feature
            for tokens in sentences
            for features in describe(tokens, window, affixes)
            for feature in features
        )
        names = tuple(sorted(name for name, count in counts.items() if count >= at_least))
        if not names:
            raise ValueError(f"no feature occurs {at_least} times. Give more sentences, or a smaller number.")
        return cls(names, window, affixes)

    @property
    def n_features(self) -> int:
        """How many there are."""
        return len(self.names)

    def transform(self, tokens: Sequence[str]) -> csr_matrix:
        """The features of each token: (T, F) matrix of scipy.sparse with ones."""
        from scipy.sparse import csr_matrix  # late: importing the library does not load scipy

        numbered = [
            sorted(number for name in features if (number := self._number.get(name)) is not None)
            for features in describe(tokens, self.window, self.affixes)
        ]
        ends = np.cumsum([0, *map(len, numbered)])
        indices = np.array([number for row in numbered for number in row], dtype=np.int32)
        return csr_matrix((np.ones(len(indices)), indices, ends), shape=(len(numbered), self.n_features))
