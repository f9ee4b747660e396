"""The output of the cutting-stock example: a plan as a drawing, a task's table."""

import argparse
import io
import xml.etree.ElementTree as ET

import pytest

from gapless.cli import Console, exit_codes

pytest.importorskip(
    "gapless_cutting_stock",
    reason="the example is not installed: pip install -e docs/examples/cutting_stock",
)
from gapless_cutting_stock import CuttingStockProblem, benchmark, plugin


def test_a_plan_is_drawn_for_reports():
    problem = CuttingStockProblem(10, (6, 4, 3), (2, 1, 1))
    plan = (((0, 1), 1), ((0, 2), 1))
    assert not problem.violations(plan)
    drawn = plugin.gapless_draw(problem, plan, ())
    assert drawn is not None
    words = ["".join(one.itertext()) for one in ET.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]
    assert sorted(words) == ["1 ×", "1 ×", "3", "4", "6", "6"]
    assert plugin.gapless_draw(object(), plan, ()) is None
    assert problem.describe(plan) == ("1 x 6+4", "1 x 6+3")


def test_the_task_compares_both_trees():
    console = Console(as_json=True, out=io.StringIO())
    assert (
        benchmark.run(argparse.Namespace(sizes=[20], seeds=2, data=None, time=None, every=1), console)
        == exit_codes.PROVED
    )
    columns = console.tables[0].columns
    assert {"from arrays, median ms", "search alone, median ms"} <= set(columns)
    (table,) = console.tables
    assert [row[1:3] for row in table.rows] == [(3, 3), (3, 0)]
