"""Backbones with random factors: the k best, and certificates that did not verify."""

import numpy as np
import pytest

import gapless as gl
from gapless_linking.selftest_instances import random_linking_with_factors
from gapless_ordering.selftest_instances import best_with_factors, random_ordering_with_factors


@pytest.mark.parametrize("case", [4, 9, 35, 86, 148])
def test_paths(case):
    problem = random_ordering_with_factors(np.random.default_rng([77, case]))
    result = gl.solve(problem, "split-bound", k=3)
    assert result.verify(problem)
    best = [s.value for s in best_with_factors(problem, 3)]
    assert [s.value for s in result.solutions] == pytest.approx(best)


def test_links():
    problem = random_linking_with_factors(np.random.default_rng([77, 199]))
    assert gl.solve(problem, "split-bound").verify(problem)
