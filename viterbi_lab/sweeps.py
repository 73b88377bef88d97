"""Pairwise dual steps over cached planes, as machine code: once for planes in full, once for sparse ones.

Both make the same steps; their weights differ by the rounding of sums in another order. What a step is, says
`viterbi_lab.block_coordinate`.

    visits            the examples in the order in which they are visited
    order, starts     the rows of example i are order[starts[i] : starts[i + 1]]
    Z                 (m, d), the planes; sparse: row p holds data[e] at columns[e] for e from indptr[p] on,
                      up to indptr[p + 1]
    b, a              (m,), their bounds and multipliers
    w, mass           (d,) = Σ a z and (n,) = Σ_ŷ a, kept up to date
    box, curvature    C/n and 0; where squares cost, inf and n/C
    H                 room for the violations of one example
    dz                (d,), room for a difference of planes; sparse: all 0 before and after
    steps             the most steps within an example
"""

from __future__ import annotations

from viterbi_lab.dp.compile import kernel

NULL = -1
NONE = -2


@kernel
def sweep(visits, order, starts, Z, b, a, w, mass, box, curvature, H, dz, steps):
    """Visit examples; the sum of the gaps found at each before it was visited."""
    total = 0.0
    for i in visits:
        rows = order[starts[i] : starts[i + 1]]
        if rows.size:
            total += visit(i, rows, Z, b, a, w, mass, box, curvature, H, dz, steps)
    return total


@kernel
def visit(i, rows, Z, b, a, w, mass, box, curvature, H, dz, steps):
    """At most so many pairwise steps within one example; its gap before them."""
    P, d = rows.size, w.size
    for p in range(P):
        z = Z[rows[p]]
        product = 0.0
        for f in range(d):
            product += z[f] * w[f]
        H[p] = b[rows[p]] - product
    gap = block_gap(rows, a, H, mass[i], box, curvature)
    for _ in range(steps):
        high, low, rise = most_violating_pair(rows, a, H, mass[i], box, curvature)
        if rise == 0.0:
            break
        bend = 0.0
        for f in range(d):
            dz[f] = (Z[rows[high], f] if high >= 0 else 0.0) - (Z[rows[low], f] if low >= 0 else 0.0)
            bend += dz[f] * dz[f]
        step = move(i, rows, high, low, rise, bend, a, mass, box, curvature)
        for f in range(d):
            w[f] += step * dz[f]
        for p in range(P):
            z = Z[rows[p]]
            product = 0.0
            for f in range(d):
                product += z[f] * dz[f]
            H[p] -= step * product
    return gap


@kernel
def sparse_sweep(
    visits, order, starts, indptr, columns, data, b, a, w, mass, box, curvature, H, dz, touched, steps
):
    """The same with sparse planes. touched: room for the columns of two planes."""
    total = 0.0
    for i in visits:
        rows = order[starts[i] : starts[i + 1]]
        if rows.size:
            total += sparse_visit(
                i, rows, indptr, columns, data, b, a, w, mass, box, curvature, H, dz, touched, steps
            )
    return total


@kernel
def sparse_visit(i, rows, indptr, columns, data, b, a, w, mass, box, curvature, H, dz, touched, steps):
    """The same with sparse planes: dz is filled at the columns of two planes and emptied again."""
    P = rows.size
    for p in range(P):
        H[p] = b[rows[p]] - sparse_product(rows[p], indptr, columns, data, w)
    gap = block_gap(rows, a, H, mass[i], box, curvature)
    for _ in range(steps):
        high, low, rise = most_violating_pair(rows, a, H, mass[i], box, curvature)
        if rise == 0.0:
            break
        count = 0
        if high >= 0:
            for e in range(indptr[rows[high]], indptr[rows[high] + 1]):
                dz[columns[e]] = data[e]
                touched[count] = columns[e]
                count += 1
        if low >= 0:
            for e in range(indptr[rows[low]], indptr[rows[low] + 1]):
                f = columns[e]
                if dz[f] == 0.0:  # no plane stores a 0: this column is not among the touched ones
                    touched[count] = f
                    count += 1
                dz[f] -= data[e]
        bend = 0.0
        for c in range(count):
            bend += dz[touched[c]] * dz[touched[c]]
        step = move(i, rows, high, low, rise, bend, a, mass, box, curvature)
        for c in range(count):
            w[touched[c]] += step * dz[touched[c]]
        for p in range(P):
            H[p] -= step * sparse_product(rows[p], indptr, columns, data, dz)
        for c in range(count):
            dz[touched[c]] = 0.0
    return gap


@kernel
def move(i, rows, high, low, rise, bend, a, mass, box, curvature):
    """Move mass from the plane ``low`` to ``high``, as much as is best, and say how much."""
    if high == NULL or low == NULL:
        bend += curvature
    room = a[rows[low]] if low >= 0 else box - mass[i]
    step = rise / bend if bend * room > rise else room
    if high >= 0:
        a[rows[high]] += step
    if low >= 0:
        a[rows[low]] = a[rows[low]] - step if step < room else 0.0
    if low == NULL:
        mass[i] += step
    if high == NULL:
        mass[i] -= step
    return step


@kernel
def most_violating_pair(rows, a, H, mass, box, curvature):
    """The plane with the largest violation, that with the smallest which has mass, and their difference.

    The difference is 0 where it is nothing but rounding.
    """
    high, highest = NULL, curvature * mass
    low, lowest = NONE, 0.0
    if mass < box:
        low, lowest = NULL, curvature * mass
    for p in range(rows.size):
        if H[p] > highest:
            high, highest = p, H[p]
        if a[rows[p]] > 0.0 and (low == NONE or H[p] < lowest):
            low, lowest = p, H[p]
    if low == NONE or highest - lowest <= 1e-12 * (abs(highest) + abs(lowest)):
        return high, low, 0.0
    return high, low, highest - lowest


@kernel
def block_gap(rows, a, H, mass, box, curvature):
    """The part of one example in the gap between primal and dual value over the planes."""
    slack, used = 0.0, 0.0
    for p in range(rows.size):
        slack = max(slack, H[p])
        used += a[rows[p]] * H[p]
    if curvature > 0.0:
        return 0.5 * slack * slack / curvature + 0.5 * curvature * mass * mass - used
    return box * slack - used


@kernel
def sparse_product(row, indptr, columns, data, w):
    """⟨z, w⟩ of one sparse plane."""
    product = 0.0
    for e in range(indptr[row], indptr[row + 1]):
        product += data[e] * w[columns[e]]
    return product


@kernel
def sparse_products(indptr, columns, data, w, products):
    """⟨z, w⟩ of every sparse plane."""
    for row in range(products.size):
        products[row] = sparse_product(row, indptr, columns, data, w)


@kernel
def sparse_combination(indptr, columns, data, a, w):
    """Add Σ a z to w."""
    for row in range(a.size):
        if a[row] != 0.0:
            for e in range(indptr[row], indptr[row + 1]):
                w[columns[e]] += a[row] * data[e]


@kernel
def sparse_gram(indptr, columns, data, dz, gram):
    """⟨z, z'⟩ of all pairs of sparse planes, on and below the diagonal."""
    for row in range(len(gram)):
        for e in range(indptr[row], indptr[row + 1]):
            dz[columns[e]] = data[e]
        for other in range(row + 1):
            gram[row, other] = sparse_product(other, indptr, columns, data, dz)
        for e in range(indptr[row], indptr[row + 1]):
            dz[columns[e]] = 0.0
