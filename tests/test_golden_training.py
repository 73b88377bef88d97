"""Golden values g06 (optima), g08 (risk), g10 (C → 0), g17 (Ψ): worked out by an independent program."""

import naive_training
import numpy as np
import pytest

from viterbi_lab.cutting_plane import Status, iterates
from viterbi_lab.losses import IDENTITY, ZERO_ONE
from viterbi_lab.oracle import most_violated, plane
from viterbi_lab.qp import solve
from viterbi_lab.rescaling import MARGIN, RESCALINGS, SLACK, VARIANTS
from viterbi_lab.tasks.sequence import ACTIVE, SequenceTask
from viterbi_lab.working_set import WorkingSet

VARIANT = pytest.mark.parametrize("name", list(VARIANTS))


@pytest.fixture
def sequences(golden):
    """``sequences(wrapper)``: task and examples of the problem ``seq``: one symbol a site."""
    data = golden("g06_ssvm_optima")["seq"]

    def build(wrapper=IDENTITY):
        task = SequenceTask(data["N"], data["V"], wrapper, encoding=ACTIVE)
        X = [np.array(x)[:, np.newaxis] for x in data["X"]]
        return task, task.prepare(X, [np.array(y) for y in data["Y"]])

    return build


def train(task, examples, variant, C, epsilon=1e-7):
    *_, last = iterates(
        task,
        examples,
        C=C,
        epsilon=epsilon,
        rescaling=variant.rescaling,
        penalty=variant.penalty,
    )
    assert last.status is Status.CONVERGED
    return last


def in_our_order(w, n_states=2, n_symbols=3):
    """The golden w with transition index previous + N·current, ours is previous·N + current."""
    emissions, transitions = np.split(np.array(w), [n_states * n_symbols])
    return np.concatenate([emissions, transitions.reshape(n_states, n_states).T.ravel()])


@VARIANT
@pytest.mark.parametrize("C", ["0.1", "1", "10", "1000"])
def test_g06_training_on_sequences_reaches_the_optimum(golden, sequences, name, C):
    expected, variant = golden("g06_ssvm_optima")["results"][f"seq|{name}|C={C}"], VARIANTS[name]
    last = train(*sequences(ZERO_ONE if variant.zero_one else IDENTITY), variant, float(C))
    assert last.upper == pytest.approx(expected["obj"], rel=1e-6)  # spec F
    assert last.gap <= 1e-6 * max(1.0, last.upper)  # spec F 29
    # the golden w solves its program to about 1e-9, and ½‖w − w*‖² is at most what is left of the objective
    np.testing.assert_allclose(last.w, in_our_order(expected["w"]), atol=1e-3)


@VARIANT
@pytest.mark.parametrize("C", ["0.1", "1", "10", "1000"])
def test_g06_the_program_with_all_constraints_of_three_classes_has_the_optimum(golden, name, C):
    data, variant = golden("g06_ssvm_optima"), VARIANTS[name]
    mc, expected = data["mc"], data["results"][f"mc|{name}|C={C}"]
    constraints = WorkingSet(len(mc["y"]), 6)
    for i, (x, y) in enumerate(zip(mc["X"], mc["y"], strict=True)):
        for k in range(3):
            loss = float(mc["Delta"][y][k])
            if loss:
                delta_psi = np.kron(np.eye(3)[y] - np.eye(3)[k], x)
                power = 0.0 if variant.zero_one else variant.penalty.power
                constraints.add(i, np.array([k]), *variant.rescaling.plane(delta_psi, loss**power))
    found = solve(constraints, C=float(C), penalty=variant.penalty)
    assert found.upper == pytest.approx(expected["obj"], rel=1e-6)
    assert found.gap <= 1e-6 * max(1.0, found.upper)


@VARIANT
def test_g08_the_worst_tie_break_stays_below_the_bound_on_the_risk(golden, sequences, name):
    variant = VARIANTS[name]
    rows = [row for row in golden("g08_risk") if row["variant"] == name]
    assert [row["C"] for row in rows] == [0.01, 0.1, 1, 10]
    for row in rows:
        task, examples = sequences(ZERO_ONE if variant.zero_one else IDENTITY)
        last = train(task, examples, variant, row["C"])
        bound = np.mean(last.slack if variant.penalty.power == 1 else last.slack**2)
        assert bound == pytest.approx(row["bound"], abs=1e-4)  # slacks move by √ of the gap
        assert worst_tie_risk(task, examples, last.w, 1e-5) <= bound
        if name == "SVM_1" and row["C"] <= 1:
            # w is C/5 · (1, 0, -1, -1, 0, 1, 0, 0, 0, 0), and three of five examples have ties. The golden
            # 0.2 is that of an inexact w, whose noise of 1e-7 breaks them.
            assert worst_tie_risk(task, examples, last.w, 1e-5) == pytest.approx(0.6)
        else:
            risk = worst_tie_risk(task, examples, last.w, 1e-6)  # the accuracy of w
            assert risk == pytest.approx(row["worst_tie_risk"])


def worst_tie_risk(task, examples, w, tolerance):
    return np.mean([worst_tie_loss(task, example, w, tolerance) for example in examples])


def worst_tie_loss(task, example, w, tolerance):
    """The largest loss of a labelling that scores best up to ``tolerance``."""
    scored = {
        y_hat: w @ task.joint_feature(example.x, np.array(y_hat))
        for y_hat in naive_training.labellings(task.n_states, len(example.y))
    }
    best = max(scored.values())
    return max(
        task.loss(example.y, np.array(y_hat)) for y_hat, score in scored.items() if score >= best - tolerance
    )


@pytest.mark.parametrize("number", range(6))
def test_g10_as_c_vanishes_the_solution_is_c_times_the_mean_plane(golden, sequences, number):
    row, (task, examples) = golden("g10_smallC")[number], sequences()
    C, rescaling = row["C"], RESCALINGS[row["rescale"]]
    zero = np.zeros(task.n_weights)
    planes = [plane(task, most_violated(task, e, zero, rescaling), rescaling) for e in examples]
    z, b = np.mean([z for z, _ in planes], axis=0), np.mean([b for _, b in planes])
    last = train(task, examples, next(v for v in VARIANTS.values() if v.rescaling is rescaling), C)
    closed_form = C * b - 0.5 * C**2 * z @ z
    assert closed_form == pytest.approx(row["closed_form"], rel=1e-11)
    assert last.upper == pytest.approx(row["obj"], rel=1e-9)
    np.testing.assert_allclose(last.w, C * z, rtol=0, atol=1e-5 * C * np.abs(z).max())


def test_g17_the_joint_feature_map_of_a_small_sequence(golden):
    data = golden("g17_features")
    bins, (r, T) = data["bins"], np.array(data["B"]).shape
    task = SequenceTask(2, r * bins, start_end=True, encoding=ACTIVE)
    x = np.array(data["B"]).T + bins * np.arange(r)
    (example,) = task.prepare([x], [np.array(data["y"])])
    assert example.psi.tolist() == data["psi"]
    paper = data["dim_paper_setting"]
    assert SequenceTask(2, paper["r"] * paper["bins"], start_end=True).n_weights == paper["total"]
    assert (r, T) == (2, 5)


def test_the_two_rescalings_are_the_two_named_ones():
    assert RESCALINGS == {"slack": SLACK, "margin": MARGIN}
