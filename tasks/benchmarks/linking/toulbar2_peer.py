"""The strongest packaged peer: toulbar2, an exact solver of cost function networks, by its Python package."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any, TypeVar

import attrs
import numpy as np

from benchmarks.chains.stopwatch import cpu_seconds
from benchmarks.ordering.timing import Solved
from gapless.core.sparse import BoolArray, FloatArray
from gapless.core.tolerance import margin
from gapless_linking import LinkingProblem

Answer = TypeVar("Answer")

SETTINGS: tuple[dict[str, int], ...] = ({}, {"vac": 1})
"""Its default, and virtual arc consistency in preprocessing, which proves large networks faster."""


@attrs.frozen(eq=False)
class PeerSolved:
    """What toulbar2 did with each problem.

    Parameters
    ----------
    seconds : float64 (problems,)
        CPU time of this thread for writing the model and solving it, by the faster of `SETTINGS`.
    alone : float64 (problems,)
        Without writing the model.
    values : float64 (problems,)
        NaN where nothing was found.
    proved : bool (problems,)
        Optimal, or infeasible.
    """

    seconds: FloatArray
    alone: FloatArray
    values: FloatArray
    proved: BoolArray

    def contradictions(self, scores: str, exact: Solved) -> list[str]:
        """Sentences about optima that differ, and about values below a proved one."""
        wrong = []
        for number, (value, own, bound) in enumerate(zip(self.values, exact.values, exact.bounds, strict=True)):
            least = np.inf if np.isnan(value) else value
            if value < bound - margin(bound) or (self.proved[number] and own < least - margin(least)):
                wrong.append(f"{scores}, problem {number}: toulbar2 says {value:.12g}, exact {own:.12g}")
        return wrong


def installed() -> bool:
    """Whether there is a pytoulbar2."""
    return find_spec("pytoulbar2") is not None


def solve_each(problems: Sequence[LinkingProblem], limit: int) -> PeerSolved:
    """Let toulbar2 solve problems whose costs are whole numbers.

    Parameters
    ----------
    problems : sequence of LinkingProblem
        Their distances are known.
    limit : int
        CPU seconds for each, without the model.
    """
    toulbar2 = importlib.import_module("pytoulbar2")
    count = len(problems)
    found = PeerSolved(
        np.full(count, np.inf), np.full(count, np.inf), np.full(count, np.nan), np.zeros(count, bool)
    )
    for number, problem in enumerate(problems):
        for settings in SETTINGS:
            writing, (network, worst) = _timed(_network, toulbar2, problem, settings)
            searching, (value, proved) = _timed(_solve, toulbar2, network, worst, limit)
            seconds = writing + searching
            if (proved, -seconds) > (found.proved[number], -found.seconds[number]):
                found.seconds[number], found.alone[number] = seconds, searching
                found.values[number], found.proved[number] = value, proved
    return found


def _timed(work: Callable[..., Answer], *arguments: Any) -> tuple[float, Answer]:
    answers: list[Answer] = []
    seconds = cpu_seconds(lambda: answers.append(work(*arguments)))
    return seconds, answers[0]


def _solve(toulbar2: Any, network: Any, worst: float, limit: int) -> tuple[float, bool]:
    """The value, and whether it is proved."""
    answer = network.Solve(timeLimit=limit)
    value = np.nan if answer is None or answer[1] > worst else float(answer[1])
    return value, not toulbar2.tb2.option.limited


def _network(toulbar2: Any, problem: LinkingProblem, settings: dict[str, Any]) -> tuple[Any, float]:
    """The network, and what an allowed choice costs at most in it.

    One array holds the tables of all pairs of sets that have the same sizes, and goes over in one call: this is the
    fastest way that the package offers.
    """
    network = toulbar2.CFN(**settings)
    sizes = np.diff(problem.first)
    for i, size in enumerate(sizes.tolist()):
        network.AddVariables(1, f"x{i}_", 0, size - 1)
    own = problem.own_costs
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
