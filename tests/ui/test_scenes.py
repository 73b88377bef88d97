"""The scenes of the Tasks view say what the engine computes, whatever the weights."""

import json

import numpy as np
import pytest

from viterbi_lab.oracle import most_violated, predict
from viterbi_lab.rescaling import MARGIN, SLACK
from viterbi_lab.tasks.alignment import Comparison
from viterbi_lab.tasks.parsing import NoParse
from viterbi_lab.ui.applications import APPLICATIONS
from viterbi_lab.ui.scenes.scene import number, signed

WORDS, HOMOLOGUES, SENTENCES = APPLICATIONS


def weights(task, seed=3):
    return np.random.default_rng(seed).integers(-4, 5, task.n_weights) / 4  # exact sums, two decimals


def read(text):
    """A number as a scene writes it."""
    return float(text.replace("−", "-").replace("+", ""))


@pytest.mark.parametrize("rescaling", [None, SLACK, MARGIN])
@pytest.mark.parametrize("application", APPLICATIONS, ids=["words", "homologues", "sentences"])
@pytest.mark.parametrize("zero_one", [False, True])
def test_every_scene_is_whole(application, rescaling, zero_one):
    task = application.task(zero_one)
    for shown in range(len(application.titles)):
        scene = application.draw(task, shown, "", rescaling, weights(task))
        places = range(len(scene.boxes))
        for step, one in enumerate(scene.steps, start=1):
            assert set(one.uses) | set(one.wins) <= set(places)
            assert all(len(row) == len(one.card.columns) for row in one.card.rows)
            assert one.card.winner in range(-1, len(one.card.rows))
            if one.box >= 0:
                assert scene.boxes[one.box].at == step
        assert set(scene.answer) <= set(places)
        assert {place for pair in (*scene.links, *scene.joined) for place in pair} <= set(places)
        for box in scene.boxes:
            assert 0 <= box.x <= box.x + box.w <= scene.width + 1
            assert 0 <= box.y <= box.y + box.h <= scene.height + 1
        assert json.loads(scene.json())["title"] == scene.title


@pytest.mark.parametrize("application", APPLICATIONS, ids=["words", "homologues", "sentences"])
def test_what_a_step_uses_has_been_filled_before(application):
    task = application.task(False)
    scene = application.draw(task, 0, "", None, weights(task))
    for step, one in enumerate(scene.steps, start=1):
        assert all(scene.boxes[box].at < step for box in one.uses)


def test_no_two_boxes_of_a_scene_overlap():
    for application in APPLICATIONS:
        task = application.task(False)
        boxes = application.draw(task, 0, "", None, weights(task)).boxes
        for a in range(len(boxes)):
            for b in range(a):
                one, other = boxes[a], boxes[b]
                apart = (
                    one.x + one.w <= other.x + 1e-9
                    or other.x + other.w <= one.x + 1e-9
                    or one.y + one.h <= other.y + 1e-9
                    or other.y + other.h <= one.y + 1e-9
                )
                assert apart, (one, other)


@pytest.mark.parametrize("rescaling", [None, SLACK, MARGIN])
def test_the_card_of_the_choice_lists_every_class_with_the_numbers_of_the_task(rescaling):
    task = WORDS.task(False)
    w = weights(task)
    for shown in (0, 5):
        word, truth = WORDS.chosen[shown]
        scores = task.scores(WORDS.phi(word)[np.newaxis], w)[0]
        scene = WORDS.draw(task, shown, "", rescaling, w)
        card = scene.steps[-1].card
        assert [row[0] for row in card.rows] == list(WORDS.taxonomy.leaves)
        if rescaling is None:
            assert [read(row[1]) for row in card.rows] == pytest.approx(scores)
            assert card.winner == scores.argmax()
            continue
        assert [read(row[1]) for row in card.rows] == pytest.approx(scores[truth] - scores)
        with pytest.warns(RuntimeWarning, match="have no example"):
            (example,) = task.prepare(WORDS.phi(word)[np.newaxis], np.array([truth]))
        found = most_violated(task, example, w, rescaling)
        assert card.winner == found.y_hat[0]
        assert read(card.rows[card.winner][-1]) == pytest.approx(found.value, abs=0.006)  # two decimals


def test_the_nodes_of_a_taxonomy_add_up_to_the_score_of_a_class():
    task = WORDS.task(False)
    scene = WORDS.draw(task, 2, "", None, weights(task))
    shown = {box.text: read(box.sub) for box in scene.boxes if box.sub}
    for step in scene.steps[3:-1]:
        parts = [read(row[1]) for row in step.card.rows]
        assert sum(parts) == pytest.approx(shown[scene.boxes[step.box].text])


def test_the_cells_of_a_grid_are_its_best_alignments_and_the_last_card_compares_candidates():
    task = HOMOLOGUES.task(False)
    w = weights(task)
    comparison, known = HOMOLOGUES.data[18]
    scene = HOMOLOGUES.draw(task, 0, "", None, w)
    cells = [box for box in scene.boxes if box.style == "cell"]
    x, z = comparison.x, comparison.candidates[0]
    assert len(cells) == (len(x) + 1) * (len(z) + 1)
    best = max(read(cell.text) for cell in cells)
    scores = task.candidate_scores(task.prepare_input(comparison), w)
    assert best == pytest.approx(scores[0])
    card = scene.steps[-1].card
    assert [read(row[1]) for row in card.rows] == pytest.approx(scores)
    found = task.output(alone := task.prepare_input(Comparison(x, (z,))), predict(task, alone, w))
    assert len(scene.answer) == len(found.operations) + 1
    assert sum(cell.truth for cell in cells) == len(known.operations) + 1


def test_a_chart_shows_the_best_value_of_every_symbol_and_joins_the_best_tree():
    task = SENTENCES.task(False)
    w = weights(task)
    for shown, tree in enumerate(SENTENCES.chosen):
        scene = SENTENCES.draw(task, shown, "", None, w)
        x = task.prepare_input(tree.words())
        y = predict(task, x, w)
        found = task.output(x, y)
        chips = {number_: box for number_, box in enumerate(scene.boxes) if box.style == "chip"}
        root = next(chips[place] for place in scene.answer if chips[place].text.startswith("S "))
        assert read(root.text.split()[1]) == pytest.approx(float(task.joint_feature(x, y) @ w))
        assert sorted(chips[place].text.split()[0] for place in scene.answer) == sorted(
            node.label for node in found.nodes()
        )
        true = sorted(box.text.split()[0] for box in chips.values() if box.truth)
        assert true == sorted(node.label for node in tree.nodes())


@pytest.mark.parametrize("rescaling", [SLACK, MARGIN])
def test_the_most_violated_tree_is_that_of_the_oracle(rescaling):
    task = SENTENCES.task(False)
    w = weights(task)
    for shown, tree in enumerate(SENTENCES.chosen[:5]):
        card = SENTENCES.draw(task, shown, "", rescaling, w).steps[-1].card
        (example,) = task.prepare([tree.words()], [tree])
        expected = most_violated(task, example, w, rescaling).value
        assert read(card.rows[card.winner][-1]) == pytest.approx(expected, abs=0.006)


def test_typed_inputs_are_shown_or_refused_in_words():
    task = SENTENCES.task(False)
    w = np.zeros(task.n_weights)
    assert "ann saw" in SENTENCES.draw(task, 0, "Ann saw the dog", None, w).title.lower()
    with pytest.raises(NoParse, match="no rule for the word 'cat'"):
        SENTENCES.draw(task, 0, "the cat saw Ann", None, w)
    with pytest.raises(NoParse, match="its words do not combine"):
        SENTENCES.draw(task, 0, "saw the", None, w)
    with pytest.raises(ValueError, match="Nobody knows the tree"):
        SENTENCES.draw(task, 0, "Ann saw the dog", SLACK, w)
    task = HOMOLOGUES.task(False)
    w = np.zeros(task.n_weights)
    assert "ACD" in HOMOLOGUES.draw(task, 0, "acd ac", None, w).title
    with pytest.raises(ValueError, match=r"has 1 sequences\. Type two"):
        HOMOLOGUES.draw(task, 0, "ACD", None, w)
    with pytest.raises(ValueError, match="Letter 'B' of"):
        HOMOLOGUES.draw(task, 0, "ABC ACC", None, w)
    task = WORDS.task(False)
    w = np.zeros(task.n_weights)
    assert "“Été”" in WORDS.draw(task, 0, "Été", None, w).title
    with pytest.raises(ValueError, match=r"has '7'\. Type one word in Latin letters"):
        WORDS.draw(task, 0, "se7en", None, w)


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (-0.001, "0"), (2.0, "2"), (-1.5, "−1.5"), (10.126, "10.13")]
)
def test_numbers_have_at_most_two_decimals_and_a_real_minus(value, text):
    assert number(value) == text
    assert signed(value) == (text if text.startswith("−") else f"+{text}")
