"""Small instances and the honest roles on them."""

from types import SimpleNamespace

import numpy as np
import pytest

from gapless.column_generation import PricedRelaxation
from gapless.roles import ConfigurationFactor, Factor, Method, MostFractional, Sense
from gapless.search.lagrangian import LagrangianRelaxation
from gapless.testing import ConformanceError
from gapless.testing.example_pricing import ItemGenerator, KnownItems
from gapless.testing.examples import (
    CapacityPrices,
    OptimisticBound,
    Selection,
    SelectionMaximiser,
    random_selection,
)
from gapless.tree_search import tree_search


class Pair(Factor):
    """Neighbouring items like each other."""

    name = "pair"

    def scopes(self, decisions):
        return [(d, d + 1) for d in range(decisions.count - 1)]

    def score(self, scopes, decisions):
        return np.cos(scopes.sum(axis=1))

    def upper_bound(self, scopes, decisions):
        return np.ones(len(scopes))


class AtMost(ConfigurationFactor):
    """At most two of the items 0, 2, 3, 5."""

    name = "at-most"

    def scope(self, decisions):
        return np.array([0, 2, 3, 5])

    def value(self, on):
        return 0.0 if on.sum() <= 2 else -10.0 * on.sum()

    def best(self, weights):
        order = np.argsort(-weights)
        choices = [np.isin(np.arange(4), order[:k]) for k in range(5)]
        values = [self.value(c) + weights[c].sum() for c in choices]
        top = int(np.argmax(values))
        return values[top], choices[top]


def search(problem, solve, *, order="best-first"):
    return tree_search(
        problem,
        OptimisticBound(problem),
        MostFractional(),
        solve.budget,
        order=order,
        k=solve.k,
        start=solve.start,
        method=solve.method,
    )


@pytest.fixture
def honest():
    return SimpleNamespace(
        Pair=Pair,
        AtMost=AtMost,
        method=Method("search", Selection, search, k_best=True, warm_start=True),
        relaxations={
            "optimistic": OptimisticBound,
            "lagrangian": lambda p: LagrangianRelaxation(CapacityPrices(p), SelectionMaximiser(p)),
            "priced": lambda p: PricedRelaxation(KnownItems(p), [ItemGenerator(p)], p.decisions),
        },
    )


@pytest.fixture
def grouped():
    """Two groups and two items outside them; capacities bind."""
    return Selection([3.0, 1.0, 5.0, 4.0, 2.0, 1.0], [[2.0, 1.0, 3.0, 1.0, 2.0, 1.0]], [6.0], ((0, 1), (2, 3)))


def _instances():
    rng = np.random.default_rng(77)
    groups = [(), (3,), (2, 3), (2, 2, 2)]
    senses = [Sense.MAXIMISE, Sense.MINIMISE]
    return [
        random_selection(rng, 6, capacities=1 + i % 2, group_sizes=groups[i % 4], sense=senses[i // 4 % 2])
        for i in range(12)
    ]


QUICK = (0, 2, 5, 7)
"""Of each number of groups one, of either sense two."""


@pytest.fixture(
    params=[pytest.param(p, marks=[pytest.mark.long] * (i not in QUICK)) for i, p in enumerate(_instances())],
    ids=lambda p: f"{p.sense.value}-{len(p.groups)}-groups",
)
def instance(request):
    return request.param


@pytest.fixture
def caught():
    """`caught(rule, check, ...)`: the kit names one of the rules in "rule|rule", and who broke it where."""

    def catch(rule, check, *args, **kwargs):
        with pytest.raises(ConformanceError) as error:
            check(*args, **kwargs)
        assert any(part in error.value.rule for part in rule.split("|")), error.value
        assert error.value.role in str(error.value)
        assert error.value.instance
        return error.value

    return catch
