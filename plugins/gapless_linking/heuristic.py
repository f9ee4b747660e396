"""The common part of the heuristics: hitting distances with their bound, and the result of an answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import attrs
import numpy as np

from gapless import Result, Stop
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.arrays.tolerance import round_bound
from gapless.problems.problem import score_of
from gapless.roles import NoCertificate, SolveRequest, Stats
from gapless_kernels import hitting_distances
from gapless_linking.connected_graph import changed_graph
from gapless_linking.decomposition import best_members
from gapless_linking.hitting_certificate import HittingCertificate
from gapless_linking.problem import LinkingProblem

_MANY_POINTS = 4096
"""Candidates whose table of distances would take 16 MiB."""


def _table_pays(problem: LinkingProblem) -> bool:
    graph = problem.graph
    return (
        graph is None or problem.distances_known or (graph.weights is None and problem.points.size <= _MANY_POINTS)
    )


@attrs.frozen(eq=False)
class HittingDistances:
    """The distance of each candidate to each set.

    `to_sets` (float64 (N, k)): distances of the members from the nearest candidate of each set that is not
    forbidden; inf where no path leads, or none is left.
    """

    problem: LinkingProblem
    to_sets: FloatArray

    @classmethod
    def of(cls, problem: LinkingProblem) -> HittingDistances:
        """Take row minima if the distances are known or cheap, else search from each set.

        Without weights, searching from all candidates at once takes no longer than a few searches from sets; with
        weights, or with so many candidates that the table of their distances is large, the sets are fewer. Their
        searches end at the last candidate.
        """
        allowed = np.flatnonzero(np.isfinite(problem.unary_costs))
        owner = problem.set_of[allowed]
        sets, starts = np.unique(owner, return_index=True)
        to_sets = np.full((problem.points.size, problem.k), np.inf)
        if _table_pays(problem) and sets.size:
            # Candidates of a set are neighbours in the list, so minima over slices are distances to sets.
            near = np.minimum.reduceat(problem.distances[:, problem.slots[allowed]], starts, axis=1)
            disconnected = near == np.iinfo(near.dtype).max if near.dtype.kind == "u" else np.isinf(near)
            to_sets[:, sets] = np.where(disconnected, np.inf, near)
        elif sets.size:
            graph = changed_graph(problem)
            to_sets[:, sets] = hitting_distances(
                graph.offsets,
                graph.neighbours,
                graph.weights,
                np.append(starts, allowed.size),
                graph.inner(problem.members[allowed]),
                graph.inner(problem.points),
            )
        return cls(problem, to_sets[problem.slots])

    @property
    def sums(self) -> FloatArray:
        """Sum of the distances to all other sets, (N,); the member's own set is at distance 0."""
        owner = self.problem.set_of
        sums = self.to_sets.copy()
        sums[np.arange(owner.size), owner] = 0.0
        totals: FloatArray = sums.sum(axis=1)
        return totals

    @property
    def bound(self) -> float:
        """Score that no structure exceeds, see `HittingCertificate`; -inf if no structure is feasible."""
        # Centred: large costs that cancel between sets must not take the digits of small ones.
        own, offset = self.problem.centred_costs
        minimum = math.fsum([offset, *np.minimum.reduceat(self.sums + own, self.problem.first[:-1]).tolist()])
        graph = self.problem.graph
        # Granularity takes all distances: it is used only if they are known or cheap.
        cheap = self.problem.distances_known or (graph is not None and graph.weights is None)
        return round_bound(-minimum, self.problem.granularity if cheap else None)


def hitting_distances_if(wanted: bool, problem: LinkingProblem) -> tuple[HittingDistances | None, Stop]:
    """Compute hitting distances if requested, and the reason to stop: Ctrl-C costs the bound, not the answer."""
    try:
        return (HittingDistances.of(problem) if wanted else None), Stop.RELAXED
    except KeyboardInterrupt:
        return None, Stop.INTERRUPTED


def chosen_by(
    problem: LinkingProblem,
    request: SolveRequest,
    pick: Callable[[], tuple[IntArray | None, Sequence[str]]],
    bound: bool,
) -> Result[IntArray]:
    """Run a heuristic, whose `pick` returns a choice, or None and reasons; bound it if `bound`."""
    try:
        chosen, reasons = pick()
    except KeyboardInterrupt:
        return result_of(problem, request, None, None, stop=Stop.INTERRUPTED)
    hits, stop = hitting_distances_if(bound, problem)
    return result_of(problem, request, chosen, hits, reasons, stop)


def result_of(
    problem: LinkingProblem,
    request: SolveRequest,
    members: IntArray | None,
    hits: HittingDistances | None,
    explanation: Sequence[str] = (),
    stop: Stop = Stop.RELAXED,
) -> Result[IntArray]:
    """Make the result of a heuristic, bounded by the hitting distances if they are known.

    Parameters
    ----------
    members : int64 (k,), or None
        The choice.
    hits : Hits or None
        None claims no bound.
    stop : Stop
        Explanation where the bound does not prove the answer.
    """
    bound = math.inf if hits is None else hits.bound
    structures = []
    if members is not None:
        broken = problem.violations(problem.members[members])
        structures = [] if broken else [problem.members[members]]
        explanation = [f"what was chosen is not feasible: {sentence}" for sentence in broken] or explanation
    request.budget.emit("stop", bound, score_of(problem, structures[0]) if structures else -math.inf)
    return Result.of(
        problem,
        structures,
        bound,
        Stop.PROVED if bound == -math.inf else stop,
        certificate=NoCertificate("no bound was found") if hits is None else HittingCertificate(),
        method=request.method,
        stats=Stats(seconds=request.budget.elapsed),
        trace=request.budget.events,
        explanation=explanation,
    )


def run(problem: LinkingProblem, request: SolveRequest) -> Result[IntArray]:
    """Choose by hitting distances, and bound all choices by them (Blanco, Boldi, Marino 2013, section 5.2).

    The hitting distance ``d(x, X_j)`` is that of x from the nearest candidate of set j. Each set takes the
    candidate with the smallest sum over all sets; the first of equals. The paper's average divides by k, which
    changes no choice. Anchors and priors add what the candidate costs by itself, and distances then count
    twice, as in the cost. The paper searches from each candidate to the first hit of each set; `HittingDistances`
    says what is done here.

    The same distances prove a bound on all choices: see `HittingCertificate`. Where the answer meets it, it is
    optimal.
    """
    try:
        hits = HittingDistances.of(problem)
        chosen, _ = best_members(problem, 2.0 * hits.sums + problem.unary_costs)
        reasons = problem.infeasibility() if chosen is None else ()
    except KeyboardInterrupt:
        return result_of(problem, request, None, None, stop=Stop.INTERRUPTED)
    return result_of(problem, request, chosen, hits, reasons)
