"""Searches that begin again with the pairs of each head as one factor: answers, evidence, and what it refuses."""

import numpy as np
import pytest

import gapless as gl
from gapless_dependency import ParsingProblem
from gapless_dependency.enumeration import tree_scores
from gapless_dependency.random_problems import random_problem
from gapless_splitbound import gathered, patience
from gapless_splitbound.certificate import SplitMultipliers
from gapless_splitbound.gathered import GatheredPairs


@pytest.fixture
def impatient(monkeypatch):
    """Every search that does not end after a branch begins again; nothing is enumerated before."""
    monkeypatch.setattr("gapless.search.layout.CHOICES", 0)
    monkeypatch.setattr(patience, "FIRST", 2)
    monkeypatch.setattr(patience, "SLOW", 0.0)


def sentence(rng, longest=5):
    while True:
        problem = random_problem(
            rng,
            int(rng.integers(3, longest + 1)),
            projective=False,
            single_root=bool(rng.integers(2)),
            families=("sibling", "grandchild"),
            ties=bool(rng.integers(2)),
            forbidden=float(rng.choice([0.0, 0.3])),
            strength=float(rng.choice([2.0, 5.0])),
        )
        if not problem.infeasibility():
            return problem


def loose(seed=0, words=7):
    """A sentence whose search begins again."""
    return random_problem(
        np.random.default_rng(seed), words, projective=False, families=("sibling", "grandchild"), strength=6.0
    )


def test_every_tree_scores_the_same():
    rng = np.random.default_rng(0)
    for _ in range(20):
        problem = sentence(rng)
        other = gathered.gathered(problem)
        if other is not None:
            assert len(other.factor_set.configurations) > 0
            heads, scores = tree_scores(problem)
            assert [other.value(other.tree(row)) for row in heads] == pytest.approx(scores, abs=1e-9)


def test_answers_against_all_trees(impatient):
    rng, again = np.random.default_rng(1), 0
    for _ in range(60):
        problem = sentence(rng)
        scores = tree_scores(problem)[1]
        found = gl.solve(problem, "split-bound")
        assert found.status is (gl.Status.OPTIMAL if scores.size else gl.Status.INFEASIBLE)
        assert not scores.size or found.value == pytest.approx(scores.max(), abs=1e-9)
        verdict = found.verify(problem)
        assert verdict, verdict.reason
        assert verdict.trusted == ""
        again += isinstance(found.certificate, GatheredPairs)
    assert again > 5


def test_a_stored_answer_verifies(impatient):
    problem = loose()
    found = gl.solve(problem, "split-bound")
    assert isinstance(found.certificate, GatheredPairs)
    assert gl.Result.from_json(found.to_json()).verify(problem)


def test_a_batch_gives_the_same(impatient):
    problems = [loose(seed) for seed in range(6)]
    batched = gl.solve_many(problems, "split-bound")
    assert batched.values == pytest.approx([gl.solve(p, "split-bound").value for p in problems])


def test_evidence_for_another_problem_proves_nothing_wrong(impatient):
    problem = loose()
    found = gl.solve(problem, "split-bound")
    more = ParsingProblem(problem.scores + 1.0, factors=problem.factors)
    verdict = found.certificate.verify(more)
    assert not verdict or verdict.bound >= gl.solve(more, "split-bound").value - 1e-6


def test_evidence_for_a_problem_without_pairs_is_refused():
    problem = ParsingProblem(np.zeros((4, 4)))
    verdict = GatheredPairs(SplitMultipliers.even(problem)).verify(problem)
    assert not verdict
    assert "no pairs" in verdict.reason


@pytest.mark.parametrize(
    "limits", [gl.Limits(nodes=10**6), gl.Limits(iterations=10**6), gl.Limits(gap=1e-9)], ids=str
)
def test_limits_that_do_not_bind_change_nothing(impatient, limits):
    problem = loose()
    free, limited = gl.solve(problem, "split-bound"), gl.solve(problem, "split-bound", limits=limits)
    assert isinstance(limited.certificate, GatheredPairs)
    assert (limited.value, limited.stats.nodes) == (free.value, free.stats.nodes)


def test_watchers_see_one_search(impatient):
    problem, seen = loose(), []
    found = gl.solve(problem, "split-bound", observers=[seen.append], trace=True)
    assert isinstance(found.certificate, GatheredPairs)
    assert list(found.trace) == seen
    kinds = [event.kind for event in seen]
    assert (kinds.count("start"), kinds[0], kinds.count("stop"), kinds[-1]) == (1, "start", 1, "stop")
    numbers = [event.details["node"] for event in seen if event.kind == "node"]
    assert numbers == sorted(numbers)
    assert numbers[-1] == found.stats.nodes
    first = max(number for number in numbers if number <= 2)
    known = [event.bound for event in seen if event.kind == "node" and event.details["node"] >= first]
    assert max(known[1:]) <= known[0] + 1e-9


@pytest.mark.parametrize("nodes", [1, 2, 3, 4, 6])
def test_a_limit_leaves_the_lower_bound_of_both_searches(impatient, nodes):
    problem = loose()
    best = gl.solve(problem, "split-bound").value
    found = gl.solve(problem, "split-bound", limits=gl.Limits(nodes=nodes))
    before = gl.solve(problem, "split-bound", limits=gl.Limits(nodes=min(nodes, 2)))
    assert found.stats.nodes <= nodes
    assert best - 1e-9 <= found.bound <= before.bound + 1e-9
    assert found.verify(problem)
