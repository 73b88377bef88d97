import json
import os
import pickle
import subprocess
import sys
from copy import deepcopy

import naive_training
import numpy as np
import pytest

from viterbi_lab.estimator import NotFittedError, StructuredSVM, sequence_scorer, token_scorer
from viterbi_lab.iterate import Status
from viterbi_lab.losses import SQUARE, capped, sampled
from viterbi_lab.rescaling import MARGIN, QUADRATIC, SLACK
from viterbi_lab.trainers import TRAINERS

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
        {"label_costs": [[0, 3], [1, 0]]},
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
    svm = fitted(callback=seen.append)
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
    assert repr(StructuredSVM()) == "<StructuredSVM C=1.0, rescaling=slack: not trained>"
    assert "converged, gap" in repr(fitted())
    assert "NOT" not in repr(fitted())


def test_predicting_before_training_is_an_error_that_says_what_to_do():
    for use in (
        lambda svm: svm.predict(X),
        lambda svm: svm.score(X, Y),
        lambda svm: svm.decision_function(X),
        lambda svm: svm.k_best(X, 2),
        lambda svm: svm.continue_fit(),
        lambda svm: svm.save("never written"),
    ):
        with pytest.raises(NotFittedError, match=r"not fitted yet\. Call fit"):
            use(StructuredSVM())


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


@pytest.mark.parametrize("setting", ["rescaling", "penalty", "h", "trainer"])
def test_an_unknown_name_is_refused_with_the_known_ones(setting):
    with pytest.raises(ValueError, match=rf"{setting}='no such'; known are \w+"):
        StructuredSVM(**{setting: "no such"}).fit(X, Y)


def test_scoring_needs_one_label_a_site():
    with pytest.raises(ValueError, match="differ in their numbers"):
        fitted().score(X, [Y[0], ["exon"]])


@pytest.mark.parametrize("rescaling", ["slack", "margin"])
def test_every_trainer_finds_the_same_optimum(rescaling):
    found = [
        StructuredSVM(C=0.5, relative_gap=1e-6, rescaling=rescaling, trainer=trainer).fit(X, Y).result_
        for trainer in TRAINERS
    ]
    assert max(it.lower for it in found) <= min(it.upper for it in found) * (1 + 1e-12)


def test_a_goal_may_be_a_gap_an_epsilon_or_both():
    assert StructuredSVM(relative_gap=1e-7).fit(X, Y).result_.relative_gap <= 1e-7
    assert StructuredSVM(relative_gap=None, epsilon=1e-5).fit(X, Y).result_.violated == 0
    with pytest.raises(ValueError, match="Neither epsilon nor relative_gap"):
        StructuredSVM(relative_gap=None).fit(X, Y)


def test_sparse_matrices_train_like_their_values():
    sparse = pytest.importorskip("scipy.sparse")
    rows = [sparse.csr_array(np.array(x)) for x in X]
    by_rows, by_value = StructuredSVM(C=3.0).fit(rows, Y), StructuredSVM(C=3.0).fit(X, Y)
    np.testing.assert_allclose(by_rows.w_, by_value.w_, atol=1e-9)  # sums in another order
    assert by_rows.predict(rows) == Y
    with pytest.raises(ValueError, match="sequence 0 are sparse, those of the training were not"):
        by_value.predict(rows)
    with pytest.raises(ValueError, match=r"takes a matrix of scipy\.sparse"):
        by_rows.predict(X)


def test_site_weights_count_an_error_as_often_as_they_say():
    # the same as an h that is twice as large: only the loss sees them
    doubled = [[2] * len(y) for y in Y]
    weighted = StructuredSVM(C=0.3, relative_gap=1e-8).fit(X, Y, site_weights=doubled)
    wrapper = sampled(lambda k: 2 * k)
    assert weighted.result_.upper == pytest.approx(
        StructuredSVM(C=0.3, relative_gap=1e-8, h=wrapper).fit(X, Y).result_.upper, rel=1e-7
    )


# ---------------------------------------------------------------------- decisions


def test_the_decision_is_the_score_and_its_lead_over_all_others():
    svm = fitted(C=3.0)
    decisions = svm.decision_function(X)
    assert decisions.shape == (2, 2)
    for x, (score, margin) in zip(X, decisions, strict=True):
        scores = sorted(svm.w_ @ naive_training.psi(x, y, 2, 2) for y in naive_training.labellings(2, len(x)))
        assert score == pytest.approx(scores[-1], abs=1e-12)  # rounding
        assert margin == pytest.approx(scores[-1] - scores[-2], abs=1e-12)


def test_the_best_labellings_come_in_their_order():
    svm = fitted(C=3.0)
    for x, ranked, prediction in zip(X, svm.k_best(X, 3), svm.predict(X), strict=True):
        scored = sorted(
            (-(svm.w_ @ naive_training.psi(x, y, 2, 2)), y) for y in naive_training.labellings(2, len(x))
        )
        assert ranked[0].labels == prediction
        expected = [[svm.classes_[label] for label in y] for _, y in scored[:3]]
        assert [best.labels for best in ranked] == expected
        np.testing.assert_allclose([best.score for best in ranked], [-s for s, _ in scored[:3]], atol=1e-12)
    assert len(svm.k_best([X[1]], 99)[0]) == 4  # there are no more


def test_deciding_about_nothing_is_no_error():
    assert fitted().decision_function([]).shape == (0, 2)
    assert fitted().predict([]) == []


# ---------------------------------------------------------------------- going on


def test_going_on_with_another_c_or_goal_is_training_with_it():
    svm = StructuredSVM(C=0.1).fit(X, Y)
    svm.set_params(C=3.0, relative_gap=1e-7).continue_fit()
    cold = StructuredSVM(C=3.0, relative_gap=1e-7).fit(X, Y)
    assert svm.result_.upper == pytest.approx(cold.result_.upper, rel=1e-6)
    assert svm.result_.relative_gap <= 1e-7


@pytest.mark.parametrize("trainer", ["block_coordinate", "cutting_plane"])
def test_going_on_with_further_sequences_is_training_on_all(trainer):
    svm = StructuredSVM(relative_gap=1e-7, trainer=trainer, classes=["exon", "intron"]).fit(X[:1], Y[:1])
    svm.continue_fit(X[1:], Y[1:])
    assert len(svm.result_.slack) == 2
    cold = StructuredSVM(relative_gap=1e-7, trainer=trainer).fit(X, Y)
    assert svm.result_.upper == pytest.approx(cold.result_.upper, rel=1e-6)


def test_going_on_refuses_what_makes_it_another_training():
    svm = fitted()
    with pytest.raises(ValueError, match=r"have changed since the last training\. Call fit"):
        svm.set_params(rescaling="margin").continue_fit()
    with pytest.raises(ValueError, match=r"Label 'new' of sequence 0, position 1 is none of the classes"):
        fitted().continue_fit([X[1]], [["exon", "new"]])
    with pytest.raises(ValueError, match="constraints belong to all examples together"):
        fitted(trainer="one_slack").continue_fit(X, Y)


def test_a_path_over_c_has_a_model_for_each_c_as_if_trained_alone():
    Cs = [0.01, 0.1, 1.0]
    models = StructuredSVM(relative_gap=1e-6, rescaling="margin").path(X, Y, Cs)
    assert [svm.C for svm in models] == Cs
    for svm in models:
        alone = StructuredSVM(svm.C, relative_gap=1e-6, rescaling="margin").fit(X, Y)
        assert svm.converged_
        assert svm.result_.upper == pytest.approx(alone.result_.upper, rel=2e-6)


# ---------------------------------------------------------------------- scikit-learn


def test_parameters_are_those_of_the_constructor_and_can_be_set():
    svm = StructuredSVM(2.0, h="sqrt", rescaling=SLACK)
    params = svm.get_params()
    assert (params["C"], params["h"], params["rescaling"]) == (2.0, "sqrt", SLACK)
    assert StructuredSVM(**params).get_params() == params
    assert svm.set_params(C=5.0) is svm
    assert svm.C == 5.0
    with pytest.raises(ValueError, match="There is no setting 'gamma'; known are C, relative_gap"):
        svm.set_params(gamma=1)


def test_a_clone_of_scikit_learn_has_the_settings_and_is_not_trained():
    sklearn = pytest.importorskip("sklearn.base")
    validation = pytest.importorskip("sklearn.utils.validation")
    svm = fitted(C=3.0, rescaling=MARGIN, h=capped(2))
    copy = sklearn.clone(svm)
    assert (copy.C, copy.rescaling, copy.h.name) == (3.0, MARGIN, "min(k, 2)")
    validation.check_is_fitted(svm)
    with pytest.raises(Exception, match="not fitted yet"):
        validation.check_is_fitted(copy)
    np.testing.assert_array_equal(copy.set_params(h=svm.h).fit(X, Y).w_, svm.w_)


@pytest.mark.parametrize("scoring", [None, token_scorer, sequence_scorer])
def test_a_grid_search_of_scikit_learn_scores_as_by_hand(scoring, rng):
    selection = pytest.importorskip("sklearn.model_selection")
    noisy = [rng.normal(size=(4, 2)) for _ in range(12)]
    labels = [["high" if v > 0 else "low" for v in x[:, 0] + 0.7 * rng.normal(size=4)] for x in noisy]
    Cs, folds = [1e-3, 0.1, 10.0], selection.KFold(3)
    search = selection.GridSearchCV(StructuredSVM(), {"C": Cs}, cv=folds, scoring=scoring).fit(noisy, labels)
    by_hand = []
    for C in Cs:
        scores = []
        for train, test in folds.split(noisy):
            svm = StructuredSVM(C).fit([noisy[i] for i in train], [labels[i] for i in train])
            truths = [labels[i] for i in test]
            found = svm.predict([noisy[i] for i in test])
            right = [a == b for y, z in zip(found, truths, strict=True) for a, b in zip(y, z, strict=True)]
            whole = [y == z for y, z in zip(found, truths, strict=True)]
            scores.append(np.mean(whole if scoring is sequence_scorer else right))
        by_hand.append(np.mean(scores))
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], by_hand, rtol=1e-12)
    assert search.best_params_["C"] == Cs[int(np.argmax(by_hand))]
    assert search.best_estimator_.converged_


# ---------------------------------------------------------------------- files


def assert_same_model(one, other):
    assert one.w_.tobytes() == other.w_.tobytes()
    assert one.classes_ == other.classes_
    assert [type(label) for label in one.classes_] == [type(label) for label in other.classes_]
    assert one.predict(X) == other.predict(X)
    assert repr(one) == repr(other)


@pytest.mark.parametrize(
    "settings",
    [{}, {"rescaling": MARGIN, "penalty": QUADRATIC, "start_end": True}, {"h": capped(2)}, {"h": "sqrt"},
     {"label_costs": np.array([[0, 2], [1, 0]])}, {"classes": ["intron", "exon"]}],
)  # fmt: skip
def test_28_a_loaded_model_is_the_saved_one(tmp_path, settings):
    svm, path = fitted(**settings), tmp_path / "model.zip"
    svm.save(path)
    loaded = StructuredSVM.load(path)
    assert_same_model(svm, loaded)
    assert (loaded.result_.upper, loaded.result_.lower) == (svm.result_.upper, svm.result_.lower)
    assert loaded.result_.status is svm.result_.status
    np.testing.assert_array_equal(loaded.result_.slack, svm.result_.slack)
    for y in Y:
        numbers = np.array([svm.classes_.index(label) for label in y])
        assert loaded.task_.loss(numbers, 1 - numbers) == svm.task_.loss(numbers, 1 - numbers)
    np.testing.assert_allclose(loaded.fit(X, Y).w_, svm.w_, atol=1e-12)
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.zip"]


def test_28_a_fresh_process_predicts_the_same(case, tmp_path):
    part = case("28")["input"]
    svm = StructuredSVM(part["C"], rescaling=part["mode"]).fit(part["X"], part["y"])
    svm.save(tmp_path / "model.zip")
    everything = [*part["X"], part["new_input"]]
    program = (
        "import json, sys, tempfile, os\n"
        "from viterbi_lab import StructuredSVM\n"
        "before = sorted(os.listdir(tempfile.gettempdir()))\n"
        "svm = StructuredSVM.load(sys.argv[1])\n"
        "found = svm.predict(json.loads(sys.argv[2]))\n"
        "same = before == sorted(os.listdir(tempfile.gettempdir()))\n"
        "print(json.dumps([found, svm.w_.tobytes().hex(), same]))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "model.zip"), json.dumps(everything)],
        capture_output=True, text=True, check=True, env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    found, weights, no_new_file = json.loads(run.stdout)
    assert found == svm.predict(everything)
    assert weights == svm.w_.tobytes().hex()
    assert no_new_file
    assert svm.predict(part["X"]) == case("28")["expected"]["train_prediction"]


def test_28_a_model_survives_pickle_and_copy():
    svm = fitted(rescaling=MARGIN, active=False, h="sqrt")
    for copy in (pickle.loads(pickle.dumps(svm)), deepcopy(svm)):
        assert_same_model(svm, copy)
        assert copy.rescaling is MARGIN
        assert copy.task_.encoding is svm.task_.encoding


def test_a_loaded_model_has_no_data_to_go_on_with(tmp_path):
    fitted().save(tmp_path / "model.zip")
    with pytest.raises(NotFittedError, match="training data are not in the file"):
        StructuredSVM.load(tmp_path / "model.zip").continue_fit()


@pytest.mark.parametrize("labels", [[["a", ("b",), "a"], [("b",), "a"]]])
def test_labels_that_a_file_cannot_keep_are_refused_before_writing(tmp_path, labels):
    svm = StructuredSVM().fit(X, labels)
    with pytest.raises(ValueError, match=r"Label \('b',\) is of type tuple"):
        svm.save(tmp_path / "model.zip")
    assert not list(tmp_path.iterdir())


def test_numbers_and_truth_values_come_back_as_labels(tmp_path):
    for labels in ([[1, 2, 2], [2, 1]], [[True, False, False], [False, True]], [[0.5, 1.5, 1.5], [1.5, 0.5]]):
        svm = StructuredSVM(C=10.0).fit(X, labels)
        svm.save(tmp_path / "model.zip")
        found = StructuredSVM.load(tmp_path / "model.zip").predict(X)
        assert found == svm.predict(X)
        assert type(found[0][0]) is type(labels[0][0])
