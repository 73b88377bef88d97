"""Exact max-plus inference with a cost axis: numpy and numba only."""

from viterbi_lab.dp.chain import (
    ChainProblem,
    Combine,
    Decoding,
    NoFeasibleLabelling,
    decode,
    decode_all,
    viterbi,
)
from viterbi_lab.dp.limits import Limits, TooBig
from viterbi_lab.dp.scores import ChainScores
from viterbi_lab.dp.trace import Trace, trace

__all__ = [
    "ChainProblem",
    "ChainScores",
    "Combine",
    "Decoding",
    "Limits",
    "NoFeasibleLabelling",
    "TooBig",
    "Trace",
    "decode",
    "decode_all",
    "trace",
    "viterbi",
]
