"""Branching on the arc with the largest gap (Qian and Liu 2013, section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gapless.roles import Branch, Brancher, Fixings, Relaxed
from gapless_dependency import DependencyTree
from gapless_splitbound.implied_arcs import implied_state
from gapless_splitbound.multipliers import Split


class LargestGap(Brancher[DependencyTree]):
    """The free arc whose scopes are bounded worst at the tree of the best bound: in the tree first, then out of it.

    Parameters
    ----------
    bound : Split
    """

    def __init__(self, bound: Split) -> None:
        self.bound = bound

    def widest(self, fixings: Fixings, relaxed: Relaxed[DependencyTree]) -> int | None:
        """The arc to branch on; None when the fixings leave no choice."""
        implied = implied_state(self.bound.arcs, fixings.state)
        free = fixings.free if implied is None else np.flatnonzero(implied == -1)
        if implied is None or not free.size:
            return None
        if relaxed.point is None or relaxed.state is None:
            return int(free[0])
        on_ids = np.flatnonzero(relaxed.point > 0.5)
        gaps = self.bound.gaps(relaxed.state, on_ids, fixings)[free]
        return int(free[np.argmax(gaps)])

    def split(self, fixings: Fixings, relaxed: Relaxed[DependencyTree]) -> Sequence[Branch]:
        """With the arc and without it; nothing where no arc is left to decide."""
        arc = self.widest(fixings, relaxed)
        if arc is None:
            return ()
        return Branch(on=(arc,), why="largest gap"), Branch(off=(arc,), why="largest gap")
