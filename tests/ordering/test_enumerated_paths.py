"""The certificate of nodes with few paths left: against all paths, and where choices are thousands."""

import numpy as np
import pytest
from drawn import generators
from hypothesis import given

import gapless
from gapless import dumps, loads
from gapless.decisions.decisions import Fixings
from gapless.factors import Budget
from gapless.testing.conformance import sample_fixings
from gapless_chains import ChainProblem
from gapless_ordering import OrderingProblem
from gapless_ordering.certificate import EnumeratedPaths
from gapless_ordering.enumeration import all_paths
from gapless_ordering.random_problems import random_problem


@given(rng=generators())
def test_the_best_path_under_any_fixings(rng):
    problem = random_problem(rng, int(rng.integers(1, 7)))
    if rng.random() < 0.3:
        edges = np.arange(problem.decisions.count)
        problem = OrderingProblem(
            problem.start,
            problem.ordering,
            problem.end,
            problem.length,
            classes=problem.classes,
            factors=[Budget(edges, rng.integers(0, 3, edges.size).astype(float), 3, penalty=0.5)],
        )
    paths, _ = all_paths(problem)
    found = [(problem.encode(path), problem.value(path)) for path in paths]
    for fixings in sample_fixings(problem.decisions, [on for on, _ in found], 4, int(rng.integers(1 << 30))):
        best = max((score for on, score in found if fixings.allows(on)), default=-np.inf)
        verdict = loads(dumps(EnumeratedPaths())).verify(problem, fixings)
        assert verdict.bound == best


def test_what_is_refused():
    chain = ChainProblem(np.zeros((2, 2)), np.zeros((2, 2)))
    assert "not of a ChainProblem" in EnumeratedPaths().verify(chain).reason
    many = OrderingProblem(np.zeros(20), np.zeros((20, 20)), np.zeros(20), 6)
    assert "too many paths are left" in EnumeratedPaths().verify(many, Fixings.none(many.decisions.count)).reason


@pytest.mark.long
def test_a_proof_with_hundreds_of_such_nodes_is_checked_within_the_limit_of_work():
    """Scores of 0 beside some in the millions: each node has few paths, and thousands of choices."""
    rng = np.random.default_rng(33)

    def costs(shape):
        return np.where(rng.random(shape) < 0.3, 0.0, -np.abs(rng.normal(0.0, 1e6, shape)))

    start, ordering = costs(9), np.where(rng.random((9, 9)) < 0.9, 0.0, rng.normal(0.0, 1e6, (9, 9)))
    problem = OrderingProblem(start, ordering, costs(9), 8)
    result = gapless.solve(problem, "split-bound")
    assert result.stats.extra["enumerated"] > 300
    verdict = result.verify(problem)
    assert verdict, verdict
    assert verdict.bound == pytest.approx(all_paths(problem)[1].max(), rel=1e-8)
