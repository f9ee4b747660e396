"""Diving with limited discrepancy search: fix one decision after the other until the relaxation is integral."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import attrs
import numpy as np

from gapless.column_generation.branching.candidates import fractional
from gapless.decisions.decisions import Fixings
from gapless.errors import InvalidProblem
from gapless.tree_search.relaxation import Probe, RelaxationResult

S = TypeVar("S")


@attrs.frozen
class Diving:
    """The primal heuristic that `diving` returns."""

    rounds: int | None
    discrepancies: int
    depth: int

    def __call__(self, relaxed: RelaxationResult[Any]) -> Any:
        """Return the first structure that a dive reaches; None without one."""
        probe = relaxed.probe
        if probe is None or relaxed.point is None:
            return None
        return next(self._dive(probe, probe.fixings, relaxed, self.discrepancies, self.depth, frozenset()), None)

    def _dive(
        self,
        probe: Probe[Any],
        fixings: Fixings,
        relaxed: RelaxationResult[Any],
        discrepancies: int,
        depth: int,
        avoided: frozenset[int],
    ) -> Iterator[Any]:
        """Yield structures below `fixings`, those of the dive without discrepancies first."""
        structure = relaxed.structure
        if structure is not None and not probe.problem.violations(structure):
            yield structure
            return
        if probe.must_stop() or depth == 0 or relaxed.point is None:
            return
        candidates = fractional(fixings.free, relaxed.point)
        candidates = candidates[~np.isin(candidates, list(avoided))]
        if not candidates.size:
            return
        # The largest fraction is most likely on in a good structure, and fixing it changes the relaxation least.
        decision = int(candidates[np.argmax(relaxed.point[candidates])])
        below = fixings.fix(on=(decision,))
        if below is not None:
            child = probe.relax(below, self.rounds)
            if child.bound > -math.inf and not probe.would_close(child.bound):
                yield from self._dive(probe, below, child, discrepancies, depth - 1, avoided)
        if discrepancies:
            # One discrepancy: the same point once more, without the decision that the dive has just fixed. It
            # is only passed over, not fixed off, so no relaxation has to be solved again.
            yield from self._dive(probe, fixings, relaxed, discrepancies - 1, depth, avoided | {decision})


def diving(
    *, rounds: int | None = None, discrepancies: int = 2, depth: int = 1000
) -> Callable[[RelaxationResult[Any]], Any]:
    """Make a diving heuristic for `Formulation.rounding` (Sadykov et al. 2019, section 3).

    From a node's point, the largest fractional decision is turned on and the relaxation solved again, until the
    point is a structure, no fractional decision remains, or the bound cannot beat the incumbent.

    Parameters
    ----------
    rounds : int, optional
        Rounds of pricing after each step, 0 for none; by default until no column is missing.
    discrepancies : int
        Number of decisions that a dive may pass over (limited discrepancy search).
    depth : int
        Number of decisions that a dive may turn on.

    Returns
    -------
    callable
        For ``Formulation(rounding=...)``; a dive costs as much as many nodes, so set ``rounding_frequency`` to
        0, or to 10 and more.
    """
    if discrepancies < 0 or depth < 1 or (rounds is not None and rounds < 0):
        raise InvalidProblem(f"diving: {rounds=}, {discrepancies=}, {depth=}; expected counts")
    return Diving(rounds, discrepancies, depth)
