"""Signatures that how-tos name, because a build makes the API pages: each is the code's, with every parameter."""

import inspect
import re
from pathlib import Path

import pytest

import gapless
from gapless import column_generation, rcsp, roles, scip, search, tree_search
from gapless.column_generation import branching

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("howto/branch-price-and-cut.md", "howto/price-routes-under-resources.md", "howto/stabilise-and-branch.md")
CALL = re.compile(r"`([A-Za-z_.]+)\(([a-z_, ]*)\)`")
TABLE = re.compile(r"^\| call \|.*\n(?:\|.*\n)+", re.MULTILINE)


def named(page):
    """Name and parameters of each call in the tables of a page."""
    return [
        (name, given.split(", "))
        for table in TABLE.findall((DOCS / page).read_text("utf-8"))
        for name, given in CALL.findall(table)
    ]


@pytest.mark.parametrize("page", PAGES)
def test_signature_in_a_how_to_is_that_of_the_code(page):
    calls = named(page)
    assert calls
    for name, given in calls:
        first, *more = name.split(".")
        found = next(
            getattr(module, first)
            for module in (roles, rcsp, branching, tree_search, column_generation, search, scip, gapless)
            if hasattr(module, first)
        )
        for part in more:
            found = getattr(found, part)
        assert given == [p for p in inspect.signature(found).parameters if p != "self"], name
