import naive_graph
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies_dp import chains, operators, wrappers

from viterbi_lab.dp import (
    ChainProblem,
    ChainScores,
    Combine,
    NoFeasibleLabelling,
    TooBig,
    decode,
    trace,
    viterbi,
)
from viterbi_lab.dp.builders import DELETE, FREE, INSERT, SUBSTITUTE, choice, either, grid, trellis
from viterbi_lab.dp.chart import Rules, chart
from viterbi_lab.dp.hypergraph import GraphProblem, Hypergraph, best_derivation, solve, table, total

DELANNOY = {(1, 1): 3, (2, 2): 13, (3, 3): 63, (3, 4): 129}  # spec F 55


@st.composite
def graphs(draw):
    """``(graph, scores, cost)``: up to 5 nodes, each with up to 3 edges of 0 to 2 tails; small integers."""
    first, tails = [0], []
    for v in range(draw(st.integers(1, 5))):
        for _ in range(draw(st.integers(0 if v else 1, 3))):
            n_tails = draw(st.integers(0, 2)) if v else 0
            pair = [draw(st.integers(0, v - 1)) for _ in range(n_tails)]
            tails.append(pair + [-1] * (2 - n_tails))
        first.append(len(tails))
    scores = [draw(st.one_of(st.integers(-3, 3).map(float), st.just(-np.inf))) for _ in tails]
    cost = [draw(st.integers(0, 2)) for _ in tails]
    return Hypergraph(np.array(first), np.array(tails)), np.array(scores), np.array(cost)


def everything(graph, scores, cost):
    return list(naive_graph.derivations(graph.first, graph.tails.tolist(), scores.tolist(), cost))


def found_or_none(problem):
    try:
        return solve(problem)
    except NoFeasibleLabelling:
        return None


@given(st.data(), graphs(), operators, st.sampled_from([0.0, 2.0]), st.integers(0, 1))
@settings(max_examples=200)
def test_the_optimum_is_that_of_enumeration(data, made, op, offset, kmin):
    graph, scores, cost = made
    derivations = everything(graph, scores, cost)
    largest = max((k for _, k, _ in derivations), default=0)
    h = data.draw(wrappers(largest))
    problem = GraphProblem(graph, scores, h, op, offset, kmin, cost)
    expected = naive_graph.optimum(derivations, lambda k: h[k], op.value, offset, kmin)
    found = found_or_none(problem)
    assert (found is None) == (expected is None)
    if found:
        assert (found.value, found.k) == expected  # integers are exact
        edges = found.edges.tolist()
        assert (found.score, found.k, edges) in derivations
        assert total(graph, scores, found.edges) == found.score
        same = [e for s, k, e in derivations if (s, k) == (found.score, found.k)]
        assert edges[0] == min(e[0] for e in same)  # the first edge into the root keeps a tie


@given(st.data(), graphs(), operators, st.integers(0, 3))
@settings(max_examples=200)
def test_a_capped_counter_is_the_wrapper_that_is_constant_from_there_on(data, made, op, cap):
    graph, scores, cost = made
    derivations = everything(graph, scores, cost)
    h = data.draw(wrappers(cap))
    found = found_or_none(GraphProblem(graph, scores, h, op, 1.0, 0, cost, capped=True))
    expected = naive_graph.optimum(derivations, lambda k: h[min(k, cap)], op.value, 1.0)
    assert (found is None) == (expected is None)
    if found:
        assert found.value == expected[0]
        k = sum(cost[found.edges])
        assert found.k == min(k, cap)


@given(graphs())
@settings(max_examples=100)
def test_the_best_derivation_has_the_largest_score(made):
    graph, scores, cost = made
    feasible = [s for s, _, _ in everything(graph, scores, cost) if s > -np.inf]
    if not feasible:
        with pytest.raises(NoFeasibleLabelling, match="derivation"):
            best_derivation(graph, scores)
    else:
        assert best_derivation(graph, scores).score == max(feasible)


@given(graphs())
@settings(max_examples=100)
def test_the_table_holds_the_best_score_of_every_cost(made):
    graph, scores, cost = made
    problem = GraphProblem(graph, scores, np.zeros(60), Combine.PLUS, cost=cost)
    L = table(problem, problem.scores)
    best = {}
    for score, k, _ in everything(graph, scores, cost):
        best[k] = max(best.get(k, -np.inf), score)
    root = L[problem.starts[-2] :]
    assert root.tolist() == [best.get(k, -np.inf) for k in range(root.size)]


@given(st.data(), chains(), operators, st.sampled_from([0.0, 2.0]), st.integers(0, 1))
@settings(max_examples=200)
def test_on_chains_it_says_what_the_chain_engine_says(data, made, op, offset, kmin):
    tables, y, order = made
    h = data.draw(wrappers(len(y)))
    chain = ChainProblem(ChainScores.from_tables(tables, order=order), y, h, op, offset, kmin)
    try:
        expected = decode(chain)
    except NoFeasibleLabelling:
        assert found_or_none(trellis(chain)) is None
        return
    over_graph = trellis(chain)
    found = solve(over_graph)
    assert (found.value, found.k) == (expected.value, expected.k)
    if op is Combine.PLUS or h[found.k] != 0:  # else all labellings with k errors are worth 0
        assert found.score == expected.score
        np.testing.assert_array_equal(labels_of(over_graph, chain, found), expected.y)


def labels_of(over_graph, chain, found):
    """The labelling of a derivation of a trellis."""
    N, S, window = chain.scores.n_states, chain.scores.n_tuples, chain.scores.window_order
    states = over_graph.graph.heads[found.edges][1:] % S  # without the root, from the last level to the first
    first = states[-1]
    return [first // N**t % N for t in range(window)] + (states[:-1] // (S // N))[::-1].tolist()


@given(chains(max_order=2, forbidden=False))
@settings(max_examples=50)
def test_on_chains_its_table_is_that_of_algorithm_1(made):
    tables, y, order = made
    chain = ChainProblem(ChainScores.from_tables(tables, order=order), y, np.zeros(len(y) + 1), Combine.PLUS)
    seen, over_graph = trace(chain), trellis(chain)
    L = table(over_graph, over_graph.scores)
    S, window = chain.scores.n_tuples, chain.scores.window_order
    for t in range(window - 1, len(y)):
        for s in range(S):
            v = (t - window + 1) * S + s
            row = L[over_graph.starts[v] : over_graph.starts[v + 1]]
            expected = seen.L[t, :, s]
            assert row.tolist() == expected[: row.size].tolist()
            assert np.isneginf(expected[row.size :]).all()


@given(chains(max_order=2))
@settings(max_examples=50)
def test_on_chains_without_costs_it_is_plain_decoding(made):
    tables, y, order = made
    scores = ChainScores.from_tables(tables, order=order)
    over_graph = trellis(ChainProblem(scores, y, np.zeros(len(y) + 1), Combine.PLUS))
    free = GraphProblem(over_graph.graph, over_graph.scores, np.zeros(1), Combine.PLUS)
    try:
        expected = viterbi(scores)
    except NoFeasibleLabelling:
        assert found_or_none(free) is None
        return
    assert solve(free).score == expected.score


def test_a_choice_takes_the_first_of_the_best():
    found = best_derivation(choice(4), np.array([1.0, 3.0, -np.inf, 3.0]))
    assert found.edges.tolist() == [1]
    assert found.score == 3.0


def test_either_graph_is_derived_after_its_choice():
    graph = either([choice(2), choice(3)])
    found = best_derivation(graph, np.array([0.0, 1.0, 5.0, 2.0, 0.0, 10.0, 7.0]))
    assert found.edges.tolist() == [6, 2]
    assert found.score == 12.0


def operations(table, edges):
    """The operations of an alignment from left to right, as (op, i, j)."""
    return [
        (
            int(op),
            int(table.row[e]) - 1 if op != INSERT else -1,
            int(table.column[e]) - 1 if op != DELETE else -1,
        )
        for e in edges[::-1]
        if (op := table.op[e]) != FREE
    ]


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize(("m", "n"), DELANNOY)
def test_there_are_as_many_global_alignments_as_delannoy_counted(m, n, affine):
    made = grid(m, n, affine=affine)
    zeros = np.zeros(made.graph.n_edges, int)
    found = {tuple(operations(made, edges)) for _, _, edges in everything(made.graph, zeros, zeros)}
    assert len(found) == DELANNOY[m, n]
    assert len(everything(made.graph, zeros, zeros)) == len(found)  # none twice
    for path in found:
        assert [i for _, i, _ in path if i >= 0] == list(range(m))
        assert [j for _, _, j in path if j >= 0] == list(range(n))


@pytest.mark.parametrize("affine", [False, True])
def test_local_alignments_are_the_global_ones_of_all_stretches(affine):
    m, n = 2, 3
    made = grid(m, n, local=True, affine=affine)
    zeros = np.zeros(made.graph.n_edges, int)
    found = sorted(tuple(operations(made, edges)) for _, _, edges in everything(made.graph, zeros, zeros))
    expected = []
    for begin_x, begin_z in np.ndindex(m + 1, n + 1):
        for end_x, end_z in np.ndindex(m + 1, n + 1):
            expected += paths(begin_x, begin_z, end_x, end_z)
    assert found == sorted(expected)


def paths(i, j, end_i, end_j):
    """All alignments of x[i:end_i] with z[j:end_j], one letter after the other."""
    if (i, j) == (end_i, end_j):
        return [()]
    found = []
    for op, di, dj in ((SUBSTITUTE, 1, 1), (DELETE, 1, 0), (INSERT, 0, 1)):
        if i + di <= end_i and j + dj <= end_j:
            step = (op, i if di else -1, j if dj else -1)
            found += [(step, *rest) for rest in paths(i + di, j + dj, end_i, end_j)]
    return found


def test_a_gap_opens_where_it_begins():
    made = grid(3, 2, affine=True)
    zeros = np.zeros(made.graph.n_edges, int)
    for _, _, edges in everything(made.graph, zeros, zeros):
        before = None
        for e in edges[::-1]:
            op = made.op[e]
            if op in (DELETE, INSERT):
                assert made.opens[e] == (op != before)
            before = op if op != FREE else before


@st.composite
def grammars(draw):
    """``(rules, words, T)``: up to 3 symbols, any rules, every word any symbol."""
    n = draw(st.integers(1, 3))
    symbol = st.integers(0, n - 1)
    binary = draw(st.lists(st.tuples(symbol, symbol, symbol), max_size=4, unique=True))
    unary = draw(
        st.lists(st.tuples(symbol, symbol).filter(lambda pair: pair[0] != pair[1]), max_size=2, unique=True)
    )
    T = draw(st.integers(1, 4))
    words = draw(st.lists(st.tuples(st.integers(0, T - 1), symbol), min_size=1, max_size=5, unique=True))
    longest = draw(st.integers(1, 2)) if unary else 0
    rules = Rules(
        n,
        np.array(binary, int).reshape(-1, 3),
        np.array(unary, int).reshape(-1, 2),
        draw(symbol),
        longest,
    )
    return rules, np.array(words), T


def trees(rules, words, symbol, i, j):
    """All trees over the words i..j-1, as the numbers of their rules, heads before children."""
    below = {A: built(rules, words, A, i, j) for A in range(rules.n_symbols)}
    found = below[symbol]
    for _ in range(rules.longest_chain):
        below = {
            A: [
                [len(rules.binary) + r, *tree]
                for r, (P, B) in enumerate(rules.unary)
                if P == A
                for tree in below[B]
            ]
            for A in below
        }
        found = found + below[symbol]
    return found


def built(rules, words, symbol, i, j):
    """Those of them that do not begin with a unary rule."""
    found, before = [], len(rules.binary) + len(rules.unary)
    if j == i + 1:
        found += [[before + m] for m, (t, A) in enumerate(words.tolist()) if (t, A) == (i, symbol)]
    for r, (A, B, C) in enumerate(rules.binary.tolist()):
        for split in range(i + 1, j):
            for left in trees(rules, words, B, i, split) if symbol == A else []:
                found += [[r, *left, *right] for right in trees(rules, words, C, split, j)]
    return found


@given(grammars())
@settings(max_examples=100)
def test_the_derivations_of_a_chart_are_all_the_trees(made):
    rules, words, T = made
    expected = sorted(trees(rules, words, rules.root, 0, T))
    parsed = chart(rules, T, words)
    if parsed is None:
        assert expected == []
        return
    zeros = np.zeros(parsed.graph.n_edges, int)
    found = [parsed.rule[edges] for _, _, edges in everything(parsed.graph, zeros, zeros)]
    assert sorted([r for r in tree.tolist() if r >= 0] for tree in found) == expected


@given(grammars())
@settings(max_examples=50)
def test_the_nodes_of_a_chart_know_their_symbol_their_words_and_their_unary_rules(made):
    rules, words, T = made
    parsed = chart(rules, T, words)
    if parsed is None:
        return
    heads = np.concatenate([rules.binary[:, 0], rules.unary[:, 0], words[:, 1]])
    for e, v in enumerate(parsed.graph.heads):
        rule, tails = parsed.rule[e], [u for u in parsed.graph.tails[e] if u >= 0]
        assert parsed.symbol[v] == (heads[rule] if rule >= 0 else parsed.symbol[tails[0]])
        covered = [(parsed.begin[u], parsed.end[u]) for u in tails]
        if len(tails) == 2:
            assert (parsed.begin[v], covered[0][1], parsed.end[v]) == (covered[0][0], *covered[1])
        elif tails:
            assert covered == [(parsed.begin[v], parsed.end[v])]
        else:
            assert parsed.end[v] == parsed.begin[v] + 1
        if rule >= 0:
            is_unary = len(rules.binary) <= rule < len(rules.binary) + len(rules.unary)
            assert parsed.chain[v] == (parsed.chain[tails[0]] + 1 if is_unary else 0)
        else:
            assert parsed.chain[v] == -1
    used = np.concatenate([parsed.graph.tails[:, 0], parsed.graph.tails[:, 1], [parsed.graph.n_nodes - 1]])
    assert set(range(parsed.graph.n_nodes)) <= set(used.tolist())  # every node occurs in some tree


def test_bad_graphs_and_problems_are_refused_at_the_door():
    with pytest.raises(ValueError, match=r"Edge 1 into node 1 has the tails \[1, -1\].*cycle"):
        Hypergraph(np.array([0, 1, 2]), np.array([[-1, -1], [1, -1]]))
    with pytest.raises(ValueError, match="second first"):
        Hypergraph(np.array([0, 1, 2]), np.array([[-1, -1], [-1, 0]]))
    with pytest.raises(ValueError, match="rise from 0"):
        Hypergraph(np.array([0, 3]), np.full((2, 2), -1))
    graph, h = choice(2), np.arange(3.0)
    with pytest.raises(ValueError, match="score of edge 1 is nan"):
        GraphProblem(graph, np.array([0.0, np.nan]), h, Combine.PLUS)
    with pytest.raises(ValueError, match=r"needs \(2,\) numbers"):
        GraphProblem(graph, np.zeros(3), h, Combine.PLUS)
    with pytest.raises(ValueError, match="whole numbers >= 0"):
        GraphProblem(graph, np.zeros(2), h, Combine.PLUS, cost=np.array([0, -1]))
    with pytest.raises(ValueError, match=r"costs add up to 3, but h has values for 0\.\.2.*capped=True"):
        GraphProblem(graph, np.zeros(2), h, Combine.PLUS, cost=np.array([0, 3]))
    with pytest.raises(ValueError, match="kmin=2"):
        GraphProblem(graph, np.zeros(2), h, Combine.PLUS, kmin=2)
    with pytest.raises(ValueError, match="finite numbers"):
        GraphProblem(graph, np.zeros(2), np.array([np.inf]), Combine.PLUS)
    with pytest.raises(ValueError, match="op='x'"):
        GraphProblem(graph, np.zeros(2), h, "x")
    with pytest.raises(ValueError, match="offset=nan"):
        GraphProblem(graph, np.zeros(2), h, Combine.PLUS, offset=np.nan)


def test_what_is_too_big_is_refused_before_it_is_allocated(monkeypatch):
    monkeypatch.setenv("VITERBI_LAB_DECODE_BYTES", "1000")
    with pytest.raises(TooBig, match="needs 16,008 bytes, but the limit is 1,000"):
        GraphProblem(choice(1), np.zeros(1), np.zeros(2001), Combine.PLUS, cost=np.array([2000]))
    with pytest.raises(TooBig, match="Aligning 100 with 100 letters"):
        grid(100, 100)
    rules = Rules(10, np.array([[0, 0, 0]]), np.empty((0, 2), int), 0, 0)
    with pytest.raises(TooBig, match="chart of 20 words and 10 symbols"):
        chart(rules, 20, np.array([[0, 0]]))


def test_a_derivation_of_endless_size_is_refused():
    doubling = np.array([[-1, -1], *([v, v] for v in range(40))])
    graph = Hypergraph(np.arange(len(doubling) + 1), doubling)
    with pytest.raises(TooBig, match="A derivation may have"):
        best_derivation(graph, np.zeros(len(doubling)))
