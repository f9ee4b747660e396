"""The k best trees by the compiled search, against the scores of all trees."""

import numpy as np
import pytest
from drawn import examples, generators, long, seeded, seeing
from hypothesis import assume, given
from parsing_cases import best_scores, random_case

import gapless
import gapless_kernels
from gapless import Limits, Status, Stop
from gapless.search import driver
from gapless_dependency import ArcConjunctions, ParsingProblem
from gapless_dependency.enumeration import tree_scores
from gapless_dependency.random_problems import random_problem

FAMILIES = ("sibling", "grandchild", "tri-sibling")
pytestmark = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1: no compiled search")


def sentence(rng, longest=5):
    """But for those without any tree, which are known without a search."""
    shares = {"forbidden": [0.0, 0.3], "forbidden_parts": [0.0, 0.2]}
    n, families = int(rng.integers(1, longest + 1)), FAMILIES[: rng.integers(4)]
    problem = random_case(rng, n, families, ties=bool(rng.integers(2)), strength=2.0, **shares)
    assume(not problem.infeasibility())
    return problem


@pytest.mark.usefixtures("choices")
@pytest.mark.parametrize("variant", ["default", "paper"])
@pytest.mark.parametrize("choices", [0, 30, 1 << 14], indirect=True)
@given(rng=generators())
def test_agrees_with_enumeration(rng, variant):
    problem, k = sentence(rng), int(rng.integers(2, 11))
    expected = best_scores(problem)[:k].tolist()
    result = gapless.solve(problem, "split-bound", k=k, variant=variant)
    assert [s.value for s in result.solutions] == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert len({s.structure.heads.tobytes() for s in result.solutions}) == len(expected)
    assert result.status is (Status.OPTIMAL if expected else Status.INFEASIBLE)
    assert result.verify(problem)


def test_all_trees_when_more_are_asked_for():
    problem = random_problem(np.random.default_rng(1), 3, families=["sibling"], single_root=False)
    everything = best_scores(problem).tolist()
    result = gapless.solve(problem, "split-bound", k=1000)
    assert [s.value for s in result.solutions] == pytest.approx(everything)
    assert len(everything) == 16  # (n + 1)^(n - 1) labelled trees


def test_where_all_trees_are_worth_the_same_few_are_searched():
    problem = ParsingProblem(np.zeros((13, 13)))
    result = gapless.solve(problem, "split-bound", k=4)
    assert [s.value for s in result.solutions] == [0.0] * 4
    assert result.status is Status.OPTIMAL
    assert result.stats.nodes <= 6


@pytest.mark.usefixtures("bounds_alone")
@pytest.mark.parametrize("nodes", [1, 3, 6])
@seeing("early")
@given(rng=generators())
def test_a_list_that_a_limit_ended_says_so_and_keeps_the_start(seen, rng, nodes):
    problem = sentence(rng)
    heads, scores = tree_scores(problem)
    assume(np.any(scores > -np.inf))
    worst = problem.tree(heads[np.where(scores > -np.inf, scores, np.inf).argmin()])
    result = gapless.solve(problem, "split-bound", k=1000, start=worst, limits=Limits(nodes=nodes))
    assert result.bound >= scores.max() - 1e-9
    assert result.verify(problem)
    assert worst.heads.tobytes() in {s.structure.heads.tobytes() for s in result.solutions}
    if result.status is Status.OPTIMAL:
        assert len(result.solutions) == np.count_nonzero(scores > -np.inf)
        return
    seen["early"] += 1
    assert result.stop is Stop.NODES
    assert result.stats.nodes <= nodes
    assert "the list may miss some" in result.explanation[-1]


def test_ctrl_c_keeps_what_was_found(monkeypatch):
    problem = random_problem(np.random.default_rng(2), 6, families=["sibling", "grandchild"])
    advance, calls = driver.SearchDriver.advance, []

    def interrupted(self, *args):
        calls.append(self)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return advance(self, *args)

    monkeypatch.setattr(driver.SearchDriver, "advance", interrupted)
    result = gapless.solve(problem, "split-bound", k=5)
    assert (result.status, result.stop) == (Status.FEASIBLE, Stop.INTERRUPTED)
    assert result.value == pytest.approx(tree_scores(problem)[1].max())
    assert result.verify(problem)


@seeing("early")
@examples(20)
@given(rng=seeded())
def test_a_list_within_a_gap_is_full_and_says_so(seen, rng):
    problem = random_problem(rng, 6, families=["sibling", "grandchild"], strength=2.0)
    scores = best_scores(problem)
    result = gapless.solve(problem, "split-bound", k=5, limits=Limits(relative_gap=0.5))
    values = [s.value for s in result.solutions]
    assert len(values) == 5
    assert values[0] == pytest.approx(scores[0])
    assert scores[4] - values[4] <= 0.5 * max(1.0, abs(values[4])) + 1e-9
    assert result.status is (Status.FEASIBLE if result.stop is Stop.GAP else Status.OPTIMAL)
    seen["early"] += result.stop is Stop.GAP


@pytest.mark.parametrize("order", ["best-first", "depth-first", "breadth-first"])
def test_without_a_certificate_in_every_order(order):
    problem = random_problem(np.random.default_rng(4), 6, families=["sibling", "grandchild"], strength=2.0)
    result = gapless.solve(problem, "split-bound", k=7, order=order, certificate=False)
    assert [s.value for s in result.solutions] == pytest.approx(best_scores(problem)[:7].tolist())
    assert "none was asked for" in result.verify(problem).reason


@pytest.mark.usefixtures("bounds_alone")
def test_what_a_part_holds_when_a_limit_ends_it_is_listed():
    problem = random_problem(np.random.default_rng(5), 9, families=["sibling", "grandchild"], strength=3.0)
    whole = gapless.solve(problem, "split-bound").stats.nodes
    sizes = [
        len(gapless.solve(problem, "split-bound", k=4, limits=Limits(nodes=whole + more)).solutions)
        for more in (0, 1, 3000)
    ]
    assert sizes[0] == 1
    assert sizes[1] == 2
    assert sizes[2] == 4


def test_events_begin_and_end_once():
    problem = random_problem(np.random.default_rng(6), 6, families=["sibling", "grandchild"], strength=2.0)
    seen = []
    gapless.solve(problem, "split-bound", k=4, observers=[seen.append])
    kinds = [event.kind for event in seen]
    assert (kinds[0], kinds[-1]) == ("start", "stop")
    assert set(kinds[1:-1]) == {"node"}
    assert all(event.bound >= event.value for event in seen)


@pytest.mark.usefixtures("choices")
@pytest.mark.parametrize("choices", [0], indirect=True)
@pytest.mark.parametrize("k", [2, long(4)])
@seeing("settled")
@examples(15)
@given(rng=generators())
def test_scores_that_cancel(seen, rng, k):
    """Beside sums of 1e9 that cancel, the compiled search cannot tell the order of trees."""
    problem = random_problem(rng, 5, families=["sibling", "grandchild"], ties=True)
    shift = 1e9 * rng.integers(-1, 2, (6, 6))
    arcs = problem.decisions
    hidden = ArcConjunctions(
        [[(h, m)] for h, m in zip(arcs.heads.tolist(), arcs.modifiers.tolist(), strict=True)],
        -shift[arcs.heads, arcs.modifiers],
    )
    cancelled = ParsingProblem(problem.scores + shift, factors=[*problem.factors, hidden])
    expected = best_scores(problem)[:k].tolist()
    result = gapless.solve(cancelled, "split-bound", k=k)
    assert result.bound >= expected[0] - 1e-6
    if result.status is Status.OPTIMAL:
        seen["settled"] += 1
        assert [s.value for s in result.solutions] == pytest.approx(expected, abs=1e-5)
    else:
        assert result.explanation
        assert result.solutions
