"""The C-level roles of the search, to be subclassed in Cython: see ``roles.h`` and ``roles.pxd``."""

from typing import Any, Final

import numpy.typing as npt

FREE: Final[int]
OFF: Final[int]
ON: Final[int]
FOUND: Final[int]
NOTHING: Final[int]
FAILED: Final[int]

class Maximiser:
    """A backbone for the search. A subclass in Cython overrides its methods."""

class Factor:
    """A factor for the search, over the decisions `scope`. A subclass in Cython overrides its methods."""

    scope: npt.NDArray[Any]
    def __init__(self, scope: npt.ArrayLike, *args: Any, **kwargs: Any) -> None: ...
