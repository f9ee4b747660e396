"""Certified bounds for users of PyVRP, from objects like its own and from itself."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from routing_judges import all_plans, proved

import gapless as gl
from gapless_vehicle_routing import VehicleRoutingProblem, bound, from_pyvrp, random_instance


def pyvrp_like(problem, *, recent, **vehicle):
    """An object with the members of ``pyvrp.ProblemData``; places are shuffled where they may be."""
    count = problem.demands.size
    order = np.roll(np.arange(count), 1) if recent else np.arange(count)  # place at each location
    at = np.argsort(order)
    never = 2**63 - 1
    windows = np.tile([0, never], (count, 1)) if problem.windows is None else problem.windows

    def place(number, **more):
        early, late = windows[number].tolist()
        here = {"location": int(at[number])} if recent else {}
        return SimpleNamespace(tw_early=early, tw_late=late, **here, **more)

    service = np.zeros(count, int) if problem.service is None else problem.service
    clients = [
        place(
            c,
            delivery=[int(problem.demands[c])],
            pickup=[0],
            service_duration=int(service[c]),
            required=True,
            release_time=0,
        )
        for c in problem.customers
    ]
    kind = {
        "capacity": [problem.capacity],
        "num_available": problem.fleet,
        "profile": 0,
        "fixed_cost": 0,
        "unit_distance_cost": 1,
        "tw_early": 0,
        "tw_late": never,
        "max_distance": never,
    }
    matrix = problem.distances[np.ix_(order, order)]
    return SimpleNamespace(
        depots=lambda: [place(0)],
        clients=lambda: clients,
        vehicle_types=lambda: [SimpleNamespace(**(kind | vehicle))],
        groups=list,
        distance_matrix=lambda profile: matrix,
        duration_matrix=lambda profile: matrix,
    )


class Stop(SimpleNamespace):
    def is_client(self):
        return bool(self.idx >= 0)


def solution_like(plan, *, recent):
    if recent:
        routes = [[Stop(idx=-1), *(Stop(idx=c - 1) for c in route), Stop(idx=-1)] for route in plan]
    else:
        routes = [SimpleNamespace(visits=lambda route=route: list(route)) for route in plan]
    return SimpleNamespace(best=SimpleNamespace(routes=lambda: routes))


@pytest.mark.parametrize("recent", [False, True])
@pytest.mark.parametrize("windows", [False, True])
def test_problems_of_pyvrp_are_bounded(windows, recent):
    problem = random_instance(5, 8, windows=windows)
    best = proved(problem, "branch-price-and-cut")
    data = pyvrp_like(problem, recent=recent)
    proof = bound(data, solution_like(best.best, recent=recent))
    assert (proof.status, proof.value, proof.bound) == (gl.Status.OPTIMAL, best.value, best.value)
    assert proof.verify(from_pyvrp(data))
    assert bound(SimpleNamespace(data=lambda: data)).value == best.value
    with pytest.raises(gl.InvalidProblem, match="incumbent is not feasible"):
        bound(data, solution_like(best.best[1:], recent=recent))


@pytest.mark.parametrize("fixed", [6, 7])
def test_fixed_costs_of_pyvrp_count_for_each_route(fixed):
    problem = random_instance(5, 6)
    best = proved(problem, "branch-price-and-cut")
    found = bound(pyvrp_like(problem, recent=True, fixed_cost=fixed, unit_distance_cost=3))
    plans = all_plans(problem)
    assert found.value == min(3 * problem.value(plan) + fixed * len(plan) for plan in plans)
    assert found.value > best.value


@pytest.mark.parametrize(
    ("vehicle", "said"),
    [
        ({"capacity": [1, 2]}, "loads have 2 dimensions"),
        ({"max_distance": 5}, "max_distance of a vehicle is 5"),
        ({"unit_duration_cost": 1}, "unit_duration_cost"),
        ({"reload_depots": [0]}, "reload_depots"),
    ],
)
def test_what_pyvrp_can_say_and_we_cannot_is_refused(vehicle, said):
    with pytest.raises(gl.InvalidProblem, match=said):
        from_pyvrp(pyvrp_like(random_instance(0, 3), recent=True, **vehicle))


def test_optional_clients_and_several_depots_of_pyvrp_are_refused():
    data = pyvrp_like(random_instance(0, 3), recent=True)
    data.clients()[1].required = False
    with pytest.raises(gl.InvalidProblem, match="client 1 may be left out"):
        from_pyvrp(data)
    data.depots = lambda: [1, 2]
    with pytest.raises(gl.InvalidProblem, match="2 depots"):
        from_pyvrp(data)


def test_pyvrp_itself():
    pyvrp = pytest.importorskip("pyvrp", reason="PyVRP is not installed: pip install pyvrp")
    problem = random_instance(2, 8)
    model = pyvrp.Model()
    assert problem.places is not None
    spots = [{"x": int(x), "y": int(y)} for x, y in problem.places]
    if hasattr(model, "add_location"):
        spots = [{"location": model.add_location(**spot)} for spot in spots]
    ends = [model.add_depot(**spots[0])]
    ends += [model.add_client(**spots[c], delivery=[int(problem.demands[c])]) for c in problem.customers]
    model.add_vehicle_type(8, capacity=[problem.capacity])
    ends = model.locations if hasattr(model, "add_location") else ends
    for (i, a), (j, b) in itertools.product(enumerate(ends), repeat=2):
        model.add_edge(a, b, distance=int(problem.distances[i, j]))
    found = model.solve(stop=pyvrp.stop.MaxIterations(100), display=False)
    proof = bound(model, found)
    assert proof.value == proved(problem, "branch-price-and-cut").value <= found.cost()


@pytest.mark.parametrize("costs", [{"unit_distance_cost": 2**62}, {"fixed_cost": 2**62}])
def test_costs_beyond_64_bits_are_refused(costs):
    """A product that wraps around would be another problem."""
    problem = VehicleRoutingProblem(4 * np.ones((3, 3), int), [0, 1, 1], 2)
    with pytest.raises(gl.InvalidProblem, match="divide all costs"):
        from_pyvrp(pyvrp_like(problem, recent=True, **costs))
