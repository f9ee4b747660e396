"""Files of CVRPLIB and Solomon in the vehicle-routing example, and the task that reads them."""

import io
import re

import numpy as np
import pytest
from routing_judges import arguments, proved

import gapless as gl
from gapless.cli import Console, exit_codes
from gapless_vehicle_routing import benchmark, read_instance, read_solomon, read_vrplib
from gapless_vehicle_routing.files import euclidean, instance_files

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


def test_files_of_cvrplib_are_read(tmp_path):
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


def test_files_of_solomon_are_read(tmp_path):
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
def test_bad_files_are_refused_by_name(tmp_path, name, content, said):
    pytest.importorskip("vrplib", reason="needs vrplib: pip install 'gapless-vehicle-routing[vrplib]'")
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(gl.InvalidProblem, match=said) as caught:
        read_instance(path)
    assert name in str(caught.value)


def test_missing_files_and_roundings_are_refused(tmp_path):
    with pytest.raises(gl.InvalidProblem, match="no such file"):
        instance_files([tmp_path / "none"])
    with pytest.raises(gl.InvalidProblem, match="no file in this folder"):
        instance_files([tmp_path])
    places = np.array([[0.0, 0.0], [1.0, 1.0]])
    assert [euclidean(places, r)[0][0, 1] for r in ("nearest", "up", "tenth")] == [1, 2, 14]
    with pytest.raises(gl.InvalidProblem, match="rounding is 'exact'"):
        euclidean(places, "exact")


def test_the_task_reads_files(tmp_path):
    pytest.importorskip("vrplib", reason="needs vrplib: pip install 'gapless-vehicle-routing[vrplib]'")
    (tmp_path / "tiny.vrp").write_text(CVRP)
    console = Console(as_json=True, out=io.StringIO())
    assert benchmark.run(arguments(data=[tmp_path], methods=["scip"]), console) == exit_codes.PROVED
    assert console.tables[0].rows[0][:3] == ("tiny", 3, "13")


def test_set_x_has_a_name():
    """A hundred instances and their licence, each a plain file that the reader takes by its name."""
    offered = pytest.importorskip("gapless_models.corpora.registry").offered()["cvrplib-x"]
    *instances, licence = [file.name for file in offered.files]
    assert licence == "LICENSE"
    assert len(set(instances)) == 100
    assert all(re.fullmatch(r"X-n[0-9]+-k[0-9]+\.vrp", name) for name in instances)
    assert offered.kind == "instances"
    assert offered.use == ("gapless run vehicle-routing-benchmark --data {folder}/X-n101-k25.vrp --time 60",)
