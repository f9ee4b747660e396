"""The page of methods and engines holds every method of the registry, and what it says of factors is so."""

from pathlib import Path

import pytest

import gapless as gl
from gapless.plugins.manager import load_plugins

PAGE = Path(__file__).parents[2] / "docs/reference/methods-and-engines.md"
ANY = "any with a backbone"


def rows():
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in PAGE.read_text("utf-8").splitlines()]
    table = [row for row in cells if len(row) == 8 and row[1].startswith("`")]
    assert table
    return {(row[0], row[1].strip("`")): row[2:] for row in table}


def test_every_method_is_on_the_page_and_no_other():
    registry = load_plugins().registry
    known = {}
    ours = [name for name in registry.problems if registry.owners["problem", name].endswith("(gapless)")]
    for name in ours:
        for method in registry.methods_for(registry.problems[name]).values():
            known[ANY if method.problem is gl.Problem else name, method.name] = method
    for method in registry.methods.values():
        if method.problem is gl.Problem:
            known[ANY, method.name] = method
    listed = rows()
    assert sorted(listed) == sorted(known)
    for key, (engine, counts, *others) in listed.items():
        assert counts == ("yes" if known[key].supports_factors else "no"), key
        assert engine, key
        assert all(others), key


@pytest.mark.parametrize(
    ("page", "problem"), [("chains", "chain"), ("chains", "tree"), ("ordering", "ordering"), ("linking", "linking")]
)
def test_reference_pages_name_every_method_and_factors(page, problem):
    text = (Path(__file__).parents[2] / f"docs/reference/{page}.md").read_text(encoding="utf-8")
    registry = load_plugins().registry
    methods = registry.methods_for(registry.problems[problem])
    assert [name for name in methods if f"`{name}`" not in text] == []
    assert "factors=" in text
