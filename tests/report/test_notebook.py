"""Values in notebooks: all that is shown, in little room, and never at the cost of the value."""

from __future__ import annotations

import gc
import pickle
import sys
from base64 import b64decode
from html.parser import HTMLParser
from typing import Any

import attrs
import numpy as np
import pytest

import gapless as gl
from gapless.results.batch_result import BatchResult
from gapless.roles import Fixings
from gapless_chains import ChainModel, ChainProblem
from gapless_dependency import ParsingProblem

EVIL = "<script>alert(1)</script>"
SIZE = 1_300_000


class Reader(HTMLParser):
    """Text, pictures and tags of a page; tags that are open at the end, or closed too often, fail."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.pictures: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag: str, given: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        held = dict(given)
        assert not any(name.startswith("on") for name in held)
        if tag == "img":
            source = str(held["src"])
            assert source.startswith("data:image/svg+xml;base64,")
            self.pictures.append((str(held["alt"]), b64decode(source.partition(",")[2]).decode()))
        elif not self.get_starttag_text().endswith("/>"):  # type: ignore[union-attr]
            self.open.append(tag)

    def handle_startendtag(self, tag: str, given: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, given)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return "\n".join(self.texts)


def read(value):
    page = value._repr_html_()
    assert page is not None
    assert len(page) < SIZE
    page.encode()
    reader = Reader(page)
    assert not {"script", "iframe", "link", "object"} & {*reader.tags}
    assert "url(" not in page
    return reader


KINDS = ["chain", "tree", "parsing", "ordering", "linking", "selection"]


@pytest.mark.parametrize("kind", KINDS)
def test_records_results_and_problems_are_shown(records, kind):
    record = records[kind]
    shown = read(record)
    assert kind in shown.text
    assert "Optimal (proved)" in shown.text
    assert len(shown.pictures) == (0 if kind == "selection" else len(record.result.solutions))
    named = record.describe()
    first = named[0] if isinstance(named[0], str) else "/".join(named[0])
    assert first in shown.text
    problem = read(record.problem)
    assert type(record.problem).__name__ in problem.text
    assert record.problem.decisions.name(0) in problem.text
    if kind != "selection":  # no method is registered for it
        assert len(read(gl.solve(record.problem)).pictures) == 1


def test_names_of_strangers_stay_text(records):
    for kind in ("chain", "tree", "parsing", "ordering", "linking"):
        shown = read(records[kind])
        assert any(EVIL in said for said, _ in shown.pictures) or EVIL in shown.text
    problem = ChainProblem([[1.0]], [[0.0]], labels=(f'"><img src=x onerror=y>{EVIL}\ud800',))
    record = gl.Record(problem, gl.solve(problem), name=f"{EVIL}\ud800", words=("\ud800'\"",))
    for value in (problem, record, record.result, gl.solve_many([problem])):
        assert EVIL in read(value).text


def test_lists_of_several_best(records):
    problem = records["chain"].problem
    shown = read(gl.solve(problem, k=20))
    assert len(shown.pictures) == 5
    assert "and 15 more structures" in shown.text
    assert "worse than the best" in shown.text


def test_a_search_tree_is_drawn_from_its_certificate(records):
    record = records["parsing"]
    tree = record.result.certificate
    for value, told in ((tree, "decision "), (record, "arc ")):
        shown = read(value)
        assert shown.tags.count("circle") == len(tree.parents)
        assert f"{len(tree.parents)} nodes" in shown.text
        assert told in shown.text
    for other in (records["chain"].result.certificate, gl.Result.from_json(record.result.to_json()).certificate):
        assert other.kind in read(other).text
    assert "no reason is given" in read(gl.roles.NoCertificate("")).text


def test_what_is_large_is_counted_and_not_drawn():
    rng = np.random.default_rng(0)
    problem = ChainProblem(rng.normal(size=(5000, 4)), rng.normal(size=(4, 4)))
    result = gl.solve(problem, k=3)
    shown = read(result)
    assert not shown.pictures
    assert "Too large to be drawn here" in shown.text
    assert "and 4,940 more" in shown.text
    assert "20,000" in read(problem).text
    padded = ChainModel(rng.normal(size=(4, 4))).batch(rng.normal(size=(500, 3, 4)), lengths=np.full(500, 3))
    batch = gl.solve_many(padded)
    told = read(batch)
    assert told.tags.count("tr") == 11
    assert "and 490 more answers" in told.text
    assert len(read(batch[3]).pictures) == 1  # the problem is made again


def test_a_batch_tells_failures_and_what_was_not_reached():
    problem = ChainProblem([[1.0, 0.0]], np.zeros((2, 2)), labels=("A", "B"))
    failed = gl.SolveError(f"the oracle {EVIL}")
    batch = attrs.evolve(BatchResult.from_results([gl.solve(problem), failed], total=3), problems=[problem] * 3)
    shown = read(batch)
    assert f"the oracle {EVIL}" in shown.text
    assert "not reached" in shown.text
    assert "A" in shown.texts
    assert read(gl.solve_many([])).text


def test_a_result_knows_its_problem_as_long_as_that_lives():
    problem = ParsingProblem(np.ones((4, 4)), words=("we", "prove", EVIL))
    result = gl.solve(problem)
    assert "we" in read(result).pictures[0][0]
    assert not read(pickle.loads(pickle.dumps(result))).pictures
    other = ChainProblem([[1.0]], [[0.0]])
    [kept] = gl.solve_many([other])
    assert len(read(kept).pictures) == 1
    del problem
    gc.collect()
    shown = read(result)
    assert not shown.pictures
    assert "show gapless.Record(problem, result)" in shown.text


def test_what_fails_leaves_the_text(monkeypatch):
    class Nameless(ChainProblem):
        def describe(self, structure: Any, words: Any = ()) -> Any:
            raise RuntimeError("no names today")

    problem = Nameless([[1.0, 0.0]], np.zeros((2, 2)))
    result = gl.solve(problem)
    assert result._repr_html_() is None
    assert repr(result).startswith("<Result OPTIMAL")
    assert problem._repr_html_() is not None


def test_it_needs_no_extra(monkeypatch, records):
    for name in ("jinja2", "markupsafe", "plotly", "pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    assert "Optimal" in read(records["parsing"]).text


def test_nothing_feasible_is_told_with_the_reason():
    problem = ChainProblem(np.full((1, 2), -np.inf), np.zeros((2, 2)))
    shown = read(gl.solve(problem))
    assert "Infeasible (proved)" in shown.text
    assert "token 0 has no allowed label" in shown.text


def test_a_certificate_of_a_stranger_is_shown():
    class Trusting(gl.Certificate):
        """Believe me."""

        def verify(self, problem: Any, fixings: Fixings | None = None) -> gl.Verdict:
            return gl.Verdict(True, "yes")

    assert "Believe me." in read(Trusting()).text
