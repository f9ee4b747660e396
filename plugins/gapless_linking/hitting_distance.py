"""The method ``hitting-distance``: for each set the candidate that is nearest to the other sets."""

from __future__ import annotations

from gapless import Result, Stop
from gapless.core.sparse import IntArray
from gapless.roles import Solve
from gapless_linking.decomposition import best_members
from gapless_linking.heuristic import Hits, result_of
from gapless_linking.problem import LinkingProblem


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
