"""Sequences that are too long to train on: refused, split or windowed, and never in silence."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viterbi_lab.data.dataset import GENES, LETTERS, DataSet, Record
from viterbi_lab.data.long import FLANK, REFUSE, SPLIT, WINDOW, background_of, shortened


def data(*labels, task=LETTERS):
    return DataSet(task, tuple(Record(f"s{i}", "A" * len(y), tuple(y)) for i, y in enumerate(labels)))


def test_what_is_short_enough_is_left_alone():
    given_data = data("NNEN", "N")
    for choice in (REFUSE, SPLIT, WINDOW):
        assert shortened(given_data, choice, 4) is given_data


def test_a_long_sequence_is_refused_by_name_with_the_choices():
    with pytest.raises(ValueError, match=r"s1 has 5 sites; up to 4 .* 'split' .* of N\), 'window'"):
        shortened(data("N", "NNNNE"), REFUSE, 4)


@given(st.text("NNNE", min_size=1, max_size=40), st.integers(2, 12))
def test_pieces_end_to_end_are_the_sequence_and_cut_nothing_but_background(y, longest):
    try:
        pieces = shortened(data(y), SPLIT, longest, "N").records
    except ValueError as refusal:
        # somewhere there are more sites in a row without NN than a piece may have
        runs = "".join(c if c == "E" else "N" for c in y).replace("NN", "N N").split()
        assert max(map(len, runs)) > longest, refusal  # noqa: PT017 - both outcomes are right
        return
    assert "".join(label for piece in pieces for label in piece.y) == y
    assert all(len(piece) <= longest for piece in pieces)
    assert all(a.y[-1] == b.y[0] == "N" for a, b in pairwise(pieces))


@given(st.lists(st.tuples(st.integers(1, 300), st.integers(1, 30)), min_size=1, max_size=5))
def test_windows_keep_every_segment_and_some_background_on_either_side(blocks):
    y = "".join("N" * quiet + "E" * loud for quiet, loud in blocks) + "N" * 200
    found = shortened(data(y), WINDOW, min(len(y) - 1, 500), "N")
    kept = np.zeros(len(y), bool)
    for piece in found.records:
        if piece.name == "s0":
            continue
        start, stop = (int(number) for number in piece.name.split(":")[1].split("-"))
        assert "".join(piece.y) == y[start - 1 : stop]
        assert piece.y[0] == piece.y[-1] == "N"
        assert not kept[start - 1 : stop].any()
        kept[start - 1 : stop] = True
    assert all(kept[t] for t, label in enumerate(y) if label == "E")
    near = {s for t, label in enumerate(y) if label == "E" for s in range(t - FLANK, t + FLANK + 1)}
    assert all(t in near for t in np.flatnonzero(kept))


def test_a_note_tells_what_was_cut_and_what_was_left_out():
    (note,) = shortened(data("N" * 300 + "E" * 10 + "N" * 300), WINDOW, 400).notes
    assert note == "s0: 610 sites, cut into 1 pieces; 400 sites of N left out."


def test_a_segment_that_is_too_long_itself_is_refused():
    for choice in (SPLIT, WINDOW):
        with pytest.raises(ValueError, match="s0 has more than 50 sites without a place to cut"):
            shortened(data("N" * 5 + "E" * 60 + "N" * 5), choice, 50)


def test_the_background_is_that_of_the_field_or_the_most_frequent_label():
    assert background_of(data("EEEN", task=GENES)) == "N"
    assert background_of(data("CCH")) == "C"


@pytest.mark.parametrize(("choice", "longest"), [("cut", 10), (SPLIT, 1)])
def test_other_choices_are_refused(choice, longest):
    with pytest.raises(ValueError, match=r"long='cut'; known are|longest=1; at least 2"):
        shortened(data("NN" * 9), choice, longest)
