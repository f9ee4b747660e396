"""Small random sentences, for ``gapless selftest``."""

from __future__ import annotations

import numpy as np

from gapless.roles import Specimens
from gapless_dependency.enumeration import best_trees
from gapless_dependency.problem import ParsingProblem
from gapless_dependency.random_problems import CONJUNCTIVE, FAMILIES, random_problem

_FACTORS = ((), ("grandchild",), ("grandchild", "sibling"), CONJUNCTIVE, FAMILIES)


def random_sentence(rng: np.random.Generator) -> ParsingProblem:
    """One to four words, projective or not, one root or several, few or all kinds of factors."""
    return random_problem(
        rng,
        int(rng.integers(1, 5)),
        projective=bool(rng.integers(2)),
        single_root=bool(rng.integers(2)),
        families=_FACTORS[int(rng.integers(len(_FACTORS)))],
        ties=bool(rng.integers(2)),
        forbidden=float(rng.choice([0.0, 0.0, 0.2, 0.5])),
        forbidden_parts=float(rng.choice([0.0, 0.0, 0.05])),
    )


SPECIMENS = (Specimens(ParsingProblem, random_sentence, best_trees),)
