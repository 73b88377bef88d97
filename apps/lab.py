"""The lab as a Panel app: ``panel serve apps/lab.py``."""

from viterbi_lab.ui.views.page import lab

lab().servable(title="Viterbi Lab")
