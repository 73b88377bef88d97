"""Files under bad luck: damaged, too large, on full or locked disks, written by processes that die."""

import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from mutations import EVERYTHING, mutated

from viterbi_lab import files, model_file
from viterbi_lab.assets import asset
from viterbi_lab.estimator import StructuredSVM
from viterbi_lab.files import NotWritten, read_at_most, replace_file
from viterbi_lab.model_file import NotAModel
from viterbi_lab.ui import problem_file

MUTATIONS = 30_000 if EVERYTHING else 1_500
KILLS = 30
X, Y = [[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]], [["exon", "intron", "intron"]]
OLD = Path(__file__).parent / "old"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.zip"
    StructuredSVM().fit(X, Y).save(path)
    return path


def test_a_damaged_model_gives_nothing_but_its_own_error(model, tmp_path, rng):
    good, path = model.read_bytes(), tmp_path / "damaged"
    refused = 0
    for _ in range(MUTATIONS):
        path.write_bytes(mutated(good, rng))
        try:
            StructuredSVM.load(path)
        except NotAModel:
            refused += 1
    assert refused > MUTATIONS / 2


def test_a_damaged_header_with_right_digests_gives_nothing_but_its_own_error(model, tmp_path, rng):
    with zipfile.ZipFile(model) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    header, path = contents.pop("header.json"), tmp_path / "damaged"
    for _ in range(MUTATIONS // 5):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("header.json", mutated(header, rng))
            for name, content in contents.items():
                archive.writestr(name, content)
        try:
            StructuredSVM.load(path)
        except NotAModel:
            continue


def test_a_damaged_problem_gives_nothing_but_a_sentence_with_its_name(tmp_path, rng):
    path = tmp_path / "damaged.json"
    sources = [source for source in sorted(asset("problems").glob("*.json")) if source.stem != "order"]
    originals, said = [source.read_bytes() for source in sources], set()
    for number in range(MUTATIONS):
        path.write_bytes(mutated(originals[number % len(originals)], rng))
        try:
            problem_file.read(path)
        except ValueError as error:
            said.add(str(error))
    assert len(said) > MUTATIONS / 20
    assert all(sentence.startswith("damaged.json") for sentence in said)


def test_a_file_that_is_too_large_is_refused_unread(tmp_path, monkeypatch):
    path = tmp_path / "large.json"
    with open(path, "wb") as stream:
        stream.truncate(10**12)  # a file with a hole: a terabyte without its blocks
    with pytest.raises(ValueError, match=r"has 1,000,000,000,000 bytes, and VITERBI_LAB_UPLOAD_BYTES allows"):
        problem_file.read(path)
    with pytest.raises(NotAModel, match="VITERBI_LAB_MODEL_BYTES allows 1,000,000,000"):
        StructuredSVM.load(path)


def test_a_file_that_grows_while_it_is_read_is_not_read_to_its_end():
    with pytest.raises(ValueError, match="allows 1,000"):
        read_at_most("/dev/zero", 1000, "LIMIT")


def test_a_header_that_is_too_deep_or_lies_about_sizes_is_refused(tmp_path):
    for number, text in enumerate(
        [
            "[" * 100_000,
            json.dumps({"format": model_file.FORMAT, "version": 1, "arrays": {"a": {"shape": [2**40]}}}),
            '{"format": "viterbi_lab model", "version": 1, "arrays": {"a": {"shape": [Infinity]}}}',
            '{"format": "viterbi_lab model", "version": 1, "arrays": {"a": {"shape": [-1, -1]}}}',
        ]
    ):
        path = tmp_path / str(number)
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("header.json", text)
            archive.writestr("a.npy", b"x")
        with pytest.raises(NotAModel):
            model_file.read(path)


def test_a_zip_bomb_is_refused_by_the_size_it_claims(tmp_path):
    path = tmp_path / "bomb"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", b" " * 10**8)
    with pytest.raises(NotAModel):
        model_file.read(path)


@pytest.mark.parametrize("path", sorted(OLD.glob("model-*.zip")), ids=lambda path: path.stem)
def test_models_of_earlier_versions_are_read_and_predict_what_they_did(path):
    expected = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    loaded = StructuredSVM.load(path)
    assert [list(y) for y in loaded.predict(expected["X"])] == expected["y"]
    assert loaded.w_.tolist() == expected["w"]


WRITER = """
import sys
from pathlib import Path
from viterbi_lab.files import replace_file
place, number = Path(sys.argv[1]), 0
print("ready", flush=True)
while True:
    number += 1
    replace_file(place, (str(number) + "\\n").encode() * 200_000)
"""


def test_a_process_killed_while_it_saves_leaves_a_whole_file(tmp_path, rng):
    """Thirty times, each at another moment."""
    place = tmp_path / "saved"
    replace_file(place, b"0\n")
    for _ in range(KILLS):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(place)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout.readline() == "ready\n"
        time.sleep(float(rng.uniform(0.0, 0.05)))
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        assert len(set(place.read_bytes().split())) == 1
    for leftover in tmp_path.glob(".saved.*.part"):
        os.utime(leftover, (0, 0))
    replace_file(place, b"at last")
    assert [path.name for path in tmp_path.iterdir()] == ["saved"]


@pytest.mark.parametrize("step", ["mkstemp", "write", "fsync", "replace"])
def test_a_full_disk_is_a_sentence_and_no_loss(tmp_path, monkeypatch, step):
    place = tmp_path / "saved"
    replace_file(place, b"old")

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    class Full:
        def __init__(self, stream):
            self.stream = stream

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.stream.close()

        write = full

    match step:
        case "mkstemp":
            monkeypatch.setattr(files.tempfile, "mkstemp", full)
        case "write":
            fdopen = os.fdopen
            monkeypatch.setattr(files.os, "fdopen", lambda *args: Full(fdopen(*args)))
        case _:
            monkeypatch.setattr(files.os, step, full)
    with pytest.raises(NotWritten, match="could not be written: No space left on device") as refusal:
        replace_file(place, b"new")
    assert "\n" not in str(refusal.value)
    monkeypatch.undo()
    assert place.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["saved"]


@pytest.mark.parametrize("number", [13, 30], ids=["missing rights", "read-only disk"])
def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path, monkeypatch, number):
    def locked(*_, **__):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(files.tempfile, "mkstemp", locked)
    with pytest.raises(NotWritten, match=f"could not be written: {os.strerror(number)}") as refusal:
        replace_file(tmp_path / "saved", b"new")
    assert refusal.value.errno == number


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path):
    with pytest.raises(NotWritten, match="No such file or directory"):
        replace_file(tmp_path / "nowhere" / "saved", b"new")


def test_the_command_says_why_it_could_not_write(tmp_path, capsys):
    from viterbi_lab import cli

    problem = asset("problems") / "worked_example.json"
    assert cli.main(["export", str(problem), "--svg", str(tmp_path / "nowhere" / "x.svg")]) == 1
    said = capsys.readouterr().err
    assert "could not be written: No such file or directory" in said
    assert "Traceback" not in said
