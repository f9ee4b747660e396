"""Every structure of a small instance and its cost, vectorised: the reference for the methods."""

from __future__ import annotations

import numpy as np

from gapless import Solution
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.testing import SpaceTooLarge
from gapless_linking.problem import LinkingProblem

LIMIT = 2_000_000


def all_structures(problem: LinkingProblem, *, limit: int = LIMIT) -> tuple[IntArray, FloatArray]:
    """Enumerate allowed structures, int64 (structures, k), and their costs, float64 (structures,).

    In the order of `candidates`, the last set fastest. Own costs are added up in extended precision, so that large
    ones which cancel leave what is left. Raises `SpaceTooLarge`: more than `limit` choices from the first few sets.
    """
    chosen = np.zeros((1, 0), np.int64)
    own, apart = np.zeros(1, np.longdouble), np.zeros(1)
    for i in range(problem.k):
        members = np.arange(problem.first[i], problem.first[i + 1])
        if len(chosen) * members.size > limit:
            raise SpaceTooLarge(
                f"there are more than {len(chosen)} choices from the first {i} sets, and {problem.mention(i)} has "
                f"{members.size} candidates; the limit is {limit}, enumerate a smaller instance"
            )
        lengths = problem.lengths(problem.slots, problem.slots[members])
        more = lengths[chosen].sum(axis=1)
        row, member = np.nonzero(np.isfinite(more + problem.unary_costs[members]))
        chosen = np.concatenate([chosen[row], members[member, None]], axis=1)
        own, apart = own[row] + problem.unary_costs[members[member]], apart[row] + more[row, member]
    costs: FloatArray = (2.0 * apart + own).astype(np.float64)
    return problem.members[chosen], costs


def best_structures(problem: LinkingProblem, k: int = 1, *, limit: int = LIMIT) -> list[Solution[IntArray]]:
    """Return the `k` best structures, best first; ties in the order of `candidates`.

    Raises `SpaceTooLarge`: see `all_structures`.
    """
    structures, costs = all_structures(problem, limit=limit)
    order = np.argsort(costs, kind="stable")[:k]
    return [Solution(one, cost) for one, cost in zip(structures[order], costs[order].tolist(), strict=True)]
