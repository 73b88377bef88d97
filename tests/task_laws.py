"""The six laws of a task, held against a list of all its outputs; a test module gives the tasks.

1. ⟨w, Ψ⟩ is the sum of the scores of the parts.     2. Δ is h of the sum of their costs, and 0 for the truth.
3. The parts of an output are those of it again.      4. The prediction is that of enumeration.
5. The most violated constraint is that of enumeration, for both rescalings and penalties.
6. Its H from parts is b − ⟨w, z⟩.
"""

import numpy as np
import pytest

from viterbi_lab.oracle import SeparationOracle, most_violated, plane, predict
from viterbi_lab.rescaling import LINEAR, MARGIN, QUADRATIC, SLACK
from viterbi_lab.rows import as_dense

EVERY = [(rescaling, penalty) for rescaling in (SLACK, MARGIN) for penalty in (LINEAR, QUADRATIC)]
ROUNDING = 1e-9
"""Of sums of a few numbers below 100."""


def violation(w, delta_psi, loss, rescaling, power):
    """H as the papers print it, but for the factor Δ."""
    advantage = float(delta_psi @ w)
    tempered = loss**power if loss > 0 else 0.0
    return tempered * (1.0 - advantage) if rescaling is SLACK else tempered - advantage


def hold_most_violated(task, example, outputs, w):
    """Laws 5 and 6; ``outputs`` lists ``(Ψ(x, ŷ), Δ(y, ŷ))`` of all outputs, the truth among them."""
    psi = next(psi for psi, loss in outputs if loss == 0 and np.array_equal(psi, example.psi))
    for rescaling, penalty in EVERY:
        expected = max(violation(w, psi - other, loss, rescaling, penalty.power) for other, loss in outputs)
        found = most_violated(task, example, w, rescaling, penalty)
        assert found.value == pytest.approx(expected, abs=ROUNDING)
        z, b = plane(task, found, rescaling)
        assert b - z @ w == pytest.approx(expected, abs=ROUNDING)
        own = psi - task.joint_feature(example.x, found.y_hat)
        assert violation(
            w, own, found.loss ** (1 / penalty.power), rescaling, penalty.power
        ) == pytest.approx(expected, abs=ROUNDING)
        assert task.loss(example.y, found.y_hat) == pytest.approx(found.loss ** (1 / penalty.power))


def hold_prediction(task, x, features, w):
    """Law 4; ``features`` lists Ψ(x, ŷ) of all outputs."""
    best = max(float(psi @ w) for psi in features)
    assert float(task.joint_feature(x, predict(task, x, w)) @ w) == pytest.approx(best, abs=ROUNDING)


def hold_all_at_once(task, examples, w):
    """What is said of all examples together is what is said of each, for every number of threads."""
    for rescaling, penalty in EVERY:
        for n_jobs in (1, 2):
            look = SeparationOracle(task, examples, rescaling, penalty, n_jobs).look(w)
            for i, y_hat, z, b in look.rows(np.ones(len(examples), bool)):
                alone = most_violated(task, examples[i], w, rescaling, penalty)
                assert look.value[i] == pytest.approx(alone.value, abs=ROUNDING)
                assert b - z @ w == pytest.approx(alone.value, abs=ROUNDING)
                own = example_row(task, examples[i], y_hat, b, rescaling)
                np.testing.assert_allclose(as_dense(z), as_dense(own), atol=ROUNDING)


def example_row(task, example, y_hat, b, rescaling):
    delta_psi = example.psi - task.joint_feature(example.x, y_hat)
    return b * delta_psi if rescaling is SLACK else delta_psi
