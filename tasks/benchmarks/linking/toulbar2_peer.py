"""toulbar2, an exact solver of cost function networks and the strongest packaged peer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.frame.peers import TOULBAR2
from benchmarks.frame.solving import Solved
from benchmarks.frame.turns import timed_call
from gapless.roles import Sense
from gapless_linking import LinkingProblem

SETTINGS: tuple[dict[str, int], ...] = ({}, {"vac": 1})
"""The default, and virtual arc consistency in preprocessing, which proves large networks faster."""


def solve_each(problems: Sequence[LinkingProblem], limit: int) -> Solved:
    """Let toulbar2 solve problems whose costs are whole numbers, by the faster of `SETTINGS`.

    Parameters
    ----------
    problems : sequence of LinkingProblem
        Their distances are known.
    limit : int
        CPU seconds for each, without the model.

    Returns
    -------
    Solved
        `alone` leaves out the writing of the model; a bound is the proved value, or minus infinity.
    """
    toulbar2 = TOULBAR2.load()
    found = Solved.empty(len(problems), Sense.MINIMISE)
    bounds, proved = found.bounds, found.proved
    for number, problem in enumerate(problems):
        for settings in SETTINGS:
            writing, (network, worst) = timed_call(_network, toulbar2, problem, settings)
            searching, (value, sure) = timed_call(_solve, toulbar2, network, worst, limit)
            seconds = writing + searching
            if (sure, -seconds) > (proved[number], -found.seconds[number]):
                found.seconds[number], found.alone[number] = seconds, searching
                found.values[number], proved[number] = value, sure
        if proved[number]:
            bounds[number] = np.inf if np.isnan(found.values[number]) else found.values[number]
    return found


def _solve(toulbar2: Any, network: Any, worst: float, limit: int) -> tuple[float, bool]:
    """Solve the network; return the value and whether it is proved."""
    answer = network.Solve(timeLimit=limit)
    value = np.nan if answer is None or answer[1] > worst else float(answer[1])
    return value, not toulbar2.tb2.option.limited


def _network(toulbar2: Any, problem: LinkingProblem, settings: dict[str, Any]) -> tuple[Any, float]:
    """Build the network; return it with an upper bound on the cost of an allowed choice.

    One array holds the tables of all pairs of sets of the same sizes, and is passed in one call: this is the
    fastest interface of the package.
    """
    network = toulbar2.CFN(**settings)
    sizes = np.diff(problem.first)
    for i, size in enumerate(sizes.tolist()):
        network.AddVariables(1, f"x{i}_", 0, size - 1)
    own = problem.unary_costs
    table = 2.0 * problem.lengths()
    size = float(np.abs(own[np.isfinite(own)]).sum())
    worst = problem.k**2 * table[np.isfinite(table)].max(initial=0.0) + size
    forbidden = worst + size + 1.0
    table[np.isinf(table)] = forbidden
    left, right = np.triu_indices(problem.k, 1)
    shapes, shape_of = np.unique(np.stack([sizes[left], sizes[right]], axis=1), axis=0, return_inverse=True)
    for shape, (rows, columns) in enumerate(shapes.tolist()):
        chosen = np.flatnonzero(shape_of.ravel() == shape)
        a = problem.slots[problem.first[left[chosen], None] + np.arange(rows)]
        b = problem.slots[problem.first[right[chosen], None] + np.arange(columns)]
        scopes = np.stack([left[chosen], right[chosen]], axis=1)
        network.AddFunctions(scopes, table[a[:, :, None], b[:, None, :]])
    if own.any():
        for i, costs in enumerate(np.split(np.where(np.isinf(own), forbidden, own), problem.first[1:-1])):
            network.AddFunction([i], costs.tolist())
    return network, worst
