"""Linking as choice groups and factors over pairs: together they score what the problem does."""

import math

import numpy as np
import pytest
from drawn import examples, generators
from hypothesis import given

from gapless import InvalidProblem
from gapless.problems.problem import score_of
from gapless.roles import Fixings, ScoredFactor
from gapless.testing import check_maximiser, enumerate_best
from gapless_linking import LinkingProblem
from gapless_linking.random_problems import random_problem


def groups_alone(problem):
    """Every choice of members, feasible or not."""
    grids = np.meshgrid(*(np.arange(a, b) for a, b in zip(problem.first[:-1], problem.first[1:], strict=True)))
    return list(np.stack(grids, axis=-1).reshape(-1, problem.k))


@examples(12)
@given(rng=generators())
def test_backbone_and_structural_factors_score_as_the_problem_does(rng):
    problem = random_problem(np.random.default_rng(int(rng.integers(1000))))
    backbone = problem.backbone()
    scored = [ScoredFactor(factor, problem.decisions) for factor in problem.structural_factors]
    free = Fixings.none(problem.decisions.count)
    for on in groups_alone(problem)[:60]:
        total = backbone.constant + backbone.weights[on].sum() + sum(one.value(on) for one in scored)
        expected = score_of(problem, problem.decode(on))
        assert total == pytest.approx(expected) or total == expected == -math.inf
        found = backbone.maximiser.solve(backbone.weights, free.fix(on=on))
        assert found.value == pytest.approx(backbone.weights[on].sum()) or found.value == -math.inf


@examples(5)
@given(rng=generators())
def test_the_maximiser_keeps_its_contract(rng):
    problem = random_problem(np.random.default_rng(int(rng.integers(1000))))
    check_maximiser(problem.backbone().maximiser, problem.decisions, groups_alone(problem), samples=6)


def test_too_many_pairs_are_refused_and_the_limit_is_named():
    sets = [list(range(800)), list(range(800, 1600)), list(range(1600, 2400))]
    far = LinkingProblem.from_distances(np.zeros((2400, 2400), np.uint8), sets)
    with pytest.raises(InvalidProblem, match="make 1920000 pairs, and factors take up to 1000000"):
        _ = far.structural_factors
    assert enumerate_best(LinkingProblem.from_distances(np.zeros((2, 2)), [[0], [1]]))
