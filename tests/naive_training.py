"""The referee of training: every labelling enumerated, every constraint written out as the papers print it.

Shares nothing with the package but the data. Weights are laid out as in golden g17: emissions label by label,
then transitions previous by current, then start, then end.
"""

import itertools

import cvxpy as cp
import numpy as np


def labellings(n_states, length):
    return itertools.product(range(n_states), repeat=length)


def psi(x, y, n_states, n_features, start_end=False):
    """Ψ(x, y) by walking along the sequence; x is (T, F) values."""
    emissions = np.zeros((n_states, n_features))
    transitions = np.zeros((n_states, n_states))
    for t, label in enumerate(y):
        emissions[label] += x[t]
        if t > 0:
            transitions[y[t - 1], label] += 1
    parts = [emissions.ravel(), transitions.ravel()]
    if start_end:
        parts += [np.eye(n_states)[y[0]], np.eye(n_states)[y[-1]]]
    return np.concatenate(parts)


def indicators(active, n_features):
    """(T, F) values from (T, a) indices."""
    x = np.zeros((len(active), n_features))
    for t, indices in enumerate(active):
        for f in indices:
            x[t, f] += 1
    return x


def total_cost(y, y_hat, label_costs=None, site_weights=None):
    """The weighted number of errors, Bauer et al. (20); without weights their number."""
    total = 0
    for t, (true, label) in enumerate(zip(y, y_hat, strict=True)):
        cost = int(true != label) if label_costs is None else int(label_costs.table[true, label])
        total += cost if site_weights is None else cost * int(site_weights[t])
    return total


def constraints(X, Y, n_states, h, start_end=False, label_costs=None, site_weights=None):
    """``(example, ŷ, δΨ, Δ)`` of every wrong labelling of every example."""
    for i, (x, y) in enumerate(zip(X, Y, strict=True)):
        x, F = np.asarray(x, float), np.asarray(x).shape[1]
        truth = psi(x, y, n_states, F, start_end)
        for y_hat in labellings(n_states, len(y)):
            k = total_cost(y, y_hat, label_costs, None if site_weights is None else site_weights[i])
            if k:
                yield i, y_hat, truth - psi(x, y_hat, n_states, F, start_end), float(h(k))


def violation(w, delta_psi, loss, rescaling, power):
    """H(ŷ): how much slack ŷ asks for, in the units of ξ of the scaled constraint."""
    if rescaling == "slack":
        return loss**power * (1 - w @ delta_psi)
    return loss**power - w @ delta_psi


def optimum(rows, n, C, rescaling, power):
    """``(objective, w, ξ)`` of the program with the constraints as printed, not multiplied by Δ.

    Args:
        rows: what `constraints` yields.
        power: 1 if slacks cost their sum, ½ if they cost their squares.
    """
    rows = list(rows)
    w, xi = cp.Variable(len(rows[0][2])), cp.Variable(n, nonneg=True)
    margins = []
    for i, _, delta_psi, loss in rows:
        if rescaling == "slack":
            margins.append(delta_psi @ w >= 1 - xi[i] / loss**power)
        else:
            margins.append(delta_psi @ w >= loss**power - xi[i])
    cost = C / n * cp.sum(xi) if power == 1 else C / (2 * n) * cp.sum_squares(xi)
    problem = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(w) + cost), margins)
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9)
    return problem.value, w.value, xi.value
