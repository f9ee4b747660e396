"""The decisions: pairs of bases that may be in a structure."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapless.roles import Decisions


class Pairs(Decisions):
    """Decision `d` says that the bases ``left[d] < right[d]`` pair; numbered by left base, then by right.

    Parameters
    ----------
    sequence : str
    candidates : bool (n, n)
        Pairs [left, right] that exist; only those above the diagonal count.

    Attributes
    ----------
    left, right : int64 (pairs,)
    index : int64 (n, n)
        The number of the pair [left, right]; -1 where there is none.
    """

    sequence: str
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    index: NDArray[np.int64]

    def __init__(self, sequence: str, candidates: NDArray[np.bool_]) -> None:
        left, right = np.nonzero(np.triu(candidates, 1))
        index = np.full(candidates.shape, -1, np.int64)
        index[left, right] = np.arange(left.size)

        def name(d: int) -> str:
            i, j = int(left[d]), int(right[d])
            return f"pair {sequence[i]}{i}-{sequence[j]}{j}"

        # A frozen attrs class: its own fields go through its __init__, the rest past its __setattr__.
        super().__init__(left.size, name)
        for key, value in {"sequence": sequence, "left": left, "right": right, "index": index}.items():
            object.__setattr__(self, key, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.sequence, self.index >= 0)
