"""The engine against other programs in one run, all results checked equal; never seconds.

``uv run pytest tests/benchmarks -n 0 -m benchmark`` prints the table. hmmlearn, librosa and dynamax are
compared where they are installed (extra ``bench``).
"""

import tracemalloc

import numpy as np
import pytest

from benchmarks.rivals import (
    EDGES_PER_ROUND,
    LANES,
    ceiling_rounds,
    exhaustive,
    naive_algorithm_1,
    numpy_algorithm_1,
    numpy_viterbi,
)
from benchmarks.timing import fastest
from viterbi_lab.dp import (
    ChainProblem,
    ChainScores,
    Combine,
    TooBig,
    decode,
    kernels,
    layout,
    verify,
    viterbi,
)
from viterbi_lab.dp.plan import Plan, workspace

pytestmark = pytest.mark.benchmark


def paper_instance(T, N, seed=0, h=None, low=-50.0, high=50.0):
    """Section IV-D: g uniform in [−50, 50], ⊙ = ·, h = id."""
    rng = np.random.default_rng(seed)
    g0, g = rng.uniform(low, high, N), rng.uniform(low, high, (T - 1, N, N))
    y = rng.integers(0, N, T)
    h = np.arange(T + 1.0) if h is None else h
    scores = ChainScores.from_arrays(g0, g)
    scores.magnitude  # noqa: B018  # a property of the scores, computed once
    return g0, g, y, ChainProblem(scores, y, h, Combine.TIMES)


def ratio(times, slow, fast):
    return times[slow] / times[fast]


def test_full_table_against_naive_numba_and_numpy(report):
    T, N = 2000, 4
    g0, g, y, asked = paper_instance(T, N)
    ours = decode(asked, "full")
    for rival in (naive_algorithm_1, numpy_algorithm_1):
        value, labels = rival(g0, g, y, asked.h, True)
        assert (value, labels.tolist()) == (ours.value, ours.y.tolist())
    times = fastest(
        {
            "ours": lambda: decode(asked, "full"),
            "naive": lambda: naive_algorithm_1(g0, g, y, asked.h, True),
            "numpy": lambda: numpy_algorithm_1(g0, g, y, asked.h, True),
        },
        rounds=3,
    )
    report("Algorithm 1, T=2000, N=4: naive numba / ours", f"{ratio(times, 'naive', 'ours'):.0f}")
    report("Algorithm 1, T=2000, N=4: vectorised NumPy / ours", f"{ratio(times, 'numpy', 'ours'):.0f}")
    assert ratio(times, "naive", "ours") >= 10
    assert ratio(times, "numpy", "ours") >= 50


def test_short_sequences_against_naive_numba(report):
    g0, g, y, asked = paper_instance(100, 4)
    times = fastest(
        {
            "ours": lambda: decode(asked, "full"),
            "naive": lambda: naive_algorithm_1(g0, g, y, asked.h, True),
        }
    )
    report(
        "Algorithm 1, T=100, N=4: naive numba / ours, Python included", f"{ratio(times, 'naive', 'ours'):.1f}"
    )
    assert ratio(times, "naive", "ours") >= 2.5


def test_exhaustive_search_grows_n_fold_per_site(report):
    programs = {}
    for T in (6, 7):
        g0, g, y, asked = paper_instance(T, 4)
        assert exhaustive(g0, g, y, asked.h, True) == decode(asked).value
        programs[T] = lambda g0=g0, g=g, y=y, h=asked.h: exhaustive(g0, g, y, h, True)
    times = fastest(programs, rounds=3)
    report("exhaustive search: T=7 / T=6", f"{times[7] / times[6]:.1f}")
    assert 3 <= times[7] / times[6] <= 6


@pytest.mark.parametrize(("T", "N"), [(5000, 4), (5000, 8), (5000, 16)])
def test_share_of_the_ceiling_of_the_core(report, T, N):
    asked = paper_instance(T, N)[3]
    scores, plan = asked.scores, Plan.of(asked)
    work, row, pair = workspace(plan.size), N * plan.width, layout.pair_room(N)
    levels, between, checkpoints = np.split(work, [2 * row, 2 * row + pair])

    def forward():
        kernels.forward(
            scores.initial, asked.first_cost, scores.transitions, scores.emissions, asked.step_cost,
            plan.reach, plan.every, checkpoints, plan.first_row, levels, between, plan.width,
        )  # fmt: skip

    data, repeats = np.linspace(0.0, 1.0, LANES * 18), 200_000
    times = fastest(
        {
            "forward": forward,
            "whole": lambda: decode(asked, "full"),
            "ceiling": lambda: ceiling_rounds(data, repeats),
        },
        rounds=5,
    )
    edges = N * N * sum(t + 1 for t in range(1, T))
    ceiling = EDGES_PER_ROUND * repeats / times["ceiling"]
    shares = {part: edges / times[part] / ceiling for part in ("forward", "whole")}
    report(
        f"share of the core's add+max ceiling, T={T}, N={N}",
        f"forward pass {100 * shares['forward']:.0f} %, whole call {100 * shares['whole']:.0f} %",
    )
    assert shares["forward"] >= 0.8


def test_growth_in_the_length(report):
    problems = {T: paper_instance(T, 4)[3] for T in (2000, 4000)}
    programs = {T: (lambda asked=asked: decode(asked, "full")) for T, asked in problems.items()}
    times = fastest(programs, rounds=5)
    report("full table, N=4: T=4000 / T=2000", f"{times[4000] / times[2000]:.1f}")
    assert 3 <= times[4000] / times[2000] <= 5.5


@pytest.mark.parametrize(("T", "least"), [(2000, 8), (10_000, 25)])
def test_bounds_against_our_own_full_table(report, T, least):
    gains = []
    for seed in range(5):
        asked = paper_instance(T, 4, seed)[3]
        full, bounded = decode(asked, "full"), decode(asked)
        assert (full.value, full.k, full.y.tolist()) == (bounded.value, bounded.k, bounded.y.tolist())
        verify(asked, bounded)
        times = fastest(
            {"full": lambda asked=asked: decode(asked, "full"), "bounds": lambda asked=asked: decode(asked)},
            rounds=5,
            enough=0.005,
        )
        gains.append(ratio(times, "full", "bounds"))
    gain = float(np.median(gains))
    report(f"bounds, paper's random instances, T={T}, N=4: full / bounds, median of 5", f"{gain:.1f}")
    assert gain >= least


@pytest.mark.parametrize("kind", ["random h", "massive ties"])
def test_bounds_that_do_not_help_cost_little(report, kind):
    rng = np.random.default_rng(5)
    costs = []
    for seed in range(5):
        if kind == "random h":
            asked = paper_instance(2000, 4, seed, h=rng.uniform(0, 1, 2001))[3]
        else:
            scores = ChainScores.from_arrays(
                rng.integers(-1, 2, 4).astype(float), rng.integers(-1, 2, (1999, 4, 4)).astype(float)
            )
            scores.magnitude  # noqa: B018
            asked = ChainProblem(scores, rng.integers(0, 4, 2000), np.arange(2001.0), Combine.TIMES)
        times = fastest(
            {"full": lambda asked=asked: decode(asked, "full"), "auto": lambda asked=asked: decode(asked)},
            rounds=5,
            enough=0.005,
        )
        costs.append(ratio(times, "auto", "full"))
    report(f"bounds where they do not help ({kind}), T=2000: auto / full, worst of 5", f"{max(costs):.2f}")
    assert max(costs) <= 1.25


def test_memory_of_the_full_table_stays_far_below_a_byte_per_cell(report):
    asked = paper_instance(5000, 4)[3]
    plan = Plan.of(asked)
    cells = 4 * int((plan.reach + 1).sum())
    share = 8 * plan.size / cells
    tracemalloc.start()
    decode(asked, "full")
    allocated = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    report("full table, T=5000, N=4: bytes of memory per cell", f"{share:.2f}")
    assert share < 0.25
    assert allocated < 2 * 8 * plan.size


def test_a_hundred_thousand_sites_in_bounded_memory(report, monkeypatch):
    asked = paper_instance(100_000, 4)[3]
    found = decode(asked)
    assert found.method in ("hull", "pruned")
    verify(asked, found)
    report("T=100,000, N=4: proved by", f"{found.method}, {len(found.certificate.slopes)} plain decodings")
    h = np.random.default_rng(0).uniform(0, 1, 100_001)
    hopeless = ChainProblem(asked.scores, asked.y, h, Combine.TIMES)
    monkeypatch.setenv("VITERBI_LAB_DECODE_BYTES", "100000000")
    with pytest.raises(
        TooBig, match=r"needs .* bytes, but the limit is 100,000,000\. The largest T that fits"
    ):
        decode(hopeless)


def homogeneous(T, N, seed=0):
    rng = np.random.default_rng(seed)
    start = np.log(rng.dirichlet(np.ones(N)))
    transitions = np.log(rng.dirichlet(np.ones(N), N))
    emissions = np.log(rng.random((T, N)))
    return start, transitions, emissions


SIZES = [(100, 4), (1000, 4), (10_000, 4), (100, 50), (1000, 50), (10_000, 50)]


def rival_decoders(start, transitions, emissions):
    decoders = {}
    try:
        from hmmlearn.base import BaseHMM

        class Frames(BaseHMM):
            """A model whose observations are log likelihoods already."""

            def _compute_log_likelihood(self, X):
                return X

        model = Frames(n_components=start.size)
        model.startprob_, model.transmat_ = np.exp(start), np.exp(transitions)
        decoders["hmmlearn"] = lambda: model.decode(emissions)[1]
    except ImportError:
        pass
    try:
        import librosa

        p, A2, pi2 = np.exp(emissions).T.copy(), np.exp(transitions), np.exp(start)
        decoders["librosa"] = lambda: librosa.sequence.viterbi(p, A2, p_init=pi2)
    except ImportError:
        pass
    try:
        import jax
        from dynamax.hidden_markov_model import hmm_posterior_mode

        jax.config.update("jax_enable_x64", True)
        run = jax.jit(hmm_posterior_mode)
        arrays = [jax.numpy.asarray(part) for part in (np.exp(start), np.exp(transitions), emissions)]
        decoders["dynamax"] = lambda: run(*arrays).block_until_ready()
    except ImportError:
        pass
    return decoders


@pytest.mark.parametrize(("T", "N"), SIZES)
def test_plain_decoding_against_named_packages(report, T, N):
    start, transitions, emissions = homogeneous(T, N)
    ours = viterbi(ChainScores.homogeneous(emissions, transitions, start=start))
    programs = {
        "ours": lambda: viterbi(ChainScores.trusted_homogeneous(emissions, transitions, start)),
        "NumPy": lambda: numpy_viterbi(emissions, transitions),
    }
    value, labels = numpy_viterbi(np.vstack([emissions[:1] + start, emissions[1:]]), transitions)
    assert labels.tolist() == ours.y.tolist()
    assert value == pytest.approx(ours.value, rel=1e-12)
    for name, decoder in rival_decoders(start, transitions, emissions).items():
        assert np.asarray(decoder()).tolist() == ours.y.tolist(), name
        programs[name] = decoder
    times = fastest(programs, rounds=3)
    figures = {name: times[name] / times["ours"] for name in programs if name != "ours"}
    report(
        f"plain decoding, T={T}, N={N}: others / ours",
        ", ".join(f"{name} {figure:.1f}" for name, figure in figures.items()),
    )
    assert min(figures.values()) > 1
