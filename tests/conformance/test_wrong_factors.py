"""Deliberately wrong factors: bounds below scores, scores that depend on the company."""

import itertools
import math

import numpy as np
import pytest

from gapless.roles import DecisionDiagram, Decisions
from gapless.testing import check_factor

NAN, INF = math.nan, math.inf
CALLS = itertools.count()


BY_SIZE = [lambda self, scopes, d: np.zeros(len(scopes)) + len(scopes), "do not depend on what else is asked"]


def drifting(self, scopes, decisions):
    call = next(CALLS)
    return np.zeros(len(scopes)) - call


def pairs(*listed):
    return lambda self, decisions: list(listed)


FACTORS = {
    "bound below the score": ({"upper_bound": lambda self, s, d: np.cos(s.sum(axis=1)) - 1e-3}, "dominates score"),
    "bound is NaN": ({"upper_bound": lambda self, s, d: np.full(len(s), NAN)}, "never NaN"),
    "score depends on the batch": (
        {"score": BY_SIZE[0], "upper_bound": lambda self, s, d: np.full(len(s), INF)},
        BY_SIZE[1],
    ),
    "score drifts": ({"score": drifting}, "what else is asked, or when"),
    "score is a column": ({"score": lambda self, s, d: np.zeros((len(s), 1))}, "scores have shape"),
    "score of one": ({"score": lambda self, s, d: np.zeros(1)}, "scores have shape"),
    "score is NaN": ({"score": lambda self, s, d: np.where(s[:, 0] == 2, NAN, 0.0)}, "never NaN"),
    "score is infinite": ({"score": lambda self, s, d: np.where(s[:, 0] == 2, INF, 0.0)}, "plus infinity"),
    "score raises": ({"score": lambda self, s, d: 1 / 0}, "scores can be computed"),
    "scopes raise": ({"scopes": lambda self, d: {}["x"]}, "scopes can be listed"),
    "scopes of two lengths": ({"scopes": pairs((0, 1), (2,))}, "one length"),
    "scope repeats a decision": ({"scopes": pairs((0, 0))}, "repeats no decision"),
    "score is too large": ({"score": lambda self, s, d: np.full(len(s), 1e13)}, "at most 1e+12"),
    "scope of fractions": ({"scopes": pairs((0.5, 1))}, "whole numbers"),
    "scope is not there": ({"scopes": pairs((0, 6))}, "existing decisions"),
    "scope listed twice": ({"scopes": pairs((0, 1), (1, 0))}, "listed twice"),
    "scopes change": (
        {"scopes": lambda self, d: [(0, 1)] if next(CALLS) % 2 else [(1, 2)]},
        "listed the same way",
    ),
    "nameless": ({"name": ""}, "has a name"),
}


@pytest.mark.parametrize("name", FACTORS)
def test_factors(caught, honest, name):
    changes, rule = FACTORS[name]
    caught(rule, check_factor, type("BentPair", (honest.Pair,), changes)(), Decisions(6))


def greedy(self, weights):
    """Ignores the value."""
    on = weights > 0
    return self.value(on) + weights[on].sum(), on


def boasts(self, weights):
    value, on = type(self).__mro__[1].best(self, weights)
    return value + 1, on


CONFIGURATIONS = {
    "scope raises": ({"scope": lambda self, d: {}["x"]}, "the scope can be listed"),
    "scope is None": ({"scope": lambda self, d: None}, "existing decisions, ascending"),
    "scope of fractions": ({"scope": lambda self, d: np.array([0.5, 1.0])}, "existing decisions, ascending"),
    "value is an array": ({"value": lambda self, on: np.zeros(2)}, "every configuration has a value"),
    "value is None": ({"value": lambda self, on: None}, "every configuration has a value"),
    "best is a number": ({"best": lambda self, weights: 0.0}, "a value and a configuration"),
    "best is too wide": (
        {"best": lambda self, weights: (0.0, np.zeros(9, bool))},
        "a boolean for each decision",
    ),
    "best is greedy": ({"best": greedy}, "best equals enumeration"),
    "best boasts": (
        {"best": boasts},
        "best equals enumeration",
    ),
    "best shows another": (
        {"best": lambda self, w: (self.__class__.__mro__[1].best(self, w)[0], np.ones(4, bool))},
        "states what its configuration scores",
    ),
    "best leaves the scope": (
        {"best": lambda self, w: (self.__class__.__mro__[1].best(self, w)[0], np.array([1]))},
        "a boolean for each decision",
    ),
    "value drifts": ({"value": lambda self, on: float(next(CALLS))}, "do not depend on time"),
    "value is NaN": ({"value": lambda self, on: NAN}, "never NaN"),
    "value raises": ({"value": lambda self, on: 1 / 0}, "has a value"),
    "scope unsorted": ({"scope": lambda self, d: np.array([3, 0])}, "ascending"),
    "scope not there": ({"scope": lambda self, d: np.array([3, 9])}, "existing decisions"),
}


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_configuration_factors(caught, honest, name):
    changes, rule = CONFIGURATIONS[name]
    caught(rule, check_factor, type("BentAtMost", (honest.AtMost,), changes)(), Decisions(6))


class Limit(DecisionDiagram):
    """At most two of six, and a score for the first."""

    name = "limit"

    def layers(self, decisions):
        return [[0], [1, 2], [3], [4], [5]]

    def step(self, layer, choice, states):
        following = states + (choice >= 0)
        return np.where(following > 2, -1, following), np.where(states == 0, 1.0 * (choice >= 0), 0.0)

    def relax(self, layer, states):
        return np.minimum(states, 1)


def remembers(self, layer, choice, states):
    """Counts calls."""
    return Limit.step(self, layer, choice, states)[0], float(next(CALLS))


def by_company(self, layer, choice, states):
    following, scores = Limit.step(self, layer, choice, states)
    return following, scores - scores.max()


DIAGRAMS = {
    "layers change": (
        {"layers": lambda self, d: [[next(CALLS) % 5]]},
        "layers are listed the same way each time",
    ),
    "a step remembers": ({"step": remembers}, "nothing but layer, choice and state"),
    "a step looks at other states": ({"step": by_company}, "nothing but layer, choice and state"),
    "a final score looks at other states": (
        {"final": lambda self, states: states - states.mean()},
        "nothing but the state",
    ),
    "a step raises": ({"step": lambda self, layer, choice, states: 1 / 0}, "a diagram can be unrolled"),
    "coarser states forbid": ({"relax": lambda self, layer, states: np.maximum(states, 1)}, "allow as much"),
    "best boasts": ({"best": boasts}, "best equals enumeration"),
}


@pytest.mark.parametrize("name", DIAGRAMS)
def test_diagrams(caught, name):
    changes, rule = DIAGRAMS[name]
    caught(rule, check_factor, type("BentLimit", (Limit,), changes)(), Decisions(6))


def test_a_right_diagram_passes():
    check_factor(Limit(), Decisions(6))
    check_factor(type("Small", (Limit,), {"limit": 11})(), Decisions(6))
