import numpy as np
import pytest

from viterbi_lab.cutting_plane import Status
from viterbi_lab.estimator import StructuredSVM
from viterbi_lab.losses import SQUARE, capped
from viterbi_lab.rescaling import MARGIN, QUADRATIC

X = [[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]]
Y = [["exon", "intron", "intron"], ["intron", "exon"]]


def fitted(**settings):
    return StructuredSVM(epsilon=1e-4, **settings).fit(X, Y)


def test_it_labels_what_it_was_trained_on():
    svm = fitted(C=10.0)
    assert svm.predict(X) == Y
    assert svm.score(X, Y) == 1.0


def test_the_score_is_the_share_of_right_sites_over_all_sequences():
    wrong_once = [["exon", "intron", "intron"], ["exon", "exon"]]
    assert fitted(C=10.0).score(X, wrong_once) == 4 / 5


def test_names_and_objects_mean_the_same():
    by_name = fitted(rescaling="margin", penalty="quadratic", h="square")
    by_object = fitted(rescaling=MARGIN, penalty=QUADRATIC, h=SQUARE)
    np.testing.assert_array_equal(by_name.w_, by_object.w_)


def test_every_setting_reaches_the_training():
    contradictory = [*X, X[0]], [*Y, ["intron", "intron", "exon"]]  # so that slacks are needed

    def weights(**settings):
        return StructuredSVM(epsilon=1e-4, **settings).fit(*contradictory).w_

    plain = weights()
    for setting in (
        {"C": 0.01},
        {"rescaling": "margin"},
        {"penalty": "quadratic"},
        {"h": capped(1)},
        {"start_end": True},
        {"classes": ["exon", "intron", "other"]},
    ):
        w = weights(**setting)
        assert w.shape != plain.shape or not np.allclose(w, plain, atol=1e-3)


def test_settings_are_kept_as_they_were_given():
    svm = StructuredSVM(2.0, rescaling="margin", h="sqrt")
    assert (svm.C, svm.rescaling, svm.h) == (2.0, "margin", "sqrt")


@pytest.mark.parametrize("kind", [list, np.array])
def test_labels_may_be_lists_or_arrays(kind):
    svm = StructuredSVM(C=10.0).fit([np.array(x) for x in X], [kind(y) for y in Y])
    assert svm.predict(X) == Y


def test_the_letters_of_a_text_are_labels():
    svm = StructuredSVM(C=10.0).fit(X, ["EII", "IE"])
    assert svm.classes_ == ["E", "I"]
    assert svm.predict(X) == [["E", "I", "I"], ["I", "E"]]


def test_labels_that_cannot_be_sorted_keep_the_order_in_which_they_came():
    svm = StructuredSVM(C=10.0).fit(X, [["b", 1, 1], [1, "b"]])
    assert svm.classes_ == ["b", 1]
    assert svm.predict(X) == [["b", 1, 1], [1, "b"]]


def test_whole_numbers_are_values_unless_they_are_said_to_be_indices():
    values = [[[1, 0], [0, 1], [1, 1]], [[0, 1], [1, 0]]]
    np.testing.assert_array_equal(StructuredSVM(epsilon=1e-4).fit(values, Y).w_, fitted().w_)


def test_indices_of_active_features_train_like_their_values():
    active = [[[0], [1]], [[1], [0], [0]]]
    values = [[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]]
    labels = ["ab", "baa"]
    by_index = StructuredSVM(epsilon=1e-4, active=True).fit(active, labels)
    by_value = StructuredSVM(epsilon=1e-4).fit(values, labels)
    np.testing.assert_allclose(by_index.w_, by_value.w_, atol=1e-9)  # sums in another order
    assert by_index.predict(active) == by_value.predict(values)


def test_more_indicator_features_than_the_training_data_shows_can_be_announced():
    svm = StructuredSVM(active=True, n_features=9).fit([[[0], [1]]], ["ab"])
    assert svm.task_.n_features == 9
    assert svm.predict([[[8]]])[0][0] in "ab"


def test_an_indicator_feature_beyond_the_training_data_is_refused():
    svm = StructuredSVM(active=True).fit([[[0], [1]]], ["ab"])
    with pytest.raises(ValueError, match=r"Active feature 8 of sequence 0, position 0"):
        svm.predict([[[8]]])


def test_the_callback_sees_every_iterate():
    seen = []
    svm = fitted(on_iteration=seen.append)
    assert [it.number for it in seen] == list(range(1, len(seen) + 1))
    assert svm.result_ is seen[-1]


def test_the_estimator_can_predict_after_every_iterate():
    svm = StructuredSVM(C=10.0, epsilon=1e-4)
    scores = []
    for iterate in svm.iterates(X, Y):
        np.testing.assert_array_equal(svm.w_, iterate.w)
        scores.append(svm.score(X, Y))
    assert svm.converged_
    assert scores[-1] == 1.0


def test_a_model_that_did_not_converge_says_so_everywhere():
    with pytest.warns(RuntimeWarning, match=r"not converged\. gap .* of objective"):
        svm = StructuredSVM(C=10.0, epsilon=1e-6, max_passes=1).fit(X, Y)
    assert not svm.converged_
    assert svm.result_.status is Status.LIMIT
    assert "NOT CONVERGED (limit), gap" in repr(svm)


def test_the_repr_tells_settings_state_and_gap():
    assert repr(StructuredSVM()) == "<StructuredSVM C=1.0, epsilon=0.1, rescaling=slack: not trained>"
    assert "converged, gap" in repr(fitted())
    assert "NOT" not in repr(fitted())


def test_predicting_before_training_is_an_error_that_says_what_to_do():
    with pytest.raises(ValueError, match=r"not fitted yet\. Call fit"):
        StructuredSVM().predict(X)


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([], [], "There is no sequence to train on"),
        (X, Y[:1], "X holds 2 sequences, Y 1"),
        (X, [Y[0], ["exon"]], r"labels of sequence 1 have shape \(1,\), but it has 2 sites"),
        ([X[0], [[1.0, 2.0], [3.0]]], Y, "features of sequence 1 are no table"),
        ([X[0], [[1.0], [2.0]]], Y, r"sequence 1 have shape \(2, 1\); needed is \(T, 2\)"),
        ([[["a"], ["b"]]], ["ab"], "must be floats"),
        ([X[0]], [["exon", float("nan"), "intron"]], "does not equal itself"),
        ([X[0]], [[["exon"], ["exon"], ["exon"]]], "must be hashable"),
    ],
)
def test_data_that_does_not_fit_is_refused_by_its_place(x, y, message):
    with pytest.raises(ValueError, match=message):
        StructuredSVM().fit(x, y)


def test_a_label_outside_the_announced_classes_is_refused():
    with pytest.raises(ValueError, match=r"Label 'intron' of sequence 0, position 1 is none of the classes"):
        StructuredSVM(classes=["exon"]).fit(X, Y)


@pytest.mark.parametrize("setting", ["rescaling", "penalty", "h"])
def test_an_unknown_name_is_refused_with_the_known_ones(setting):
    with pytest.raises(ValueError, match=rf"{setting}='no such'; known are \w+"):
        StructuredSVM(**{setting: "no such"}).fit(X, Y)


def test_scoring_needs_one_label_a_site():
    with pytest.raises(ValueError, match="differ in their numbers"):
        fitted().score(X, [Y[0], ["exon"]])
