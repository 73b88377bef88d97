"""Bad input costs itself and nothing else: from data with faults to a trained machine."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from viterbi_lab.block_coordinate import iterates
from viterbi_lab.iterate import Status
from viterbi_lab.oracle import predict
from viterbi_lab.rescaling import MARGIN, SLACK
from viterbi_lab.tasks.alignment import Alignment, AlignmentTask, Comparison, without_twins
from viterbi_lab.tasks.classification import SPARSE, ClassificationTask
from viterbi_lab.tasks.parsing import ParsingTask
from viterbi_lab.tasks.sequence import SequenceTask
from viterbi_lab.tasks.usable import usable
from viterbi_lab.taxonomy import Taxonomy
from viterbi_lab.trees import Grammar, Tree


def trained(task, examples, rescaling=MARGIN):
    *_, last = iterates(task, examples, C=10.0, relative_gap=1e-3, rescaling=rescaling)
    assert last.status is Status.CONVERGED
    return last.w


def word(label, text):
    return Tree(label, (text,))


def test_sentences_without_a_parse_or_without_words_leave_the_others_to_train_on():
    good = [
        Tree("S", (word("N", "dogs"), word("V", "bark"))),
        Tree("S", (word("N", "cats"), word("V", "sleep"))),
    ]
    grammar = Grammar.of_trees(good)
    bad = Tree("S", (word("V", "bark"), word("N", "dogs")))  # its words do not combine
    task = ParsingTask(grammar)
    X = [good[0].words(), bad.words(), (), good[1].words(), ("dogs", "fly")]
    Y = [good[0], bad, good[0], good[1], Tree("S", (word("N", "dogs"), word("V", "fly")))]
    found = usable(task, X, Y)
    assert found.numbers == (0, 3)
    assert [out.number for out in found.left_out] == [1, 2, 4]
    reasons = [str(out) for out in found.left_out]
    assert "The tree of sentence 1 is none of the grammar. The grammar has no rule S → V N." in reasons[0]
    assert reasons[1].startswith("Example 2 was left out. The tree of sentence 2 has the words")
    assert "no rule V → fly" in reasons[2]
    w = trained(task, found.examples)
    for tree in good:
        x = task.prepare_input(tree.words())
        assert task.output(x, predict(task, x, w)) == tree


def test_an_empty_label_sequence_leaves_the_others_to_train_on():
    task = SequenceTask(2, 1)
    X = [[[1.0], [-1.0]], [], [[-1.0]], [[np.nan]]]
    found = usable(task, X, [[1, 0], [], [0], [1]])
    assert found.numbers == (0, 2)
    assert "sequence 1" in found.left_out[0].reason
    assert "sequence 3" in found.left_out[1].reason
    w = trained(task, found.examples, SLACK)
    assert predict(task, task.prepare_input([[1.0], [-1.0]]), w).tolist() == [1, 0]


def test_an_empty_sequence_and_an_unknown_letter_leave_the_others_to_align():
    task = AlignmentTask("ACGT")
    X = [
        Comparison("ACGTAC", ("ACGAC", "TTTTTT")),
        Comparison("", ("A",)),
        Comparison("ACNTAC", ("ACGAC", "TTTTTT")),
        Comparison("GGCATT", ("GGCATT", "CCCCCC")),
    ]
    Y = [Alignment("MMMDMM"), Alignment("M"), Alignment("MMMDMM"), Alignment("MMMMMM")]
    found = usable(task, X, Y)
    assert found.numbers == (0, 3)
    assert found.left_out[0].reason.startswith("There is no letter in the sequence of example 1")
    assert found.left_out[1].reason.startswith("Letter 'N' of the sequence of example 2, position 2")
    w = trained(task, found.examples)
    for comparison in (X[0], X[3]):
        assert task.candidate_scores(task.prepare_input(comparison), w).argmax() == 0


def test_a_decoy_equal_to_the_homologue_is_left_out_and_its_example_is_trained():
    task = AlignmentTask("ACGT")
    X = [
        Comparison("ACGTAC", ("ACGAC", "TTTTTT", "ACGAC")),
        Comparison("GGCATT", ("GGCATT", "CCCCCC", "GGCATT")),
    ]
    Y = [Alignment("MMMDMM"), Alignment("MMMMMM", candidate=2)]
    with pytest.raises(ValueError, match="are the same sequence, and one of them is the homologue"):
        task.prepare(X, Y)
    cleaned, alignments, left_out = without_twins(X, Y)
    assert left_out == (
        "Candidate 2 of example 0 was left out: it is the homologue, candidate 0.",
        "Candidate 0 of example 1 was left out: it is the homologue, candidate 2.",
    )
    assert [comparison.candidates for comparison in cleaned] == [("ACGAC", "TTTTTT"), ("CCCCCC", "GGCATT")]
    examples = task.prepare(cleaned, alignments)
    w = trained(task, examples)
    for comparison, known in zip(cleaned, alignments, strict=True):
        assert task.candidate_scores(task.prepare_input(comparison), w).argmax() == known.candidate


def test_a_cyclic_taxonomy_loses_the_cycle_and_what_hangs_from_it_alone():
    parents = {
        "all": None,
        "a": "all",
        "b": "all",
        "x": "y",
        "y": "x",
        "below x": "x",
        "below both": ["x", "b"],
    }
    with pytest.raises(ValueError, match="The taxonomy has a cycle: 'x' below 'y' below 'x'"):
        Taxonomy(parents)
    taxonomy, left_out = Taxonomy.without_cycles(parents)
    assert taxonomy.leaves == ("a", "below both")
    assert left_out == (
        "'x' was left out: it is above itself.",
        "'y' was left out: it is above itself.",
        "'below x' was left out: so was everything above it.",
        "'below both' is no longer below 'x'.",
    )
    task = ClassificationTask.taxonomy(taxonomy, 1)
    w = trained(task, task.prepare(np.array([[1.0], [-1.0]]), [0, 1]))
    assert task.best(task.prepare_input([2.0]), w).tolist() == [0]


def test_a_taxonomy_without_cycles_is_left_as_it_is():
    parents = {"all": None, "a": "all", "b": ["all", "a"]}
    taxonomy, left_out = Taxonomy.without_cycles(parents)
    assert left_out == ()
    np.testing.assert_array_equal(taxonomy.attributes, Taxonomy(parents).attributes)


@pytest.mark.parametrize("as_sparse", [False, True])
def test_classes_that_are_none_leave_the_others_and_the_absent_class_is_named_once(as_sparse):
    task = ClassificationTask.flat(3, 2, encoding=SPARSE) if as_sparse else ClassificationTask.flat(3, 2)
    X = np.array([[1.0, 0.0], [0.0, 1.0], [5.0, 5.0]])
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = usable(task, sparse.csr_array(X) if as_sparse else X, np.array([0, 1, 7]))
    assert [str(one.message).split(",")[0] for one in said] == ["1 of 3 classes have no example"]
    assert found.numbers == (0, 1)
    assert found.left_out[0].reason == "Class 7 of example 2 is none of 0..2."
    w = trained(task, found.examples)
    assert task.scores(found.examples[0].x, w).argmax() == 0


def test_data_without_any_usable_example_are_refused():
    task = SequenceTask(2, 1)
    with pytest.raises(ValueError, match=r"No example can be used\. Example 0 was left out"):
        usable(task, [[]], [[]])
    with pytest.raises(ValueError, match=r"No example can be used\. There is none"):
        usable(task, [], [])
    with pytest.raises(ValueError, match="Give one for each"):
        usable(task, [[]], [])
