"""Exact structured-SVM training for label sequences, and a picture of how its inference works.

Importing this package loads neither panel, bokeh, holoviews nor cvxpy; the names below are loaded when used.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "ChainProblem": "viterbi_lab.dp",
    "ChainScores": "viterbi_lab.dp",
    "Combine": "viterbi_lab.dp",
    "Decoding": "viterbi_lab.dp",
    "NoFeasibleLabelling": "viterbi_lab.dp",
    "TooBig": "viterbi_lab.dp",
    "Trace": "viterbi_lab.dp",
    "decode": "viterbi_lab.dp",
    "k_best": "viterbi_lab.dp",
    "trace": "viterbi_lab.dp",
    "verify": "viterbi_lab.dp",
    "viterbi": "viterbi_lab.dp",
    "HistogramBins": "viterbi_lab.features",
    "StructuredSVM": "viterbi_lab.estimator",
    "iterates": "viterbi_lab.cutting_plane",
    "Trellis": "viterbi_lab.ui.notebook",
}

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
