import numpy as np
import pytest

from viterbi_lab.data.alignment import AMINO_ACIDS, HomologueGenerator
from viterbi_lab.data.taxonomy import TreeClasses
from viterbi_lab.tasks.alignment import Alignment, AlignmentTask, Comparison
from viterbi_lab.taxonomy import Taxonomy


def test_classes_lie_at_the_leaves_of_a_balanced_tree(rng):
    drawn = TreeClasses.draw(rng)
    taxonomy = Taxonomy(drawn.parents)
    assert len(taxonomy.leaves) == len(drawn.means) == 36
    assert taxonomy.tree_loss.max() == 3
    assert list(taxonomy.leaves)[:5] == ["root.0.0.0", "root.0.0.1", "root.0.0.2", "root.0.0.3", "root.0.1.0"]
    X, y = drawn.sample(rng, 3)
    assert X.shape == (108, 60)
    assert np.bincount(y).tolist() == [3] * 36


def test_classes_are_as_far_apart_as_their_scales_say(rng):
    drawn = TreeClasses.draw(rng, n_features=20_000)
    loss = Taxonomy(drawn.parents).tree_loss
    spread = ((drawn.means[:, np.newaxis] - drawn.means[np.newaxis]) ** 2).mean(axis=2)
    # siblings differ in one node each, E = 2 s²; the mean of 20 000 squares has a deviation of 1 %
    for height, expected in enumerate([0.45**2, 0.45**2 + 0.5**2, 0.45**2 + 0.5**2 + 0.6**2], start=1):
        np.testing.assert_allclose(spread[loss == height], 2 * expected, rtol=0.06)


def test_a_homologue_is_aligned_with_its_native_sequence_as_it_was_made(rng):
    made = HomologueGenerator.draw(rng, decoys=2)
    task = AlignmentTask()
    kept = partnered = pairs = 0
    for example in made.sample(rng, 200):
        assert {len(z) for z in (example.x, *example.candidates)} == {50}
        assert (example.operations.count("D"), example.operations.count("I")) == (4, 4)
        assert example.operations[0] + example.operations[-1] in ("MM", "MI")
        comparison = Comparison(example.x, example.candidates)
        (prepared,) = task.prepare([comparison], [Alignment(example.operations, example.begin)])
        counts = prepared.psi[:400].reshape(20, 20)
        pairs += counts.sum()
        kept += np.trace(counts)
        partnered += counts[np.arange(20), made.partner].sum()
    assert pairs == 200 * 26
    fixed = (made.partner == np.arange(20)).mean()
    # 5 200 letters: three standard deviations are 0.02
    assert kept / pairs == pytest.approx(0.3 + 0.42 * fixed + 0.28 / 20, abs=0.02)
    assert partnered / pairs == pytest.approx(0.42 + 0.3 * fixed + 0.28 / 20, abs=0.02)


def test_impossible_settings_are_refused(rng):
    with pytest.raises(ValueError, match=r"0 < 2·gaps < region <= length"):
        HomologueGenerator.draw(rng, region=60)
    with pytest.raises(ValueError, match="2 branchings and 1 scales"):
        TreeClasses.draw(rng, branching=(2, 2), scales=(1.0,))
    assert len(AMINO_ACIDS) == 20
