"""A maximiser each of whose decisions comes in several alternatives, as an arc does in several labels."""

import numpy.typing as npt

from gapless_kernels.search.roles import Maximiser

class Alternatives(Maximiser):
    """The structures of another maximiser, with exactly one alternative for each decision that is on.

    Parameters
    ----------
    inner : Maximiser
        It calls no other search meanwhile.
    of : int (decisions,)
        The decision of `inner` that each of these decisions is an alternative of.
    """

    def __init__(self, inner: Maximiser, of: npt.ArrayLike) -> None: ...
