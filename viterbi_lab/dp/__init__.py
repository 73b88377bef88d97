"""Exact max-plus inference with a cost axis: numpy and numba only."""

from viterbi_lab.dp.alternatives import forced, k_best, lead, max_marginals
from viterbi_lab.dp.batch import BatchDecoding, ChainBatch, decode_batch
from viterbi_lab.dp.certificate import CertificateRejected, verify
from viterbi_lab.dp.chain import decode, decode_all, exceeds, viterbi
from viterbi_lab.dp.levels import best_scores
from viterbi_lab.dp.limits import Limits, TooBig
from viterbi_lab.dp.problem import Certificate, ChainProblem, Combine, Decoding, NoFeasibleLabelling
from viterbi_lab.dp.scores import ChainScores
from viterbi_lab.dp.trace import Trace, trace

__all__ = [
    "BatchDecoding",
    "Certificate",
    "CertificateRejected",
    "ChainBatch",
    "ChainProblem",
    "ChainScores",
    "Combine",
    "Decoding",
    "Limits",
    "NoFeasibleLabelling",
    "TooBig",
    "Trace",
    "best_scores",
    "decode",
    "decode_all",
    "decode_batch",
    "exceeds",
    "forced",
    "k_best",
    "lead",
    "max_marginals",
    "trace",
    "verify",
    "viterbi",
]
