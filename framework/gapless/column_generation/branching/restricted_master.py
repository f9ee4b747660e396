"""The restricted-master heuristic: a mixed-integer program over the columns found so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from gapless.errors import InvalidProblem
from gapless.tree_search.relaxation import RelaxationResult


@attrs.frozen
class RestrictedMasterHeuristic:
    """The primal heuristic that `restricted_master` returns."""

    nodes: int
    seconds: float | None

    def __call__(self, relaxed: RelaxationResult[Any]) -> Any:
        """Return the best structure made of the master's columns; None without one that beats the incumbent."""
        probe = relaxed.probe
        if probe is None or probe.must_stop():
            return None
        return probe.integral(probe.fixings, nodes=self.nodes, seconds=self.seconds)


def restricted_master(*, nodes: int = 1000, seconds: float | None = None) -> Callable[[RelaxationResult[Any]], Any]:
    """Make a heuristic that solves the restricted master as a mixed-integer program, by SCIP, with limits.

    Parameters
    ----------
    nodes : int
        Limit on SCIP's nodes, which gives the same structure each time.
    seconds : float, optional
        Limit on SCIP's wall-clock time, in addition to that of the solve.

    Returns
    -------
    callable
        For ``Formulation(rounding=...)``, with ``rounding_frequency=0`` for the root only.
    """
    if nodes < 1:
        raise InvalidProblem(f"restricted_master: {nodes=}, expected at least 1")
    return RestrictedMasterHeuristic(nodes, seconds)
