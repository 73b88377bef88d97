"""Figures 4 to 7 of Bauer et al. 2014 as HoloViews elements: pure functions of results.

HoloViews draws the same elements by Bokeh, for the page and for HTML, and by matplotlib, for PNG and SVG.
Colour never stands alone: curves carry their names at their ends, those of Fig. 7 have points of their own
shape, and margin rescaling is dashed.
"""

from viterbi_lab.ui.finished.against_n import figure7
from viterbi_lab.ui.finished.concentration import figure5
from viterbi_lab.ui.finished.figure import Finished
from viterbi_lab.ui.finished.inference_time import figure4, growth
from viterbi_lab.ui.finished.look import BOKEH, MATPLOTLIB
from viterbi_lab.ui.finished.one_sequence import figure6

__all__ = ["BOKEH", "MATPLOTLIB", "Finished", "figure4", "figure5", "figure6", "figure7", "growth"]
