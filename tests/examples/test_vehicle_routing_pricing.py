"""Pricing of routes and the verifier's own program: both against all walks, rays, stages, slacks."""

import contextlib
import itertools
import math
from functools import partial

import attrs
import numpy as np
import pytest
from drawn import examples, mostly_long
from hypothesis import given
from hypothesis import strategies as st
from routing_judges import METHODS, drivable, problems

import gapless as gl
from gapless.limits.work import work_limit
from gapless.rcsp import LabelSetting
from gapless.roles import Fixings, LinearView
from gapless_vehicle_routing import VehicleRoutingProblem, formulation, random_instance
from gapless_vehicle_routing.completions import FORBIDDEN
from gapless_vehicle_routing.dominance import Dominance
from gapless_vehicle_routing.labelling import RouteLabelling, nearest
from gapless_vehicle_routing.subset_rows import SubsetRow
from gapless_vehicle_routing.verifier_pricing import least_cost


def walks_of(problem, near, most):
    """Every ng-walk of at most so many visits, by the definition of Baldacci, Mingozzi and Roberti (2011)."""
    found = []

    def further(walk, memory):
        for place in problem.customers:
            longer = (*walk, place)
            if place not in memory and sum(problem.weights[list(longer)]) <= problem.room:
                if drivable(problem, longer):
                    found.append(longer)
                if len(longer) < most:
                    further(longer, memory & frozenset(near[place]) | {place})

    further((), frozenset())
    return found


def pays(row, walk):
    """Half the visits to the members, rounded down, in each part of the walk that stays within the memory."""
    parts = [list(part) for inside, part in itertools.groupby(walk, lambda c: c in row.memory) if inside]
    return sum(sum(c in row.members for c in part) // 2 for part in parts)


def drawn_rows(rng, places, count):
    rows = []
    for _ in range(count):
        members = rng.choice(places - 1, min(places - 1, int(rng.choice([1, 3]))), replace=False) + 1
        others = [c for c in range(1, places) if rng.random() < 0.4]
        rows.append(SubsetRow(tuple(sorted(members.tolist())), tuple(sorted({*members.tolist(), *others}))))
    return rows


@examples(60)
@given(problems(customers=4), st.integers(1, 4), st.integers(0, 3), st.integers(0, 2**32 - 1))
def test_pricing_and_the_judge_find_the_cheapest_walk(problem, size, count, seed):
    places = problem.demands.size
    rng = np.random.default_rng(seed)
    costs = rng.integers(-9, 10, (places, places))
    shut = (rng.random((places, places)) < 0.2) | (problem.network.number < 0)
    rows, charges = drawn_rows(rng, places, count), rng.integers(0, 9, count)
    if problem.room // int(problem.weights[1:].min()) > 6:
        return  # the enumeration would be long, and incomplete without it
    cost_of = {}
    for walk in walks_of(problem, nearest(problem, size), 6):
        arcs = list(itertools.pairwise((0, *walk, 0)))
        if not any(shut[arc] for arc in arcs):
            paid_here = sum(c * pays(r, walk) for r, c in zip(rows, charges, strict=True))
            cost_of[walk] = int(sum(costs[arc] for arc in arcs) + paid_here)
    least = min([0, *cost_of.values()])
    labelling = RouteLabelling(problem, size)
    arc_costs = labelling.arcs(np.where(shut, np.inf, costs.astype(float)))
    found = labelling.beside(rows).routes(arc_costs, below=-0.5, charges=charges.astype(float))
    assert min([0.0, *found.cost.tolist()]) == least
    assert found.bound <= min(cost_of.values(), default=math.inf)
    turned = set() if problem.network.directed else {walk[::-1] for walk in cost_of}
    assert set(labelling.walks(found)) <= {*cost_of, *turned}
    paid = [(r.members, r.memory, int(c)) for r, c in zip(rows, charges, strict=True)]
    assert least_cost(problem, np.where(shut, FORBIDDEN, costs), size, 0, paid) == least


@pytest.mark.parametrize("windows", [False, True])
@pytest.mark.parametrize("draws", [12, pytest.param(600, marks=pytest.mark.long)])
def test_pricing_and_the_judge_agree_where_nothing_can_be_enumerated(windows, draws):
    """Two programs that share no code; whole costs, so that both are exact."""
    cheapest = set()
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        problem = random_instance(seed, 9, windows=windows, per_route=5)
        costs = problem.distances - rng.integers(0, 90, problem.demands.size)
        costs[problem.network.number < 0] = FORBIDDEN
        size, count = int(rng.integers(1, 8)), int(rng.integers(0, 70 if seed % 5 == 0 else 5))
        rows, charges = drawn_rows(rng, 10, count), rng.integers(0, 30, count)
        labelling = RouteLabelling(problem, size)
        arc_costs = labelling.arcs(np.where(costs == FORBIDDEN, np.inf, costs.astype(float)))
        found = labelling.beside(rows).routes(arc_costs, below=-0.5, charges=charges.astype(float))
        paid = [(r.members, r.memory, int(c)) for r, c in zip(rows, charges, strict=True)]
        least = least_cost(problem, costs, size, 0, paid)
        assert min([0.0, *found.cost.tolist()]) == least
        cheapest.add(least)
    assert len(cheapest) > draws // 4


@pytest.mark.parametrize("seeds", mostly_long([2, 12], quick=[0]))
@pytest.mark.parametrize("windows", [False, True])
def test_steps_of_the_judge_are_wider_than_some_arcs(windows, seeds):
    """Small orders and short roads in large vehicles and long days: the bounds stay true, and the tables small."""
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        drawn = random_instance(seed, 6, windows=windows, per_route=3)
        demands, capacity = drawn.demands * 1000, drawn.capacity * 1000
        demands[rng.permutation(6)[:3] + 1] = rng.integers(0, 4, 3)
        durations = drawn.distances * 1000
        durations[1:4, 1:4] = rng.integers(1, 4, (3, 3))
        times = {}
        if windows and drawn.windows is not None:
            times = {"windows": drawn.windows * 1000, "durations": durations}
        problem = VehicleRoutingProblem(drawn.distances, demands, capacity, **times)
        costs = problem.distances - rng.integers(0, 90, 7)
        costs[problem.network.number < 0] = FORBIDDEN
        cheapest = 0
        for size in range(1, 7):
            for walk in itertools.permutations(problem.customers, size):
                if sum(demands[list(walk)]) <= capacity and drivable(problem, walk):
                    cheapest = min(cheapest, sum(int(costs[arc]) for arc in itertools.pairwise((0, *walk, 0))))
        with work_limit(2e8):
            assert least_cost(problem, costs, 6, 0) == cheapest


def test_walks_beyond_the_whole_numbers_of_floats_are_compared_exactly():
    dominance = Dominance(2, np.zeros(0, np.int64), 62)
    for cost, time in ((2**53 + 1, 0), (2**53, 1)):
        assert dominance.keep(np.array([[1], [1], [time], [cost]])).shape == (4, 1)


class Prices(LinearView):
    """A master whose customers pay this much each, and whose unit is any."""

    def __init__(self, problem, paid, held, weight=1.0):
        super().__init__(Fixings.none(problem.decisions.count))
        self.paid, self.roads, self.held, self.objective_weight = paid, len(problem.network), held, weight

    @property
    def column_keys(self):
        return np.array(self.held, np.int64)

    @property
    def row_keys(self):
        return np.zeros(0, np.int64)

    @property
    def usage(self):
        return None

    def prices(self, row_keys):
        return np.full(row_keys.size, -self.paid)

    def usage_prices(self):
        return np.zeros(self.roads)

    def reduced_costs(self, columns):
        raise NotImplementedError

    def allowances(self):
        raise NotImplementedError


def test_the_first_stage_bounds_what_is_missing():
    """Its walks may not be the cheapest; the slack counts those that are missing as well."""
    problem = random_instance(0, 8)
    pricing = formulation(problem).generators[0]
    quick = pricing.query(Prices(problem, 90.0, []), stage="heuristic")
    whole = pricing.query(Prices(problem, 90.0, []))
    assert len(quick.batch.columns)
    assert quick.pricing_gap is not None
    assert whole.pricing_gap is not None
    assert quick.pricing_gap >= whole.pricing_gap > 0


def test_a_ray_has_no_unit():
    """Farkas prices of any size find the columns that repair the master; to miss them would prove infeasibility."""
    problem = random_instance(0, 5)
    pricing = formulation(problem).generators[0]
    assert len(pricing.query(Prices(problem, 1e-12, [], weight=0.0)).batch.columns)
    assert not len(pricing.query(Prices(problem, -1e-12, [], weight=0.0)).batch)


def test_prices_that_are_no_numbers_are_refused():
    problem = random_instance(0, 5)
    for paid in (math.nan, math.inf):
        with pytest.raises(FloatingPointError):
            formulation(problem).generators[0].query(Prices(problem, paid, []))


@pytest.mark.parametrize("method", METHODS)
def test_a_search_without_memory_proves_nothing(method, monkeypatch):
    """Whatever comes of it, no bound is claimed that is not true, and no plan is called the best that is not."""
    problem = random_instance(3, 14, per_route=7)
    best = gl.solve(problem, method).value
    monkeypatch.setattr("gapless_vehicle_routing.labelling.LabelSetting", partial(LabelSetting, memory_limit=1e4))
    with contextlib.suppress(gl.GaplessError):
        found = gl.solve(problem, method, limits=gl.Limits(nodes=20))
        assert found.bound <= best + 1e-6
        assert found.value >= best - 1e-6
    few = attrs.evolve(problem, vehicles=problem.fewest)
    with contextlib.suppress(gl.GaplessError):
        assert gl.solve(few, method, limits=gl.Limits(nodes=5)).status is not gl.Status.INFEASIBLE
