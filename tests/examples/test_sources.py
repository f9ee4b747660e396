"""The sources of each example import public names only, and its README names every file."""

import ast
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "docs/examples"
ROOMS = ["cli", "plugins", "rcsp", "roles", "scip", "svg", "testing", "tree_search"]
PUBLIC = {"gapless", "gapless.column_generation", "gapless.column_generation.branching"}
PUBLIC |= {f"gapless.{room}" for room in ROOMS}

each_example = pytest.mark.parametrize("name", ["cutting_stock", "vehicle_routing"])


def sources(name):
    found = [*(EXAMPLES / name / f"gapless_{name}").glob("[a-z]*.py")]
    assert found
    return found


@each_example
def test_only_public_names_are_imported(name):
    for path in sources(name):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            modules = [alias.name for alias in getattr(node, "names", [])] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                modules = [node.module or ""]
            own = {module for module in modules if module.partition(".")[0] == "gapless"}
            assert own <= PUBLIC, path.name
