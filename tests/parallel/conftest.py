"""Problems of several kinds, small and quick."""

import numpy as np
import pytest

from gapless_chains import ChainModel
from gapless_dependency.random_problems import random_problem
from gapless_ordering.random_problems import title_like


@pytest.fixture(scope="session")
def chains():
    rng = np.random.default_rng(0)
    model = ChainModel(rng.normal(size=(5, 5)))
    return [model.problem(rng.normal(size=(int(n), 5))) for n in rng.integers(1, 9, 40)]


@pytest.fixture(scope="session")
def mixed(chains):
    """Chains of one model, parses with and without factors, an infeasible one, paths."""
    rng = np.random.default_rng(1)
    parses = [random_problem(rng, 5, families=family) for family in (("grandchild",), (), ("sibling",)) * 4]
    parses.append(random_problem(rng, 4, forbidden=1.0))
    return [*chains[:15], *parses, *(title_like(8, 4, seed) for seed in range(5)), *chains[15:25]]
