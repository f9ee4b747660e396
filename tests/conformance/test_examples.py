"""The honest example roles pass the kit, and the enumerator agrees with a plain loop."""

import itertools
import sys

import attrs
import numpy as np
import patience
import pytest
from drawn import generators
from hypothesis import given

from gapless.roles import Decisions, Fixings, MostFractional, Sense
from gapless.testing import (
    SpaceTooLarge,
    check_brancher,
    check_factor,
    check_maximiser,
    check_method,
    check_oracle,
    check_problem,
    check_relaxation,
    enumerate_best,
    feasible_structures,
)
from gapless.testing.example_pricing import ItemGenerator, KnownItems
from gapless.testing.examples import OptimisticBound, Selection, SelectionMaximiser, random_selection


def test_problem(instance):
    check_problem(instance)
    check_problem(instance, [f.structure for f in feasible_structures(instance)][:3])


@pytest.mark.parametrize("name", ["optimistic", "lagrangian", "priced"])
def test_relaxation(instance, honest, name):
    check_relaxation(lambda: honest.relaxations[name](instance), instance, samples=10)


def test_oracles(instance):
    unlimited = attrs.evolve(instance, capacities=[99.0] * instance.capacities.size)
    on_sets = [f.on_ids for f in feasible_structures(unlimited)]
    check_maximiser(SelectionMaximiser(instance), instance.decisions, on_sets, samples=12)
    check_oracle(SelectionMaximiser(instance), unlimited)
    check_oracle(ItemGenerator(instance), instance, make_restricted=lambda: KnownItems(instance, (0, 5)))
    with pytest.raises(TypeError, match="make_restricted"):
        check_oracle(ItemGenerator(instance), instance)


@pytest.mark.parametrize("on_first", [True, False])
def test_brancher(instance, on_first):
    check_brancher(MostFractional(on_first=on_first), instance, OptimisticBound(instance))


def test_factors(honest):
    check_factor(honest.Pair(), Decisions(6))
    check_factor(honest.Pair(), Decisions(1))
    check_factor(honest.AtMost(), Decisions(6))


def test_method(instance, honest):
    check_method(honest.method, [instance])


@pytest.mark.parametrize("order", ["depth-first", "breadth-first"])
def test_method_with_options(honest, grouped, order):
    check_method(honest.method, [grouped], order=order)


def brute(problem, fixings=None):
    """Values of all feasible subsets, without any help from groups."""
    found = []
    for bits in itertools.product((0, 1), repeat=problem.worth.size):
        on_ids = np.flatnonzero(bits)
        structure = problem.decode(on_ids)
        if not problem.violations(structure) and (fixings is None or fixings.allows(on_ids)):
            found.append(problem.value(structure))
    return sorted(found, reverse=problem.sense is Sense.MAXIMISE)


@given(rng=generators())
def test_enumeration_is_complete(rng):
    groups = [(), (3,), (2, 3), (2, 2, 2)][rng.integers(4)]
    sense = [Sense.MAXIMISE, Sense.MINIMISE][rng.integers(2)]
    problem = random_selection(rng, 6, capacities=int(rng.integers(1, 3)), group_sizes=groups, sense=sense)
    assert [s.value for s in enumerate_best(problem, k=99)] == brute(problem)
    assert [s.value for s in enumerate_best(problem, k=2)] == brute(problem)[:2]
    fixings = Fixings(rng.choice([-1, -1, 0, 1], 6))
    assert [s.value for s in enumerate_best(problem, k=99, fixings=fixings)] == brute(problem, fixings)


def test_overlapping_groups_are_cut():
    """Assignment of 4 to 4: 24 structures among 65,536 subsets."""
    rows = [tuple(4 * i + j for j in range(4)) for i in range(4)]
    columns = [tuple(4 * i + j for i in range(4)) for j in range(4)]
    problem = Selection(np.arange(16.0), np.zeros((0, 16)), [], (*rows, *columns))
    assert len(feasible_structures(problem, limit=24)) == 24
    with pytest.raises(SpaceTooLarge, match="more than 23"):
        feasible_structures(problem, limit=23)


def test_what_is_too_large_is_refused_at_once():
    problem = Selection(np.zeros(60), np.zeros((1, 60)), [0.0])
    with pytest.raises(SpaceTooLarge, match=rf"there are {2**60} assignments of 60 decisions; the limit is 200000"):
        enumerate_best(problem)
    few = Fixings(np.where(np.arange(60) < 3, -1, 0))
    assert len(enumerate_best(problem, k=99, fixings=few)) == 8
    check_problem(problem, [(1, 2)])
    with pytest.raises(SpaceTooLarge):
        check_problem(problem)


def test_an_empty_group_leaves_nothing():
    assert feasible_structures(Selection([1.0], [[0.0]], [1.0], ((),))) == []


@pytest.mark.parametrize("k", [0, -3])
def test_k_below_one(grouped, k):
    with pytest.raises(ValueError, match="at least 1"):
        enumerate_best(grouped, k=k)


def test_thresholds_are_kept_in_order():
    """Two copies of one item: "at least 2" without "at least 1" is no assignment."""

    class Copies(Selection):
        @property
        def decisions(self):
            return Decisions(3, quantity=[0, 0, 1], threshold=[1, 2, 1])

    seen = []

    class Watched(Copies):
        def decode(self, on_ids):
            seen.append(tuple(on_ids))
            return super().decode(on_ids)

    feasible_structures(Watched(np.ones(3), np.zeros((1, 3)), [1.0]))
    assert sorted(seen) == [(), (0,), (0, 1), (0, 1, 2), (0, 2), (2,)]


def test_the_kit_needs_no_hypothesis_but_strategies_say_so():
    script = """
import sys
sys.modules["hypothesis"] = None
import gapless.testing
try:
    import gapless.testing.strategies
except ImportError as error:
    assert type(error).__name__ == "MissingDependency", error
    assert "pip install hypothesis" in str(error)
else:
    raise AssertionError("imported without Hypothesis")
"""
    done = patience.run([sys.executable, "-c", script])
    assert done.returncode == 0, done.stderr
