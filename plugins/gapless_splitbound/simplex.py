"""Euclidean projection of rows onto simplices, by sorting (Duchi et al. 2008, figure 1)."""

from __future__ import annotations

import numpy as np

from gapless.core.sparse import BoolArray, FloatArray


def project_rows(values: FloatArray, total: FloatArray, used: BoolArray) -> FloatArray:
    """The nearest rows that are not negative and sum to `total`.

    Returns float64 (m, w).

    Parameters
    ----------
    values : float64 (m, w)
    total : float64 (m,)
        Not negative.
    used : bool (m, w)
        Entries that take part, at least one in a row; the others stay as they are.
    """
    descending = -np.sort(-np.where(used, values, -np.inf), axis=1)
    partial = np.cumsum(np.where(np.isfinite(descending), descending, 0.0), axis=1) - total[:, None]
    ranks = np.arange(1, values.shape[1] + 1)
    # The last rank at which the entry stays above the threshold; the first always does when total > 0.
    kept = np.maximum((descending * ranks > partial).sum(axis=1), 1)
    threshold = partial[np.arange(len(values)), kept - 1] / kept
    return np.where(used, np.maximum(values - threshold[:, None], 0.0), values)
