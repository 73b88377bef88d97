"""How well a labeller does, in the words of its field; every score says how strict it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from viterbi_lab.data.entities import entities
from viterbi_lab.metrics import (
    Counts,
    label_scores,
    mean_hamming_loss,
    mean_sequence_accuracy,
    segment_scores,
    token_accuracy,
)

Labels = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Evaluation:
    """Scores of predicted labels.

    Attributes:
        sequences: how many there are.
        sites: sites of all of them.
        accuracy: share of right sites, pooled: long sequences weigh more.
        mean_accuracy: share of right sites of each sequence, averaged.
        wrong: wrong sites of a sequence, averaged.
        whole: sequences without a wrong site.
        labels: counts of sites by label.
        segments: counts of segments by label, or of entities by type: right only with both ends and label.
        background: the labels whose runs are no segments.
        are_entities: whether segments are the entities that tags stand for.
    """

    sequences: int
    sites: int
    accuracy: float
    mean_accuracy: float
    wrong: float
    whole: int
    labels: dict[str, Counts]
    segments: dict[str, Counts]
    background: tuple[str, ...]
    are_entities: bool

    @property
    def all_segments(self) -> Counts:
        """Counts of segments of all labels together."""
        return total(self.segments.values())


def evaluate(true: Labels, predicted: Labels, *, background: str, scheme: str | None = None) -> Evaluation:
    """Compare predicted labels with true ones.

    Args:
        true: n sequences of labels.
        predicted: as many, each as long as its true one.
        background: the label whose runs are no segments; of entities it is ``O``.
        scheme: how tags mark entities; None: segments are runs of one label.

    Raises:
        ValueError: if the sequences do not pair up.
    """
    names = sorted({label for labels in (*true, *predicted) for label in labels})
    number = {name: place for place, name in enumerate(names)}
    a, b = ([np.array([number[label] for label in labels]) for labels in side] for side in (true, predicted))
    accuracy = token_accuracy(a, b)
    if scheme is None:
        segments = {
            name: segment_scores(a, b, [other for other in range(len(names)) if other != number[name]])
            for name in names
            if name != background
        }
    else:
        segments = entity_scores(true, predicted)
    return Evaluation(
        len(a),
        sum(map(len, a)),
        accuracy,
        mean_sequence_accuracy(a, b),
        mean_hamming_loss(a, b),
        sum(np.array_equal(x, y) for x, y in zip(a, b, strict=True)),
        dict(zip(names, label_scores(a, b, len(names)), strict=True)),
        segments,
        ("O",) if scheme else (background,),
        scheme is not None,
    )


def entity_scores(true: Labels, predicted: Labels) -> dict[str, Counts]:
    """Counts of entities by type; correct means same sentence, type, first and last token (CoNLL)."""
    found = [
        {(i, entity) for i, tags in enumerate(side) for entity in entities(tags)}
        for side in (true, predicted)
    ]
    here, there, both = (
        Counter(entity.type for _, entity in chosen) for chosen in (*found, found[0] & found[1])
    )
    return {kind: Counts(here[kind], there[kind], both[kind]) for kind in sorted(here | there)}


def total(counts: Sequence[Counts]) -> Counts:
    """The sum of counts."""
    counts = list(counts)
    return Counts(
        *(sum(getattr(count, name) for count in counts) for name in ("true", "predicted", "correct"))
    )


def report(found: Evaluation) -> str:
    """The scores as text, shares in per cent, ``–`` for shares of nothing."""
    what = "entities" if found.are_entities else f"runs of a label other than {', '.join(found.background)}"
    lines = [
        f"sequences                     {found.sequences}",
        f"  without a wrong site        {found.whole}  ({_percent(found.whole / found.sequences)} %)",
        f"sites                         {found.sites}",
        f"  right, all sites pooled     {_percent(found.accuracy)} %",
        f"  right, mean over sequences  {_percent(found.mean_accuracy)} %",
        f"  wrong in a sequence, mean   {found.wrong:.2f}",
        "",
        _table("sites by label", found.labels),
        "",
        _table(f"segments: {what}; right only with label, first and last site", found.segments),
    ]
    if len(found.segments) > 1:
        lines.append(_row("all", found.all_segments, max(map(len, [*found.segments, "all"]))))
    return "\n".join(lines)


def _table(title: str, counts: dict[str, Counts]) -> str:
    width = max(map(len, [*counts, "all"]))
    header = (
        f"  {'':{width}}  {'precision':>9} {'recall':>7} {'F1':>6} {'true':>7} {'predicted':>9} {'right':>7}"
    )
    return "\n".join([title, header, *(_row(name, count, width) for name, count in counts.items())])


def _row(name: str, count: Counts, width: int) -> str:
    return (
        f"  {name:{width}}  {_percent(count.precision):>9} {_percent(count.recall):>7}"
        f" {_percent(count.f1):>6} {count.true:7} {count.predicted:9} {count.correct:7}"
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f}" if np.isfinite(share) else "–"
