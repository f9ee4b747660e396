"""The vehicle-routing example as users meet it: optima of enumeration and of SCIP's program, evidence, limits."""

import math

import attrs
import numpy as np
import pytest
from drawn import examples, mostly_long
from hypothesis import given
from hypothesis import strategies as st
from routing_judges import METHODS, all_plans, problems, proved, shortest_total, verified

import gapless as gl
from gapless.column_generation import branch_and_price
from gapless.roles import Fixings, PricingOptions, TreeCertificate
from gapless.scip import solve_monolithic
from gapless_vehicle_routing import (
    RoutePriceCertificate,
    VehicleRoutingProblem,
    formulation,
    random_instance,
)
from gapless_vehicle_routing.routes import savings_plan
from gapless_vehicle_routing.ruin_and_recreate import ruin_and_recreate


def solved(problem, method):
    """The optimum by a method, infinite where it proves that there is none."""
    result = gl.solve(problem, method)
    if result.status is gl.Status.INFEASIBLE:
        return math.inf
    assert result.status is gl.Status.OPTIMAL
    assert problem.violations(result.best) == []
    return result.value


@examples(40)
@given(problems())
def test_own_tree_equals_enumeration(problem):
    assert solved(problem, "branch-price-and-cut") == pytest.approx(shortest_total(problem), abs=1e-9)


@examples(40)
@given(problems())
def test_every_answer_is_certified(problem):
    result = gl.solve(problem)
    verdict = result.verify(problem)
    assert verdict, verdict
    if result.solutions:
        verified(problem, result)
        assert verdict.value_bound >= result.value - 1e-5


@examples(15)
@given(problems())
def test_scips_tree_equals_enumeration(problem):
    assert solved(problem, "scip") == pytest.approx(shortest_total(problem), abs=1e-9)


@examples(20)
@given(problems())
def test_the_linear_model_has_the_same_optimum(problem):
    judged = solve_monolithic(problem)
    if not judged.solutions:
        assert judged.status is gl.Status.INFEASIBLE
        assert shortest_total(problem) == math.inf
        return
    assert judged.value == pytest.approx(shortest_total(problem), abs=1e-9)
    assert problem.violations(judged.best) == []


@pytest.mark.parametrize("windows", [False, True])
@pytest.mark.parametrize("seed", mostly_long(range(40), quick=[2]))
def test_both_trees_agree_where_a_tree_is_needed(seed, windows):
    problem = random_instance(seed, 14, windows=windows, per_route=3.4)
    ours = proved(problem, "branch-price-and-cut", neighbourhood=3)
    assert ours.value == proved(problem, "scip").value
    verified(problem, ours)


@pytest.mark.parametrize("windows", mostly_long([False, True], quick=[1]))
def test_long_routes_are_priced_at_smoothed_prices(windows):
    """One vehicle holds them all; the answer and its evidence do not depend on the way of the prices."""
    problem = random_instance(2, 13, windows=windows, per_route=14)
    form = formulation(problem)
    assert form.pricing.smoothing == "wentges"
    ours = proved(problem, "branch-price-and-cut")
    plain = branch_and_price(problem, attrs.evolve(form, pricing=PricingOptions(initial_columns_priceable=True)))
    assert ours.value == plain.value == proved(problem, "scip").value
    verified(problem, ours)


@pytest.mark.parametrize("seeds", mostly_long([[2, 3], range(8)], quick=[0]), ids=str)
def test_the_tree_branches_and_its_leaves_are_certified(seeds):
    nodes = [gl.solve(random_instance(seed, 12), neighbourhood=1) for seed in seeds]
    assert any(isinstance(result.certificate, TreeCertificate) for result in nodes)
    assert all(result.verify(random_instance(seed, 12)) for seed, result in zip(seeds, nodes, strict=True))


def test_bounds_on_the_way_are_true_and_certified():
    problem = random_instance(3, 16, per_route=5)
    best = proved(problem, "branch-price-and-cut").value
    for limits in (gl.Limits(nodes=0), gl.Limits(nodes=1), gl.Limits(iterations=9)):
        early = gl.solve(problem, limits=limits)
        assert early.value >= best >= early.bound, limits
        assert early.verify(problem) or not math.isfinite(early.bound), limits


@pytest.mark.parametrize("longer", mostly_long([1000, 10**6], quick=[1]))
def test_bounds_on_the_way_are_certified_where_some_routes_are_tiny(longer):
    """Farley's factor is then large: the prices are scaled so that every number of the evidence fits."""
    for seed in (2, 3):
        drawn = random_instance(seed, 10, per_route=4)
        distances = drawn.distances * longer
        distances[0, 1:3] = distances[1:3, 0] = 1
        problem = VehicleRoutingProblem(distances, drawn.demands, drawn.capacity)
        for iterations in (1, 2, 3):
            early = gl.solve(problem, limits=gl.Limits(iterations=iterations))
            assert early.bound > 0
            assert early.verify(problem)


@pytest.mark.parametrize("capacity", mostly_long([20_000, 2**40], quick=[1]))
def test_customers_who_order_nothing_cost_the_verifier_no_time(capacity):
    drawn = random_instance(1, 12)
    demands = drawn.demands * (20_000 // drawn.capacity)
    demands[3] = 0
    problem = VehicleRoutingProblem(drawn.distances * 100, demands, capacity)
    assert proved(problem, "branch-price-and-cut").verify(problem, work=1e9)


def test_numbers_of_evidence_are_whole():
    """A fraction of a weight would make costs that are no whole numbers."""
    assert RoutePriceCertificate(1.5, [3], neighbourhood=2.0, least=-0.5).weight == 1
    with pytest.raises(ValueError, match="NaN"):
        RoutePriceCertificate(math.nan, [3])


@examples(30)
@given(problems(customers=4), st.data())
def test_any_prices_prove_something_true(problem, data):
    plans = list(all_plans(problem))
    places, price = problem.demands.size, st.integers(-30, 60)
    roads = data.draw(st.lists(st.integers(0, len(problem.network) - 1), max_size=4, unique=True))
    customers = st.lists(st.integers(1, places - 1), min_size=1, unique=True)
    sets = data.draw(st.lists(customers, max_size=3))
    evidence = RoutePriceCertificate(
        data.draw(st.integers(0, 3)),
        [data.draw(price) for _ in problem.customers],
        roads,
        [data.draw(price) for _ in roads],
        sets,
        [data.draw(st.integers(0, 20)) for _ in sets],
        data.draw(st.integers(1, 5)),
        -data.draw(st.integers(0, 40)),
        subsets := data.draw(st.lists(customers, max_size=3)),
        [data.draw(customers) for _ in subsets],
        [data.draw(st.integers(0, 20)) for _ in subsets],
    )
    chosen = data.draw(st.sampled_from(plans)) if plans else None
    state = np.full(problem.decisions.count, -1, np.int8)
    if chosen is not None:
        held = np.isin(np.arange(state.size), problem.encode(chosen))
        at = np.array(data.draw(st.lists(st.integers(0, state.size - 1), max_size=4)), np.int64)
        state[at] = held[at]
    for fixings in (Fixings.none(state.size), Fixings(state)):
        verdict = evidence.verify(problem, fixings)
        assert verdict, verdict
        left = [problem.value(p) for p in plans if fixings.allows(problem.encode(p))]
        assert -verdict.bound <= min(left, default=math.inf) + 1e-9


def test_tampered_evidence_fails():
    problem = random_instance(0, 8)
    result = proved(problem, "branch-price-and-cut")
    assert isinstance(result.certificate, RoutePriceCertificate)
    evidence = result.certificate
    weaker = attrs.evolve(result, certificate=attrs.evolve(evidence, customers=[0] * 8))
    assert "is claimed" in weaker.verify(problem).reason
    changes = [
        {"customers": [1]},
        {"roads": [10**6], "road_prices": [1]},
        {"roads": [1], "road_prices": []},
        {"sets": [[0]], "set_prices": [1]},
        {"sets": [[1]], "set_prices": [-1]},
        {"least": 1},
        {"weight": -1},
        {"neighbourhood": 0},
        {"neighbourhood": 63},
        {"customers": [2**70] * 8},
    ]
    for change in changes:
        verdict = attrs.evolve(evidence, **change).verify(problem)
        assert not verdict, change
        assert "does not fit the problem" in verdict.reason


@pytest.mark.parametrize("method", METHODS)
def test_what_no_vehicle_can_serve_is_named(method):
    far = np.array([[0, 9, 1], [9, 0, 9], [1, 9, 0]])
    heavy = VehicleRoutingProblem(far, [0, 3, 9], 8)
    late = VehicleRoutingProblem(far, [0, 1, 1], 8, windows=[[0, 50], [0, 8], [0, 50]])
    few = VehicleRoutingProblem(far, [0, 5, 5], 8, vehicles=1)
    for problem, said in ((heavy, "customer 2 orders 9"), (late, "customer 1"), (few, "needs 2 vehicles")):
        result = gl.solve(problem, method)
        assert result.status is gl.Status.INFEASIBLE
        assert said in result.explanation[0]


def test_windows_that_only_together_cannot_be_kept_are_proved_infeasible():
    near = np.ones((4, 4), int) * 10
    problem = VehicleRoutingProblem(near, [0, 1, 1, 1], 9, 1, [[0, 100], [10, 10], [10, 10], [30, 40]])
    result = gl.solve(problem)
    assert result.status is gl.Status.INFEASIBLE
    assert result.verify(problem)


def test_violations_are_readable():
    near = np.ones((3, 3), int) * 10
    problem = VehicleRoutingProblem(near, [0, 4, 5], 8, 1, [[0, 100], [0, 20], [0, 12]])
    assert problem.violations(((1,), (2,))) == ["2 routes for 1 vehicles"]
    assert problem.violations(((2, 1),)) == ["route 0 carries 9 of 8"]
    assert problem.violations(((1, 2),)) == [
        "route 0 carries 9 of 8",
        "route 0 reaches place 2 at 20, which closes at 12",
    ]
    assert problem.violations(((1,),)) == ["customer 2 is visited 0 times"]
    assert problem.violations(((1,), ()))[0] == "route 1 is empty"
    assert "unknown customer 7" in problem.violations(((1, 7),))[0]
    assert "unknown customer 0" in problem.violations(((1, 0, 2),))[0]


NEAR = [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((NEAR, [0, 1], 0), "capacity is 0"),
        ((NEAR, [1, 1], 5), "depot, place 0"),
        ((NEAR, [0, -1], 5), "demands holds -1"),
        ((NEAR, [0], 5), "one customer at least"),
        ((NEAR, [0, 1, 1], 5), "distances has shape"),
        (([[0, 1.5], [1, 0]], [0, 1], 5), "whole numbers"),
        (([[0, math.nan], [1, 0]], [0, 1], 5), "whole numbers"),
        ((NEAR, [0, 1], 5, 1.5), "whole numbers"),
        ((NEAR, [0, 1], 5, None, [[0, 1]]), "windows has shape"),
        ((NEAR, [0, 1], 5, None, [[0, 10**15], [0, 1]]), "larger than"),
        ((NEAR, [0, 1], 5, None, None, [1, 1]), "service"),
    ],
)
def test_bad_input_is_refused(arguments, said):
    with pytest.raises(gl.InvalidProblem, match=said):
        VehicleRoutingProblem(*arguments)


@examples(30)
@given(problems())
def test_first_plans_are_feasible(problem):
    plan = savings_plan(problem)
    if plan is not None:
        shorter = ruin_and_recreate(problem, plan, 40)
        assert problem.violations(plan) == problem.violations(shorter) == []
        assert problem.value(shorter) <= problem.value(plan)


def test_plans_are_made_shorter_and_the_search_stops_when_asked():
    problem = random_instance(1, 40, per_route=8)
    plan = savings_plan(problem)
    assert plan is not None
    assert problem.value(ruin_and_recreate(problem, plan, 2000)) < problem.value(plan)
    assert ruin_and_recreate(problem, plan, 10**9, stop=lambda: True) == plan


@pytest.mark.parametrize("option", [{"neighbourhood": 0}, {"neighbourhood": 63}, {"subset_rows": -1}])
@pytest.mark.parametrize("method", METHODS)
def test_options_that_no_certificate_could_name_are_refused(method, option):
    """A wider memory than the judge has would leave bounds that cannot be verified."""
    with pytest.raises(gl.InvalidProblem, match=next(iter(option))):
        gl.solve(random_instance(0, 3), method, **option)
