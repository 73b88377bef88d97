"""Exact max-plus inference with a cost axis: numpy and numba only."""
