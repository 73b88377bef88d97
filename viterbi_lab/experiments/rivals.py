"""What other programs do with the same features: python-crfsuite, and a linear SVM that sees a site alone."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from viterbi_lab.data.dataset import DataSet
from viterbi_lab.experiments.ways import Trial
from viterbi_lab.features import LetterWindows

Describe = Callable[[Any], Sequence[Sequence[str]]]
"""The names of the features of each site of a record."""

CRFSUITE, CRFSUITE_SITES = "python-crfsuite", "python-crfsuite, site by site"
LINEAR = "LinearSVC, site by site"


def crfsuite(train: DataSet, test: DataSet, describe: Describe, c2: float) -> list[Trial]:
    """A conditional random field by python-crfsuite.

    Args:
        train: what it learns from.
        test: what it labels.
        describe: the features of a site.
        c2: of its penalty, ½ of which is that of ½‖w‖², with the likelihood summed.

    Returns:
        Its most probable labelling of each sequence (Viterbi), and the most probable label of each site.

    Raises:
        ModuleNotFoundError: if it is not installed: ``pip install "viterbi-lab[bench]"``.
    """
    import pycrfsuite  # only here

    begin = time.process_time()
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"c1": 0.0, "c2": c2})
    for record in train.records:
        trainer.append(describe(record.x), record.y)
    whole, by_site = [], []
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "model")
        trainer.train(model)
        seconds = time.process_time() - begin
        tagger = pycrfsuite.Tagger()
        tagger.open(model)
        names = tagger.labels()
        for record in test.records:
            whole.append(tuple(tagger.tag(describe(record.x))))
            chances = [[tagger.marginal(name, t) for name in names] for t in range(len(record))]
            by_site.append(tuple(names[place] for place in np.argmax(chances, axis=1)))
        tagger.close()
    return [
        Trial(CRFSUITE, tuple(whole), seconds, "converged"),
        Trial(CRFSUITE_SITES, tuple(by_site), seconds, "converged"),
    ]


def linear_svm(train: DataSet, test: DataSet, features: LetterWindows, C: float) -> Trial:
    """scikit-learn's LinearSVC, one against the rest, on the features of each site, without a chain.

    Raises:
        ModuleNotFoundError: if scikit-learn is not installed: ``pip install "viterbi-lab[text]"``.
    """
    from scipy.sparse import csr_array
    from sklearn.svm import LinearSVC

    def sites(data: DataSet) -> csr_array:
        active = np.concatenate([features.transform(record.x) for record in data.records])
        starts = np.arange(0, active.size + 1, active.shape[1], dtype=np.int32)
        return csr_array(
            (np.ones(active.size), active.ravel(), starts), shape=(len(active), features.n_features)
        )

    begin = time.process_time()
    y = np.concatenate([np.array(record.y) for record in train.records])
    model = LinearSVC(C=C, dual=False).fit(sites(train), y)
    seconds = time.process_time() - begin
    found = iter(model.predict(sites(test)).tolist())
    predicted = tuple(tuple(next(found) for _ in range(len(record))) for record in test.records)
    return Trial(LINEAR, predicted, seconds, "converged")
