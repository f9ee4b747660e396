"""Scopes that fire, in NumPy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gapless_kernels._arguments import check_type


def firing(
    scopes: npt.NDArray[np.int64], on: npt.NDArray[np.bool_], ascending: bool = False
) -> npt.NDArray[np.int64]:
    """Return the numbers of the scopes whose decisions are all on, int64 (firing,).

    Parameters
    ----------
    scopes : int64 (m, width)
        Decisions.
    on : bool (decisions,)
    ascending : bool
        Whether the last decisions of the scopes ascend, so that few scopes need to be looked at.
    """
    check_type("scopes", scopes, np.int64)
    check_type("on", on, np.bool_)
    if scopes.size and not 0 <= scopes.min() <= scopes.max() < on.size:
        raise ValueError(f"a scope names a decision that is none, expected 0..{on.size - 1}")
    return np.flatnonzero(on[scopes].all(axis=1))
