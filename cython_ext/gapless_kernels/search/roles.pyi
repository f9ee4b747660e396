"""The C-level roles of the search; their methods are in ``roles.pxd``."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

FREE: Final[int]
OFF: Final[int]
ON: Final[int]
FOUND: Final[int]
NOTHING: Final[int]
FAILED: Final[int]

class Maximiser:
    """A backbone for the search, see ``search/roles.h``."""

    def solve(
        self, weights: npt.ArrayLike, state: npt.ArrayLike | None = None
    ) -> tuple[float, npt.NDArray[np.int64]]:
        """The best structure.

        Parameters
        ----------
        weights : float64 (decisions,)
            Finite or -inf.
        state : int8 (decisions,), optional
            `FREE`, `OFF` or `ON`; all are free by default.

        Returns
        -------
        float, int64 array
            Value, own score included, and the decisions that are on, ascending; -inf and none where there is no
            structure.
        """

    def max_marginals(
        self, weights: npt.ArrayLike, state: npt.ArrayLike | None = None
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None:
        """The best value with each decision on, and with each off; None where they cannot be had.

        -inf where there is none.
        NaN for a decision that the object leaves out: with one of a choice group off, the best of the others
        counts.
        """

    def own_score(self, on: npt.ArrayLike) -> float | None:
        """Own score of a set of decisions, int (count,); None where it is no structure."""

    def take_rivals(self, rivals: npt.ArrayLike) -> None:
        """Name for each decision one more that no structure holds beside it, or -1, int (decisions,)."""

    def excluded(self, one: int, other: int) -> bool:
        """Whether no structure holds both decisions, so far as the object knows."""

class Factor:
    """A factor for the search, see ``search/roles.h``.

    Parameters
    ----------
    scope : int (count,)
        Its decisions.
    """

    scope: npt.NDArray[np.int32]

    def __init__(self, scope: Sequence[int] | npt.NDArray[Any]) -> None: ...
    def solve(
        self, prices: npt.ArrayLike, state: npt.ArrayLike | None = None
    ) -> tuple[float, npt.NDArray[np.bool_]]: ...
    def value_of(self, on: npt.ArrayLike) -> float: ...
    def max_marginals(
        self, prices: npt.ArrayLike, state: npt.ArrayLike | None = None
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None: ...
    def flip_differences(self, on: npt.ArrayLike) -> npt.NDArray[np.float64] | None: ...
