"""The method through the conformance kit."""

import itertools

import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given

import gapless
from gapless import Limits, Status, Stop, UnknownOption
from gapless.plugins import load_plugins
from gapless.roles import Fixings
from gapless.testing import check_method
from gapless_dependency import ParsingProblem
from gapless_dependency.random_problems import FAMILIES, random_problem
from gapless_splitbound import TreeSplitCertificate, candidate_heads, prune


def problems():
    rng = np.random.default_rng(4)
    kinds = itertools.product([False, True], [False, True], [(), ("sibling", "grandchild"), FAMILIES])
    for number, (projective, single_root, families) in enumerate(kinds):
        yield random_problem(
            rng,
            3,
            projective=projective,
            single_root=single_root,
            families=families,
            ties=number % 2 == 0,
            forbidden=0.2 * (number % 3 == 0),
            forbidden_parts=0.1 * (number % 4 == 1),
        )


PROBLEMS = [*problems()]


@pytest.mark.parametrize("options", [{}, {"variant": "paper"}, {"order": "depth-first"}], ids=str)
@pytest.mark.parametrize("problems", [PROBLEMS[1::6], pytest.param(PROBLEMS[::2], marks=pytest.mark.long)], ids=len)
def test_method(options, problems):
    method = load_plugins().registry.find_method(ParsingProblem, "split-bound")
    check_method(method, problems, **options)


def test_wrong_options_are_named():
    problem = next(problems())
    with pytest.raises(UnknownOption, match="did you mean 'paper'"):
        gapless.solve(problem, "split-bound", variant="papre")
    with pytest.raises(UnknownOption, match="order"):
        gapless.solve(problem, "split-bound", order="random")
    with pytest.raises(UnknownOption, match="max_heads"):
        gapless.solve(problem, "split-bound", max_heads=0)


def test_without_a_certificate():
    problem = next(problems())
    result = gapless.solve(problem, "split-bound", certificate=False)
    assert result.status is Status.OPTIMAL
    assert not result.verify(problem)


@pytest.mark.parametrize("projective", [False, True])
@seeing("worse")
@examples(20)
@given(rng=generators())
def test_pruning_is_an_approximation_and_says_so(seen, rng, projective):
    problem = random_problem(rng, 5, projective=projective, families=["grandchild", "sibling"], strength=1.5)
    kept = candidate_heads(problem, 1)
    assert np.array_equal(kept[0], problem.scores[0] > -np.inf)
    whole = gapless.solve(problem, "split-bound")
    inner = gapless.solve(prune(problem, 1), "split-bound")
    result = gapless.solve(problem, "split-bound", max_heads=1)
    assert result.value == inner.value == pytest.approx(result.stats.extra["restricted_bound"], abs=1e-8)
    assert result.bound >= whole.value - 1e-9
    assert result.verify(problem)
    if result.value < whole.value - 1e-9:
        seen["worse"] += 1
        assert (result.status, result.stop) == (Status.FEASIBLE, Stop.RESTRICTED)
        assert "max_heads=1" in result.explanation[0]


def test_the_bound_on_all_trees_takes_a_step_of_the_search():
    rng = np.random.default_rng(5)
    for projective in (False, True):
        problem = random_problem(rng, 9, projective=projective, families=["grandchild", "sibling"], strength=1.0)
        result = gapless.solve(problem, "split-bound", max_heads=2)
        even = TreeSplitCertificate.even(problem).upper_bound(problem, Fixings.none(problem.decisions.count))
        assert result.value <= result.bound < 0.7 * even
        assert result.verify(problem)


def test_limits_leave_a_true_bound():
    rng = np.random.default_rng(2)
    problem = random_problem(rng, 6, families=["grandchild", "sibling"], strength=2.0)
    best = gapless.solve(problem, "split-bound")
    for limits in (Limits(nodes=1), Limits(iterations=3), Limits(relative_gap=0.2)):
        result = gapless.solve(problem, "split-bound", limits=limits)
        assert result.bound >= best.value - 1e-9
        assert result.verify(problem)
    again = gapless.solve(problem, "split-bound", start=best.best)
    assert again.stats.warm_start_used
    assert again.value == best.value
