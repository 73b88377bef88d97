"""Trees from treebanks."""

import gzip

import pytest

from viterbi_lab.data.treebank import craft_sentences, read_tree, read_treebank
from viterbi_lab.trees import Tree


def test_a_tree_is_what_its_brackets_say():
    tree = read_tree("( (S (NP (NN time)) (VP (VBZ flies))) )")
    assert tree == Tree("S", (Tree("NP", (Tree("NN", ("time",)),)), Tree("VP", (Tree("VBZ", ("flies",)),))))
    assert read_tree(str(tree)) == tree


@pytest.mark.parametrize(
    ("brackets", "reason"),
    [
        ("(S (N dogs)", "is no tree in brackets"),
        ("S", "is no tree in brackets"),
        ("(S (N dogs) bark)", "the node S has 1 words among 2 children"),
        ("(S)", "the node S has 0 words among 0 children"),
        ("(S ( (N a) (N b)))", "a node has no symbol"),
    ],
)
def test_what_is_no_tree_is_refused_in_words(brackets, reason):
    with pytest.raises(ValueError, match=reason):
        read_tree(brackets)


def test_a_bad_line_is_told_and_the_others_are_read(tmp_path):
    path = tmp_path / "trees.tsv.gz"
    path.write_bytes(gzip.compress(b"17\t(S (N a))\n\n18\t(S (N b)\n(S (N c))\n"))
    bank = read_treebank(path)
    assert [str(tree) for tree in bank.trees] == ["(S (N a))", "(S (N c))"]
    assert bank.sources == ("17", "")
    (notice,) = bank.notices
    assert "line 3 was left out: '(S (N b)' is no tree in brackets" in notice


def test_a_file_without_trees_is_refused(tmp_path):
    path = tmp_path / "none.txt"
    path.write_text("hello\n")
    with pytest.raises(ValueError, match=r"holds no tree in brackets.*line 1 was left out"):
        read_treebank(path)


def test_the_shipped_sentences_have_at_most_ten_words_and_are_all_different():
    bank = craft_sentences()
    assert not bank.notices
    assert len(bank.trees) == len(set(bank.trees)) == 2319
    assert max(len(tree.words()) for tree in bank.trees) == 10
    assert {tree.label for tree in bank.trees} == {"ROOT"}
    assert len(set(bank.sources)) == 63
