"""Independent choices as a maximiser of the search."""

import numpy.typing as npt

from gapless_kernels.search.roles import Maximiser

class ChoiceGroups(Maximiser):
    """The best decision of each choice group, and every ungrouped decision of positive weight.

    Parameters
    ----------
    decisions : int
    group_first : int64 (groups + 1,)
    groups : int64
        As `CompiledSearch` takes them; there are none by default.
    """

    def __init__(
        self,
        decisions: int,
        group_first: npt.ArrayLike = ...,
        groups: npt.ArrayLike = ...,
    ) -> None: ...
