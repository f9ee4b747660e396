"""The ordering benchmark runs, and notices values that cannot be true together."""

import json

import numpy as np
import pytest

import gapless as gl
from benchmarks.__main__ import main
from benchmarks.frame.bench import Bench
from benchmarks.frame.marks import ALONE, FROM_ARRAYS
from benchmarks.frame.solving import EXACT, Solved, Way, contradictions, solve_interleaved
from benchmarks.ordering import benchmark
from benchmarks.ordering.comparisons import drawn, hard_lines
from gapless.cli import Console, exit_codes
from gapless_ordering.random_problems import title_like, uniform


@pytest.fixture
def console():
    return Console(as_json=True)


@pytest.mark.long
@pytest.mark.parametrize("titles", ["drawn", "embedded essays"])
def test_it_runs(titles, capsys, monkeypatch):
    pytest.importorskip("sklearn")
    if titles == "drawn":  # a model of the essays is trained in three seconds
        monkeypatch.setattr(benchmark, "title_problems", lambda _: [title_like(60, 3, seed) for seed in range(3)])
    asked = ["ordering", "--seeds", "1", "--limit", "3", "--limit-seconds", "0.3", "--json"]
    assert main(asked) == exit_codes.PROVED
    found = json.loads(capsys.readouterr().out)
    assert found["disagreements"] == []
    lines = {(line["scores"], line["what"]): line for line in found["lines"]}
    judged = lines["title-like, n = 600, k = 13", f"exact, median, {FROM_ARRAYS}"]
    assert (judged["must"], judged["aim"], judged["more"]) == (3, 1, False)
    assert judged["value"]["median"] > 0
    assert lines["title-like, n = 600, k = 13", "proved"]["value"]["median"] == 100
    assert lines["titles, at their length", "proved"]["value"]["median"] == 100
    assert lines["titles, at their length", "proved"]["must"] is None, "marks speak of the real corpus"
    assert {what for _, what in lines} >= {
        f"{what}, {how}"
        for how in (FROM_ARRAYS, ALONE)
        for what in (
            "one colouring, 12 colours, no bounds",
            "colour coding with bounds, failure 1e-3",
            "exact over beam 1345, total time",
            "exact by solve_many, mean",
            "exact over ilp",
        )
    }
    programs = [pair for pair in found["compared"] if pair["peer"] == "ilp"]
    assert programs
    for pair in programs:
        assert 0 < pair["peer_alone_ms"]["median"] < pair["peer_from_arrays_ms"]["median"], "the model takes time"


def solved(values, bounds, failed=()):
    values, bounds = np.array(values), np.array(bounds)
    return Solved(np.ones(values.size), np.ones(values.size), values, bounds, values == bounds, list(failed))


def test_a_value_above_a_bound_and_a_bad_certificate_are_reported():
    exact = solved([1.0, 2.0, np.nan], [1.0, 2.0, -np.inf])
    assert contradictions("toy", {"exact": exact, "beam": solved([1.0 + 1e-12, 1.5, np.nan], [np.inf] * 3)}) == []
    assert contradictions("toy", {"exact": exact, "beam": solved([1.0, 2.1, 0.0], [np.inf] * 3)}) == [
        "toy, problem 1: beam found 2.1, exact proved 2",
        "toy, problem 2: beam found 0, exact proved -inf",
    ]
    assert contradictions("toy", {"exact": solved([1.0], [1.0], ["bad"])}) == ["toy: bad"]


def test_ways_take_turns_and_certificates_are_verified(console, monkeypatch):
    problems = [title_like(20 + seed, 4, seed) for seed in range(3)]
    asked = []
    solve = gl.solve

    given = []

    def remembering(problem, method, **options):
        given.append(problem)
        asked.append((problem.vertices, problem.length, method))
        return solve(problem, method, **options)

    monkeypatch.setattr(gl, "solve", remembering)
    verified = []
    verify = gl.Result.verify
    monkeypatch.setattr(gl.Result, "verify", lambda result, problem: verified.append(1) or verify(result, problem))
    ways = {"exact": EXACT, "beam": Way("beam", {"width": 3})}
    found = solve_interleaved(ways, problems, console, "toy", gl.Limits(), uniform(20, 3, 0))
    assert all(problem not in problems for problem in given), "every problem is made of its arrays again"
    assert asked[2:] == [(n, 4, method) for n in (20, 21, 22) for method in ("exact", "beam")]
    assert [method for _, _, method in asked[:2]] == ["exact", "beam"], "before the clock runs"
    assert len(verified) == 3
    assert found["exact"].proved.all()
    assert contradictions("toy", found) == []
    assert found["exact"].milliseconds.median > 0
    assert found["exact"].slow_line("exact", "toy").value.median == pytest.approx(
        1e3 * found["exact"].seconds.max()
    )


def test_what_was_not_proved_is_reported(console):
    bench = Bench(console=console, limits=gl.Limits(time=0.0))
    lines = [line for line in hard_lines(bench) if line.what == "proved"]
    assert lines[-1].value.median == 0.0
    assert lines[-1].verdict == "missed"
    assert bench.wrong == []


def test_instances_are_drawn_by_seed(console):
    (problem,) = drawn(Bench(console=console), "uniform", 9, 3)
    np.testing.assert_array_equal(problem.ordering, uniform(9, 3, 0).ordering)
