"""A second structure in JSON: shipped maximisers come back, others are refused with what can be done."""

import numpy as np
import pytest

import gapless as gl
from gapless.arrays.serial import dumps, loads
from gapless.errors import InvalidProblem
from gapless.roles import Maximiser, Optimum, StructureFactor
from gapless_chains import ChainProblem, TreeProblem
from gapless_ordering import OrderingProblem


def second(rng, kind):
    """A problem over twelve decisions whose backbone is the second structure."""
    if kind == "chain":
        return ChainProblem(rng.normal(size=(4, 3)), rng.normal(size=(3, 3)))
    if kind == "tree":
        return TreeProblem(rng.normal(size=(4, 3)), rng.normal(size=(3, 3)), [-1, 0, 0, 1])
    return OrderingProblem(rng.normal(size=3), rng.normal(size=(3, 3)), rng.normal(size=3), 2)


@pytest.mark.parametrize("kind", ["chain", "tree", "walk"])
def test_a_shipped_maximiser_comes_back(kind):
    rng = np.random.default_rng(1)
    inner = second(rng, kind)
    backbone = inner.backbone()
    scope = np.arange(inner.decisions.count)
    factor = StructureFactor(backbone.maximiser, scope, np.where(np.isfinite(backbone.weights), 0.5, -np.inf))
    if kind != "walk":
        problem = ChainProblem(rng.normal(size=(4, 3)), rng.normal(size=(3, 3)), factors=[factor])
        copy = loads(dumps(problem))
        assert gl.solve(copy).value == gl.solve(problem).value
        assert gl.solve(copy).proved
    again = loads(dumps(factor))
    weights = rng.normal(size=scope.size)
    value, on = factor.best(weights)
    assert again.best(weights)[0] == value
    assert np.array_equal(again.best(weights)[1], on)


def test_another_maximiser_is_refused_with_the_remedy():
    class Own(Maximiser):
        def solve(self, weights, fixings):
            return Optimum(0.0, np.zeros(0, np.int64))

        def max_marginals(self, weights, fixings):
            raise NotImplementedError

    problem = ChainProblem(np.zeros((4, 3)), np.zeros((3, 3)), factors=[StructureFactor(Own(), np.arange(12))])
    with pytest.raises(InvalidProblem, match=r"structure: its maximiser .*Own cannot.*to_fields.*add it"):
        dumps(problem)
