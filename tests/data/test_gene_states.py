"""From labels N, E, I to the states of a gene, and back."""

import numpy as np
import pytest

from viterbi_lab.data.gene_states import ALLOWED, BORDERS, STATES, to_labels, to_states
from viterbi_lab.data.loci import LABELS, celegans_loci


def labels(text):
    return np.array([LABELS.index(letter) for letter in text])


def states(text):
    return " ".join(STATES[s] for s in to_states(labels(text)))


def test_a_gene_with_an_intron_is_read_base_by_base():
    assert states("NEEEEIIIEEN") == "N start E1 E2 E0 donor I acceptor E1 stop N"


def test_the_place_in_the_codon_goes_on_behind_an_intron():
    assert states("NEEIIEEEEN") == "N start E1 donor acceptor E2 E0 E1 stop N"


def test_the_shortest_pieces_have_states():
    assert states("NEIIEEN") == "N start donor acceptor E1 stop N"
    assert states("NEEIIEN") == "N start E1 donor acceptor stop N"


def test_several_genes_and_none_have_states():
    assert states("NNN") == "N N N"
    assert states("NEEENEEEN") == "N start E1 stop N start E1 stop N"


def test_every_real_gene_follows_the_grammar_and_its_states_give_back_its_labels():
    for locus in celegans_loci():
        s = to_states(locus.y)
        np.testing.assert_array_equal(to_labels(s), locus.y)
        assert ALLOWED[s[:-1], s[1:]].all(), locus.name
        assert BORDERS[[s[0], s[-1]]].all(), locus.name


def test_whatever_follows_the_grammar_is_whole_genes():
    """Random walks through the grammar: labels and states determine each other up to the frame."""
    rng = np.random.default_rng(9)
    for _ in range(200):
        walk = [0]
        while len(walk) < 40 or walk[-1] != 0:
            walk.append(int(rng.choice(np.flatnonzero(ALLOWED[walk[-1]]))))
        y = to_labels(np.array(walk))
        genes = np.flatnonzero(np.diff(y != 0, prepend=False, append=False)).reshape(-1, 2)
        for first, stop in genes:
            assert (STATES[walk[first]], STATES[walk[stop - 1]]) == ("start", "stop")
            assert y[first] == y[stop - 1] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("EEEN", r"the gene at sites 0\.\.2 .* touches an end"),
        ("NEEE", r"the gene at sites 1\.\.3 .* touches an end"),
        ("NIIEEEN", r"sites 1\.\.5 .* begins or ends with an intron"),
        ("NEEEIIN", "begins or ends with an intron"),
        ("NEEEENEEEN", r"sites 1\.\.4 .* codes for 4 bases, which is no multiple of 3"),
        ("NEEIEN", "an intron of one base"),
    ],
)
def test_what_is_no_whole_gene_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        to_states(labels(text))
