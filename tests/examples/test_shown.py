"""The output of the cutting-stock example: a plan as a drawing, a task's table."""

from __future__ import annotations

import argparse
import io
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from gapless.cli import Console, exit_codes

pytest.importorskip(
    "gapless_cutting_stock",
    reason="the example is not installed: pip install -e docs/examples/cutting_stock",
)
from gapless_cutting_stock import CuttingStockProblem, benchmark, plugin


def test_a_plan_is_drawn_for_reports() -> None:
    problem = CuttingStockProblem(10, (6, 4, 3), (2, 1, 1))
    plan = (((0, 1), 1), ((0, 2), 1))
    assert not problem.violations(plan)
    drawn = plugin.gapless_draw(problem, plan, ())
    assert drawn is not None
    words = ["".join(one.itertext()) for one in ET.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]
    assert sorted(words) == ["1 ×", "1 ×", "3", "4", "6", "6"]
    assert plugin.gapless_draw(object(), plan, ()) is None  # type: ignore[arg-type]
    assert problem.named(plan) == ("1 x 6+4", "1 x 6+3")


def test_the_task_compares_both_trees() -> None:
    console = Console(as_json=True, out=io.StringIO())
    assert (
        benchmark.run(argparse.Namespace(sizes=[20], seeds=2, data=None, time=None, every=1), console)
        == exit_codes.PROVED
    )
    columns = console.tables[0].columns
    assert {"from arrays, median ms", "search alone, median ms"} <= set(columns)
    (table,) = console.tables
    assert [row[1:3] for row in table.rows] == [(3, 3), (3, 0)]


def test_the_readme_says_where_each_role_is() -> None:
    folder = Path(str(benchmark.__file__)).parent
    readme = (folder.parent / "README.md").read_text("utf-8")
    missing = [
        path.name for path in folder.glob("[a-z]*.py") if f"(gapless_cutting_stock/{path.name})" not in readme
    ]
    assert not missing
    assert "read_bpplib" in readme
