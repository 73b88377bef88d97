import numpy as np
import pytest
import task_laws
from hypothesis import given, settings
from hypothesis import strategies as st

from viterbi_lab import cutting_plane, hard_margin
from viterbi_lab.iterate import Status
from viterbi_lab.oracle import most_violated, predict
from viterbi_lab.rescaling import LINEAR, MARGIN, QUADRATIC, SLACK, VARIANTS
from viterbi_lab.tasks.parsing import NoParse, ParsingTask, TreeLoss, edges_of
from viterbi_lab.trees import Grammar, Tree, binarised, unbinarised

MANY = 300
"""Sentences with more trees are not enumerated."""


def all_trees(grammar, words, symbol, i, j):
    """The referee: every tree of a symbol over words i..j-1, built from the names of the rules."""
    plain = {A: without_unary(grammar, words, A, i, j) for A in grammar.symbols}
    found = list(plain[symbol])
    for _ in range(grammar.rules.longest_chain):
        plain = {
            A: [
                Tree(A, (below,))
                for B in grammar.symbols
                if (A, B) in grammar.number_of
                for below in plain[B]
            ]
            for A in grammar.symbols
        }
        found += plain[symbol]
    return found


def without_unary(grammar, words, symbol, i, j):
    found = []
    if j == i + 1 and (symbol, "→", words[i]) in grammar.number_of:
        found.append(Tree(symbol, (words[i],)))
    for rule in grammar.number_of:
        if len(rule) == 3 and rule[0] == symbol and rule[1] != "→":
            for split in range(i + 1, j):
                left = all_trees(grammar, words, rule[1], i, split)
                right = all_trees(grammar, words, rule[2], split, j) if left else []
                found += [Tree(symbol, (one, other)) for one in left for other in right]
    return found


def counted_nodes(tree, grammar, i=0):
    """``[(label, i, j)]`` by walking down the tree."""
    if tree.word is not None:
        return []
    own = [(tree.label, i, i + len(tree.words()))] if not tree.label.startswith("@") else []
    for child in tree.children:
        own += counted_nodes(child, grammar, i)
        i += len(child.words())
    return own


def delta_f1(true, found):
    """1 − F1 as it is printed; 0 if there is nothing to find and nothing found."""
    if not true and not found:
        return 0.0
    return max(0.0, 1 - 2 * sum(node in set(true) for node in found) / (len(true) + len(found)))


def psi_of(tree, grammar):
    counts = np.zeros(grammar.n_rules)
    for node in tree.nodes():
        rule = (node.label, "→", node.word) if node.word else (node.label, *(c.label for c in node.children))
        counts[grammar.number_of[rule]] += 1
    return counts


@st.composite
def sentences(draw):
    """``(grammar, words, trees, rng)``: a small grammar and a sentence that has 1 to 300 trees under it."""
    symbols = ["S", "A", "@X"]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    pairs = [(a, b, c) for a in symbols for b in symbols for c in symbols]
    chosen = rng.choice(len(pairs), size=draw(st.integers(1, 6)), replace=False)
    rules = [pairs[n] for n in chosen]
    unary = [("S", "A"), ("A", "S")][: draw(st.integers(0, 2))]
    lexical = [(symbol, word) for symbol in symbols for word in "ab" if rng.random() < 0.7] or [("S", "a")]
    grammar = Grammar.of_rules("S", rules + unary, lexical, longest_chain=2 * bool(unary))
    known = [word for word in "ab" if word in grammar.words]
    words = tuple(draw(st.lists(st.sampled_from(known), min_size=1, max_size=4)))
    return grammar, words, all_trees(grammar, words, "S", 0, len(words)), rng


@given(sentences(), st.sampled_from(list(TreeLoss)))
@settings(max_examples=80)
def test_the_laws_of_a_task_hold(made, tree_loss):
    grammar, words, trees, rng = made
    task = ParsingTask(grammar, tree_loss)
    w = rng.integers(-2, 3, size=task.n_weights) / 2
    if not trees:
        with pytest.raises(NoParse, match="There is no parse of the sentence"):
            task.prepare_input(words)
        return
    trees = trees[:MANY] if len(trees) <= MANY else []
    if not trees:
        return
    features = [psi_of(tree, grammar) for tree in trees]
    x = task.prepare_input(words)
    task_laws.hold_prediction(task, x, features, w)
    assert task.output(x, predict(task, x, w)) in trees
    gold = trees[rng.integers(len(trees))]
    (example,) = task.prepare([words], [gold])
    assert task.output(example.x, example.y) == gold
    np.testing.assert_array_equal(example.psi, psi_of(gold, grammar))
    outputs, true = [], counted_nodes(gold, grammar)
    for tree, psi in zip(trees, features, strict=True):
        y = grammar.rules_of(tree)
        edges = edges_of(example.x, tree, y)
        np.testing.assert_array_equal(task.encode(example.x, edges), y)  # the parts of ŷ are those of it
        assert example.x.scores(w)[edges].sum() == pytest.approx(psi @ w)
        if tree_loss is TreeLoss.F1:
            loss = delta_f1(true, counted_nodes(tree, grammar))
        else:
            loss = float(tree != gold)
        assert task.loss(example.y, y) == pytest.approx(loss)
        k = example.cost[edges].sum()
        assert example.h[min(k, len(example.h) - 1)] == pytest.approx(loss)
        outputs.append((psi, loss))
    task_laws.hold_most_violated(task, example, outputs, w)


@given(st.lists(sentences(), min_size=1, max_size=1), st.sampled_from(list(TreeLoss)))
@settings(max_examples=20)
def test_all_examples_at_once_are_each_alone(several, tree_loss):
    grammar, words, trees, rng = several[0]
    if not 0 < len(trees) <= MANY:
        return
    task = ParsingTask(grammar, tree_loss)
    gold = [trees[n] for n in rng.integers(len(trees), size=3)]
    examples = task.prepare([words] * 3, gold)
    task_laws.hold_all_at_once(task, examples, rng.normal(size=task.n_weights))


@pytest.fixture
def g15(golden):
    """Grammar and cases of g15; its rules in its own order."""
    data = golden("g15_cky")
    binary = [tuple(rule) for rule in data["rules"] if len(rule) == 3]
    lexical = [tuple(rule) for rule in data["rules"] if len(rule) == 2]
    return Grammar.of_rules(data["root"], binary, lexical), data["cases"]


def test_g15_parser_and_oracles(g15):
    grammar, cases = g15
    for case in cases:
        words, w, gold_psi = case["sentence"], np.array(case["w"], float), np.array(case["gold_psi"], float)
        trees = all_trees(grammar, words, "S", 0, len(words))
        assert len(trees) == case["n_trees"]
        nodes = {tuple(node) for node in case["gold_nodes"]}
        gold = next(
            tree
            for tree in trees
            if set(counted_nodes(tree, grammar)) == nodes and np.array_equal(psi_of(tree, grammar), gold_psi)
        )
        for tree_loss in TreeLoss:
            task = ParsingTask(grammar, tree_loss)
            (example,) = task.prepare([words], [gold])
            best = predict(task, example.x, w)
            assert task.joint_feature(example.x, best) @ w == case["viterbi"]
            if tree_loss is TreeLoss.ZERO_ONE:
                assert most_violated(task, example, w, MARGIN).value == max(case["H"]["01"], 0)
                continue
            for rescaling in (SLACK, MARGIN):
                for penalty in (LINEAR, QUADRATIC):
                    found = most_violated(task, example, w, rescaling, penalty)
                    assert found.value == pytest.approx(
                        case["H"][f"{rescaling.name} p={penalty.power}"], abs=1e-9
                    )


def test_trees_with_the_same_nodes_have_no_f1_loss_and_slack_rescaling_ignores_them(g15):
    # spec D.5, trap (i): "c c", whose words may be A or B
    grammar, _ = g15
    task = ParsingTask(grammar, TreeLoss.F1)
    trees = [tree for tree in all_trees(grammar, "cc", "S", 0, 2) if tree.label == "S"]
    same = [tree for tree in trees if counted_nodes(tree, grammar) == counted_nodes(trees[0], grammar)]
    assert len(same) > 1
    (example,) = task.prepare(["cc"], [same[0]])
    w = psi_of(same[1], grammar) - psi_of(same[0], grammar)
    assert task.loss(example.y, grammar.rules_of(same[1])) == 0
    assert most_violated(task, example, w, SLACK).value == 0
    assert most_violated(task, example, w, MARGIN).value > 0


@given(sentences())
@settings(max_examples=60)
def test_the_f1_loss_is_zero_for_the_same_nodes_and_one_for_none_in_common(made):
    # spec F 59
    grammar, _, trees, _ = made
    task = ParsingTask(grammar, TreeLoss.F1)
    for one in trees[:8]:
        for other in trees[:8]:
            nodes = [counted_nodes(tree, grammar) for tree in (one, other)]
            loss = task.loss(grammar.rules_of(one), grammar.rules_of(other))
            if sorted(nodes[0]) == sorted(nodes[1]):
                assert loss == 0
            elif not set(nodes[0]) & set(nodes[1]):
                assert loss == 1


@pytest.mark.parametrize("name", list(VARIANTS))
def test_every_machine_trains_on_trees(g15, name):
    grammar, cases = g15
    variant = VARIANTS[name]
    task = ParsingTask(grammar, TreeLoss.ZERO_ONE if variant.zero_one else TreeLoss.F1)
    sentences = [case["sentence"] for case in cases if len(case["sentence"]) <= 5]
    gold = [all_trees(grammar, words, "S", 0, len(words))[0] for words in sentences]
    *_, last = cutting_plane.iterates(
        task,
        task.prepare(sentences, gold),
        C=1.0,
        epsilon=1e-3,
        rescaling=variant.rescaling,
        penalty=variant.penalty,
    )
    assert last.status is Status.CONVERGED


def test_trees_that_can_be_separated_are_trained_without_slack(g15):
    grammar, _ = g15
    task = ParsingTask(grammar, TreeLoss.ZERO_ONE)
    gold = all_trees(grammar, "abb", "S", 0, 3)[0]
    examples = task.prepare(["abb"], [gold])
    *_, last = hard_margin.iterates(task, examples, relative_gap=1e-3)
    assert last.status is Status.CONVERGED
    assert task.output(examples[0].x, predict(task, examples[0].x, last.w)) == gold


def some_trees():
    def word(label, letter):
        return Tree(label, (letter,))

    one = Tree("TOP", (Tree("S", (word("N", "a"), word("V", "b"), word("N", "a"), word("P", "c"))),))
    other = Tree("TOP", (Tree("S", (Tree("S", (word("N", "a"), word("V", "b"))), word("P", "c"))),))
    return [one, other]


def test_binarised_trees_come_back(rng):
    for tree in some_trees():
        assert unbinarised(binarised(tree)) == tree
        assert all(len(node.children) <= 2 for node in binarised(tree).nodes())
        assert binarised(tree).words() == tree.words()


def test_a_grammar_read_off_trees_parses_them_and_its_probabilities_are_shares():
    trees = [binarised(tree) for tree in some_trees()]
    grammar = Grammar.of_trees(trees, uncounted=["TOP"])
    assert grammar.rules.longest_chain == 1
    assert [str(name) for name, counts in zip(grammar.symbols, grammar.counted, strict=True) if counts] == [
        "S",
        "N",
        "V",
        "P",
    ]
    for tree in trees:
        assert grammar.tree_of(grammar.rules_of(tree), tree.words()) == tree
    shares = np.exp(grammar.log_probabilities(trees))
    by_symbol = {}
    for name, share in zip(grammar.rule_names(), shares, strict=True):
        symbol = name.split(" → ")[0]
        by_symbol[symbol] = by_symbol.get(symbol, 0) + share
    assert by_symbol == pytest.approx(dict.fromkeys(by_symbol, 1.0))
    assert shares[grammar.rule_names().index("N → a")] == 1.0
    assert shares[grammar.rule_names().index("S → N V")] == pytest.approx(1 / 3)


def test_words_go_by_the_names_that_a_grammar_gives_them():
    trees = [Tree("S", (Tree("N", ("Ann",)), Tree("V", ("runs",))))]
    grammar = Grammar.of_trees(trees, name_of=lambda word: "<name>" if word[0].isupper() else word)
    task = ParsingTask(grammar)
    x = task.prepare_input(("Bob", "runs"))
    assert str(task.output(x, predict(task, x, np.zeros(task.n_weights)))) == "(S (N Bob) (V runs))"


def test_bad_input_is_refused_in_words():
    trees = [binarised(tree) for tree in some_trees()]
    grammar = Grammar.of_trees(trees)
    task = ParsingTask(grammar)
    with pytest.raises(NoParse, match="no parse of the sentence under the grammar: no rule for the word 'x'"):
        task.prepare_input(("a", "x"))
    with pytest.raises(NoParse, match="its words do not combine"):
        task.prepare_input(("c", "c"))
    with pytest.raises(ValueError, match="There is no word in the sentence"):
        task.prepare_input(())
    with pytest.raises(ValueError, match="tree of sentence 0 has the words 'a b a c', which are others"):
        task.prepare([("a",)], trees[:1])
    with pytest.raises(ValueError, match=r"tree of sentence 0 is none of the grammar\..*no rule TOP → N"):
        task.prepare([("b",)], [Tree("TOP", (Tree("N", ("b",)),))])
    with pytest.raises(ValueError, match="The root is N, that of the grammar TOP"):
        task.prepare([("a",)], [Tree("N", ("a",))])
    with pytest.raises(ValueError, match="Give one tree for each"):
        task.prepare([("a",)], [])
    with pytest.raises(ValueError, match="no example to train on"):
        task.prepare([], [])
    with pytest.raises(ValueError, match="no tree to read a grammar off"):
        Grammar.of_trees([])
    with pytest.raises(ValueError, match="have the roots"):
        Grammar.of_trees([Tree("A", ("a",)), Tree("B", ("b",))])
    with pytest.raises(ValueError, match="S → A B is given twice"):
        Grammar.of_rules("S", [("S", "A", "B")] * 2, [("A", "a")])
    with pytest.raises(ValueError, match="no rule for a word"):
        Grammar.of_rules("S", [("S", "A", "B")], [])
    with pytest.raises(ValueError, match="into one or two"):
        Grammar.of_rules("S", [("S", "A", "B", "C")], [("A", "a")])
    with pytest.raises(ValueError, match="1 unary rules and longest_chain=0"):
        Grammar.of_rules("S", [("S", "A")], [("A", "a")])
