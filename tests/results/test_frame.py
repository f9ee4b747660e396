"""The table of a batch: a row for each problem, in pandas or polars."""

import importlib.util
import math

import numpy as np
import pytest

import gapless as gl
from gapless.results.batch_result import BatchResult
from gapless_chains import ChainProblem

COLUMNS = [
    *(
        "problem",
        "status",
        "value",
        "bound",
        "proved",
        "stop",
        "gap",
        "seconds",
        "nodes",
        "iterations",
        "certified",
    ),
    *("method", "error"),
]


@pytest.fixture(scope="module")
def problems():
    rng = np.random.default_rng(0)
    unaries = [rng.normal(size=(n, 3)) for n in (4, 1, 6)]
    return [*ChainProblem.many(unaries, rng.normal(size=(3, 3))), ChainProblem([[-np.inf]], [[0.0]])]


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_a_row_for_each_answer(problems, backend):
    pytest.importorskip(backend, reason=f"needs {backend}: pip install {backend}")
    batch = gl.solve_many(problems)
    frame = batch.to_frame(backend)
    assert type(frame).__module__.partition(".")[0] == backend
    assert list(frame.columns) == [*COLUMNS, "survivors"]
    held = {name: list(frame[name]) for name in frame.columns}
    for i, result in enumerate(batch):
        assert held["problem"][i] == i
        assert (held["status"][i], held["stop"][i]) == (result.status.value, result.stop.value)
        assert (held["bound"][i], held["gap"][i]) == (result.bound, result.gap)
        assert bool(held["proved"][i]) is result.proved
        assert (bool(held["certified"][i]), held["method"][i]) == (result.certified, result.method)
        assert held["nodes"][i] == result.stats.nodes
    assert held["value"][:3] == [result.value for result in list(batch)[:3]]
    assert math.isnan(held["value"][3])
    assert held["status"][3] == "infeasible"
    brief = batch.to_frame(backend, stats=False)
    assert list(brief.columns) == ["problem", "status", "value", "bound", "proved", "error", "survivors"]
    assert len(gl.solve_many([]).to_frame(backend)) == 0


def test_failures_and_problems_that_were_not_reached_have_rows(problems):
    pandas = pytest.importorskip("pandas", reason="needs pandas: pip install pandas")
    batch = BatchResult.from_results([gl.solve(problems[0]), gl.SolveError("the oracle lied")], total=3)
    frame = batch.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["status"].tolist()[0] == "optimal"
    assert frame["status"].isna().tolist() == [False, True, True]
    assert frame["stop"].tolist() == ["proved", "error", "interrupted"]
    assert frame["error"].tolist()[1] == "the oracle lied"
    assert frame["error"].isna().tolist() == [True, False, True]
    assert frame["proved"].tolist() == [True, False, False]


def test_what_is_missing_is_said_with_the_command(problems, monkeypatch):
    batch, find = gl.solve_many(problems), importlib.util.find_spec

    def without(*hidden):
        return lambda name, *given: None if name in hidden else find(name, *given)

    monkeypatch.setattr(importlib.util, "find_spec", without("pandas", "polars"))
    with pytest.raises(gl.MissingDependency, match=r"needs pandas or polars: pip install pandas$"):
        batch.to_frame()
    with pytest.raises(gl.MissingDependency, match=r"needs polars: pip install polars$"):
        batch.to_frame("polars")
    with pytest.raises(gl.UnknownOption, match=r"'panda'.*did you mean 'pandas'"):
        batch.to_frame("panda")
    monkeypatch.setattr(importlib.util, "find_spec", without("pandas"))
    pytest.importorskip("polars", reason="needs polars: pip install polars")
    assert type(batch.to_frame()).__module__.startswith("polars")
