"""The names of the top level, of `gapless.roles`, and of packages that import lazily."""

import ast
import importlib
import importlib.util
import subprocess
import sys

import pytest

import gapless

MOST = 30
"""Names that a user finds on the top level."""


def lazy_packages(trees):
    """Modules whose names are imported when they are asked for."""
    calls = {
        name: [n for n in ast.walk(tree) if isinstance(n, ast.Call) and ast.unparse(n.func) == "lazy_names"]
        for name, tree in trees.items()
    }
    # The kernels have a table of their own; tests/kernels/test_twins.py compares it with their stub.
    return [name for name, found in calls.items() if found and not name.startswith("gapless_kernels")]


def imported_for_checkers(tree):
    """Names and their modules of the imports under ``TYPE_CHECKING`` that checkers see from outside."""
    (block,) = (n for n in tree.body if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING")
    froms = [n for n in block.body if isinstance(n, ast.ImportFrom)]
    listed = next((n.value for n in tree.body if isinstance(n, ast.Assign) and "__all__" in ast.unparse(n)), None)
    names = set() if listed is None else set(ast.literal_eval(listed))
    return {a.name: n.module or "" for n in froms for a in n.names if a.name == a.asname or a.name in names}


def test_lazy_packages_show_checkers_what_they_import(trees):
    names = lazy_packages(trees)
    assert {"gapless", "gapless.roles", "gapless_chains", "gapless_dependency"} <= set(names)
    for name in names:
        if name == "gapless_torch" and importlib.util.find_spec("torch") is None:
            continue
        package = importlib.import_module(name)
        listed = set(package.__all__) - {"__version__"}
        assert set(imported_for_checkers(trees[name])) - {"__version__"} <= listed, name
        for one in listed:
            assert getattr(package, one) is not None
        assert listed <= set(dir(package)), name
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            _ = package.nothing


def test_the_top_level_is_what_users_call():
    assert len(gapless.__all__) <= MOST
    assert {"Generator", "Relaxation", "Method", "Factor"}.isdisjoint(dir(gapless))
    assert {"solve", "solve_many", "Limits", "Result", "GaplessError"} <= set(gapless.__all__)


def test_a_function_is_not_hidden_by_its_module(tmp_path):
    code = (
        "import gapless_chains.transition_bounds, gapless_chains.dominance;"
        "from gapless_chains import transition_bounds; import gapless_chains;"
        "assert callable(transition_bounds) and callable(gapless_chains.transition_bounds)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
