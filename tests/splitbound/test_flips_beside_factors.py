"""Decisions ruled out because a factor, beside a flip, loses more than the trees do: certificates show that."""

import numpy as np
import pytest

import gapless as gl
from gapless.factors import Budget
from gapless_chains import ChainProblem
from gapless_dependency import ParsingProblem


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("seed", [0, 3, 4])
def test_parses_with_a_budget(seed, projective):
    scores = np.random.default_rng(seed).normal(size=(7, 7))
    arcs = ParsingProblem(scores).decisions
    inner = np.flatnonzero(arcs.heads > 0)
    span = Budget(inner, np.abs(arcs.heads - arcs.modifiers)[inner], 7, penalty=0.8)
    problem = ParsingProblem(scores, factors=[span], projective=projective)
    result = gl.solve(problem, "split-bound")
    verdict = result.verify(problem)
    assert result.status is gl.Status.OPTIMAL
    assert verdict, verdict.reason


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_chains_with_a_budget(seed):
    rng = np.random.default_rng(seed)
    unary, weights = rng.normal(size=(7, 3)), rng.integers(1, 9, 21)
    problem = ChainProblem(unary, rng.normal(size=(3, 3)), factors=[Budget(range(21), weights, 30, penalty=0.4)])
    result = gl.solve(problem, "split-bound")
    verdict = result.verify(problem)
    assert result.status is gl.Status.OPTIMAL
    assert verdict, verdict.reason
