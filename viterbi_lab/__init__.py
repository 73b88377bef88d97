"""Exact structured-SVM training for label sequences, and a picture of how its inference works.

Importing this package loads neither panel, bokeh, holoviews nor cvxpy.
"""

__version__ = "0.1.0"
