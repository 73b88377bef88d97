"""Trees of sentences in brackets, as treebanks give them, read by NLTK.

Reading needs NLTK: ``pip install "viterbi-lab[text]"``. Short sentences of the CRAFT corpus come with the
lab, see ``assets/treebank/README.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from viterbi_lab.assets import asset
from viterbi_lab.data.text import decode
from viterbi_lab.files import gunzipped
from viterbi_lab.limits import Limits
from viterbi_lab.trees import Tree


@dataclass(frozen=True)
class Treebank:
    """What was read: trees, where each is from, and a sentence for every line that was left out.

    Attributes:
        trees: one for each sentence.
        sources: the text that each is from; empty where the file does not say.
        notices: what was left out, and why.
    """

    trees: tuple[Tree, ...]
    sources: tuple[str, ...]
    notices: tuple[str, ...]


def read_treebank(path: Path) -> Treebank:
    """Trees of a text file, one a line: ``(S (N dogs) (V bark))``, or a source, a tab and the tree.

    Args:
        path: the file, UTF-8; gzipped if its name ends in ``.gz``. Empty lines mean nothing. A line that is
            no tree is left out and told in the notices; the others are read.

    Raises:
        ModuleNotFoundError: if NLTK is not installed.
        ValueError: if the file is damaged, no text, or holds no tree at all.
    """
    raw = path.read_bytes()
    if path.suffix == ".gz":
        raw = gunzipped(raw, str(path), Limits.in_force("unpacked_bytes"))
    text = decode(raw, str(path))
    trees, sources, notices = [], [], []
    for number, line in enumerate(text.splitlines(), start=1):
        source, tab, brackets = line.rpartition("\t")
        if not brackets.strip():
            continue
        try:
            trees.append(read_tree(brackets))
        except ValueError as fault:
            notices.append(f"{path}, line {number} was left out: {fault}")
        else:
            sources.append(source if tab else "")
    if not trees:
        raise ValueError(f"{path} holds no tree in brackets. {' '.join(notices[:1])}".rstrip())
    return Treebank(tuple(trees), tuple(sources), tuple(notices))


def read_tree(brackets: str) -> Tree:
    """A tree in brackets, with a symbol at every node and each word alone under its own.

    Raises:
        ModuleNotFoundError: if NLTK is not installed.
        ValueError: if it is no such tree.

    Example:
        >>> read_tree("(S (N dogs) (V bark))").words()
        ('dogs', 'bark')
    """
    try:
        from nltk import Tree as Brackets
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            'reading treebanks needs NLTK, which is not installed. Run: pip install "viterbi-lab[text]"'
        ) from missing
    try:
        found = Brackets.fromstring(brackets)
    except ValueError as fault:
        raise ValueError(f"{brackets.strip()[:60]!r} is no tree in brackets.") from fault
    return _tree(found)


def craft_sentences() -> Treebank:
    """The sentences of at most ten words that come with the lab."""
    return read_treebank(asset("treebank", "craft.tsv.gz"))


def _tree(node: Any) -> Tree:
    if not node.label():
        if len(node) == 1 and not isinstance(node[0], str):
            return _tree(node[0])  # ((S …)), as in the Penn Treebank
        raise ValueError("a node has no symbol.")
    words = [child for child in node if isinstance(child, str)]
    if not len(node) or (words and len(node) > 1):
        raise ValueError(f"the node {node.label()} has {len(words)} words among {len(node)} children.")
    return Tree(node.label(), (words[0],) if words else tuple(_tree(child) for child in node))
