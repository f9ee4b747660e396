"""A granularity that is not true would round bounds below the best tree: it is refused where scores are seen."""

import numpy as np
import pytest
from drawn import generators
from hypothesis import given

import gapless as gl
from gapless_dependency import Grandchild, ParsingProblem, Valency


def test_arc_scores_off_the_granularity_are_refused():
    scores = np.ones((4, 4))
    scores[0, 0] = scores[1, 1] = scores[2, 0] = 0.5  # count nowhere
    assert ParsingProblem(scores, granularity=1.0).granularity == 1
    scores[2, 3] = 0.5
    with pytest.raises(gl.InvalidProblem, match=r"arc 2 -> 3 is 0\.5, no multiple of the granularity 1"):
        ParsingProblem(scores, granularity=1.0)
    mask = np.ones((4, 4), bool)
    mask[2, 3] = False
    ParsingProblem(scores, granularity=1.0, heads=mask)
    assert ParsingProblem(np.ones((4, 4)), granularity=np.float32(1)).granularity == 1
    with pytest.raises(gl.InvalidProblem, match="granularity is '1'"):
        ParsingProblem(np.ones((4, 4)), granularity="1")


def test_tenths_are_multiples_of_a_tenth():
    scores = np.arange(-50, 50).reshape(10, 10) / 10
    factor = Grandchild(np.round(np.random.default_rng(0).normal(size=(10, 10, 10)), 1))
    result = gl.solve(ParsingProblem(scores, factors=[factor], granularity=0.1))
    plain = gl.solve(ParsingProblem(scores, factors=[factor]))
    assert result.value == pytest.approx(plain.value)


@pytest.mark.parametrize("projective", [True, False])
@given(rng=generators())
def test_a_false_granularity_never_proves_less_than_the_best(rng, projective):
    whole = rng.integers(-2, 3, (6, 6))
    scores = rng.integers(-4, 5, (6, 6, 6)) / 2
    scores[0, 1, 2] = 0.5
    with pytest.raises(gl.InvalidProblem, match="no multiple of the granularity 1"):
        gl.solve(ParsingProblem(whole, factors=[Grandchild(scores)], granularity=1.0, projective=projective))


class Bragging(Valency):
    """Does not list all that it scores."""

    def possible_values(self):
        return np.array([0.0, 1.0])


def test_trees_that_score_off_the_granularity_are_refused():
    problem = ParsingProblem(np.zeros((4, 4)), factors=[Bragging(1, [0.0, 0.5, 1.0, 1.5])], granularity=1.0)
    assert problem.value(problem.tree([0, 1, 1])) == 1
    with pytest.raises(gl.InvalidProblem, match=r"a tree scores 0\.5, no multiple"):
        problem.value(problem.tree([0, 1, 2]))
