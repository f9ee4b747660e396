"""k-best lists of every method against enumeration: values in order, structures distinct, ties, too few paths."""

import numpy as np
import pytest
from all_labellings import all_labellings, best_values
from drawn import examples, generators, seeing
from hypothesis import given

import gapless
from gapless import Status
from gapless_chains import ChainProblem
from gapless_chains.column_generation.domain_k_best import affordable_labels

METHODS = ["viterbi", "viterbi-pruned", "dominance", "column-generation"]


@pytest.mark.parametrize("method", METHODS)
@seeing("short")
@examples(60)
@given(rng=generators())
def test_lists_match_enumeration(seen, rng, drawn_chain, method):
    (problem, _), k = drawn_chain(rng), int(rng.integers(1, 11))
    expected = best_values(problem)
    result = gapless.solve(problem, method, k=k)
    values = [solution.value for solution in result.solutions]
    assert values == pytest.approx(expected[:k], rel=1e-12, abs=1e-12)
    assert len({tuple(solution.structure) for solution in result.solutions}) == len(values)
    assert result.status is (Status.OPTIMAL if expected else Status.INFEASIBLE)
    verdict = result.verify(problem)
    assert verdict, verdict
    seen["short"] += 0 < len(expected) < k


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("forbidden", [0.0, 0.3])
@examples(6)
@given(rng=generators())
def test_lists_of_larger_chains(rng, random_chain, method, forbidden):
    seed = int(rng.integers(12))
    problem = random_chain(rng, n=20, k=17, forbidden=forbidden, integers=seed % 3 == 0)
    expected = gapless.solve(problem, "viterbi", k=10)
    found = gapless.solve(problem, method, k=10)
    assert [s.value for s in found.solutions] == pytest.approx([s.value for s in expected.solutions])


def test_masks_and_large_scores_do_not_hide_labellings():
    rng = np.random.default_rng(2)
    for scale in (1e-6, 1e9):
        unary = np.where(rng.random((6, 4)) < 0.3, -1e9, rng.normal(size=(6, 4)) * scale)
        problem = ChainProblem(unary, rng.normal(size=(4, 4)) * scale)
        expected = best_values(problem, 8)
        for method in METHODS:
            values = [s.value for s in gapless.solve(problem, method, k=8).solutions]
            assert values == pytest.approx(expected, rel=1e-12, abs=1e-9 * scale)


def test_column_generation_looks_at_few_labels():
    """Sharp scores: a fifth-best labelling needs few more labels than the best one."""
    rng = np.random.default_rng(1)
    problem = ChainProblem(8 * rng.normal(size=(40, 30)), rng.normal(size=(30, 30)))
    result = gapless.solve(problem, "column-generation", k=5)
    assert result.stats.extra["k_best_domain_size"] < 6


@given(rng=generators())
def test_affordable_labels_hold_every_labelling_within_the_allowance(rng, random_chain):
    seed = int(rng.integers(20))
    problem = random_chain(rng, n=4, k=3, varying=seed % 2 == 0)
    result = gapless.solve(problem, "column-generation")
    allowance = 1.5
    affordable = affordable_labels(problem, result.certificate.potentials, allowance)
    for path in all_labellings(problem):
        if problem.value(path) >= result.bound - allowance + 1e-9:
            assert affordable[np.arange(4), path].all()


def test_more_than_all_labellings():
    problem = ChainProblem(np.zeros((3, 2)), np.zeros((2, 2)))
    for method in METHODS:
        assert len(gapless.solve(problem, method, k=1000).solutions) == 8
