"""Tags of entities: schemes, what they say, and what becomes of faulty ones. By case 31."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viterbi_lab.data.entities import IO, IOB1, IOB2, IOBES, convert, entities, scheme_of, strays, tags_of

CASE = json.loads((Path(__file__).parents[1] / "cases" / "31-iob1-to-iob2.json").read_text(encoding="utf-8"))
IOB1_TAGS = CASE["input"]["sequences"]
any_tags = st.lists(
    st.sampled_from(["O", *(f"{prefix}-{kind}" for prefix in "BIES" for kind in "AB")]), max_size=8
)


def inclusive(tags):
    return [[entity.type, entity.start, entity.stop - 1] for entity in entities(tags)]


@pytest.mark.parametrize("scheme", [IOB2, IOBES])
def test_old_tags_are_turned_into_new_ones_as_case_31_says(scheme):
    assert [convert(tags, scheme) for tags in IOB1_TAGS] == CASE["expected"][scheme]


def test_the_entities_of_case_31_are_found_in_every_scheme():
    for tags, expected in zip(IOB1_TAGS, CASE["expected"]["entities"], strict=True):
        assert inclusive(tags) == expected
        for scheme in (IOB1, IOB2, IOBES):
            assert inclusive(convert(tags, scheme)) == expected


def test_mixed_tags_are_read_as_the_conll_scorer_reads_them():
    assert inclusive(CASE["expected"]["mixed_scheme"]["input"]) == [["A", 0, 1]]
    assert scheme_of([["B-A", "I-A"], ["O", "I-A"]]) is None


@given(any_tags, st.sampled_from([IOB1, IOB2, IOBES]))
def test_no_conversion_changes_the_entities_or_the_length(tags, scheme):
    converted = convert(tags, scheme)
    assert entities(converted) == entities(tags)
    assert len(converted) == len(tags)
    assert strays(converted, scheme) == []


@given(any_tags)
def test_there_and_back_is_where_one_began(tags):
    new = convert(tags, IOB2)
    assert convert(convert(new, IOBES), IOB2) == convert(convert(new, IOB1), IOB2) == new


@given(any_tags)
def test_entities_are_in_order_and_apart(tags):
    found = entities(tags)
    assert all(a.stop <= b.start for a, b in pairwise(found))
    covered = {t for entity in found for t in range(entity.start, entity.stop)}
    assert covered == {t for t, tag in enumerate(tags) if tag != "O"}


@pytest.mark.parametrize(
    ("tags", "scheme"),
    [
        ([["I-A", "I-A", "O"]], IO),
        ([["I-A", "B-A"], ["O", "I-B"]], IOB1),
        ([["B-A", "I-A", "O", "B-A"]], IOB2),
        ([["S-A", "B-A", "E-A"]], IOBES),
        ([["O"]], None),
        ([["NOUN"]], None),
        ([["B-A,B-B"]], None),
    ],
)
def test_the_scheme_is_told_from_the_tags(tags, scheme):
    assert scheme_of(tags) == scheme


def test_io_refuses_neighbours_that_it_cannot_tell_apart():
    with pytest.raises(ValueError, match="two A that meet at token 1"):
        tags_of(entities(["B-A", "B-A"]), 2, IO)


def test_what_is_no_tag_is_named_with_its_place():
    with pytest.raises(ValueError, match=r"tag 'X-A' of token 1"):
        entities(["O", "X-A"])


def test_types_may_hold_hyphens():
    assert entities(["B-creative-work"])[0].type == "creative-work"
