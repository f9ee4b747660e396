"""A record of every problem type, with a sentence that would like to be a program."""

from __future__ import annotations

import json
from typing import Any

import attrs
import numpy as np
import pytest

import gapless as gl
from gapless.arrays.serial import dumps
from gapless.limits.limits import SolveBudget
from gapless.roles import MostFractional
from gapless.testing.examples import OptimisticBound, Selection
from gapless.tree_search import tree_search
from gapless_chains import ChainProblem, TreeProblem
from gapless_dependency import ParsingProblem
from gapless_dependency.factors import Grandchild, Sibling
from gapless_linking import LinkingProblem
from gapless_ordering import OrderingProblem

EVIL = "<script>alert(1)</script>"
WORDS = ("The", EVIL, "committee", "&", "Maria", "Sharapova", 'said"so', "in", "York")


def _chain():
    rng = np.random.default_rng(3)
    labels = ("O", "B-PER", "I-PER", "B-LOC")
    problem = ChainProblem(rng.normal(size=(9, 4)), rng.normal(size=(4, 4)), labels=labels)
    return gl.Record(problem, gl.solve(problem, "column-generation", k=2, trace=True), "chain", WORDS)


def _tree():
    rng = np.random.default_rng(4)
    problem = TreeProblem(rng.normal(size=(9, 3)), rng.normal(size=(3, 3)), [-1, 0, 0, 1, 1, 2, 4, 4, 2])
    return gl.Record(problem, gl.solve(problem, trace=True), "tree", WORDS)


def parsing_problem():
    def grandchild(g: Any, h: Any, m: Any) -> Any:
        return 0.45 * np.sin(g * 31.7 + h * 17.3 + m * 7.1)

    def sibling(h: Any, a: Any, b: Any) -> Any:
        return 0.45 * np.cos(h * 13.7 + a * 27.3 + b * 5.1)

    scores = np.random.default_rng(1).normal(size=(10, 10))
    return ParsingProblem(scores, factors=[Grandchild(grandchild), Sibling(sibling)])


def _parsing():
    problem = parsing_problem()
    return gl.Record(problem, gl.solve(problem, "split-bound", trace=True), "parsing", WORDS)


def _ordering():
    rng = np.random.default_rng(5)
    names = ["budget", "council", EVIL, "school", "roof", "votes", "repairs", "funds"]
    problem = OrderingProblem.from_selection(rng.normal(size=8), rng.normal(size=(8, 8)), length=4, names=names)
    return gl.Record(problem, gl.solve(problem, k=3, trace=True), "ordering")


def _linking():
    distances = np.random.default_rng(6).integers(1, 6, size=(16, 16))
    distances = np.minimum(distances, distances.T)
    np.fill_diagonal(distances, 0)
    problem = LinkingProblem.from_distances(distances, [range(i * 4, i * 4 + 4) for i in range(4)])
    return gl.Record(problem, gl.solve(problem, k=2, trace=True), "linking", WORDS[:4])


def _selection():
    """No plug-in draws it; its search branches."""
    rng = np.random.default_rng(7)
    problem = Selection(rng.integers(3, 30, 9), rng.integers(2, 20, (2, 9)), [30, 30], ())
    result = tree_search(problem, OptimisticBound(problem), MostFractional(), SolveBudget(trace=True))
    return gl.Record(problem, result, "selection")


MADE = {
    "chain": _chain,
    "tree": _tree,
    "parsing": _parsing,
    "ordering": _ordering,
    "linking": _linking,
    "selection": _selection,
}


@pytest.fixture(scope="session")
def records():
    return {name: make() for name, make in MADE.items()}


@pytest.fixture(scope="session")
def run_folder(records, tmp_path_factory):
    """As a task leaves it: records, tables with the paper's values, a summary, a figure."""
    folder = tmp_path_factory.mktemp("run")
    proved = records["chain"].result
    unproved = attrs.evolve(proved, status=gl.Status.FEASIBLE, stop=gl.Stop.TIME, bound=proved.bound + 1)
    kept = [*records.values(), attrs.evolve(records["chain"], result=unproved, name=f"unproved {EVIL}")]
    (folder / "exact.jsonl").write_text("".join(dumps(record) + "\n" for record in kept), "utf-8")
    table = {"title": f"Table 1 {EVIL}", "columns": ["method", "paper", "ours"], "rows": [["exact", 92.1, 93.25]]}
    about = {"task": "demo", "arguments": ["run", "demo"], "version": "0", "began": "2026", "seconds": 1.5}
    (folder / "tables.json").write_text(json.dumps({**about, "tables": [table]}), "utf-8")
    (folder / "summary.json").write_text(json.dumps({"evil": EVIL}), "utf-8")
    figure = f'<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40">{EVIL}<circle r="9"/></svg>'
    (folder / "figure2.svg").write_text(figure, "utf-8")
    return folder
