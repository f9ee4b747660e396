"""Independent choices as a maximiser of the search."""

import numpy.typing as npt

from gapless_kernels.search.roles import Maximiser

class ChoiceGroups(Maximiser):
    """The best decision of each choice group, and every decision in no group that gains.

    Parameters
    ----------
    decisions : int
    group_first : int64 (groups + 1,)
    groups : int64
        As `Search` takes them; by default there are none.
    """

    def __init__(self, decisions: int, group_first: npt.ArrayLike = ..., groups: npt.ArrayLike = ...) -> None: ...
