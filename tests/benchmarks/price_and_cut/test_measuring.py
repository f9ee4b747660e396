"""Measuring: ratios, memory, values that should agree."""

import numpy as np
import pytest

import gapless as gl
from benchmarks.frame.bench import Bench
from benchmarks.price_and_cut.hard_sentence import hard_sentence
from benchmarks.price_and_cut.material import Material, between
from benchmarks.price_and_cut.memory import growth, has_statm
from benchmarks.price_and_cut.timing import exact_side, exact_value, result_side
from gapless.cli import Console
from gapless_tasks.parsing.sentence_arrays import SentenceArrays


@pytest.fixture
def console():
    return Console(as_json=True)


def test_a_value_is_reported_only_when_it_is_proved(monkeypatch):
    problem = hard_sentence(words=6)
    best = gl.solve(problem).value
    assert exact_value("split-bound")(problem) == pytest.approx(best)
    monkeypatch.setattr("benchmarks.price_and_cut.timing.LIMIT", 0.0)
    assert np.isnan(exact_value("split-bound")(hard_sentence(words=12)))


def test_our_sides_solve_new_problems_to_a_certificate_and_search_prepared_ones(monkeypatch):
    arrays = SentenceArrays.of(hard_sentence(words=7))
    solved = []
    solve = gl.solve
    monkeypatch.setattr(
        gl, "solve", lambda problem, *rest, **more: solved.append(solve(problem, *rest, **more)) or solved[-1]
    )
    side = exact_side("lagrangian-cut")
    value = side.solve(arrays)
    assert solved[-1].value == value
    assert solved[-1].verify(arrays.problem())
    ready = side.prepare(arrays)
    assert all(factor.scored == len(factor.scopes) for factor in ready.conjunctions)
    assert side.search(ready) == pytest.approx(value)
    assert len(solved) == 1, "the search alone makes no result"
    delayed = result_side("price-and-cut")
    assert delayed.search(delayed.prepare(arrays)).bound == delayed.solve(arrays).bound


def test_values_that_differ_are_reported(console):
    material = Material("toy", [], Bench(console=console))
    material.compare("values", np.array([1.0, np.nan, 1e9]), np.array([1.0 + 1e-9, 3.0, 1e9 + 1]))
    assert material.bench.wrong == []
    material.compare("values", np.array([1.0, np.nan, 5.0]), np.array([1.1, 3.0, 2.0]))
    assert material.bench.wrong == ["toy: 2 of 3 values differ, one by 3"]


def test_sentences_are_chosen_by_length(console):
    material = Material("toy", [lambda w=w: hard_sentence(words=w) for w in (5, 12, 31)], Bench(console=console))
    assert [p.length for p in material.some] == [12]
    assert [p.length for p in material.long] == [31]
    assert [make().length for make in material.fresh_between(1, 11)] == [5]
    assert all(f.scored == len(f.scopes) for p in material.problems for f in p.conjunctions)
    assert between(material.problems, 40, 50) == []


@pytest.mark.long
@pytest.mark.skipif(not has_statm(), reason="no /proc/self/statm")
def test_memory_that_stays_is_seen(console):
    fresh = [lambda: hard_sentence(words=3)] * 3
    kept = []
    # Beyond 32 MB each, so that none comes from what tests before this one gave back to the allocator.
    leak = growth(fresh, lambda problem: kept.append(np.ones(5_000_000)), 3, console, "leak")
    assert leak == pytest.approx(120, rel=0.2)
    kept.clear()
    assert growth(fresh, lambda problem: np.ones(5_000_000).sum(), 3, console, "none") < 20


def test_the_hard_sentence_is_always_the_same():
    one, other = hard_sentence(words=8), hard_sentence(words=8)
    assert np.array_equal(one.scores, other.scores)
    assert np.array_equal(one.conjunctions[0].all_scores(), other.conjunctions[0].all_scores())
    assert not np.array_equal(hard_sentence(words=8, seed=1).scores, one.scores)
