"""Short queries with intents in domains, as CLINC150 has them: a taxonomy of depth two.

Two files: ``domains.json`` maps each domain to its intents, and ``data_full.json`` (or ``.json.gz``) maps
``train``, ``val`` and ``test`` to lists of ``[query, intent]``. Queries out of scope have other names there
and are not read. (S. Larson et al., EMNLP 2019; CC BY 3.0.)
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from viterbi_lab.files import gunzipped
from viterbi_lab.limits import Limits
from viterbi_lab.taxonomy import Taxonomy

ROOT = "all"
SPLITS = ("train", "val", "test")


@dataclass(frozen=True, eq=False)
class Intents:
    """Queries and their intents.

    Attributes:
        taxonomy: one root, the domains below it, the intents below these.
        queries: for each split its texts.
        classes: for each split the classes of these, (n,) int64 in the order of ``taxonomy.leaves``.
    """

    taxonomy: Taxonomy
    queries: dict[str, tuple[str, ...]]
    classes: dict[str, np.ndarray]


def read_intents(folder: Path) -> Intents:
    """Read a folder with both files.

    Raises:
        ValueError: if a file is not as it must be; the message says what is wrong.
        OSError: if a file is missing or cannot be read.
    """
    domains = _json(folder / "domains.json")
    if not isinstance(domains, dict) or not all(map(_is_list_of_names, domains.values())):
        raise ValueError(f"{folder / 'domains.json'} must map each domain to a list of names of intents.")
    parents: dict[str, str | None] = {ROOT: None}
    for domain, intents in domains.items():
        parents[domain] = ROOT
        for intent in intents:
            if intent in parents:
                raise ValueError(f"{intent!r:.60} is named twice in {folder / 'domains.json'}.")
            parents[intent] = domain
    taxonomy = Taxonomy(parents)
    number_of = {intent: number for number, intent in enumerate(taxonomy.leaves)}
    plain = folder / "data_full.json"
    path = plain if plain.exists() else folder / "data_full.json.gz"
    data = _json(path)
    queries, classes = {}, {}
    for split in SPLITS:
        if not isinstance(data, dict) or not isinstance(data.get(split), list):
            raise ValueError(f"{path} has no list {split!r}.")
        for place, pair in enumerate(data[split]):
            if not (_is_list_of_names(pair) and len(pair) == 2):
                raise ValueError(
                    f"Entry {place} of {split!r} in {path} is {pair!r:.60}, not [query, intent]."
                )
            if pair[1] not in number_of:
                raise ValueError(f"Entry {place} of {split!r} in {path}: {pair[1]!r:.60} is in no domain.")
        queries[split] = tuple(query for query, _ in data[split])
        classes[split] = np.array([number_of[intent] for _, intent in data[split]], np.int64)
    return Intents(taxonomy, queries, classes)


def _json(path: Path) -> Any:
    raw = path.read_bytes()
    if path.suffix == ".gz":
        raw = gunzipped(raw, str(path), Limits.in_force("unpacked_bytes"))
    try:
        return json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no JSON: {error}") from error


def _is_list_of_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)
