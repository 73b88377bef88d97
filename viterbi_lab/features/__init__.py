"""What a site is described by.

Bauer et al. 2014 describe a site t by a vector φ(x_t) of zeros and ones (Section IV-A: histogram bins).
Such vectors are long and almost empty, so they are never written out. A *feature matrix* is one of

- ``(T, a)`` int32: row t lists the a features that are 1 at site t, each in ``0..n_features - 1``. An index
  that occurs twice in a row counts twice. Then ⟨w, φ(x_t)⟩ is the sum of ``w`` at these indices.
- a ``(T, F)`` matrix of scipy.sparse, where sites have different numbers of features,
- ``(T, F)`` float64, where most values are not 0.

They are those of the encodings ACTIVE, SPARSE and DENSE of `viterbi_lab.tasks.encoding`.
"""

from viterbi_lab.features.bins import HistogramBins
from viterbi_lab.features.kmers import AMBIGUITY_CODES, KmerWindow, KmerWindows, base_codes
from viterbi_lab.features.letters import LetterWindows
from viterbi_lab.features.values import ValueWindows
from viterbi_lab.features.words import WordFeatures

__all__ = [
    "AMBIGUITY_CODES",
    "HistogramBins",
    "KmerWindow",
    "KmerWindows",
    "LetterWindows",
    "ValueWindows",
    "WordFeatures",
    "base_codes",
]
