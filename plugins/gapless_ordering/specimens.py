"""Small random paths, for ``gapless selftest``."""

from __future__ import annotations

import numpy as np

from gapless.roles import Specimens
from gapless_ordering.enumeration import best_paths
from gapless_ordering.problem import OrderingProblem
from gapless_ordering.random_problems import random_problem


def random_ordering(rng: np.random.Generator) -> OrderingProblem:
    """One to six vertices, with every oddity of `random_problem`."""
    return random_problem(rng, int(rng.integers(1, 7)))


SPECIMENS = (Specimens(OrderingProblem, random_ordering, best_paths),)
