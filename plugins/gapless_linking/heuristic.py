"""The common part of the heuristics: hitting distances with their bound, and the result of an answer."""

from __future__ import annotations

import math
from collections.abc import Sequence

import attrs
import numpy as np

from gapless import Result, Stop
from gapless.core.problem import score_of
from gapless.core.sparse import FloatArray, IntArray
from gapless.core.tolerance import round_bound
from gapless.roles import NoCertificate, Solve, Stats
from gapless_kernels import hitting_distances
from gapless_linking.changed_graph import changed_graph
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
class Hits:
    """The distance of each candidate to each set.

    `to_sets` (float64 (N, k)): distances of the members from the nearest candidate of each set that is not
    forbidden; inf where no path leads, or none is left.
    """

    problem: LinkingProblem
    to_sets: FloatArray

    @classmethod
    def of(cls, problem: LinkingProblem) -> Hits:
        """Row minima where the distances are known or soon found, else a search from each set.

        Without weights, searching from all candidates at once takes no longer than a few searches from sets; with
        weights, or with so many candidates that the table of their distances is large, the sets are fewer. Their
        searches end at the last candidate.
        """
        left = np.flatnonzero(np.isfinite(problem.own_costs))
        owner = np.repeat(np.arange(problem.k), np.diff(problem.first))[left]
        sets, starts = np.unique(owner, return_index=True)
        found = np.full((problem.points.size, problem.k), np.inf)
        if _table_pays(problem) and sets.size:
            near = np.minimum.reduceat(problem.distances[:, problem.slots[left]], starts, axis=1)
            apart = near == np.iinfo(near.dtype).max if near.dtype.kind == "u" else np.isinf(near)
            found[:, sets] = np.where(apart, np.inf, near)
        elif sets.size:
            graph = changed_graph(problem)
            found[:, sets] = hitting_distances(
                graph.offsets,
                graph.neighbours,
                graph.weights,
                np.append(starts, left.size),
                graph.inner(problem.members[left]),
                graph.inner(problem.points),
            )
        return cls(problem, found[problem.slots])

    @property
    def sums(self) -> FloatArray:
        """(N,) The sum over all other sets; the member's own set is at distance 0."""
        owner = np.repeat(np.arange(self.problem.k), np.diff(self.problem.first))
        sums = self.to_sets.copy()
        sums[np.arange(owner.size), owner] = 0.0
        found: FloatArray = sums.sum(axis=1)
        return found

    @property
    def bound(self) -> float:
        """No structure scores more; see `HittingCertificate`. -inf where nothing is feasible."""
        own, offset = (
            self.problem.centred_costs
        )  # large costs that cancel between sets keep the digits of small ones
        least = math.fsum([offset, *np.minimum.reduceat(self.sums + own, self.problem.first[:-1]).tolist()])
        graph = self.problem.graph
        cheap = self.problem.distances_known or (graph is not None and graph.weights is None)
        return round_bound(-least, self.problem.granularity if cheap else None)


def hits_if(wanted: bool, problem: LinkingProblem) -> tuple[Hits | None, Stop]:
    """Hitting distances if they are wanted, and why the solve ended: Ctrl-C costs the bound, not the answer."""
    try:
        return (Hits.of(problem) if wanted else None), Stop.RELAXED
    except KeyboardInterrupt:
        return None, Stop.INTERRUPTED


def result_of(
    problem: LinkingProblem,
    solve: Solve,
    members: IntArray | None,
    hits: Hits | None,
    explanation: Sequence[str] = (),
    stop: Stop = Stop.RELAXED,
) -> Result[IntArray]:
    """The result of a heuristic, with the bound of the hitting distances where they are known.

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
        explanation = [f"what was chosen is not feasible: {said}" for said in broken] or explanation
    solve.budget.emit("stop", bound, score_of(problem, structures[0]) if structures else -math.inf)
    return Result.of(
        problem,
        structures,
        bound,
        Stop.PROVED if bound == -math.inf else stop,
        certificate=NoCertificate("no bound was found") if hits is None else HittingCertificate(),
        method=solve.method,
        stats=Stats(seconds=solve.budget.elapsed),
        trace=solve.budget.events,
        explanation=explanation,
    )


def run(problem: LinkingProblem, solve: Solve) -> Result[IntArray]:
    """Choose by hitting distances, and bound all choices by them (Blanco, Boldi, Marino 2013, section 5.2).

    The hitting distance ``d(x, X_j)`` is that of x from the nearest candidate of set j. Each set takes the
    candidate with the smallest sum over all sets; the first of equals. The paper's average divides by k, which
    changes no choice. Anchors and priors add what the candidate costs by itself, and distances then count
    twice, as in the cost. The paper searches from each candidate to the first hit of each set; `Hits` says what is
    done here.

    The same distances prove a bound on all choices: see `HittingCertificate`. Where the answer meets it, it is
    optimal.
    """
    try:
        hits = Hits.of(problem)
        chosen, _ = best_members(problem, 2.0 * hits.sums + problem.own_costs)
        why = problem.infeasibility() if chosen is None else ()
    except KeyboardInterrupt:
        return result_of(problem, solve, None, None, stop=Stop.INTERRUPTED)
    return result_of(problem, solve, chosen, hits, why)
