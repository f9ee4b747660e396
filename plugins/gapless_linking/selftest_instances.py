"""Small random texts, for ``gapless selftest``."""

from __future__ import annotations

import attrs
import numpy as np

from gapless import Solution
from gapless.arrays.sparse import IntArray
from gapless.roles import SelftestInstances
from gapless.testing.random_factors import best_among, random_factors
from gapless_linking.decomposable_random import random_decomposable
from gapless_linking.enumeration import all_structures, best_structures
from gapless_linking.problem import LinkingProblem
from gapless_linking.random_problems import random_problem


def random_linking(rng: np.random.Generator) -> LinkingProblem:
    """Sample a problem; every third is decomposable, others have all special cases but costs that cancel."""
    return random_decomposable(rng, 4) if rng.random() < 1 / 3 else random_problem(rng, cancelling=False)


def random_linking_with_factors(rng: np.random.Generator) -> LinkingProblem:
    """As `random_linking`, with factors of any tier over candidates."""
    bare = random_linking(rng)
    return attrs.evolve(bare, factors=random_factors(rng, bare.decisions))


def best_with_factors(problem: LinkingProblem, k: int) -> list[Solution[IntArray]]:
    """Return the `k` best of all structures."""
    structures, _ = all_structures(attrs.evolve(problem, factors=()))
    return best_among(problem, structures, k)


SPECIMENS = (
    SelftestInstances(
        LinkingProblem, random_linking, best_structures, structures=lambda problem: all_structures(problem)[0]
    ),
    SelftestInstances(LinkingProblem, random_linking_with_factors, best_with_factors, factors=True),
)
