"""The *Brancher* role: children of a node, made of original decisions only."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from gapless.core.branch import Branch
from gapless.core.decisions import Fixings
from gapless.core.relaxation import Relaxed

S = TypeVar("S")


class Brancher(ABC, Generic[S]):
    """Splits a node into children that cover it and exclude its point.

    Examples
    --------
    >>> from gapless.roles import Brancher, MostFractional
    >>> issubclass(MostFractional, Brancher)
    True
    """

    @abstractmethod
    def split(self, fixings: Fixings, relaxed: Relaxed[S]) -> Sequence[Branch]:
        """Children whose union is the parent; empty when nothing is left to decide."""


class MostFractional(Brancher[Any]):
    """Branches on the free decision whose point is nearest to one half.

    Parameters
    ----------
    on_first : bool
        Whether the child that turns the decision on comes first; depth-first search enters the first child first.

    Examples
    --------
    >>> from gapless.roles import Brancher, MostFractional
    >>> isinstance(MostFractional(on_first=False), Brancher)
    True
    """

    def __init__(self, *, on_first: bool = True) -> None:
        self.on_first = on_first

    def split(self, fixings: Fixings, relaxed: Relaxed[Any]) -> Sequence[Branch]:
        """Two children, decision on and decision off."""
        free = fixings.free
        if not free.size:
            return ()
        nearest = 0 if relaxed.point is None else np.argmin(np.abs(relaxed.point[free] - 0.5))
        chosen = int(free[nearest])
        children = Branch(on=(chosen,), why=f"{chosen} on"), Branch(off=(chosen,), why=f"{chosen} off")
        return children if self.on_first else children[::-1]
