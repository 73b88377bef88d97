"""The lab uses its widgets as their next release will want it."""

import warnings

from viterbi_lab.ui import story_file
from viterbi_lab.ui.views.page import Lab


def test_building_the_lab_uses_nothing_deprecated():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        lab = Lab(story_file.bundled())
    lab._end(None)
    deprecated = [
        str(w.message)
        for w in caught
        if issubclass(w.category, PendingDeprecationWarning | DeprecationWarning)
    ]
    assert not deprecated
