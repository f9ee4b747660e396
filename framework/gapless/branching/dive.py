"""Diving with limited discrepancies: fix one decision after the other until the relaxation is integral."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import attrs
import numpy as np

from gapless.branching.candidates import fractional
from gapless.core.decisions import Fixings
from gapless.core.errors import InvalidProblem
from gapless.core.relaxation import Probe, Relaxed

S = TypeVar("S")


@attrs.frozen
class Diving:
    """The rule that `diving` makes."""

    rounds: int | None
    discrepancies: int
    depth: int

    def __call__(self, relaxed: Relaxed[Any]) -> Any:
        """The first structure that a dive finds; None without one."""
        probe = relaxed.probe
        if probe is None or relaxed.point is None:
            return None
        return next(self._found(probe, probe.fixings, relaxed, self.discrepancies, self.depth, frozenset()), None)

    def _found(
        self,
        probe: Probe[Any],
        fixings: Fixings,
        relaxed: Relaxed[Any],
        discrepancies: int,
        depth: int,
        avoided: frozenset[int],
    ) -> Iterator[Any]:
        """Structures below `fixings`, the dive that follows the point first."""
        structure = relaxed.structure
        if structure is not None and not probe.problem.violations(structure):
            yield structure
            return
        if probe.spent() or depth == 0 or relaxed.point is None:
            return
        open_ones = fractional(fixings.free, relaxed.point)
        open_ones = open_ones[~np.isin(open_ones, list(avoided))]
        if not open_ones.size:
            return
        chosen = int(open_ones[np.argmax(relaxed.point[open_ones])])
        below = fixings.fix(on=(chosen,))
        if below is not None:
            child = probe.relax(below, self.rounds)
            if child.bound > -math.inf and not probe.closes(child.bound):
                yield from self._found(probe, below, child, discrepancies, depth - 1, avoided)
        if discrepancies:
            # The same point once more, without the decision that the dive took here.
            yield from self._found(probe, fixings, relaxed, discrepancies - 1, depth, avoided | {chosen})


def diving(
    *, rounds: int | None = None, discrepancies: int = 2, depth: int = 1000
) -> Callable[[Relaxed[Any]], Any]:
    """A rule of rounding that dives, for `Formulation.rounding` (Sadykov et al. 2019, section 3).

    From a node's point, the largest fractional decision is turned on and the relaxation solved again, until its
    point is a structure, nothing is left, or the bound cannot beat the incumbent.

    Parameters
    ----------
    rounds : int, optional
        Rounds of pricing after each step, 0 for none; by default until nothing is missing.
    discrepancies : int
        Number of decisions that a dive may pass over (limited discrepancy search).
    depth : int
        Decisions that a dive may turn on.

    Returns
    -------
    callable
        Give it to ``Formulation(rounding=...)``; a dive costs many nodes, so ``rounding_frequency`` is better 0, or
        10 and more.
    """
    if discrepancies < 0 or depth < 1 or (rounds is not None and rounds < 0):
        raise InvalidProblem(f"diving: {rounds=}, {discrepancies=}, {depth=}; expected counts")
    return Diving(rounds, discrepancies, depth)
