"""Decoding by bounds: bit for bit the full table, with a certificate that can be checked."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies_dp import INTERPRETED, chains, operators, wrapper, wrappers

from viterbi_lab.dp import (
    CertificateRejected,
    ChainProblem,
    ChainScores,
    Combine,
    NoFeasibleLabelling,
    decode,
    exceeds,
    verify,
)

LAWS = settings(max_examples=100 if INTERPRETED else 400, deadline=None)


def same(one, other):
    return (one.value, one.k, one.score, one.y.tolist()) == (
        other.value,
        other.k,
        other.score,
        other.y.tolist(),
    )


def attempt(problem, method, **options):
    try:
        return decode(problem, method, **options)
    except NoFeasibleLabelling:
        return None


@LAWS
@given(st.data(), chains(), operators, st.integers(0, 1), st.integers(-2, 2), st.floats(-3, 3))
def test_bounds_give_the_bits_of_the_full_table(data, chain, op, kmin, offset, slope):
    tables, y, order = chain
    h = data.draw(wrappers(y.size))
    asked = ChainProblem(
        ChainScores.from_tables(tables, order=order), y, h, op, offset=float(offset), kmin=kmin
    )
    full, bounded = attempt(asked, "full"), attempt(asked, "bounds", slope=slope)
    assert (full is None) == (bounded is None)
    assert full is None or same(full, bounded)


def random_problem(rng):
    T, N = int(rng.integers(1, 60)), int(rng.integers(1, 5))
    order = int(rng.integers(0, 3)) if N < 4 else int(rng.integers(0, 2))
    draw = (
        lambda shape: rng.integers(-2, 3, shape).astype(float),
        lambda shape: rng.normal(size=shape),
        lambda shape: rng.integers(-50, 51, shape).astype(float),
    )[int(rng.integers(3))]
    if rng.random() < 0.5:
        scores = ChainScores.homogeneous(draw((T, N)), draw((N,) * (order + 1)) if order else None)
    else:
        tables = [draw((N,) * (min(t, order) + 1)) for t in range(T)]
        if rng.random() < 0.3:
            tables = [np.where(rng.random(table.shape) < 0.15, -np.inf, table) for table in tables]
        scores = ChainScores.from_tables(tables, order=order)
    names = ("id", "sqrt", "01", "sq", "min2", "neg", "alt", "shift")
    pick = int(rng.integers(len(names) + 2))
    h = wrapper(names[pick], T) if pick < len(names) else rng.normal(size=T + 1) * np.arange(T + 1.0)
    return ChainProblem(
        scores,
        rng.integers(0, N, T),
        h,
        list(Combine)[int(rng.integers(2))],
        offset=float(rng.integers(-3, 4)),
        kmin=int(rng.integers(2)),
    )


@pytest.mark.parametrize("seed", range(4))
def test_long_random_problems_agree_and_every_method_occurs(seed):
    rng = np.random.default_rng(seed)
    seen = set()
    for _ in range(60 if INTERPRETED else 1500):
        asked = random_problem(rng)
        full, bounded = attempt(asked, "full"), attempt(asked, "bounds")
        assert (full is None) == (bounded is None)
        if full is not None:
            assert same(full, bounded), asked
            seen.add(bounded.method)
            if bounded.method in ("hull", "pruned"):
                verify(asked, bounded)
            automatic = decode(asked)
            assert automatic.k == full.k
            assert automatic.value == pytest.approx(full.value, rel=1e-12, abs=1e-12)
    assert seen >= {"hull", "pruned"}
    assert INTERPRETED or "full" in seen


def gap_problem(golden):
    example = golden("g12_lambda_oracle_gap")["example"]
    scores = ChainScores.from_tables(example["g"])
    return ChainProblem(scores, np.array(example["y"]), np.arange(4.0), Combine.TIMES)


def test_an_optimum_below_the_hull_is_found_by_the_pass(golden):
    found = decode(gap_problem(golden), "bounds")
    assert (found.value, found.method) == (4.0, "pruned")


def long_problem(T=120 if INTERPRETED else 800, N=4, seed=0, op=Combine.TIMES):
    rng = np.random.default_rng(seed)
    scores = ChainScores.homogeneous(rng.uniform(-50, 50, (T, N)), rng.uniform(-50, 50, (N, N)))
    return ChainProblem(scores, rng.integers(0, N, T), np.sqrt(np.arange(T + 1.0)), op)


@pytest.mark.parametrize("op", list(Combine))
def test_a_certificate_is_accepted_and_a_corrupted_one_rejected(op):
    asked = long_problem(op=op)
    found = decode(asked, "bounds")
    assert found.method in ("hull", "pruned")
    verify(asked, found)
    proof = found.certificate
    wrong_label = found.y.copy()
    wrong_label[3] = (wrong_label[3] + 1) % 4
    lowered = tuple(total - 1.0 for total in proof.totals)
    truth = asked.scores.score(asked.y)
    corrupted = (
        dataclasses.replace(found, value=found.value + 1.0),
        dataclasses.replace(found, k=found.k - 1),
        dataclasses.replace(found, y=wrong_label),
        dataclasses.replace(found, certificate=dataclasses.replace(proof, totals=lowered)),
        dataclasses.replace(found, certificate=dataclasses.replace(proof, slopes=(), totals=())),
        dataclasses.replace(
            found,
            y=asked.y,
            score=truth,
            k=0,
            value=asked.objective(truth, 0),
        ),
    )
    for forged in corrupted:
        with pytest.raises(CertificateRejected):
            verify(asked, forged)


def test_a_pruned_certificate_that_hides_a_candidate_is_rejected(golden):
    asked = gap_problem(golden)
    found = decode(asked, "bounds")
    lesser = decode(ChainProblem(asked.scores, asked.y, np.array([0.0, 1, 1, 1]), asked.op), "full")
    forged = dataclasses.replace(
        found, y=lesser.y, score=lesser.score, k=lesser.k, value=asked.objective(lesser.score, lesser.k)
    )
    assert forged.value < found.value
    with pytest.raises(CertificateRejected):
        verify(asked, forged)
    hidden = dataclasses.replace(forged.certificate, candidates=())
    with pytest.raises(CertificateRejected, match="left it out"):
        verify(asked, dataclasses.replace(forged, certificate=hidden))


def test_a_full_table_has_no_short_proof():
    asked = long_problem(T=30)
    with pytest.raises(ValueError, match="no short proof"):
        verify(asked, decode(asked, "full"))


def test_an_affine_answer_can_be_verified():
    asked = long_problem(op=Combine.PLUS)
    asked = ChainProblem(asked.scores, asked.y, 2.0 * np.arange(asked.h.size) * 1.0 - 1, Combine.PLUS)
    found = decode(asked)
    assert found.method == "affine"
    verify(asked, found)
    with pytest.raises(CertificateRejected):
        verify(asked, dataclasses.replace(found, y=asked.y, score=asked.scores.score(asked.y), k=0,
                                          value=asked.objective(asked.scores.score(asked.y), 0)))  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_asking_only_for_a_violation_above_a_threshold(seed):
    rng = np.random.default_rng(100 + seed)
    answered_by_bounds = 0
    for _ in range(40 if INTERPRETED else 300):
        asked = random_problem(rng)
        full = attempt(asked, "full")
        if full is None:
            continue
        for threshold in (full.value - 0.5, full.value, full.value + 0.5):
            answer = exceeds(asked, threshold)
            assert (answer is not None) == (full.value > threshold)
            if answer is not None:
                assert same(answer, full)
            answered_by_bounds += answer is None
    assert answered_by_bounds > (40 if INTERPRETED else 300)


def test_a_search_may_begin_at_the_slope_of_a_similar_problem():
    asked = long_problem()
    cold = decode(asked, "bounds")
    warm = decode(asked, "bounds", slope=cold.certificate.slopes[-1])
    assert same(cold, warm)
    assert len(warm.certificate.slopes) <= len(cold.certificate.slopes)
