"""Windows of letters and of values, and features of words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viterbi_lab.features import LetterWindows, ValueWindows, WordFeatures
from viterbi_lab.features.words import describe, shape

words = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1, max_size=6)
sentences = st.lists(words, min_size=1, max_size=5)


# Letters


@given(st.text("ACDX", min_size=1, max_size=6), st.integers(-3, 2), st.integers(0, 3))
def test_every_offset_names_the_letter_that_stands_there(sequence, first, span):
    windows = LetterWindows("ACD", first, first + span)
    active = windows.transform(sequence)
    assert active.shape == (len(sequence), span + 1)
    for t, row in enumerate(active):
        for column, feature in enumerate(row):
            at = t + first + column
            expected = "ACD?"["ACD".find(sequence[at])] if 0 <= at < len(sequence) else "none"
            assert divmod(feature, 5) == (column, {"A": 0, "C": 1, "D": 2, "?": 3, "none": 4}[expected])


def test_the_alphabet_is_that_of_the_training_sequences_and_case_does_not_count():
    windows = LetterWindows.fit(["aC", "DA"], -1, 1)
    assert windows.alphabet == "ACD"
    assert windows.n_features == 15
    np.testing.assert_array_equal(windows.transform("acd"), windows.transform("ACD"))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LetterWindows("", 0, 0), "needed are letters, each once"),
        (lambda: LetterWindows("AA", 0, 0), "needed are letters, each once"),
        (lambda: LetterWindows("a", 0, 0), "give upper case"),
        (lambda: LetterWindows("A", 1, 0), r"window 1\.\.0 is empty"),
        (lambda: LetterWindows("A", 0, 0).transform(""), "sequence is empty"),
    ],
)
def test_windows_of_letters_that_cannot_be_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


# Values


def test_a_window_holds_the_standardised_values_of_its_sites_and_zeros_beyond_the_ends():
    rng = np.random.default_rng(0)
    signals = [rng.normal(3.0, 5.0, (T, 2)) for T in (4, 1)]
    windows = ValueWindows.fit(signals, -1, 1)
    pool = np.concatenate(signals)
    for x in signals:
        found = windows.transform(x)
        for t in range(len(x)):
            expected = []
            for at in (t - 1, t, t + 1):
                there = 0 <= at < len(x)
                expected += [*(x[at] - pool.mean(0)) / pool.std(0), 1.0] if there else [0.0] * 3
            np.testing.assert_allclose(found[t], expected, rtol=1e-13)  # rounding of one division
    assert windows.n_features == 9


def test_a_value_that_never_changes_is_shifted_to_zero():
    windows = ValueWindows.fit([np.array([[2.0], [2.0]])])
    np.testing.assert_array_equal(windows.transform([[2.0], [3.0]]), [[0.0, 1.0], [1.0, 1.0]])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ValueWindows([0.0], [0.0]), "scale positive"),
        (lambda: ValueWindows([0.0], [1.0, 1.0]), r"needed is \(r,\) for both"),
        (lambda: ValueWindows([0.0], [1.0], 1, 0), r"window 1\.\.0 is empty"),
        (lambda: ValueWindows.fit([]), "no sequences were given"),
        (lambda: ValueWindows.fit([[[1.0]], [[1.0, 2.0]]]), "sequence 1 has 2 features"),
        (lambda: ValueWindows([0.0], [1.0]).transform([[np.nan]]), "holds nan at site 0"),
    ],
)
def test_windows_of_values_that_cannot_be_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


# Words


@pytest.mark.parametrize(
    ("word", "expected"), [("Rome", "Xx"), ("B-52s", "X-dx"), ("...", "."), ("ÉTÉ", "X"), ("東京", "東京")]
)
def test_the_shape_of_a_word(word, expected):
    assert shape(word) == expected


@given(sentences, st.integers(0, 3), st.integers(0, 4))
def test_every_feature_of_a_token_is_there_once_and_tells_of_its_neighbours(tokens, window, affixes):
    described = describe(tokens, window, affixes)
    assert len(described) == len(tokens)
    for t, features in enumerate(described):
        assert len(set(features)) == len(features)
        assert f"word={tokens[t]}" in features
        assert ("first" in features) == (t == 0)
        for offset in range(-window, window + 1):
            if offset and 0 <= t + offset < len(tokens):
                assert f"{offset:+d}:lower={tokens[t + offset].lower()}" in features


@given(sentences, sentences)
def test_the_matrix_names_the_features_seen_in_training_and_no_others(train, test):
    features = WordFeatures.fit([train])
    for tokens in (train, test):
        matrix = features.transform(tokens)
        assert matrix.shape == (len(tokens), features.n_features)
        for row, described in zip(matrix, describe(tokens), strict=True):
            named = {features.names[f] for f in row.indices}
            assert named == set(described) & set(features.names)
            assert (row.data == 1).all()
    assert set(features.names) == {name for described in describe(train) for name in described}


def test_rare_features_are_left_out_on_request():
    features = WordFeatures.fit([["the", "cat"], ["the", "dog"]], at_least=2)
    assert "word=the" in features.names
    assert "word=cat" not in features.names
    with pytest.raises(ValueError, match="no feature occurs 9 times"):
        WordFeatures.fit([["the"]], at_least=9)


def test_a_million_features_take_no_more_room_than_those_that_are_there():
    features = WordFeatures(tuple(f"word={i}" for i in range(10**6)))
    matrix = features.transform(["7", "no", "999999"])
    assert matrix.shape == (3, 10**6)
    assert matrix.indices.tolist() == [7, 999999]
    assert matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes < 200
