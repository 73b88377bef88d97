"""Real signals of sites, checked."""

from __future__ import annotations

import numpy as np


def finite_signal(x: np.ndarray, n_signals: int | None, where: str) -> np.ndarray:
    """``x`` as (T, r) float64, T and r at least 1, every value finite; ``where`` names it in messages."""
    x = np.asarray(x, dtype=np.float64)
    if x.ndim != 2 or 0 in x.shape:
        raise ValueError(
            f"{where} has shape {x.shape}; needed is (T, r) with T >= 1 sites and r >= 1 features. "
            "A single feature is x[:, np.newaxis]."
        )
    if n_signals is not None and x.shape[1] != n_signals:
        raise ValueError(f"{where} has {x.shape[1]} features at each site, but {n_signals} are needed.")
    if not np.isfinite(x).all():
        t, f = np.argwhere(~np.isfinite(x))[0]
        raise ValueError(
            f"{where} holds {x[t, f]} at site {t}, feature {f} (numbered from 0); values must be finite."
        )
    return x
