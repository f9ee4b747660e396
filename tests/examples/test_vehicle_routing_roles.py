"""The roles of the vehicle-routing example: the kit, separation, labelling, files, PyVRP's objects, the shell."""

from __future__ import annotations

import argparse
import ast
import io
import itertools
import math
import xml.etree.ElementTree as ET
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attrs
import numpy as np
import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

import gapless as gl
from gapless import testing
from gapless.cli import Console, exit_codes, main
from gapless.engine import PricedRelaxation
from gapless.lp import LinearMaster
from gapless.roles import Columns, Fixings, FloatArray, IntArray, LinearView

example = pytest.importorskip(
    "gapless_vehicle_routing",
    reason="the example is not installed: pip install -e docs/examples/vehicle_routing",
)
from routing_judges import METHODS, all_plans, drivable, problems, proved  # noqa: E402

from gapless_vehicle_routing import (  # noqa: E402
    CapacityCuts,
    VehicleRoutingProblem,
    VehiclesThenRoads,
    benchmark,
    bound,
    formulation,
    from_pyvrp,
    plugin,
    random_instance,
    read_instance,
    read_solomon,
    read_vrplib,
)
from gapless_vehicle_routing.files import euclidean, instance_files  # noqa: E402
from gapless_vehicle_routing.judge import FORBIDDEN, least_cost  # noqa: E402
from gapless_vehicle_routing.labels import Labelling, nearest  # noqa: E402

SMALL = [
    random_instance(0, 3, per_route=2),
    random_instance(1, 3, windows=True),
    random_instance(2, 3, vehicles=2),
    VehicleRoutingProblem([[0, 1, 2], [3, 0, 1], [2, 2, 0]], [0, 0, 3], 3),
    VehicleRoutingProblem(np.ones((4, 4), int), [0, 1, 1, 1], 2, scale=10),
]


@pytest.mark.parametrize("problem", SMALL, ids=range(len(SMALL)))
def test_the_kit_accepts_every_role(problem: VehicleRoutingProblem) -> None:
    plans = list(all_plans(problem))
    testing.check_problem(problem, plans)
    form = formulation(problem)
    testing.check_generator(
        form.generators, lambda: LinearMaster(problem, form), problem, structures=plans, samples=10
    )

    def whole() -> PricedRelaxation[Any, LinearView]:
        return PricedRelaxation(LinearMaster(problem, form), form.generators, problem.decisions)

    testing.check_relaxation(whole, problem, structures=plans)
    testing.check_brancher(VehiclesThenRoads(problem), problem, whole(), structures=plans)


@pytest.mark.parametrize("method", METHODS)
def test_the_kit_accepts_the_methods(method: str) -> None:
    testing.check_method(method, [random_instance(0, 2), random_instance(1, 3, vehicles=2, windows=True)])


def walks_of(problem: VehicleRoutingProblem, near: list[Any], most: int) -> list[tuple[int, ...]]:
    """Every ng-walk of at most so many visits, by the definition of Baldacci, Mingozzi and Roberti (2011)."""
    found: list[tuple[int, ...]] = []

    def further(walk: tuple[int, ...], memory: frozenset[int]) -> None:
        for place in problem.customers:
            longer = (*walk, place)
            if place not in memory and sum(problem.weights[list(longer)]) <= problem.room:
                if drivable(problem, longer):
                    found.append(longer)
                if len(longer) < most:
                    further(longer, memory & frozenset(near[place].tolist()) | {place})

    further((), frozenset())
    return found


@examples(40)
@given(problems(customers=4), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_labelling_and_the_judge_find_the_cheapest_walk(
    problem: VehicleRoutingProblem, size: int, seed: int
) -> None:
    places = problem.demands.size
    rng = np.random.default_rng(seed)
    costs = rng.integers(-9, 10, (places, places))
    shut = (rng.random((places, places)) < 0.2) | (problem.network.number < 0)
    walks = walks_of(problem, nearest(problem, size), 6)
    longest = problem.room // int(problem.weights[1:].min())
    if longest > 6:
        return  # the enumeration would be long, and incomplete without it
    cost_of = {w: sum(int(costs[a, b]) for a, b in itertools.pairwise((0, *w, 0))) for w in walks}
    open_walks = {
        w: c for w, c in cost_of.items() if not any(shut[a, b] for a, b in itertools.pairwise((0, *w, 0)))
    }
    least = min([0, *open_walks.values()])
    found = Labelling(problem, size).walks(np.where(shut, np.inf, costs.astype(float)), below=-0.5)
    assert min([0.0, *found.costs]) == least
    assert found.least == min(-0.5, least)
    assert all(open_walks[w] == c for w, c in zip(found.walks, found.costs, strict=True))
    heaviest = min((c / problem.weights[list(w)].sum() for w, c in open_walks.items()), default=0.0)
    assert found.least_per_weight <= heaviest + 1e-12
    assert least_cost(problem, np.where(shut, FORBIDDEN, costs), size, 0) == least


@pytest.mark.parametrize("windows", [False, True])
def test_labelling_and_the_judge_agree_where_nothing_can_be_enumerated(windows: bool) -> None:
    """Two programs that share no code; whole costs, so that both are exact."""
    cheapest = set()
    for seed in range(30):
        rng = np.random.default_rng(seed)
        problem = random_instance(seed, 9, windows=windows, per_route=5)
        costs = problem.distances - rng.integers(0, 90, problem.demands.size)
        costs[problem.network.number < 0] = FORBIDDEN
        size = int(rng.integers(1, 8))
        found = Labelling(problem, size).walks(
            np.where(costs == FORBIDDEN, np.inf, costs.astype(float)), below=-0.5
        )
        least = least_cost(problem, costs, size, 0)
        assert min([0.0, *found.costs]) == least
        cheapest.add(least)
    assert len(cheapest) > 15


@examples(25)
@given(problems(), st.integers(0, 2**32 - 1))
def test_capacity_cuts_hold_for_every_plan(problem: VehicleRoutingProblem, seed: int) -> None:
    cuts, plans = CapacityCuts(problem), list(itertools.islice(all_plans(problem), 60))
    usage = np.random.default_rng(seed).random(len(problem.network)) / 2
    rows = cuts.rows(cuts.violated(problem.network.flow(usage)))
    quantity = problem.decisions.quantity_of()
    for plan in plans:
        use = np.bincount(quantity[problem.encode(plan)], minlength=len(problem.network)).astype(float)
        assert np.all(rows.uses.dot(use) >= rows.lower)


def test_a_circle_beyond_the_capacity_is_cut_off() -> None:
    problem = VehicleRoutingProblem(np.ones((5, 5), int), [0, 2, 2, 2, 2], 4)
    use = np.zeros(len(problem.network))
    for a, b in ((0, 1), (1, 2), (2, 3), (3, 4), (4, 0)):
        use[problem.network.number[a, b]] += 1
    cuts = CapacityCuts(problem)
    rows = cuts.rows(cuts.violated(problem.network.flow(use)))
    assert sorted(set((rows.lower - rows.uses.dot(use)) * 2)) == [4.0]
    assert {1, 2, 3, 4} in [cuts.of_key(key) for key in rows.keys.tolist()]


class Prices(LinearView):
    """A master whose customers pay this much each, and whose unit is any."""

    def __init__(self, problem: VehicleRoutingProblem, paid: float, held: list[int], weight: float = 1.0) -> None:
        super().__init__(Fixings.none(problem.decisions.count))
        self.paid, self.roads, self.held, self.objective_weight = paid, len(problem.network), held, weight

    @property
    def column_keys(self) -> IntArray:
        return np.array(self.held, np.int64)

    def prices(self, row_keys: IntArray) -> FloatArray:
        return np.full(row_keys.size, -self.paid)

    def usage_prices(self) -> FloatArray:
        return np.zeros(self.roads)

    def gain(self, columns: Columns) -> FloatArray:
        raise NotImplementedError

    def allowances(self) -> FloatArray:
        raise NotImplementedError


def test_what_the_master_has_already_is_left_to_the_exact_stage() -> None:
    """A gain that the linear program leaves over is no missing column; without a claim the loop would stop."""
    problem = random_instance(0, 5)
    pricing = formulation(problem).generators[0]
    first = pricing.query(Prices(problem, 400.0, []))
    assert first.slack is None
    again = pricing.query(Prices(problem, 400.0, list(range(100))))
    assert again.slack is not None
    assert again.slack > 0


def test_a_ray_has_no_unit() -> None:
    """Farkas prices of any size find the columns that repair the master; to miss them would prove infeasibility."""
    problem = random_instance(0, 5)
    pricing = formulation(problem).generators[0]
    assert len(pricing.query(Prices(problem, 1e-12, [], weight=0.0)).batch.columns)
    assert not len(pricing.query(Prices(problem, -1e-12, [], weight=0.0)).batch)


def test_prices_that_are_no_numbers_are_refused() -> None:
    problem = random_instance(0, 5)
    for paid in (math.nan, math.inf):
        with pytest.raises(FloatingPointError):
            formulation(problem).generators[0].query(Prices(problem, paid, []))


def test_decisions_have_names() -> None:
    problem = VehicleRoutingProblem(np.ones((3, 3), int), [0, 1, 1], 2)
    names = [problem.decisions.name(d) for d in range(problem.decisions.count)]
    assert names[:2] == ["at least 1 vehicles leave the depot", "at least 2 vehicles leave the depot"]
    assert names[2:4] == ["0 and 1, driven once", "0 and 1, driven twice"]


CVRP = """NAME : tiny
TYPE : CVRP
DIMENSION : 4
EDGE_WEIGHT_TYPE : EUC_2D
CAPACITY : 5
NODE_COORD_SECTION
1 3 4
2 0 0
3 0 2
4 1 1
DEMAND_SECTION
1 2
2 0
3 3
4 2
DEPOT_SECTION
2
-1
EOF
"""
SOLOMON = """S1

VEHICLE
NUMBER     CAPACITY
  2         10

CUSTOMER
CUST NO.  XCOORD.   YCOORD.    DEMAND   READY TIME  DUE DATE   SERVICE   TIME

    0      0         0          0          0        40          0
    1      1         1          4          0        30          5
    2      3         3          4          8        20          5
    3      9         9          4          0        30          5
"""


def test_files_of_cvrplib_are_read(tmp_path: Path) -> None:
    pytest.importorskip("vrplib", reason="needs vrplib: pip install 'gapless-vehicle-routing[vrplib]'")
    path = tmp_path / "tiny.vrp"
    path.write_text(CVRP)
    problem = read_vrplib(path)
    assert problem.distances.tolist() == [[0, 5, 2, 1], [5, 0, 4, 4], [2, 4, 0, 1], [1, 4, 1, 0]]
    assert problem.demands.tolist() == [0, 2, 3, 2]
    assert problem.places is not None
    assert problem.places.tolist() == [[0, 0], [3, 4], [0, 2], [1, 1]]
    assert (problem.capacity, problem.vehicles) == (5, None)
    assert read_vrplib(path, vehicles=2).vehicles == 2
    path.write_text(CVRP.replace("EUC_2D", "CEIL_2D"))
    assert read_instance(path).distances[0].tolist() == [0, 5, 2, 2]
    assert instance_files([tmp_path]) == [path]


def test_files_of_solomon_are_read(tmp_path: Path) -> None:
    pytest.importorskip("vrplib", reason="needs vrplib: pip install 'gapless-vehicle-routing[vrplib]'")
    path = tmp_path / "S1.txt"
    path.write_text(SOLOMON)
    problem = read_instance(path, customers=2)
    assert problem.distances.tolist() == [[0, 14, 42], [14, 0, 28], [42, 28, 0]]
    assert problem.windows is not None
    assert problem.service is not None
    assert (problem.windows[2].tolist(), problem.service.tolist()) == ([80, 200], [0, 50, 50])
    assert (problem.capacity, problem.vehicles, problem.scale, problem.granularity) == (10, 2, 10, 0.1)
    assert len(read_solomon(path).customers) == 3
    result = proved(problem, "branch-price-and-cut")
    assert (result.value, result.best) == (8.4, ((1, 2),))
    assert result.verify(problem)
    with pytest.raises(gl.InvalidProblem, match="3 customers, 7"):
        read_solomon(path, customers=7)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.vrp", CVRP.replace("TYPE : CVRP", "TYPE : VRPB"), "TYPE is VRPB"),
        ("a.vrp", CVRP.replace("EUC_2D", "GEO"), "EDGE_WEIGHT_TYPE is GEO"),
        ("a.vrp", CVRP.replace("4 2\n", ""), "DEMAND_SECTION"),
        ("a.vrp", CVRP.replace("CAPACITY : 5\n", ""), "has no capacity"),
        ("a.vrp", CVRP.replace("CAPACITY : 5", "CAPACITY : 0"), "capacity is 0"),
        ("a.vrp", CVRP.replace("1 3 4", "1 3 north"), "something else than numbers"),
        ("a.txt", CVRP, "no solomon instance|has no"),
        ("a.txt", SOLOMON.replace("    3      9         9          4          0", "    3      9"), "a.txt"),
        ("a.sol", SOLOMON, "ends in .sol"),
    ],
)
def test_bad_files_are_refused_by_name(tmp_path: Path, name: str, content: str, said: str) -> None:
    pytest.importorskip("vrplib", reason="needs vrplib: pip install 'gapless-vehicle-routing[vrplib]'")
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(gl.InvalidProblem, match=said) as caught:
        read_instance(path)
    assert name in str(caught.value)


def test_missing_files_and_roundings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(gl.InvalidProblem, match="no such file"):
        instance_files([tmp_path / "none"])
    with pytest.raises(gl.InvalidProblem, match="no file in this folder"):
        instance_files([tmp_path])
    places = np.array([[0.0, 0.0], [1.0, 1.0]])
    assert [euclidean(places, r)[0][0, 1] for r in ("nearest", "up", "tenth")] == [1, 2, 14]
    with pytest.raises(gl.InvalidProblem, match="rounding is 'exact'"):
        euclidean(places, "exact")


def pyvrp_like(problem: VehicleRoutingProblem, *, recent: bool, **vehicle: Any) -> Any:
    """An object with the members of ``pyvrp.ProblemData``; places are shuffled where they may be."""
    count = problem.demands.size
    order = np.roll(np.arange(count), 1) if recent else np.arange(count)  # place at each location
    at = np.argsort(order)
    never = 2**63 - 1
    windows = np.tile([0, never], (count, 1)) if problem.windows is None else problem.windows

    def place(number: int, **more: Any) -> SimpleNamespace:
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
    def is_client(self) -> bool:
        return bool(self.idx >= 0)


def solution_like(plan: tuple[tuple[int, ...], ...], *, recent: bool) -> Any:
    if recent:
        routes: list[Any] = [[Stop(idx=-1), *(Stop(idx=c - 1) for c in route), Stop(idx=-1)] for route in plan]
    else:
        routes = [SimpleNamespace(visits=lambda route=route: list(route)) for route in plan]
    return SimpleNamespace(best=SimpleNamespace(routes=lambda: routes))


@pytest.mark.parametrize("recent", [False, True])
@pytest.mark.parametrize("windows", [False, True])
def test_problems_of_pyvrp_are_bounded(windows: bool, recent: bool) -> None:
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
def test_fixed_costs_of_pyvrp_count_for_each_route(fixed: int) -> None:
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
def test_what_pyvrp_can_say_and_we_cannot_is_refused(vehicle: dict[str, Any], said: str) -> None:
    with pytest.raises(gl.InvalidProblem, match=said):
        from_pyvrp(pyvrp_like(random_instance(0, 3), recent=True, **vehicle))


def test_optional_clients_and_several_depots_of_pyvrp_are_refused() -> None:
    data = pyvrp_like(random_instance(0, 3), recent=True)
    data.clients()[1].required = False
    with pytest.raises(gl.InvalidProblem, match="client 1 may be left out"):
        from_pyvrp(data)
    data.depots = lambda: [1, 2]
    with pytest.raises(gl.InvalidProblem, match="2 depots"):
        from_pyvrp(data)


def test_pyvrp_itself() -> None:
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


def test_a_plan_is_drawn_for_reports() -> None:
    problem = random_instance(0, 5)
    plan = proved(problem, "branch-price-and-cut").best
    for shown in (problem, attrs.evolve(problem, places=None)):
        drawn = plugin.gapless_draw(shown, plan, ())
        assert drawn is not None
        root, space = ET.fromstring(drawn), "{http://www.w3.org/2000/svg}"
        words = ["".join(one.itertext()) for one in root.iter(f"{space}text")]
        assert {"1", "2", "3", "4", "5"} < set(words)
        assert len(list(root.iter(f"{space}polyline"))) == len(plan)
        assert len([word for word in words if word.startswith("route ")]) == len(plan)
    assert plugin.gapless_draw(object(), plan, ()) is None  # type: ignore[arg-type]


def arguments(**given: Any) -> argparse.Namespace:
    usual = {"sizes": [6], "seeds": 1, "data": None, "time": None, "customers": None, "methods": list(METHODS)}
    return argparse.Namespace(**(usual | given))


def test_the_task_compares_both_trees() -> None:
    console = Console(as_json=True, out=io.StringIO())
    assert benchmark.run(arguments(), console) == exit_codes.PROVED
    assert [row[1:3] for row in console.tables[-1].rows] == [(2, 2), (2, 0)]


def test_the_task_reads_files(tmp_path: Path) -> None:
    pytest.importorskip("vrplib", reason="needs vrplib: pip install 'gapless-vehicle-routing[vrplib]'")
    (tmp_path / "tiny.vrp").write_text(CVRP)
    console = Console(as_json=True, out=io.StringIO())
    assert benchmark.run(arguments(data=[tmp_path], methods=["scip"]), console) == exit_codes.PROVED
    assert console.tables[0].rows[0][:3] == ("tiny", 3, "13")


def test_records_are_verified_from_the_shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    problem = random_instance(0, 7, windows=True)
    gl.Record(problem, gl.solve(problem)).save(tmp_path / "record.json")
    assert main(["verify", str(tmp_path / "record.json")]) == 0
    assert main(["methods"]) == 0
    assert "branch-price-and-cut" in capsys.readouterr().out


def test_only_public_names_are_imported() -> None:
    public = {"gapless", "gapless.cli", "gapless.engine", "gapless.roles", "gapless.scip", "gapless.svg"}
    for path in Path(str(example.__file__)).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            for name in names:
                assert name.partition(".")[0] != "gapless" or name in public, f"{path.name} imports {name}"


def test_the_readme_says_where_each_role_is() -> None:
    folder = Path(str(example.__file__)).parent
    readme = (folder.parent / "README.md").read_text("utf-8")
    names = [path.name for path in folder.glob("[a-z]*.py")]
    assert not [name for name in names if f"(gapless_vehicle_routing/{name})" not in readme]


def test_numbers_without_bound_are_no_slack() -> None:
    """Heuristic pricing claims nothing: a limit that comes before exact pricing leaves no bound, no evidence."""
    problem = random_instance(3, 16)
    early = gl.solve(problem, limits=gl.Limits(iterations=1))
    assert early.bound == -math.inf
    assert not early.certified
