"""The method ``greedy``: one set after the other, each nearest to the candidates chosen before."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gapless import Result, Stop
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.plugins.registry import check_count
from gapless.roles import SolveRequest
from gapless_linking.heuristic import hitting_distances_if, result_of
from gapless_linking.problem import LinkingProblem


def run(problem: LinkingProblem, request: SolveRequest, *, starts: int = 1) -> Result[IntArray]:
    """Choose greedily from a random beginning (Blanco, Boldi, Marino 2013, section 6).

    A set and one of its candidates are drawn; then the sets after it take in turn the candidate with the smallest
    sum of distances to those chosen before, the first of equals. Where there are anchors or priors, distances
    count twice, as in the cost, and what the candidate costs by itself is added. In the end the first set chooses
    anew, as its choice was random. The bound is that of ``hitting-distance``, as the distances are known. Raises
    `UnknownOption`: `starts` is below 1, or no integer. `starts`: number of random beginnings, the best of which is
    kept. The draws follow from the solve's seed, and those of few starts are the first of those of many.
    """
    check_count("starts", starts)
    rng = np.random.default_rng(request.seed)
    best: IntArray | None = None
    reasons: Sequence[str] = ()
    lowest, stop = math.inf, Stop.RELAXED
    try:
        for remaining in reversed(range(starts)):
            members = _one(problem, rng)
            value = math.inf if members is None else problem.value(problem.members[members])
            if best is None or value < lowest:
                best, lowest = members, value
            # After the last start a limit changes nothing.
            spent = request.budget.stop_reason() if remaining else None
            if members is None or spent is not None:
                stop = spent or stop
                break
        reasons = problem.infeasibility() if best is None else ()
    except KeyboardInterrupt:
        stop = Stop.INTERRUPTED
    hits, ended = hitting_distances_if(stop is not Stop.INTERRUPTED, problem)
    return result_of(problem, request, best, hits, reasons, ended if stop is Stop.RELAXED else stop)


def _one(problem: LinkingProblem, rng: np.random.Generator) -> IntArray | None:
    """Choose greedily from one random start; None if all candidates of the first set are forbidden."""
    begin = int(rng.integers(problem.k))
    allowed = np.flatnonzero(np.isfinite(problem.unary_costs[problem.first[begin] : problem.first[begin + 1]]))
    if not allowed.size:
        return None
    chosen = np.full(problem.k, -1)
    from_start = _twice(problem, int(problem.first[begin] + rng.choice(allowed)))
    others = np.zeros(problem.members.size)
    for i in [*range(begin + 1, problem.k), *range(begin)]:
        chosen[i] = _cheapest(problem, i, from_start + others)
        others += _twice(problem, int(chosen[i]))
    # The start was random: choose it again, given all others.
    chosen[begin] = _cheapest(problem, begin, others)
    return chosen


def _cheapest(problem: LinkingProblem, i: int, sums: FloatArray) -> int:
    own = slice(int(problem.first[i]), int(problem.first[i + 1]))
    return own.start + int((sums[own] + problem.unary_costs[own]).argmin())


def _twice(problem: LinkingProblem, member: int) -> FloatArray:
    """Return twice the distances of all candidates from one, (N,)."""
    far: FloatArray = 2.0 * problem.lengths(problem.slots[member : member + 1], problem.slots)[0]
    return far
