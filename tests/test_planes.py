"""Sparse planes do what dense planes do; arrays of dense ones are the referee."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from viterbi_lab import qp
from viterbi_lab.dp import TooBig
from viterbi_lab.planes import Blocks, DensePlanes
from viterbi_lab.rescaling import LINEAR, QUADRATIC
from viterbi_lab.rows import as_sparse, stacked, times_columns, times_rows, used_columns
from viterbi_lab.sparse_planes import SparsePlanes
from viterbi_lab.working_set import WorkingSet

PENALTIES = pytest.mark.parametrize("penalty", [LINEAR, QUADRATIC])
SHAPES = pytest.mark.parametrize("shape", [(12, 5), (7, 90), (40, 40)])
ROUNDING = 1e-12
"""Of sums of some dozens of numbers below 10, taken in another order."""


def scattered(rng, shape, share=0.3):
    """Rows with many zeros, one of them nothing else, and two of them alike."""
    Z = rng.normal(size=shape) * (rng.random(shape) < share)
    Z[1], Z[2] = 0.0, Z[0]
    return Z


def both(Z):
    dense, thin = DensePlanes(Z.shape[1]), SparsePlanes(Z.shape[1])
    dense.append(Z)
    thin.append(sparse.csr_array(Z))
    return dense, thin


@SHAPES
def test_products_combinations_and_norms_are_those_of_dense_planes(rng, shape):
    Z = scattered(rng, shape)
    dense, thin = both(Z)
    w, a = rng.normal(size=shape[1]), rng.normal(size=shape[0])
    for read_only in (w, a):
        read_only.flags.writeable = False
    np.testing.assert_allclose(thin.products(w), dense.products(w), atol=ROUNDING)
    np.testing.assert_allclose(thin.combination(a), dense.combination(a), atol=ROUNDING)
    np.testing.assert_allclose(thin.norms(), dense.norms(), atol=ROUNDING)
    np.testing.assert_array_equal(thin.rows.toarray(), dense.rows)


def test_planes_grow_shrink_and_take_rows_of_every_kind(rng):
    dense, thin = DensePlanes(9), SparsePlanes(9)
    expected = np.zeros((0, 9))
    for _ in range(30):
        Z = rng.normal(size=(rng.integers(1, 9), 9)) * (rng.random(9) < 0.5)
        for added in (Z, sparse.csr_array(Z), sparse.coo_array(Z), Z[0], sparse.coo_array(Z)[0]):
            for planes in (dense, thin):
                planes.append(added)
            expected = np.concatenate([expected, Z[:1] if added.ndim == 1 else Z])
        kept = np.flatnonzero(rng.random(len(expected)) < 0.6)
        expected = expected[kept]
        for planes in (dense, thin):
            planes.keep(kept)
            assert len(planes) == len(expected)
        np.testing.assert_array_equal(dense.rows, expected)
        np.testing.assert_array_equal(thin.rows.toarray(), expected)


@SHAPES
def test_coordinates_keep_the_products_of_planes_and_lead_back_to_their_weights(rng, shape):
    Z = scattered(rng, shape)
    for planes in both(Z):
        inside = planes.coordinates()
        assert inside.Z.shape == (shape[0], planes.n_coordinates())
        # products of twins and of zeros lose half the digits of the ridge
        np.testing.assert_allclose(inside.Z @ inside.Z.T, Z @ Z.T, atol=1e-10)
        a = rng.normal(size=shape[0])
        w = inside.weights(a @ inside.Z)
        np.testing.assert_allclose(w, a @ Z, atol=1e-5)
        assert w @ w == pytest.approx((a @ inside.Z) @ (a @ inside.Z), abs=1e-9)


def test_planes_without_any_number_have_coordinates():
    _, thin = both(np.zeros((3, 5)))
    inside = thin.coordinates()
    assert inside.Z.tolist() == [[0.0], [0.0], [0.0]]
    assert inside.weights(np.zeros(1)).tolist() == [0.0] * 5


@PENALTIES
@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_a_step_over_sparse_planes_is_that_over_dense_ones(penalty, seed):
    # one from each of many states: after it two planes are equally violated, and the next depends on rounding
    rng = np.random.default_rng(seed)
    n, P, d, C = 4, 5, 11, 3.0
    Z, b = scattered(rng, (n * P, d)), rng.uniform(0.1, 3, n * P)
    order, starts = rng.permutation(n * P), np.arange(0, n * P + 1, P)
    box, curvature = (C / n, 0.0) if penalty is LINEAR else (np.inf, n / C)
    begin = rng.uniform(0, C / n / P, n * P) * (rng.random(n * P) < 0.7)
    states = []
    for planes in both(Z):
        a, dz = begin.copy(), np.zeros(d)
        w, mass = a @ Z, np.array([a[order[starts[i] : starts[i + 1]]].sum() for i in range(n)])
        blocks = Blocks(order, starts, b, a, w, mass, box, curvature)
        gap = planes.sweep(np.arange(n), blocks, np.empty(P), dz, 1)
        states.append((gap, a, w, mass))
    assert not dz.any()  # the sparse ones give their room back empty
    assert not np.array_equal(a, begin)
    for one, other in zip(*states, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-11)  # sums in another order, divided by ‖dz‖²


@PENALTIES
def test_sweeps_over_sparse_planes_close_the_gap(rng, penalty):
    n, P, d, C = 4, 5, 11, 3.0
    Z, b = scattered(rng, (n * P, d)), rng.uniform(0.1, 3, n * P)
    _, thin = both(Z)
    box, curvature = (C / n, 0.0) if penalty is LINEAR else (np.inf, n / C)
    a, w, mass, dz = np.zeros(n * P), np.zeros(d), np.zeros(n), np.zeros(d)
    blocks = Blocks(np.arange(n * P), np.arange(0, n * P + 1, P), b, a, w, mass, box, curvature)
    gaps = [thin.sweep(np.arange(n), blocks, np.empty(P), dz, 10) for _ in range(300)]
    assert gaps[-1] <= 1e-6 * gaps[0]
    np.testing.assert_allclose(w, a @ Z, atol=1e-10)
    np.testing.assert_allclose(mass, a.reshape(n, P).sum(axis=1), atol=1e-12)


@PENALTIES
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("solver", ["interior_point", "clarabel"])
def test_programs_over_sparse_planes_have_the_optimum_of_dense_ones(rng, penalty, C, solver):
    for shape in ((30, 8), (12, 200)):
        Z, b = scattered(rng, shape), rng.uniform(1, 3, shape[0])
        found = []
        for thin in (False, True):
            constraints = WorkingSet(5, shape[1], sparse=thin)
            for m, z in enumerate(Z):
                constraints.add(m % 5, np.array([m]), z, float(b[m]))
            found.append(qp.solve(constraints, C=C, penalty=penalty, ladder=qp.ladder(solver)))
        dense, sparse_one = found
        assert sparse_one.gap <= 1e-7 * sparse_one.upper
        assert max(dense.lower, sparse_one.lower) <= min(dense.upper, sparse_one.upper) * (1 + 1e-12)
        # ½‖w − w*‖² is at most the gap
        size = np.sqrt(2 * 1e-7 * dense.upper)
        np.testing.assert_allclose(sparse_one.w, dense.w, atol=2 * size)


def test_a_program_whose_coordinates_do_not_fit_is_refused_before_it_is_begun(rng, monkeypatch):
    monkeypatch.setenv("VITERBI_LAB_PROGRAM_BYTES", "1000")
    constraints = WorkingSet(5, 200, sparse=True)
    for m, z in enumerate(scattered(rng, (12, 200))):
        constraints.add(m % 5, np.array([m]), z, 1.0)
    with pytest.raises(TooBig, match=r"12 sparse planes needs .* Train by block_coordinate"):
        qp.solve(constraints, C=1.0)


def test_more_weights_than_an_index_can_hold_are_refused():
    with pytest.raises(ValueError, match="3000000000 weights are more than"):
        SparsePlanes(3_000_000_000)


def test_rows_are_scaled_stacked_and_compressed_alike(rng):
    Z = scattered(rng, (6, 4))
    thin, rows, columns = sparse.csr_array(Z), rng.normal(size=6), rng.normal(size=4)
    np.testing.assert_array_equal(times_rows(thin, rows).toarray(), times_rows(Z, rows))
    np.testing.assert_array_equal(times_columns(thin, columns).toarray(), times_columns(Z, columns))
    np.testing.assert_array_equal(times_columns(thin[3], columns).toarray(), times_columns(Z[3], columns))
    np.testing.assert_array_equal(stacked([thin[i] for i in range(6)]).toarray(), stacked(list(Z)))
    assert [used_columns(thin[i]).tolist() for i in range(6)] == [used_columns(z).tolist() for z in Z]
    doubled = sparse.coo_array(([1.0, 2.0, 0.0, 5.0, -5.0], ([0, 0, 0, 1, 1], [3, 3, 1, 2, 2])), shape=(2, 4))
    tidy = as_sparse(doubled)
    assert (tidy.nnz, tidy.toarray().tolist()) == (1, [[0, 0, 0, 3], [0, 0, 0, 0]])
