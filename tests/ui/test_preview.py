"""The picture of a training sequence before anything is trained."""

import re
from xml.etree import ElementTree

import pytest

from viterbi_lab.data.genes import SIGMAS
from viterbi_lab.ui.preview import picture
from viterbi_lab.ui.settings import CELEGANS, GENES, OWN


@pytest.mark.parametrize("data", [GENES, CELEGANS])
def test_it_is_a_drawing_that_follows_the_colours_of_the_page(data):
    svg = picture(data, 2.0, 1)
    ElementTree.fromstring(svg)
    assert "currentColor" in svg
    assert not re.search("#[0-9a-f]{3}", svg)


@pytest.mark.parametrize("seed", range(5))
def test_there_is_always_a_gene_to_see(seed):
    assert ">gene<" in picture(GENES, 1.0, seed) or picture(GENES, 1.0, seed).count("<rect") > 1


def test_more_noise_changes_the_signals_and_not_the_genes():
    quiet, loud = picture(GENES, min(SIGMAS), 1), picture(GENES, max(SIGMAS), 1)
    rects = [re.findall("<rect[^>]*>", svg) for svg in (quiet, loud)]
    assert rects[0] == rects[1]
    assert quiet != loud


def test_of_an_own_file_there_is_none():
    assert picture(OWN, 1.0, 1) == ""
