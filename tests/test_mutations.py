"""Thousands of damaged files for every reader: its own error with the name of the file, or an answer.

Reduced by default; with VITERBI_LAB_FULL=1 every reader gets 30,000 of them, which takes half an hour.
"""

import gzip
import io
import json
import os
import re
import tarfile
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from mutations import EVERYTHING, mutated, mutated_inside, mutated_member

from viterbi_lab.assets import asset
from viterbi_lab.data.alignments import read_alignment
from viterbi_lab.data.dataset import CONLL, GENES, LETTERS, TABLE
from viterbi_lab.data.families import read_family
from viterbi_lab.data.intents import read_intents
from viterbi_lab.data.loci import read_loci
from viterbi_lab.data.reading import BadFile, read
from viterbi_lab.data.text import decode
from viterbi_lab.data.treebank import read_treebank
from viterbi_lab.ui import own_problem, recording, story_file

MUTATIONS = int(os.environ.get("VITERBI_LAB_MUTATIONS", 30_000 if EVERYTHING else 100))
LONGEST_SENTENCE = 600  # letters; a path may be long
NAMES = ("damaged", "data_full.json", "domains.json", "ce.1.0.")  # of files, and of those in a tar
ROOM = 400 * 2**20  # bytes; an NPZ of 64 MiB may be unpacked and copied as numbers
HERE = Path(__file__).parent
ODD = HERE / "data" / "odd"
WORMS = HERE / "data" / "celegans"


@dataclass(frozen=True)
class Reader:
    """How files of one kind are read.

    Attributes:
        originals: contents that it reads.
        read: called with a content and a path at which that lies, too; raises ``refusal`` only.
        refusal: its own error.
        damage: how the originals are changed.
    """

    originals: list[bytes]
    read: Callable[[bytes, Path], object]
    refusal: type[Exception] = ValueError
    damage: Callable[[bytes, np.random.Generator], bytes] = mutated


def odd(*patterns):
    paths = sorted(path for pattern in patterns for path in ODD.glob(pattern))
    return [path.read_bytes() for path in paths if path.stat().st_size < 30_000]


def door(task):
    return lambda raw, path: read(raw, path.name, task)


def pair(raw, path):
    """The annotation of four genes is damaged; their sequences are well."""
    return read({path.name: raw, f"{path.stem}.fa": SEQUENCES}, path.name, GENES)


def alignment(raw, path):
    return read_alignment(decode(raw, path.name), path.name)


def intents(raw, path):
    """Queries, or their domains, are damaged."""
    queries, domains = raw.rsplit(b"\n--\n", 1) if b"\n--\n" in raw else (raw, b"{}")
    (path.parent / "data_full.json").write_bytes(queries)
    (path.parent / "domains.json").write_bytes(domains)
    return read_intents(path.parent)


def whole(*names):
    return b"".join((WORMS / name).read_bytes() for name in names)


def tar(mode="w"):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:
        for path in sorted(WORMS.glob("ce.1.0.*")):
            archive.add(path, arcname=path.name)
    return stream.getvalue()


def npz(**arrays):
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


GENE = sorted(path.stem for path in WORMS.glob("*.gff3"))[:2]
SEQUENCES = whole(*(f"{name}.fa" for name in GENE))
TABLES = [
    b"id,x,z,y\na,1,2.5,E\na,2,-1e3,I\nb,0,,E\nb,7,1,I\n",
    b"sequence;site;value;label\n1;1;0,5;A\n1;2;0,75;B\n2;1;3;A\n",
    b"x\ty\n1\tA\n2\tB\n\n3\tA\n4\tB\n",
]
STRINGS = [b"id,sequence,labels\na,ACDE,HHEC\nb,MKV,CCC\n", b"seq\tss\nACDEF\tHHHEE\nMKVL\tCCEE\n"]
QUERIES = {split: [["send ten to ann", "pay"], ["a seat", "book"]] for split in ("train", "val", "test")}
DOMAINS = {"money": ["pay", "balance"], "travel": ["book"]}
LOCI = b"\n".join(gzip.decompress(asset("genes", "celegans.txt.gz").read_bytes()).split(b"\n")[:6]) + b"\n"
TREES = b"\n".join(gzip.decompress(asset("treebank", "craft.tsv.gz").read_bytes()).split(b"\n")[:20])
PROBLEMS = [p.read_bytes() for p in sorted(asset("problems").glob("*.json")) if p.stem != "order"]
BROUGHT = own_problem.examples()


def small_run():
    """The recorded run that comes with the lab, with its first two passes."""
    run = json.loads(gzip.decompress(asset("runs", "celegans-margin.json.gz").read_bytes()))
    run["passes"] = run["passes"][:1]
    return gzip.compress(json.dumps(run).encode(), mtime=0)


READERS = {
    "FASTA": Reader(odd("fasta/*"), door(GENES), BadFile),
    "GFF3 alone": Reader(odd("gff3/*"), door(GENES), BadFile),
    "GFF3 with FASTA": Reader([whole(*(f"{name}.gff3" for name in GENE))], pair, BadFile),
    "GenBank": Reader(odd("genbank/*"), door(GENES), BadFile),
    "EMBL": Reader(odd("embl/*"), door(GENES), BadFile),
    "loci": Reader([LOCI], door(GENES), BadFile),
    "tar": Reader([tar()], door(GENES), BadFile),
    "packed tar": Reader([tar("w:gz")], door(GENES), BadFile, mutated_inside),
    "CoNLL": Reader(odd("conll/*", "derived/*wikigold*", "derived/*gsd*"), door(CONLL), BadFile),
    "table": Reader(TABLES, door(TABLE), BadFile),
    "NPZ": Reader(
        [npz(X=np.ones((4, 2)), y=["a", "b", "a", "b"], lengths=[1, 3], names=["p", "q"])],
        door(TABLE),
        BadFile,
        mutated_member,
    ),
    "letters": Reader(STRINGS, door(LETTERS), BadFile),
    "shipped loci": Reader([gzip.compress(LOCI)], lambda raw, path: read_loci(path), damage=mutated_inside),
    "alignment": Reader(odd("alignment/*"), alignment),
    "family": Reader(
        [asset("alignments", "Caudal_act.sto").read_bytes()], lambda raw, path: read_family(path)
    ),
    "treebank": Reader([TREES], lambda raw, path: read_treebank(path)),
    "intents": Reader([json.dumps(QUERIES).encode() + b"\n--\n" + json.dumps(DOMAINS).encode()], intents),
    "problem as JSON": Reader(PROBLEMS, lambda raw, path: own_problem.read(raw, path.name)),
    "problem as CSV": Reader([BROUGHT["example.csv"]], lambda raw, path: own_problem.read(raw, path.name)),
    "problem as NPZ": Reader(
        [BROUGHT["example.npz"]],
        lambda raw, path: own_problem.read(raw, path.name),
        damage=mutated_member,
    ),
    "story": Reader(
        [asset("stories", "ten_minutes.json").read_bytes()], lambda raw, path: story_file.read(path)
    ),
    "run": Reader([small_run()], lambda raw, path: recording.read(raw, path.name), damage=mutated_inside),
}


def peak():
    """Bytes of memory that this process has used at once since `forget_peak`; 0 where nobody counts."""
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text()) if status.exists() else None
    return int(found[1]) * 1024 if found else 0


def forget_peak():
    if Path("/proc/self/clear_refs").exists():
        Path("/proc/self/clear_refs").write_text("5")


def refusal(reader, raw, path):
    """What the reader says of a file; None if it reads it. Any other error than its own passes through."""
    path.write_bytes(raw)
    try:
        reader.read(raw, path)
    except reader.refusal as refusal:
        return refusal
    return None


@pytest.mark.parametrize("kind", READERS)
def test_a_damaged_file_gives_nothing_but_the_error_of_its_reader_in_one_sentence(kind, tmp_path):
    reader, rng = READERS[kind], np.random.default_rng(zlib.crc32(kind.encode()))
    path = tmp_path / ("damaged.gz" if reader.damage is mutated_inside else "damaged.gff3")
    forget_peak()
    before, outcomes = peak(), Counter()
    for number in range(MUTATIONS):
        raw = reader.damage(reader.originals[number % len(reader.originals)], rng)
        said = refusal(reader, raw, path)
        outcomes[said is None] += 1
        if said is not None:
            assert type(said) is reader.refusal, (number, said)
            assert str(said), number
            assert "\n" not in str(said), (number, said)
            assert len(str(said)) < LONGEST_SENTENCE, (number, said)
            assert any(name in str(said) for name in NAMES), (number, said)
    assert peak() - before < ROOM
    assert outcomes[False] > MUTATIONS / 10  # else it was no damage


def npy(header):
    """A file of NumPy with this header and eight bytes of data."""
    text = header.encode("latin-1")
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(8)


def archive(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as zipped:
        for name, content in members.items():
            zipped.writestr(f"{name}.npy", content)
    return stream.getvalue()


STRANGE = np.array(["a", "b"])
STRANGE.view(np.uint32)[0] = 0x110000  # Python has no letter of this number
STOCKHOLM = b"# STOCKHOLM 1.0\na ACD\n#=GR a SS H\nb ACD\n//\n"


@pytest.mark.parametrize(
    ("kind", "raw", "sentence"),
    [
        ("FASTA", ">a\nAC\nG\u2028T\n".encode(), "line 3: .* is no letter of a sequence"),
        ("table", b"\t\n \t \n;,\n".replace(b";,", b"\t"), "has no cell with anything in it|is empty"),
        (
            "NPZ",
            archive(X=npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,\n")),
            "is no array of NumPy",
        ),
        ("NPZ", npz(X=np.ones((2, 1)), y=STRANGE), "holds the number 0x110000 in a text"),
        ("NPZ", b"PK\x03\x04" + npz(X=np.ones((2, 1)))[30:], "is damaged: "),
        ("alignment", STOCKHOLM, "Biopython cannot read the alignment: Any per-letter annotation"),
        ("alignment", b"CLUSTAL 2.0.9 m", "has nothing below its first line"),
        ("shipped loci", b"no gzip", "is damaged: Not a gzipped file"),
        ("shipped loci", gzip.compress(b">a\nAC\nNNN\n"), "damaged.* has 2 bases"),
        ("intents", b'{"train": [["q", ["pay"]]]}\n--\n{"a": ["pay"]}', r"is \['q', \['pay'\]\], not"),
        ("intents", b"[" * 100_000 + b"\n--\n{}", "is no JSON"),
        ("story", '{"title": "é"}'.encode("latin-1"), "is not UTF-8"),
    ],
)
def test_faults_that_once_came_through_are_told(kind, raw, sentence, tmp_path):
    said = refusal(READERS[kind], raw, tmp_path / "damaged.gz")
    assert re.search(sentence, str(said)), said


def test_an_archive_in_which_two_arrays_have_one_name_is_refused():
    stream = io.BytesIO(npz(X=np.ones((2, 1))))
    with zipfile.ZipFile(stream, "a") as zipped, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of the name, from zipfile
        zipped.writestr("X.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }\n"))
    with pytest.raises(BadFile, match=r"f\.npz holds 1 arrays whose name is there before"):
        read(stream.getvalue(), "f.npz", TABLE)
