"""Small random paths, for ``gapless selftest``."""

from __future__ import annotations

import attrs
import numpy as np

from gapless import Solution
from gapless.arrays.sparse import IntArray
from gapless.roles import SelftestInstances
from gapless.testing.random_factors import best_among, random_factors
from gapless_ordering.enumeration import all_paths, best_paths
from gapless_ordering.problem import OrderingProblem
from gapless_ordering.random_problems import random_problem


def random_ordering(rng: np.random.Generator) -> OrderingProblem:
    """Sample one to six vertices, with every special case of `random_problem`."""
    return random_problem(rng, int(rng.integers(1, 7)))


def random_ordering_with_factors(rng: np.random.Generator) -> OrderingProblem:
    """Sample one to five vertices, with factors of any tier over starts, ends and steps."""
    bare = random_problem(rng, int(rng.integers(1, 6)))
    return attrs.evolve(bare, factors=random_factors(rng, bare.decisions))


def best_with_factors(problem: OrderingProblem, k: int) -> list[Solution[IntArray]]:
    """Return the `k` best of all paths."""
    paths, _ = all_paths(attrs.evolve(problem, factors=()))
    return best_among(problem, paths, k)


SPECIMENS = (
    SelftestInstances(
        OrderingProblem, random_ordering, best_paths, structures=lambda problem: all_paths(problem)[0]
    ),
    SelftestInstances(OrderingProblem, random_ordering_with_factors, best_with_factors, factors=True),
)
