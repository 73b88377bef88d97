"""How a file is to be read, as far as it does not say so itself.

A labeller keeps what was said of its training data, so that other files are read alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, get_type_hints

from viterbi_lab.data.conll import Columns
from viterbi_lab.data.dataset import TABLE, DataSet
from viterbi_lab.data.table import Layout


@dataclass(frozen=True)
class Options:
    """What a file does not say itself.

    Attributes:
        columns: CoNLL: where tokens and labels are.
        layout: tables: which column is what.
        letters: letters: the column that describes the sites; None: found.
        labels: letters: the column of labels; None: found.
        strand: genes: whose genes count: ``+``, ``-`` or ``both``.
        phases: genes: label coding bases E0, E1, E2 by their place in the codon, not E.
    """

    columns: Columns = field(default_factory=Columns)
    layout: Layout = field(default_factory=Layout)
    letters: str | None = None
    labels: str | None = None
    strand: str = "+"
    phases: bool = False

    def for_data_like(self, data: DataSet) -> Options:
        """What to keep with a model that was trained on these data: of tables which columns describe it."""
        if data.task != TABLE:
            return self
        return replace(self, layout=replace(self.layout, features=data.columns))

    def without_labels(self) -> Options:
        """The same for files of which the labels are not needed, and need not be there."""
        return replace(
            self,
            columns=replace(self.columns, label=None),
            layout=replace(self.layout, label=None),
            labels=None,
        )

    def plain(self) -> dict[str, Any]:
        """All of it as JSON can say it."""
        return asdict(self)

    @classmethod
    def of_plain(cls, said: Mapping[str, Any]) -> Options:
        """What `plain` returned, after it went through JSON.

        Raises:
            ValueError: if there is no such option, or a value is none of it.
        """
        parts = dict(said)
        layout = dict(parts.pop("layout", {}))
        names = layout.pop("features", None)
        if names is not None and not (
            isinstance(names, list | tuple) and all(isinstance(name, str) for name in names)
        ):
            raise ValueError(f"features={names!r}; they are names of columns.")
        return cls(
            columns=Columns(**_checked(Columns, parts.pop("columns", {}))),
            layout=Layout(**_checked(Layout, layout), features=None if names is None else tuple(names)),
            **_checked(cls, parts),
        )


AS_FOUND = Options()
"""Nothing was said: everything is found, or as usual."""


def _checked(kind: type, said: Mapping[str, Any]) -> dict[str, Any]:
    """The values by name, if each is of the type that the field of that name has."""
    types = get_type_hints(kind)
    for name, value in dict(said).items():
        if name not in types or not isinstance(value, types[name]):
            raise ValueError(f"{name}={value!r} is no option of {kind.__name__}.")
    return dict(said)
