"""Notebooks for teaching: each replays a paper in blocks that assert, draws, and ends in exercises."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs/teaching"
PAGES = sorted(page for page in FOLDER.glob("*.md") if page.name != "index.md")
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def test_five_papers_are_replayed_and_listed() -> None:
    index = (FOLDER / "index.md").read_text("utf-8")
    assert len(PAGES) == 5
    assert [page.name for page in PAGES if f"({page.name})" not in index] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_notebook_asserts_draws_and_ends_with_three_exercises(page: Path) -> None:
    text = page.read_text("utf-8")
    code = BLOCK.findall(text)
    nodes = [node for block in code for node in ast.walk(ast.parse(block))]
    assert sum(isinstance(node, ast.Assert) for node in nodes) >= 8
    assert sum(isinstance(node, ast.Expr) and ast.unparse(node).startswith("draw(") for node in nodes) >= 1
    assert re.match(r"# .+\n\n\*After .+ \(20\d\d\)\.\*\n", text)
    exercises = text.partition("\n## Exercises\n")[2]
    assert re.findall(r"^(\d)\. ", exercises, re.MULTILINE) == ["1", "2", "3"]
    assert not BLOCK.search(exercises)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_fits_the_page(page: Path) -> None:
    lines = [line for block in BLOCK.findall(page.read_text("utf-8")) for line in block.splitlines()]
    assert [line for line in lines if len(line) > 88] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_private_names_stay_out_of_notebooks(page: Path) -> None:
    assert (
        re.findall(r"\b(?:import|from) [\w.]*\._\w+|\.\b_(?!_)\w+", "".join(BLOCK.findall(page.read_text("utf-8"))))
        == []
    )
