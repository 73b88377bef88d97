"""A batch gives what its problems give one by one."""

import numpy as np
import pytest
from strategies_dp import INTERPRETED, wrapper

from viterbi_lab.dp import ChainBatch, Combine, NoFeasibleLabelling, decode, decode_batch


def random_batch(rng, op, name, n_states, lengths, *, integers=False, forbidden=0.0):
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    total = int(starts[-1])
    draw = (lambda shape: rng.integers(-2, 3, shape).astype(float)) if integers else rng.standard_normal
    transitions = draw((n_states, n_states))
    transitions[rng.random(transitions.shape) < forbidden] = -np.inf
    return ChainBatch(
        starts=starts,
        emissions=draw((total, n_states)),
        transitions=transitions,
        y=rng.integers(0, n_states, total),
        h=np.concatenate([wrapper(name, length) for length in lengths]),
        op=op,
        offsets=draw(len(lengths)),
    )


@pytest.mark.parametrize("op", list(Combine))
@pytest.mark.parametrize("name", ["id", "sqrt", "01", "sq", "neg", "alt"])
@pytest.mark.parametrize("integers", [False, True])
def test_a_batch_equals_its_problems_one_by_one(op, name, integers):
    rng = np.random.default_rng(len(name))
    for n_states in (1, 2, 3, 5):
        lengths = [1, 12, 2, 7, 25] if INTERPRETED else [1, 30, 2, 7, 260, 90]
        batch = random_batch(rng, op, name, n_states, lengths, integers=integers)
        for threads in (1, 3):
            found = decode_batch(batch, threads=threads)
            for i in range(len(batch)):
                expected = decode(batch.problem(i), "full")
                y = found.y[batch.starts[i] : batch.starts[i + 1]]
                if op is Combine.PLUS and name in ("id", "neg") and not integers:
                    # plain decoding adds a·cost on the way: the value may differ in the last bits
                    assert found.value[i] == pytest.approx(expected.value, abs=1e-11)
                else:
                    assert (found.value[i], found.score[i]) == (expected.value, expected.score)
                assert (found.k[i], y.tolist()) == (expected.k, expected.y.tolist())


def test_long_sequences_of_a_batch_begin_at_their_last_slope():
    rng = np.random.default_rng(1)
    batch = random_batch(rng, Combine.TIMES, "id", 4, [60, 50] if INTERPRETED else [2400, 2200])
    warm = ChainBatch(**{**vars(batch), "slopes": np.full(2, np.nan)})
    first = decode_batch(warm)
    assert INTERPRETED or np.isfinite(warm.slopes).all()  # short sequences do not need bounds
    again = decode_batch(warm)
    np.testing.assert_array_equal(first.y, again.y)
    np.testing.assert_array_equal(first.value, decode_batch(batch).value)


def test_a_sequence_without_feasible_labelling_is_named():
    rng = np.random.default_rng(2)
    batch = random_batch(rng, Combine.TIMES, "id", 2, [1, 4, 3], forbidden=1.0)
    with pytest.raises(NoFeasibleLabelling, match="Sequence 1"):
        decode_batch(batch)
