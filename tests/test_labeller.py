"""Recipes and labellers: from data to weights to labels, and through a file."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from viterbi_lab import block_coordinate, labeller, model_file
from viterbi_lab.data.conll import Columns
from viterbi_lab.data.dataset import GENES, LETTERS, DataSet, Record
from viterbi_lab.data.entities import IOB2, strays
from viterbi_lab.data.loci import celegans_loci
from viterbi_lab.data.options import Options
from viterbi_lab.data.reading import read
from viterbi_lab.data.table import Layout
from viterbi_lab.features import WordFeatures
from viterbi_lab.labeller import Labeller
from viterbi_lab.model_file import NotAModel
from viterbi_lab.oracle import predict
from viterbi_lab.recipes import prepare
from viterbi_lab.rescaling import MARGIN
from viterbi_lab.tasks.encoding import SPARSE

HERE = Path(__file__).parent
TABLE = "seq,x,v,label\n" + "".join(f"s{i // 6},{i % 3},{i % 2},{'ABC'[i % 3]}\n" for i in range(60))
TOKENS = "Anna B-PER\nmet O\nBob B-PER\nLee I-PER\n. O\n\nBob B-PER\nLee I-PER\nslept O\n. O\n\n"


def genes(*names):
    loci = [locus for locus in celegans_loci() if not names or locus.name in names]
    return DataSet(GENES, tuple(Record(locus.name, locus.sequence, tuple(locus.labels)) for locus in loci))


DATA = {
    "genes": lambda: dataclasses.replace(genes(), records=genes().records[:6]),
    "conll": lambda: read(TOKENS.encode() * 3, "tokens", "conll"),
    "table": lambda: read(TABLE.encode(), "table", "table"),
    "letters": lambda: read(b"id\taa\tss\nP\tACDACDW\tHHEHHEC\nQ\tWYDAC\tCCEHH\n", "l", "letters"),
}


def trained(data, C=10.0, **settings):
    prepared = prepare(data, **settings)
    *_, last = block_coordinate.iterates(
        prepared.task, prepared.examples, C=C, relative_gap=0.05, rescaling=MARGIN
    )
    return prepared, last.w


@pytest.fixture(scope="module", params=sorted(DATA))
def case(request):
    data = DATA[request.param]()
    prepared, w = trained(data)
    return data, prepared, w, prepared.labeller(w)


def test_it_learns_what_it_is_shown(case):
    data, _, _, model = case
    right = [
        a == b
        for record, y in zip(data.records, model.label_all(data), strict=True)
        for a, b in zip(record.y, y, strict=True)
    ]
    assert np.mean(right) > 0.95  # these few sequences can be told apart by their features


def test_a_saved_labeller_labels_bit_for_bit_as_before(case, tmp_path):
    data, _, _, model = case
    model.save(tmp_path / "model")
    loaded = Labeller.load(tmp_path / "model")
    assert list(loaded.label_all(data)) == list(model.label_all(data))
    for name in ("emissions", "transitions", "start", "end"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(model, name))
    assert loaded.about == model.about


def test_it_labels_as_the_task_it_was_trained_on(case):
    data, prepared, w, model = case
    if data.task == "conll":
        return  # tags that break their scheme are forbidden after training only
    for record, example in zip(data.records, prepared.examples, strict=True):
        states = predict(prepared.task, example.x, w)
        assert model.label(record.x) == tuple(model.labels[state] for state in states)


def test_pieces_of_a_long_sequence_are_described_as_the_whole(case, monkeypatch):
    data, _, _, model = case
    whole = list(model.label_all(data))
    scores = [np.concatenate(list(model._emissions(record.x))) for record in data.records]
    monkeypatch.setattr(labeller, "SITES_AT_ONCE", 3)
    for record, expected in zip(data.records, scores, strict=True):
        np.testing.assert_array_equal(np.concatenate(list(model._emissions(record.x))), expected)
    assert list(model.label_all(data)) == whole


def test_tags_never_break_their_scheme():
    data = DATA["conll"]()
    prepared = prepare(data)
    rng = np.random.default_rng(0)
    for _ in range(20):
        model = prepared.labeller(rng.normal(size=prepared.task.n_weights))
        for tags in model.label_all(data):
            assert strays(tags, IOB2) == []


def test_genes_that_the_states_cannot_describe_are_left_out_by_name():
    whole = genes().records[0]
    part = Record("part", whole.x[150:], whole.y[150:])
    prepared = prepare(DataSet(GENES, (whole, part)))
    assert len(prepared.examples) == 1
    assert prepared.notes[0].startswith("part is left out: the gene at sites 0")
    with pytest.raises(ValueError, match="no sequence can be described by the states of a gene"):
        prepare(DataSet(GENES, (part,)))
    assert len(prepare(DataSet(GENES, (part,)), grammar=False).examples) == 1


def test_values_with_their_neighbours_describe_a_table_too():
    data = DATA["table"]()
    prepared, w = trained(data, bins=None, window=1)
    assert prepared.labeller(w).features.n_features == 9
    with pytest.raises(ValueError, match="bins describe a site alone"):
        prepare(data, window=1)


def test_data_without_labels_are_not_trained_on():
    with pytest.raises(ValueError, match="s has no labels"):
        prepare(DataSet(LETTERS, (Record("s", "AC", None),)))


def test_other_data_than_in_training_are_refused():
    data = DATA["table"]()
    prepared = prepare(data)
    model = prepared.labeller(np.zeros(prepared.task.n_weights))
    with pytest.raises(ValueError, match="The model labels table; these data are letters"):
        list(model.label_all(DATA["letters"]()))
    swapped = read(TABLE.encode(), "t", "table", Options(layout=Layout(features=("v", "x"))))
    with pytest.raises(ValueError, match="trained on columns x, v; these data have v, x"):
        list(model.label_all(swapped))


def test_a_file_of_another_kind_or_damaged_is_refused(tmp_path):
    path = tmp_path / "model"
    model_file.write(path, {"classes": []}, {})
    with pytest.raises(NotAModel, match="holds a StructuredSVM without what makes its features"):
        Labeller.load(path)
    model_file.write(path, {"kind": "labeller", "forbidden": {"start": [[5]]}}, {"start": np.zeros(2)})
    with pytest.raises(NotAModel, match="is damaged"):
        Labeller.load(path)
    model_file.write(
        path,
        {"kind": "labeller", "forbidden": {}, "task": "table", "features": {"builder": "os.system"}},
        {name: np.zeros(1) for name in ("emissions", "transitions", "start", "end")},
    )
    with pytest.raises(NotAModel, match=r"is damaged: KeyError\('os.system'\)"):
        Labeller.load(path)


def test_a_million_named_features_fit_into_a_file(tmp_path):
    words = WordFeatures(tuple(f"word={i}" for i in range(10**6)))
    weights = np.zeros((2, 10**6))
    weights[1, 7] = 1.0
    chain = np.zeros((2, 2)), np.zeros(2), np.zeros(2)
    Labeller("conll", words, SPARSE, ("O", "B-X"), ("O", "B-X"), weights, *chain).save(tmp_path / "model")
    assert Labeller.load(tmp_path / "model").label(("6", "7", "8")) == ("O", "B-X", "O")


def test_a_contig_of_100_kb_is_labelled_in_bounded_memory():
    """The peak of a process of its own; all features of 70,000 bases at once would take 190 MB more."""
    code = """
import resource, sys
import numpy as np
from viterbi_lab.data.dataset import GENES
from viterbi_lab.data.gene_states import ALLOWED, BORDERS, STATES
from viterbi_lab.labeller import Labeller
from viterbi_lab.recipes import AROUND_BASES
from viterbi_lab.tasks.sequence import ACTIVE
rng = np.random.default_rng(0)
N = len(STATES)
model = Labeller(GENES, AROUND_BASES, ACTIVE, STATES, STATES, rng.normal(size=(N, AROUND_BASES.n_features)),
                 np.where(ALLOWED, rng.normal(size=(N, N)), -np.inf), *2 * [np.where(BORDERS, 0.0, -np.inf)])
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
def contig(length):
    return "".join("ACGT"[b] for b in rng.integers(4, size=length))
model.label(contig(30_000))
before = peak()
y = model.label(contig(100_000))
assert len(y) == 100_000
assert len(set(y)) > 5
print(peak() - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # measured: 17 MB, of which scores and levels of 70,000 further bases, 2·9 float64 each, are 10 MB
    assert int(done.stdout) < 40e6


SAID = Options(
    Columns(token=1, label=3, separator="blanks", header=True, scheme=None),
    Layout("chain", "no", "ss", ("b", "a"), ";", ","),
    "aa",
    "dssp",
    "both",
    True,
)


@pytest.mark.parametrize("options", [Options(), SAID])
def test_how_data_were_read_is_kept_in_the_file(case, tmp_path, options):
    dataclasses.replace(case[3], read_as=options).save(tmp_path / "model")
    assert Labeller.load(tmp_path / "model").read_as == options


@pytest.mark.parametrize(
    "said",
    [
        {"columns": {"token": "0"}},
        {"columns": {"scheme": "BILOU"}},
        {"columns": {"colour": 1}},
        {"layout": {"features": "x"}},
        {"layout": {"features": [1]}},
        {"layout": {"decimal": "·"}},
        {"strand": 1},
        {"source": "/etc/passwd"},
        [1],
        {"layout": 5},
    ],
)
def test_a_file_that_says_something_else_about_reading_is_refused(case, tmp_path, said):
    path = tmp_path / "model"
    case[3].save(path)
    header, arrays = model_file.read(path)
    model_file.write(path, {**header, "read_as": said}, arrays)
    with pytest.raises(NotAModel, match="is damaged"):
        Labeller.load(path)


def test_labellers_of_earlier_versions_label_what_they_did():
    old = Labeller.load(HERE / "old" / "labeller-1.zip")  # written before files kept how data were read
    assert old.read_as == Options()
    assert old.label(np.array([[0.5, 0.0], [1.5, 1.0], [2.5, 0.0], [0.5, 1.0]])) == tuple("ABCA")
