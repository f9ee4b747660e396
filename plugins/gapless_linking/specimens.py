"""Small random texts, for ``gapless selftest``."""

from __future__ import annotations

import numpy as np

from gapless.roles import Specimens
from gapless_linking.decomposable_random import random_decomposable
from gapless_linking.enumeration import best_structures
from gapless_linking.problem import LinkingProblem
from gapless_linking.random_problems import random_problem


def random_linking(rng: np.random.Generator) -> LinkingProblem:
    """Every third one can be decomposed; the others have every oddity of `random_problem` but costs that cancel."""
    return random_decomposable(rng, 4) if rng.random() < 1 / 3 else random_problem(rng, cancelling=False)


SPECIMENS = (Specimens(LinkingProblem, random_linking, best_structures),)
