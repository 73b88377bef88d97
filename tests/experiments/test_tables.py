"""Tables of experiments: the README quotes what a command made, and small runs are as they must be."""

import re
from pathlib import Path

import numpy as np
import pytest

from viterbi_lab import homologues
from viterbi_lab.data.alignment import HomologueGenerator
from viterbi_lab.data.families import shipped_families
from viterbi_lab.data.treebank import Treebank, craft_sentences, read_tree
from viterbi_lab.experiments import alignment, counted, parsing, synthetic_homologues, taxonomy
from viterbi_lab.experiments.report import Table, mean_and_error, page
from viterbi_lab.tasks.alignment import Alignment, AlignmentTask
from viterbi_lab.trees import binarised

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
OURS = ("alignment", "parsing", "taxonomy")


def rows_of(text):
    """All rows of Markdown tables, with their cells."""
    return [line for line in text.splitlines() if line.startswith("| ")]


@pytest.mark.parametrize(
    "place", sorted((ROOT / "assets" / "tables").glob("*.md")), ids=lambda place: place.stem
)
def test_the_readme_quotes_every_row_that_a_command_made(place):
    text, name = place.read_text(encoding="utf-8"), place.stem.split("-")[0]
    assert f"python -m viterbi_lab.experiments {name}" in text
    quoted = set(rows_of(README))
    for row in rows_of(text):
        assert row in quoted, row


@pytest.mark.parametrize("name", OURS)
def test_a_command_prints_its_page_and_writes_it(name, monkeypatch, tmp_path, capsys):
    table = Table("t", ("a", "b"), (("1", "2"),), ("A note.",))
    module = {"alignment": alignment, "parsing": parsing, "taxonomy": taxonomy}[name]
    for run in ("run", "run_real"):
        monkeypatch.setattr(module, run, lambda *args, **settings: [], raising=False)
    for made in ("table", "real_table"):
        monkeypatch.setattr(module, made, lambda *args: table, raising=False)
    out = tmp_path / "new" / "page.md"
    module.main(["--seeds", "2", "--out", str(out)])
    assert out.read_text(encoding="utf-8") == capsys.readouterr().out
    assert "| 1 | 2 |" in out.read_text(encoding="utf-8")


def test_a_page_tells_command_versions_tables_and_notes():
    text = page("Title", "do it", [Table("first", ("a",), (("x",),), ("One.", "Two."))])
    assert text.startswith("# Title\n\nMade by `do it` with Python 3.")
    assert text.endswith("## first\n\n| a |\n| --- |\n| x |\n\nOne.\nTwo.\n")


def test_one_repeat_has_no_standard_error():
    assert mean_and_error([0.5], scale=100, digits=0) == "50"
    assert mean_and_error([1.0, 3.0]) == "2.0 ± 1.0"


def test_sharing_weights_and_the_tree_loss_help_where_slack_is_left():
    # spec D.2; one draw, C/n = 0.001. Measured: tree loss 0.54, 0.46, 0.41 and 0.35 on four draws
    results = {result.method: result for result in taxonomy.run([1], per_class=(2,), grid=(1e-3,))}
    assert {result.status for result in results.values()} == {"converged"}
    assert results["tax Δ"].loss < 0.9 * results["flat 0/1"].loss
    assert results["tax Δ"].accuracy >= results["flat 0/1"].accuracy
    assert "| tax Δ | 21.73 / 1.33 | 0.001 |" in taxonomy.table(list(results.values()), 2).markdown()


def test_c_is_chosen_on_another_draw(monkeypatch):
    asked = []

    def on_draw(seed, per_class, chosen):
        asked.append((seed, dict(chosen)))
        return [
            taxonomy.Result(m, per_class, c, seed, 1 - abs(c - 0.1), abs(c - 1.0), 1, 1, 0.0, "converged")
            for m, c in chosen.items()
        ]

    monkeypatch.setattr(taxonomy, "on_draw", on_draw)
    taxonomy.run([0, 1], per_class=(4,))
    *tuning, first, second = asked
    assert {seed for seed, _ in tuning} == {taxonomy.TUNING_SEED}
    assert first == (0, second[1])
    assert first[1] == {"flat 0/1": 0.1, "tax 0/1": 0.1, "flat Δ": 1.0, "tax Δ": 1.0}


def test_alignments_are_learned_from_few_examples_and_make_no_error_on_them():
    few, more = synthetic_homologues.run([0], sizes=(1, 10), n_test=20)
    assert few.train == more.train == 0
    assert more.svm < few.svm
    assert more.planes / 10 < few.planes  # |S| grows less than n
    for result in (few, more):
        assert result.best <= result.tied <= result.worst
        assert result.best <= result.lead <= result.worst


def test_the_counted_model_is_the_log_odds_of_the_known_pairs(rng):
    task = AlignmentTask()
    data = synthetic_homologues.synthetic(rng, 30, HomologueGenerator.draw(rng))
    Pi = counted.log_odds(task, data).reshape(20, 20)
    pairs = np.full((20, 20), counted.PSEUDO_COUNT)
    for comparison, known in zip(data.X, data.Y, strict=True):
        for i, j in homologues.aligned_pairs(known):
            a, b = comparison.x[i], comparison.candidates[0][j]
            pairs[task.alphabet.index(a), task.alphabet.index(b)] += 1
    share = pairs / pairs.sum()
    expected = share / share.sum(axis=1)[:, np.newaxis] / share.sum(axis=0)
    np.testing.assert_allclose(np.exp(Pi), expected, rtol=1e-12)


def test_recovered_pairs_are_a_share_of_the_known_ones():
    known = Alignment("MMDM", (1, 0))
    assert homologues.aligned_pairs(known) == {(1, 0), (2, 1), (4, 2)}
    assert homologues.recovered(known, known) == 1
    assert homologues.recovered(Alignment("MM", (1, 0)), known) == pytest.approx(2 / 3)
    assert homologues.recovered(Alignment("MMDM", (1, 0), candidate=1), known) == 0


def test_real_pairs_are_of_one_family_and_their_decoys_of_others(rng):
    families = shipped_families()
    data, notices = homologues.draw(families, 6, rng, chosen=("RRM_1", "fn3"))
    of_family = {family.name: "#".join(family.sequences) for family in families}
    for n, (comparison, known) in enumerate(zip(data.X, data.Y, strict=True)):
        own = ("RRM_1", "fn3")[n % 2]
        assert comparison.x in of_family[own]
        assert comparison.candidates[0] in of_family[own]
        assert len(comparison.candidates) == 1 + homologues.DECOYS
        for decoy in comparison.candidates[1:]:
            assert any(decoy in text for name, text in of_family.items() if name != own)
        assert known.operations.count("M") >= 10
    assert all("was left out" in notice for notice in notices)
    AlignmentTask(affine=True).prepare(data.X, data.Y)  # every known alignment fits its sequences


def test_layout_is_taken_out_and_nothing_else():
    tree = read_tree("(ROOT (HEADING (NP (NN Figure) (CD 10)) (. .)))")
    assert str(parsing.without_layout(tree)) == "(ROOT (NP (NN Figure) (CD 10)) (. .))"
    word = read_tree("(ROOT (HEADING Background))")
    assert parsing.without_layout(word) == word


def test_train_validation_and_test_come_from_different_articles():
    data = parsing.split(craft_sentences())
    sentences = [{tree for tree in part} for part in (data.train, data.validation, data.test)]
    assert not sentences[0] & sentences[1] | sentences[0] & sentences[2] | sentences[1] & sentences[2]
    assert min(map(len, sentences)) > 200
    assert all(2 <= len(tree.words()) <= 10 for part in sentences for tree in part)


def test_spans_leave_out_root_words_and_what_binarising_made():
    tree = binarised(read_tree("(ROOT (S (NP (N a)) (V b) (NP (N c))))"))
    assert parsing.spans(tree) == {("S", 0, 3): 1, ("NP", 0, 1): 1, ("NP", 2, 3): 1}


def test_parsers_beside_a_pcfg_on_the_same_grammar_and_test():
    bank = craft_sentences()
    short = [
        (tree, source)
        for tree, source in zip(bank.trees, bank.sources, strict=True)
        if len(tree.words()) <= 5
    ]
    small = Treebank(*zip(*short, strict=True), ())
    results = parsing.run(small, [0], n_train=60, longest=5, grid=(1.0,))
    assert [result.method for result in results] == [parsing.PCFG, *parsing.MACHINES]
    assert len({(result.n_test, result.unparsed) for result in results}) == 1
    for result in results:
        assert 0 < result.complete < 1
        assert 0.2 < result.f1 < 1
    assert re.search(r"\| SVM_2, F1 slack \| 58.9 / 88.5 \| \d", parsing.table(results, 60).markdown())
