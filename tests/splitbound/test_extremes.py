"""Scores that are tiny, huge, cancelling or all forbidden; one word, many words; stopped in the middle."""

import os
import sys
import tracemalloc

import numpy as np
import patience
import pytest
from drawn import examples, generators
from hypothesis import given

import gapless
from gapless import Limits, Status, Stop
from gapless_dependency import Grandchild, ParsingProblem, Sibling
from gapless_dependency.enumeration import tree_scores
from gapless_dependency.random_problems import FAMILIES, random_problem
from gapless_splitbound import prune

RELATIVE = 1e-8  # what gapless.arrays.tolerance promises, relative to the scores that are summed


def optimum(problem, scale):
    """Solve, prove and compare with enumeration; trees are scored by `math.fsum`, which loses nothing."""
    heads, scores = tree_scores(problem)
    likely = heads[np.argsort(-scores)[:20]] if scores.size and scores.max() > -np.inf else []
    best = max((problem.value(problem.tree(tree)) for tree in likely), default=-np.inf)
    result = gapless.solve(problem, "split-bound")
    verdict = result.verify(problem)
    if best == -np.inf:
        assert result.status is Status.INFEASIBLE
        assert verdict
        return result, verdict
    assert result.value == pytest.approx(best, abs=RELATIVE * max(1.0, scale, abs(best)))
    assert result.bound >= best - RELATIVE * max(1.0, scale, abs(best))
    # The proof counts its own rounding: its bound is true to the last digit.
    assert verdict.bound >= best
    return result, verdict


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("scale", [1e-9, 1e9, 1e11])
@examples(6)
@given(rng=generators())
def test_tiny_and_huge(rng, projective, scale):
    n = int(rng.integers(2, 7))
    arcs = scale * rng.normal(size=(n, n))
    factors = [Grandchild(scale * rng.normal(size=(n,) * 3)), Sibling(scale * rng.normal(size=(n,) * 3))]
    result, verdict = optimum(ParsingProblem(arcs, factors=factors, projective=projective), scale)
    assert result.proved
    assert verdict, verdict


def drawn_scores(rng):
    """Scores of arcs, grandchildren and siblings with ties or without, some forbidden, and a kind of trees.

    In eighths: times 2 ** 40 they are still below 1e12, the largest that is allowed.
    """
    size, ties = int(rng.integers(3, 7)), bool(rng.integers(2))
    scores = []
    for order in (2, 3, 3):
        drawn = rng.integers(-3, 4, (size,) * order).astype(float) if ties else rng.normal(size=(size,) * order)
        scores.append(np.where(rng.random(drawn.shape) < 0.04, -np.inf, drawn / 8))
    return scores, {"projective": bool(rng.integers(2)), "single_root": bool(rng.integers(2))}


def proved_value(arcs, factors, kind):
    """Return the optimum, -inf if there is no tree; it is proved, and its certificate holds."""
    problem = ParsingProblem(arcs, factors=factors, **kind)
    result = gapless.solve(problem, "split-bound")
    assert result.proved or result.status is Status.INFEASIBLE
    verdict = result.verify(problem)
    assert verdict, verdict
    best = result.value if result.solutions else -np.inf
    assert verdict.bound >= best
    return best


@pytest.mark.parametrize("power", [-40, 40])
@examples(8)
@given(rng=generators())
def test_scores_times_a_power_of_two(rng, power):
    (arcs, table, pairs), kind = drawn_scores(rng)
    by = 2.0**power
    best = proved_value(arcs, [Grandchild(table), Sibling(pairs)], kind)
    scaled = proved_value(arcs * by, [Grandchild(table * by), Sibling(pairs * by)], kind)
    assert scaled == pytest.approx(best * by, rel=RELATIVE, abs=RELATIVE * max(1.0, by))


@examples(8)
@given(rng=generators())
def test_one_factor_split_into_two(rng):
    (arcs, table, pairs), kind = drawn_scores(rng)
    part = np.where(np.isfinite(pairs), rng.normal(size=pairs.shape), 0.0)
    best = proved_value(arcs, [Grandchild(table), Sibling(pairs)], kind)
    split = proved_value(arcs, [Grandchild(table), Sibling(part), Sibling(pairs - part)], kind)
    assert split == pytest.approx(best, abs=RELATIVE)


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("mask", [-1e12, -1e6])
@examples(6)
@given(rng=generators())
def test_finite_masks(rng, projective, mask):
    """Large negative numbers where -inf is meant, in arcs and in factors."""
    n = int(rng.integers(2, 7))
    arcs = np.where(rng.random((n, n)) < 0.4, mask, rng.normal(size=(n, n)))
    table = np.where(rng.random((n,) * 3) < 0.3, mask, rng.normal(size=(n,) * 3))
    problem = ParsingProblem(arcs, factors=[Grandchild(table), Sibling(table)], projective=projective)
    result, verdict = optimum(problem, 1.0)
    assert result.proved
    # Beside 1e12 the digits of small scores are within rounding: the proof says so instead of guessing.
    assert verdict or mask == -1e12


@pytest.mark.parametrize("projective", [False, True])
@examples(6)
@given(rng=generators())
def test_huge_factors_that_cancel(rng, projective):
    n = int(rng.integers(2, 7))
    huge = 1e9 * rng.normal(size=(n,) * 3)
    small = Sibling(rng.normal(size=(n,) * 3))
    problem = ParsingProblem(
        rng.normal(size=(n, n)), factors=[Grandchild(huge), small, Grandchild(-huge)], projective=projective
    )
    result, _ = optimum(problem, 1.0)
    # Sums of 1e9 lose digits: the answer is good to 1e-6, which is more than the margin of a proof.
    assert result.bound - result.value < 1e-5
    assert result.proved or result.stop is Stop.GAP


@pytest.mark.parametrize("projective", [False, True])
def test_nothing_is_allowed(projective):
    for n in (1, 2, 4):
        everything = np.full((n + 1, n + 1), -np.inf)
        result = gapless.solve(ParsingProblem(everything, projective=projective), "split-bound")
        assert result.status is Status.INFEASIBLE
    forbidden = [Grandchild(np.full((5,) * 3, -np.inf)), Sibling(np.full((5,) * 3, -np.inf))]
    problem = ParsingProblem(np.zeros((5, 5)), factors=forbidden, projective=projective)
    result = gapless.solve(problem, "split-bound")
    assert result.status is Status.INFEASIBLE
    assert result.verify(problem)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("single_root", [False, True])
@examples(3)
@given(rng=generators())
def test_one_word(rng, family, single_root):
    projective = bool(rng.integers(2))
    problem = random_problem(rng, 1, projective=projective, single_root=single_root, families=[family])
    optimum(problem, 1.0)


def test_a_hundred_words_of_arcs_only():
    rng = np.random.default_rng(6)
    problem = ParsingProblem(rng.normal(size=(101, 101)), projective=True)
    result = gapless.solve(problem, "split-bound")
    assert result.value == pytest.approx(gapless.solve(problem, "first-order").value, rel=1e-12)
    assert result.verify(problem)


def lazy_sentence(n, projective=True):
    """Scores by callables, which are asked only for the parts of candidate arcs."""
    rng = np.random.default_rng(7)
    position = np.arange(n + 1)
    arcs = rng.normal(size=(n + 1, n + 1)) - 0.3 * np.abs(position[:, None] - position[None, :])

    def noise(a, b, c):
        return 0.3 * np.sin(37.0 * a + 59.0 * b + 83.0 * c)

    return ParsingProblem(arcs, factors=[Grandchild(noise), Sibling(noise)], projective=projective)


def test_a_very_long_sentence_takes_memory_for_its_parts_only():
    n, k = 249, 10
    tracemalloc.start()
    try:
        problem = prune(lazy_sentence(n), k)
        result = gapless.solve(problem, "split-bound", limits=Limits(nodes=1), certificate=False)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert result.bound >= result.value
    parts = sum(len(scored.scopes) for scored in problem.conjunctions)
    # A dense table of triples would take 125 MB for each factor.
    assert peak < 200 * parts + 100 * (n + 1) ** 2


@pytest.mark.parametrize("limits", [Limits(time=0.0), Limits(time=1.0), Limits(nodes=3)], ids=repr)
def test_a_limit_gives_the_best_tree_with_its_gap(limits):
    problem = lazy_sentence(80)
    result = gapless.solve(problem, "split-bound", limits=limits, certificate=False)
    assert result.solutions or limits.time is not None  # how far a second leads is the machine's business
    for solution in result.solutions:
        assert solution.value == problem.value(solution.structure)
        assert result.bound >= solution.value
    assert result.proved or result.stop is (Stop.NODES if limits.time is None else Stop.TIME)
    assert not (result.proved and limits.time == 0.0)


INTERRUPTED = """
import os, signal
import numpy as np
import gapless
from gapless_dependency import Grandchild, ParsingProblem, Sibling
rng = np.random.default_rng(1)
n = 26
problem = ParsingProblem(
    rng.normal(size=(n + 1,) * 2),
    factors=[Grandchild(3 * rng.normal(size=(n + 1,) * 3)), Sibling(3 * rng.normal(size=(n + 1,) * 3))],
    projective={projective},
)
gapless.solve(ParsingProblem(np.zeros((2, 2))), "split-bound")  # imports are done
def press(*_):
    os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGPROF, press)
signal.setitimer(signal.ITIMER_PROF, 0.3)  # of CPU time: a busy machine has got as far
result = gapless.solve(problem, "split-bound", k={k})
assert result.stop is gapless.Stop.INTERRUPTED, result
assert result.solutions and result.bound >= result.value, result
verdict = result.verify(problem)
assert verdict, verdict
assert verdict.bound >= result.value
"""


@pytest.mark.skipif(os.name == "nt", reason="a console program cannot send itself SIGINT on Windows")
@pytest.mark.parametrize(
    ("projective", "k"),
    [(False, 1), *(pytest.param(*case, marks=pytest.mark.long) for case in [(True, 1), (False, 3), (True, 3)])],
)
def test_ctrl_c_keeps_the_best_so_far(projective, k):
    done = patience.run([sys.executable, "-c", INTERRUPTED.format(projective=projective, k=k)])
    assert done.returncode == 0, done.stderr
