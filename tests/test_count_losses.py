import itertools

import numpy as np
import pytest
import task_laws
from hypothesis import given, settings
from hypothesis import strategies as st

from viterbi_lab.count_losses import COUNT_LOSSES, F1, f_beta, with_count_loss
from viterbi_lab.cutting_plane import iterates
from viterbi_lab.dp import ChainProblem, ChainScores, Combine, decode
from viterbi_lab.iterate import Status
from viterbi_lab.oracle import predict
from viterbi_lab.rescaling import MARGIN, SLACK
from viterbi_lab.tasks.sequence import SequenceTask


def printed(name, y, y_hat, positive):
    """The losses from the sets of positive places, as they are printed in books."""
    true = {(t, label) for t, label in enumerate(y) if label in positive}
    found = {(t, label) for t, label in enumerate(y_hat) if label in positive}
    both = len(true & found)
    if name == "precision":
        quality = both / len(found) if found else float(not true)
    elif name == "recall":
        quality = both / len(true) if true else 1.0
    elif name == "jaccard":
        quality = both / len(true | found) if true | found else 1.0
    else:
        b = float(name[1:]) ** 2
        quality = (1 + b) * both / (b * len(true) + len(found)) if true or found else 1.0
    return 1 - quality


LOSSES = [*COUNT_LOSSES.values(), f_beta(2.0)]


@given(
    st.integers(2, 3),
    st.lists(st.integers(0, 1), min_size=1, max_size=4),
    st.sampled_from(LOSSES),
    st.booleans(),
)
@settings(max_examples=60)
def test_the_loss_of_every_labelling_is_h_of_its_costs(n_states, y, loss, several):
    y, positive = np.array(y), [1, n_states - 1] if several else [1]
    cost, h = loss.tables(y, n_states, positive)
    assert h[0] == 0.0
    for y_hat in map(np.array, itertools.product(range(n_states), repeat=len(y))):
        k = cost[np.arange(len(y)), y_hat].sum()
        expected = printed(loss.name, y.tolist(), y_hat.tolist(), positive)
        assert h[k] == pytest.approx(expected, abs=1e-12)
        assert loss.value(y, y_hat, positive) == pytest.approx(expected, abs=1e-12)
        if (y == y_hat).all():
            assert k == 0


def test_g11_optima_of_count_losses(golden):
    data = golden("g11_count_losses")
    for case in data["cases"]:
        y, scores = np.array(case["y"]), ChainScores.from_tables(case["g"])
        for key, expected in case["values"].items():
            op, name = Combine.PLUS if key[0] == "+" else Combine.TIMES, key[1:]
            if name == "hamming":
                cost, h = None, np.arange(case["T"] + 1.0)
            else:
                loss = F1 if name == "f1" else COUNT_LOSSES[name]
                cost, h = loss.tables(y, case["N"], [data["positive_label"]])
            offset = data["cases"][0]["c_for_times"] if op is Combine.TIMES else 0.0
            found = decode(ChainProblem(scores, y, h, op, offset, cost=cost))
            assert found.value == pytest.approx(expected, abs=1e-9)  # spec F: integer data


@given(st.sampled_from(LOSSES), st.integers(2, 3), st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_the_most_violated_constraint_is_that_of_enumeration(loss, n_states, seed):
    rng = np.random.default_rng(seed)
    task = SequenceTask(n_states, 2)
    X = [rng.integers(-2, 3, size=(T, 2)).astype(float) for T in (1, 3, 4)]
    Y = [rng.integers(0, n_states, size=len(x)) for x in X]
    examples = with_count_loss(task.prepare(X, Y), loss, n_states=n_states, positive=[1])
    w = rng.normal(size=task.n_weights)
    for example in examples:
        everything = [np.array(y) for y in itertools.product(range(n_states), repeat=len(example.y))]
        outputs = [
            (task.joint_feature(example.x, y), printed(loss.name, example.y, y, [1])) for y in everything
        ]
        for rescaling, penalty in task_laws.EVERY:
            expected = max(
                task_laws.violation(w, example.psi - psi, max(delta, 0.0), rescaling, penalty.power)
                for psi, delta in outputs
            )
            found = task_laws.most_violated(task, example, w, rescaling, penalty)
            assert found.value == pytest.approx(expected, abs=task_laws.ROUNDING)
    task_laws.hold_all_at_once(task, examples, w)


@pytest.mark.parametrize("rescaling", [SLACK, MARGIN])
def test_training_on_f1_finds_rare_labels(rng, rescaling):
    # one positive site in ten, seen dimly: most sites are right if none is called positive, but F1 is then 0
    task = SequenceTask(2, 2)
    Y = [(rng.random(40) < 0.1).astype(int) for _ in range(12)]
    X = [np.column_stack([y + rng.normal(size=40), np.ones(40)]) for y in Y]
    examples = with_count_loss(task.prepare(X, Y), F1, n_states=2, positive=[1])
    *_, last = iterates(task, examples, C=100.0, epsilon=0.01, rescaling=rescaling)
    assert last.status is Status.CONVERGED
    risk = np.mean([F1.value(e.y, predict(task, e.x, last.w), [1]) for e in examples])
    assert risk <= last.slack.mean() + 1e-9  # Knowl 5: the slacks bound the loss


def test_labels_that_are_none_are_refused():
    task = SequenceTask(2, 1)
    examples = task.prepare([np.ones((2, 1))], [np.array([0, 1])])
    for positive in ([], [2]):
        with pytest.raises(ValueError, match="at least one of the 2 labels"):
            with_count_loss(examples, F1, n_states=2, positive=positive)
    with pytest.raises(ValueError, match="beta=0"):
        f_beta(0)
