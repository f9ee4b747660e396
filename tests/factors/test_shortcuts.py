"""Closed forms of the diagrams that are shipped, in subclasses; what reads choice groups where there are others."""

import numpy as np
import pytest

import gapless as gl
from gapless.factors import Automaton, Budget, Or, Precedence
from gapless.testing import enumerate_best
from gapless_chains import ChainProblem
from gapless_dependency import ParsingProblem
from gapless_ordering import OrderingProblem


class Charged(Budget):
    """A budget that charges for each of its decisions."""

    def step(self, layer, choice, states):
        following, _ = super().step(layer, choice, states)
        return following, -5.0 if choice >= 0 else 0.0


class Named(Budget):
    """A budget with another name."""

    name = "named"


@pytest.mark.parametrize("penalty", [np.inf, 0.5])
def test_steps_of_a_subclass_count(penalty):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(4, 3)) + np.array([4.0, 0.0, 0.0])
    problem = ChainProblem(scores, np.zeros((3, 3)), factors=[Charged([0, 3, 6, 9], [1] * 4, 2, penalty)])
    result = gl.solve(problem)
    assert result.value == pytest.approx(enumerate_best(problem)[0].value)
    assert result.value == pytest.approx(problem.value(result.best))
    assert result.verify(problem)


def test_a_subclass_with_the_same_steps_keeps_its_shortcuts():
    assert Named.written_graph is Budget.written_graph
    assert Charged.written_graph is not Budget.written_graph


class Halved(Or):
    """Half the score."""

    def final(self, states):
        return 0.5 * super().final(states)


def test_steps_of_a_subclass_have_values_that_are_not_listed():
    scores = np.zeros((3, 3))
    assert ParsingProblem(scores, factors=[Or([0, 1], -1.0)], granularity=1.0).granularity == 1.0
    with pytest.raises(gl.InvalidProblem, match="does not say which values"):
        ParsingProblem(scores, factors=[Halved([0, 1], -1.0)], granularity=1.0)


@pytest.mark.parametrize("factor", [Precedence(0, 1), Automaton(np.zeros((1, 5), int))])
def test_choice_groups_that_leave_decisions_out_are_not_read_by_default(factor):
    problem = OrderingProblem(np.zeros(3), np.zeros((3, 3)), np.zeros(3), 2, factors=[factor])
    with pytest.raises(gl.InvalidProblem, match="are in none; give groups="):
        gl.solve(problem)
