"""Bounds at trained weights, where they have the hardest time: gene data, slack rescaling, N=2.

Training runs on sequences of 100 sites; at the weights of each of its passes, long sequences are decoded.
"""

import numpy as np
import pytest

from benchmarks.timing import fastest
from viterbi_lab.cutting_plane import iterates
from viterbi_lab.data.genes import generate
from viterbi_lab.dp import decode, verify
from viterbi_lab.features import HistogramBins
from viterbi_lab.oracle import most_violated
from viterbi_lab.rescaling import SLACK
from viterbi_lab.tasks.sequence import ACTIVE, SequenceTask

pytestmark = pytest.mark.benchmark

SEQUENCES = 6


@pytest.mark.parametrize(("length", "least"), [(2000, 0.8), (10_000, 4.0)])
@pytest.mark.parametrize("sigma", [2.0, 10.0])
def test_bounds_along_a_training_run(report, sigma, length, least):
    """At T=2000 the full table takes as long as 40 plain decodings: there the bounds must only do no harm."""
    rng = np.random.default_rng(int(sigma))
    train = generate(50, sigma=sigma, rng=rng)
    long = generate(SEQUENCES, sigma=sigma, rng=rng, T=length)
    bins = HistogramBins.fit([s.x for s in train], n_bins=10)
    task = SequenceTask(2, bins.n_features, start_end=True, encoding=ACTIVE)
    examples = task.prepare([bins.transform(s.x) for s in train], [s.y for s in train])
    queries = task.prepare([bins.transform(s.x) for s in long], [s.y for s in long])
    run = list(iterates(task, examples, C=0.1, epsilon=0.5, rescaling=SLACK))
    methods, cells, cold, warm = [], [], [], []
    slopes = [None] * SEQUENCES
    for iterate in run[:: max(1, len(run) // 4)]:
        for i, query in enumerate(queries):
            asked = most_violated(task, query, iterate.w.copy(), SLACK).problem
            asked.scores.magnitude  # noqa: B018  # part of the problem
            full, bounded = decode(asked, "full"), decode(asked)
            assert (full.value, full.k, full.y.tolist()) == (bounded.value, bounded.k, bounded.y.tolist())
            methods.append(bounded.method)
            if bounded.method != "full":
                verify(asked, bounded)
                cells.append(bounded.certificate.cells / full.certificate.cells)
            times = fastest(
                {
                    "full": lambda asked=asked: decode(asked, "full"),
                    "cold": lambda asked=asked: decode(asked),
                    "warm": lambda asked=asked, start=slopes[i]: decode(asked, slope=start),
                },
                rounds=3,
                enough=0.004,
            )
            cold.append(times["full"] / times["cold"])
            warm.append(times["full"] / times["warm"])
            if bounded.certificate.slopes:
                slopes[i] = bounded.certificate.slopes[-1]
    shares = {name: methods.count(name) / len(methods) for name in ("hull", "pruned", "full")}
    report(
        f"trained models, σ={sigma:g}, T={length}, N=2: proved by",
        ", ".join(f"{name} {100 * share:.0f} %" for name, share in shares.items())
        + f"; cells visited at most {100 * max(cells, default=0.0):.2f} %",
    )
    report(
        f"trained models, σ={sigma:g}, T={length}, N=2: full / bounds, median",
        f"cold {np.median(cold):.1f}, with the slope of the pass before {np.median(warm):.1f}",
    )
    assert np.median(warm) >= least
