"""The trellis as a still SVG picture, drawn without a browser, for files, films and Compare."""

from viterbi_lab.ui.picture.document import events, svg

__all__ = ["events", "svg"]
