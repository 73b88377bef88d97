"""Settings of an estimator, as scikit-learn wants them: stored as they are given, checked at training."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, TypeVar

Object = TypeVar("Object")


class Parameters:
    """The settings of an estimator: the arguments of its ``__init__``, each an attribute of that name."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings by name, as they were given; ``deep`` makes no difference."""
        return {name: getattr(self, name) for name in _names(type(self))}

    def set_params(self, **params: Any) -> Parameters:
        """Change settings; they are checked when training begins.

        Raises:
            ValueError: if there is no setting of that name.
        """
        names = _names(type(self))
        for name, value in params.items():
            if name not in names:
                raise ValueError(f"There is no setting {name!r}; known are {', '.join(names)}.")
            setattr(self, name, value)
        return self


def named(setting: str, value: Any, known: Mapping[str, Object], kind: type[Object]) -> Object:
    """The object that a setting means: itself, or the one of that name.

    Raises:
        ValueError: if it is neither.
    """
    if isinstance(value, kind):
        return value
    if value not in known:
        raise ValueError(f"{setting}={value!r}; known are {', '.join(known)}, or a {kind.__name__}.")
    return known[value]


def name_of(value: Any) -> Any:
    """The name of an object that has one, else the value itself."""
    return getattr(value, "name", value)


def _names(kind: type) -> list[str]:
    return list(inspect.signature(kind.__init__).parameters)[1:]
