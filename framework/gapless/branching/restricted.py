"""The restricted-master heuristic: a mixed-integer program over the columns found so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from gapless.core.errors import InvalidProblem
from gapless.core.relaxation import Relaxed


@attrs.frozen
class RestrictedMaster:
    """The rule that `restricted_master` makes."""

    nodes: int
    seconds: float | None

    def __call__(self, relaxed: Relaxed[Any]) -> Any:
        """The best structure of the columns at hand; None without one that beats the incumbent."""
        probe = relaxed.probe
        if probe is None or probe.spent():
            return None
        return probe.integral(probe.fixings, nodes=self.nodes, seconds=self.seconds)


def restricted_master(*, nodes: int = 1000, seconds: float | None = None) -> Callable[[Relaxed[Any]], Any]:
    """A rule of rounding that solves the restricted master as a mixed-integer program, by SCIP, with limits.

    Parameters
    ----------
    nodes : int
        Limit on SCIP's nodes, which gives the same answer each time.
    seconds : float, optional
        Limit on SCIP's wall-clock time, beside that of the solve.

    Returns
    -------
    callable
        Give it to ``Formulation(rounding=...)``, with ``rounding_frequency=0`` for the root only.
    """
    if nodes < 1:
        raise InvalidProblem(f"restricted_master: {nodes=}, expected at least 1")
    return RestrictedMaster(nodes, seconds)
