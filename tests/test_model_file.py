"""Model files: atomic, and nothing in them is believed."""

import json
import os
import zipfile

import numpy as np
import pytest

from viterbi_lab import model_file
from viterbi_lab.aligner import Aligner
from viterbi_lab.estimator import StructuredSVM
from viterbi_lab.labeller import Labeller
from viterbi_lab.model_file import NotAModel, read, write

X, Y = [[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]], [["exon", "intron", "intron"]]


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "model.zip"
    StructuredSVM().fit(X, Y).save(path)
    return path


def rewritten(path, change=lambda header: header, arrays=lambda content: content):
    """The file again, with another header or other arrays."""
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(contents.pop("header.json"))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps(change(header)))
        for name, content in contents.items():
            archive.writestr(name, arrays(content))
    return path


def without(header, name):
    del header[name]
    return header


def test_what_was_written_is_read(tmp_path, rng):
    arrays = {"a": rng.normal(size=(3, 2)), "empty": np.zeros(0), "number": np.array(2.5)}
    write(tmp_path / "m", {"told": ["ä", 1, None]}, arrays)
    header, found = read(tmp_path / "m")
    assert header["told"] == ["ä", 1, None]
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
    assert header["version"] == model_file.VERSION


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04 no zip", b"\x80\x04K\x01."])
def test_a_foreign_file_is_refused_with_a_sentence(tmp_path, content):
    path = tmp_path / "foreign"
    path.write_bytes(content)
    with pytest.raises(NotAModel, match=r"foreign is not a model of viterbi_lab\.$"):
        StructuredSVM.load(path)


def test_a_foreign_archive_is_refused(tmp_path):
    np.savez(tmp_path / "other.npz", a=np.ones(3))
    with pytest.raises(NotAModel, match="is not a model"):
        StructuredSVM.load(tmp_path / "other.npz")


def test_a_newer_format_is_refused_with_what_to_do(saved):
    rewritten(saved, lambda header: {**header, "version": 2})
    with pytest.raises(NotAModel, match=r"newer viterbi_lab \(format 2; this one reads up to 1\)\. Update"):
        StructuredSVM.load(saved)


@pytest.mark.parametrize(
    "change",
    [
        lambda header: {**header, "format": "something else"},
        lambda header: {**header, "version": "1"},
        lambda header: {**header, "version": 0},
        lambda header: without(header, "arrays"),
        lambda header: without(header, "task"),
        lambda header: without(header, "classes"),
        lambda header: without(header, "result"),
        lambda header: without(header, "settings"),
        lambda header: {**header, "settings": {"no such": 1}},
        lambda header: {**header, "classes": ["exon"]},
        lambda header: {**header, "task": {**header["task"], "n_features": 3}},
        lambda header: {**header, "task": {**header["task"], "encoding": "os.system"}},
        lambda header: {**header, "result": {**header["result"], "status": "GREAT"}},
        lambda header: {**header, "arrays": {"weights": header["arrays"]["weights"]}},
        lambda header: {**header, "arrays": {**header["arrays"], "more": {"shape": [1], "sha256": ""}}},
        lambda header: {**header, "arrays": {"weights": {"shape": [10**12], "sha256": ""}}},
        lambda header: {**header, "arrays": {"weights": {"shape": "x", "sha256": ""}}},
        lambda header: [header],
    ],
)
def test_a_header_that_says_something_else_is_refused(saved, change):
    with pytest.raises(NotAModel):
        StructuredSVM.load(rewritten(saved, change))


def test_arrays_that_were_changed_are_refused(saved):
    def flipped(content):
        return content[:-1] + bytes([content[-1] ^ 1])

    with pytest.raises(NotAModel, match="digest of its array"):
        StructuredSVM.load(rewritten(saved, arrays=flipped))


def test_arrays_larger_than_the_header_says_are_not_read(saved):
    with pytest.raises(NotAModel, match="missing or of another size"):
        StructuredSVM.load(rewritten(saved, arrays=lambda content: content + bytes(10_000)))


@pytest.mark.parametrize("array", [np.array([object()]), np.zeros(3, np.int64)])
def test_arrays_of_another_type_are_refused(tmp_path, array):
    import hashlib
    import io

    write(tmp_path / "m", {}, {"a": np.zeros(3)})
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, allow_pickle=True)
    digest = hashlib.sha256(stream.getvalue()).hexdigest()
    about = {"a": {"shape": list(array.shape), "sha256": digest}}
    rewritten(tmp_path / "m", lambda header: {**header, "arrays": about}, lambda _: stream.getvalue())
    with pytest.raises(NotAModel, match=r"is no array|another type or shape|another size"):
        read(tmp_path / "m")


@pytest.mark.parametrize("end", [10, 200, -30])
def test_half_a_file_is_refused(saved, end):
    saved.write_bytes(saved.read_bytes()[:end])
    with pytest.raises(NotAModel):
        StructuredSVM.load(saved)


def test_every_flipped_byte_is_noticed_or_harmless(saved):
    good = StructuredSVM.load(saved)
    content = saved.read_bytes()
    for place in range(0, len(content), 7):
        saved.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        try:
            loaded = StructuredSVM.load(saved)
        except NotAModel:
            continue
        assert loaded.w_.tobytes() == good.w_.tobytes()


def test_weights_that_are_not_finite_are_refused(tmp_path, saved):
    header, arrays = read(saved)
    write(saved, header, {**arrays, "weights": np.full(arrays["weights"].shape, np.nan)})
    with pytest.raises(NotAModel, match="weights do not fit"):
        StructuredSVM.load(saved)


def test_a_failed_write_leaves_what_was_there(saved, monkeypatch):
    before = saved.read_bytes()

    def full(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        StructuredSVM(C=5.0).fit(X, Y).save(saved)
    assert saved.read_bytes() == before
    assert [entry.name for entry in saved.parent.iterdir()] == ["model.zip"]


def test_a_header_that_json_cannot_say_is_refused_before_writing(tmp_path):
    with pytest.raises(ValueError, match="holds something that its file cannot"):
        write(tmp_path / "m", {"callback": print}, {})
    assert not list(tmp_path.iterdir())


UNKNOWN = "holds a kind of model that is not known here"


@pytest.mark.parametrize(
    ("load", "header", "said"),
    [
        (StructuredSVM.load, {"kind": "labeller"}, "holds a labeller"),
        (StructuredSVM.load, {"kind": "aligner"}, "holds an aligner"),
        (Labeller.load, {}, "holds a StructuredSVM"),
        (Labeller.load, {"kind": "aligner"}, "holds an aligner"),
        (Aligner.load, {}, "holds a StructuredSVM"),
        (Aligner.load, {"kind": "labeller"}, "holds a labeller"),
        (Aligner.load, {"kind": "oracle"}, UNKNOWN),
        (Labeller.load, {"kind": ["labeller"]}, UNKNOWN),
    ],
)
def test_another_kind_of_model_is_called_by_its_name_and_not_damaged(tmp_path, load, header, said):
    write(tmp_path / "m", header, {})
    with pytest.raises(NotAModel, match=said) as told:
        load(tmp_path / "m")
    assert "damaged" not in str(told.value)


def test_the_kind_is_told_without_reading_the_arrays(saved):
    assert model_file.kind(saved) is None
    rewritten(saved, arrays=lambda content: content[:-1] + bytes([content[-1] ^ 1]))
    assert model_file.kind(saved) is None
    with pytest.raises(NotAModel):
        read(saved)
    with pytest.raises(FileNotFoundError):
        model_file.kind(saved.with_name("none"))
    saved.write_bytes(b"PK")
    with pytest.raises(NotAModel, match="is not a model"):
        model_file.kind(saved)
