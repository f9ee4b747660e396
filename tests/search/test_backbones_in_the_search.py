"""Every backbone in the compiled search, with random sets of decisions that score together: against enumeration."""

import itertools
import math

import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given

import gapless_kernels
from gapless_chains import ChainProblem, TreeProblem
from gapless_dependency import (
    AdjacentSibling,
    Grandchild,
    LabelledParsingProblem,
    OutermostGrandchild,
    ParsingProblem,
    TreeMaximiser,
    backbone_for,
)
from gapless_linking.random_problems import random_problem
from gapless_ordering import OrderingProblem

pytestmark = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="the compiled search")


def forbidding(rng, shape, share=0.15):
    scores = rng.integers(-3, 4, shape).astype(float) if rng.random() < 0.5 else rng.normal(0, 3, shape)
    return np.where(rng.random(shape) < share, -np.inf, scores)


def chain(rng):
    n, k = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    return ChainProblem(forbidding(rng, (n, k)), forbidding(rng, (k, k) if rng.random() < 0.5 else (n - 1, k, k)))


def tree(rng):
    n, k = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    return TreeProblem(
        forbidding(rng, (n, k)), forbidding(rng, (k, k)), [int(rng.integers(-1, i)) for i in range(n)]
    )


def labelled(rng):
    n = int(rng.integers(1, 3))
    return LabelledParsingProblem(forbidding(rng, (n + 1, n + 1, 2)), projective=bool(rng.integers(2)))


def parse(order):
    def draw(rng):
        n = int(rng.integers(1, 4))
        cube = [rng.integers(-2, 3, (n + 1,) * 3).astype(float) for _ in range(2)]
        factors = {
            "first": [],
            "arborescence": [],
            "sibling": [AdjacentSibling(cube[0])],
            "carreras": [AdjacentSibling(cube[0]), OutermostGrandchild(cube[1])],
            "grand-sibling": [AdjacentSibling(cube[0]), Grandchild(cube[1])],
        }[order]
        projective, single = order != "arborescence", bool(rng.integers(2))
        return ParsingProblem(
            forbidding(rng, (n + 1, n + 1)), factors=factors, projective=projective, single_root=single
        )

    return draw


PROBLEMS = {
    "chain": chain,
    "tree": tree,
    "labelled": labelled,
    **{order: parse(order) for order in ("first", "arborescence", "sibling", "carreras", "grand-sibling")},
}


def structures(problem):
    """The decisions of every structure of the problem alone, with its score."""
    groups = [list(group) for group in problem.decisions.exactly_one]
    for on in itertools.product(*groups):
        structure = problem.decode(np.sort(np.array(on)))
        if not problem.violations(structure):
            yield np.sort(np.array(on)), problem.value(structure)


def backbone_of(problem, order):
    if isinstance(problem, ParsingProblem):
        return (
            TreeMaximiser(problem, backbone_for(problem, "first" if order == "arborescence" else order)),
            problem.arc_weights,
            0.0,
        )
    backbone = problem.backbone()
    return backbone.maximiser, backbone.weights, backbone.constant


def drawn_blocks(rng, count):
    blocks = []
    for width in (1, 2, 3):
        if count >= width and rng.random() < 0.8:
            m = int(rng.integers(1, 9))
            scopes = np.array([np.sort(rng.choice(count, width, replace=False)) for _ in range(m)], np.int64)
            scopes = np.unique(scopes, axis=0)
            blocks.append((scopes, rng.integers(-4, 5, len(scopes)).astype(float)))
    return blocks


def groups_of(decisions):
    groups = [np.array(group, np.int64) for group in decisions.exactly_one]
    return np.cumsum([0, *(group.size for group in groups)]), np.concatenate([np.zeros(0, np.int64), *groups])


def searched(maximiser, weights, blocks, decisions, choices):
    from gapless_kernels.search._search import PROVED, CompiledSearch  # noqa: PLC0415  not without compiled kernels

    first, members = groups_of(decisions)
    search = CompiledSearch(
        maximiser.compiled(), weights, blocks, group_first=first, groups=members, choices=choices
    )
    assert search.advance() == PROVED
    return search


def total(on, score, blocks):
    chosen = set(on.tolist())
    for scopes, scores in blocks:
        score += sum(s for scope, s in zip(scopes.tolist(), scores, strict=True) if chosen.issuperset(scope))
    return score


@pytest.mark.parametrize("order", PROBLEMS)
@examples(25)
@seeing("solved")
@given(rng=generators())
def test_the_search_finds_the_best_structure(order, seen, rng):
    problem = PROBLEMS[order](rng)
    count = problem.decisions.count
    if any(len(group) == 0 for group in problem.decisions.exactly_one):
        return
    maximiser, weights, constant = backbone_of(problem, order)
    blocks = drawn_blocks(rng, count)
    search = searched(maximiser, weights, blocks, problem.decisions, int(rng.choice([0, 16384])))
    best = max((total(on, score, blocks) for on, score in structures(problem)), default=-math.inf)
    assert search.value + constant == pytest.approx(best)
    assert search.bound + constant == pytest.approx(best)
    seen["solved"] += best > -math.inf


@examples(25)
@given(rng=generators())
def test_linking_is_choice_groups_and_pairs(rng):
    problem = random_problem(np.random.default_rng(int(rng.integers(10_000))))
    backbone, blocks = problem.backbone(), []
    for factor in problem.structural_factors:
        scopes = factor.scopes(problem.decisions)
        scores = factor.score(scopes, problem.decisions)
        # The search itself takes finite scores.
        blocks.append((scopes, np.where(scores > -np.inf, scores, -1e6 - np.abs(scores[scores > -np.inf]).sum())))
    search = searched(backbone.maximiser, backbone.weights, blocks, problem.decisions, 16384)
    best = min((problem.value(problem.decode(on)) for on, _ in structures(problem)), default=math.inf)
    if best < math.inf:
        assert -(search.value + backbone.constant) == pytest.approx(best)


@examples(25)
@given(rng=generators())
def test_walks_and_pairs_are_paths(rng):
    """Classes as pairs of edges that exclude each other: the search knows them from the maximiser."""
    n = int(rng.integers(1, 5))
    k = int(rng.integers(1, n + 1))
    problem = OrderingProblem(
        forbidding(rng, n), forbidding(rng, (n, n)), forbidding(rng, n), k, classes=rng.integers(0, n, n).tolist()
    )
    backbone, decisions = problem.backbone(), problem.decisions
    blocks = drawn_blocks(rng, decisions.count)
    search = searched(backbone.maximiser, backbone.weights, blocks, decisions, int(rng.choice([0, 16384])))
    best = -math.inf
    for path in itertools.permutations(range(n), k):
        given = np.array(path)
        if not problem.violations(given):
            best = max(best, total(problem.encode(given), problem.value(given), blocks))
    assert search.value == pytest.approx(best)
    assert search.bound == pytest.approx(best) or best == -math.inf
