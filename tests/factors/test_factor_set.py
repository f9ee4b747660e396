"""The factors of any problem: scopes, scores, sentences about what is wrong."""

import math

import numpy as np
import pytest
from plain_backbones import Listed

from gapless import InvalidProblem
from gapless.roles import ConfigurationFactor, Conjunctions, Decisions, FactorSet, Fixings, StructureFactor
from gapless.testing.random_factors import ScoredCount, random_factors

DECISIONS = Decisions(6, exactly_one=((0, 1, 2), (3, 4)))


class Scoped(ConfigurationFactor):
    name = "scoped"

    def __init__(self, scope, values=(0.0,)):
        self.given, self.values = scope, list(values)

    def scope(self, decisions):
        return self.given

    def value(self, on):
        return self.values.pop(0) if len(self.values) > 1 else self.values[0]

    def best(self, weights):
        return 0.0, np.zeros(weights.size, bool)


@pytest.mark.parametrize(
    ("scope", "said"),
    [
        ([0, 7], "decision 7, outside 0..5"),
        ([-1, 2], "decision -1, outside"),
        ([2, 1], "lists decision 2 before 1"),
        ([1, 1], "lists decision 1 before 1"),
        ([[0, 1]], r"shape \(1, 2\)"),
        ([0.5], "dtype float64"),
    ],
)
def test_scopes_are_checked(scope, said):
    factors = FactorSet([Conjunctions([[0, 1]], [1.0]), Scoped(scope)], DECISIONS)
    with pytest.raises(InvalidProblem, match=rf"factors\[1\] \(scoped\): scope\(\).*{said}"):
        _ = factors.configurations


def test_what_is_no_factor_is_named():
    with pytest.raises(InvalidProblem, match=r"factors\[1\] is <class .*Count'>, expected an instance"):
        FactorSet([ScoredCount([0], [0, 0]), ScoredCount], DECISIONS)
    with pytest.raises(InvalidProblem, match="factors is 3, expected a sequence"):
        FactorSet(3, DECISIONS)


@pytest.mark.parametrize("value", [math.nan, math.inf, 1e13, "much", None])
def test_values_are_numbers(value):
    factors = FactorSet([Scoped([0], [value])], DECISIONS)
    with pytest.raises(InvalidProblem, match=r"factors\[0\] \(scoped\): value\(\) gave"):
        factors.value(np.array([0]))


def test_a_value_that_changes_is_drift():
    factors = FactorSet([ScoredCount([0, 1], [0, 1, 2]), Scoped([0], [1.0, 1.0, 1.0, 2.0])], DECISIONS)
    number, said = factors.drift([np.array([0]), np.array([1])])
    assert number == 1
    assert "factors[1] (scoped): value() of one configuration was 1.0, and is 2.0" in said
    assert FactorSet([ScoredCount([0, 1], [0, 1, 2])], DECISIONS).drift([np.array([0])]) is None


def test_who_forbids_what():
    factors = FactorSet([Conjunctions([[0, 3]], [-np.inf]), ScoredCount([4, 5], [-np.inf, 0, 0])], DECISIONS)
    assert factors.violations(np.array([0, 3])) == [
        "factors[0] (conjunctions) forbids decision 0, decision 3",
        "factors[1] (scored-count) forbids that none of its decisions is on",
    ]
    assert factors.violations(np.array([1, 4])) == []


def test_parts_sum_to_the_value():
    rng = np.random.default_rng(0)
    for _ in range(100):
        factors = FactorSet(random_factors(rng, DECISIONS), DECISIONS)
        on_ids = np.flatnonzero(rng.random(6) < 0.5)
        value = factors.value(on_ids)
        assert value == math.fsum(part.score for part in factors.parts(on_ids))
        assert (value == -math.inf) == bool(factors.violations(on_ids))


def test_possible_scopes_have_one_decision_of_a_choice_group():
    factors = FactorSet([], DECISIONS)
    assert factors.possible(np.array([[0, 1], [0, 3], [3, 4], [5, 0]])).tolist() == [False, True, False, True]


def test_overlapping_groups_are_distinguished():
    decisions = Decisions(4, exactly_one=((0, 1), (1, 2), (2, 3)))
    assert [group.tolist() for group in decisions.choice_groups()] == [[0, 1], [2, 3]]
    assert decisions.group_index().tolist() == [0, 0, 1, 1]


def test_a_second_structure_is_its_own_score_or_forbids():
    maximiser = Listed([[0], [0, 2]], [1.0, 5.0], 3)
    factor = StructureFactor(maximiser, [1, 3, 5], weights=[0.5, 0.0, 0.25])
    assert factor.scope(DECISIONS).tolist() == [1, 3, 5]
    assert factor.value(np.array([True, False, False])) == 1.5
    assert factor.value(np.array([True, False, True])) == 5.75
    assert factor.value(np.array([False, False, True])) == -math.inf
    value, on = factor.best(np.array([1.0, 0.0, -10.0]))
    assert (value, on.tolist()) == (2.5, [True, False, False])
    assert factor.best(np.array([-np.inf, 0.0, 0.0]))[0] == -math.inf
    assert maximiser.solve(np.zeros(3), Fixings.none(3)).value == 5.0
