"""Check an answer by what its certificate says, without searching again.

The few plain decodings are repeated by another kernel than the search used, the bounds of every k are rebuilt
from them, and every k whose bound could exceed the value must be among the candidates. For those the pass
over the cells is repeated. Cost O(|Λ|·T·N²) plus the pass; nothing is quadratic in T.
"""

import numpy as np

from viterbi_lab.dp import envelope, plain
from viterbi_lab.dp.problem import Certificate, ChainProblem, Combine, Decoding, path_labels
from viterbi_lab.dp.scores import ChainScores


class CertificateRejected(ValueError):
    """The certificate does not prove the answer."""


def verify(problem: ChainProblem, decoding: Decoding) -> None:
    """Check that a decoding is optimal, up to rounding of score sums.

    Certificates ``affine``, ``hull`` and ``pruned`` can be checked this way; ``capped`` and ``full`` fill
    a table and prove nothing without filling it again: decode again with ``method="full"`` to check those.

    Raises:
        CertificateRejected: if the labelling does not have the stated k, score and value, if a decoding does
            not have the stated total, or if the bounds and the pass leave room for a better one.
        ValueError: if the method has no short proof.
    """
    certificate = decoding.certificate
    if certificate.method not in ("affine", "hull", "pruned"):
        raise ValueError(
            f"A {certificate.method!r} certificate has no short proof. Compare with decode(problem, 'full')."
        )
    _check_labelling(problem, decoding)
    times, h = problem.op is Combine.TIMES, problem.h[: problem.largest_cost + 1]
    k = np.arange(h.size)
    upright = (k >= problem.kmin) & (h >= 0 if times else True)
    flipped = ~upright & (k >= problem.kmin)
    if certificate.method == "affine":
        totals = [_total(problem, problem.scores, slope) for slope in certificate.slopes]
        certificate = Certificate("hull", certificate.slopes, tuple(totals))
    sides = [(upright, problem.scores, h, problem.offset, certificate)]
    if flipped.any():
        # a lone certificate is that of the only side there is
        lower = certificate.minima if certificate.minima is not None else certificate
        side = (flipped, problem.scores.negated(), -h, -problem.offset, lower)
        sides = [*sides, side] if upright.any() else [side]
    for allowed, scores, wrapper, offset, proof in sides:
        _check_side(problem, scores, wrapper, offset, allowed, proof, decoding.value)


def _check_labelling(problem: ChainProblem, decoding: Decoding) -> None:
    found = Decoding.of(problem, decoding.y, decoding.certificate)
    stated, true = (decoding.k, decoding.score, decoding.value), (found.k, found.score, found.value)
    if stated != true or found.k < problem.kmin:
        raise CertificateRejected(f"The labelling has (k, score, value) = {true}, not {stated}.")


def _total(problem: ChainProblem, scores: ChainScores, slope: float) -> float:
    """V(λ), by the kernel that keeps back-pointers."""
    M, S = scores.n_steps, scores.n_tuples
    _, total = plain.fewest_errors_path(
        scores.initial,
        problem.first_cost,
        scores.transitions,
        scores.emissions,
        problem.step_cost,
        slope,
        np.empty((M, S), np.min_scalar_type(scores.n_states - 1)),
        np.empty(S),
        np.empty(S),
        np.empty(S, np.int64),
        np.empty(S, np.int64),
        np.empty(M, np.int64),
    )
    return float(total)


def _best_labelling(problem: ChainProblem, scores: ChainScores, slope: float) -> tuple[np.ndarray, float]:
    """The labelling that attains V(λ), and by how much it leads over all others."""
    leaving = np.empty(scores.n_steps, np.int64)
    last, _, lead, _ = plain.best_path(
        scores.initial,
        problem.first_cost,
        scores.transitions,
        scores.emissions,
        problem.step_cost,
        slope,
        np.empty((scores.n_steps + 1, scores.n_tuples)),
        np.empty(plain.pointer_room(scores.n_steps, scores.n_states, scores.n_tuples), np.uint8),
        leaving,
    )
    return path_labels(scores, leaving, last), lead


def _check_side(
    problem: ChainProblem,
    scores: ChainScores,
    h: np.ndarray,
    offset: float,
    allowed: np.ndarray,
    proof: Certificate,
    value: float,
) -> None:
    """Check the k whose objective grows with the given scores: h ≥ 0 there, or ⊙ is +."""
    k, times = np.arange(h.size), problem.op is Combine.TIMES
    steepest = max((abs(slope) for slope in proof.slopes), default=0.0)
    tolerance = 16 * (scores.length + 4) * np.finfo(float).eps * (scores.magnitude + steepest * (h.size - 1))
    upper = np.full(h.size, np.inf)
    if problem.hamming:
        upper[0] = scores.score(problem.y)
    for slope, total in zip(proof.slopes, proof.totals, strict=True):
        again = _total(problem, scores, slope)
        if not abs(again - total) <= tolerance:
            raise CertificateRejected(f"Decoding at slope {slope} gives {again}, not {total}.")
        y, lead = _best_labelling(problem, scores, slope)
        cost = int(problem.cost[np.arange(y.size), y].sum())
        reached = scores.score(y) + offset
        if allowed[cost] and (reached * h[cost] if times else reached + h[cost]) > value:
            raise CertificateRejected(f"The labelling decoded at slope {slope} has a value above {value}.")
        # all labellings but this one, which has just been looked at
        upper = np.minimum(upper, again - lead - slope * k)
    defined = upper > -np.inf
    raised = np.where(defined, upper + tolerance + offset, 0.0)
    bound = np.where(defined, raised * h if times else raised + h, -np.inf)
    slack = 4 * tolerance * (np.abs(h).max() if times else 1.0)
    open_k = np.flatnonzero(allowed & (bound > value + slack))
    missing = np.setdiff1d(open_k, proof.candidates)
    if missing.size:
        raise CertificateRejected(
            f"At k={missing[0]} the bounds allow {bound[missing[0]]}, above {value}; the pass left it out."
        )
    if (
        open_k.size
        and _best_of_pass(problem, scores, h, offset, open_k, proof, value, tolerance) > value + slack
    ):
        raise CertificateRejected(f"The pass over the open cells finds more than {value}.")


def _best_of_pass(
    problem: ChainProblem,
    scores: ChainScores,
    h: np.ndarray,
    offset: float,
    open_k: np.ndarray,
    proof: Certificate,
    value: float,
    tolerance: float,
) -> float:
    """The best value over the open k, by a pass at the slope that leaves the fewest cells."""
    times, S = problem.op is Combine.TIMES, scores.n_tuples
    needed_scores = np.array([envelope.needed_score(value, h[k], times, offset) for k in open_k])
    needed = [float((needed_scores + slope * open_k).min()) for slope in proof.slopes]
    pick = int(np.argmin(np.array(proof.totals) - needed))
    backward = np.empty((scores.n_steps + 1, S))
    slope = proof.slopes[pick]
    plain.backward_levels(scores.transitions, scores.emissions, problem.step_cost, slope, backward)
    candidates = np.isin(np.arange(h.size), open_k)
    room = 64 * max(1, proof.cells) + 16 * S
    cells, best, k = envelope.sparse_pass(
        scores.initial,
        problem.first_cost,
        scores.transitions,
        scores.emissions,
        problem.step_cost,
        h,
        candidates,
        times,
        offset,
        problem.kmin,
        scores.window_order,
        slope,
        needed[pick] - tolerance,
        backward,
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room),
        np.empty(room, np.int32),
        np.full((S, h.size), -1, np.int32),
        np.empty(scores.length, np.int64),
    )
    if cells < 0:
        raise CertificateRejected(
            f"The pass visits more than {room} cells, the certificate states {proof.cells}."
        )
    return best if k >= 0 else -np.inf
