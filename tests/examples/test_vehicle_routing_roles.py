"""The roles of the vehicle-routing example: the conformance kit, drawings, the task, the shell."""

import io
import xml.etree.ElementTree as ET

import attrs
import numpy as np
import pytest
from drawn import mostly_long
from routing_judges import METHODS, all_plans, arguments, proved

import gapless as gl
from gapless import testing
from gapless.cli import Console, exit_codes, main
from gapless.column_generation import PricedRelaxation
from gapless.column_generation.master import LinearMaster
from gapless_vehicle_routing import (
    VehicleRoutingProblem,
    VehiclesThenRoads,
    benchmark,
    formulation,
    plugin,
    random_instance,
)

SMALL = [
    random_instance(0, 3, per_route=2),
    random_instance(1, 3, windows=True),
    random_instance(2, 3, vehicles=2),
    VehicleRoutingProblem([[0, 1, 2], [3, 0, 1], [2, 2, 0]], [0, 0, 3], 3),
    VehicleRoutingProblem(np.ones((4, 4), int), [0, 1, 1, 1], 2, scale=10),
]


@pytest.mark.parametrize("problem", mostly_long(SMALL, quick=[3]), ids=range(len(SMALL)))
def test_the_kit_accepts_every_role(problem):
    plans = list(all_plans(problem))
    testing.check_problem(problem, plans)
    form = formulation(problem)
    testing.check_generator(
        form.generators, lambda: LinearMaster(problem, form), problem, structures=plans, samples=10
    )

    def whole():
        return PricedRelaxation(LinearMaster(problem, form), form.generators, problem.decisions)

    testing.check_relaxation(whole, problem, structures=plans)
    testing.check_brancher(VehiclesThenRoads(problem), problem, whole(), structures=plans)


@pytest.mark.parametrize("method", METHODS)
def test_the_kit_accepts_the_methods(method):
    testing.check_method(method, [random_instance(0, 2), random_instance(1, 3, vehicles=2, windows=True)])


def test_decisions_have_names():
    problem = VehicleRoutingProblem(np.ones((3, 3), int), [0, 1, 1], 2)
    names = [problem.decisions.name(d) for d in range(problem.decisions.count)]
    assert names[:2] == ["at least 1 vehicles leave the depot", "at least 2 vehicles leave the depot"]
    assert names[2:4] == ["0 and 1, driven once", "0 and 1, driven twice"]


def test_a_plan_is_drawn_for_reports():
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
    assert plugin.gapless_draw(object(), plan, ()) is None
    assert problem.describe(((1, 2), (3,))) == ("0-1-2-0", "0-3-0")


def test_the_task_compares_both_trees():
    console = Console(as_json=True, out=io.StringIO())
    assert benchmark.run(arguments(), console) == exit_codes.PROVED
    assert [row[1:3] for row in console.tables[-1].rows] == [(2, 2), (2, 0)]


def test_records_are_verified_from_the_shell(tmp_path, capsys):
    problem = random_instance(0, 7, windows=True)
    gl.Record(problem, gl.solve(problem)).save(tmp_path / "record.json")
    assert main(["verify", str(tmp_path / "record.json")]) == 0
    assert main(["methods"]) == 0
    assert "branch-price-and-cut" in capsys.readouterr().out
