"""Bounds over higher backbones, in code of the verifier's own, against enumeration and the kernels."""

import math
from functools import cache

import numpy as np
import pytest
from drawn import examples, generators
from hypothesis import given

import gapless_kernels
from gapless import InvalidProblem
from gapless_dependency import (
    AdjacentSibling,
    Grandchild,
    GrandSibling,
    OutermostGrandchild,
    ParsingProblem,
    Sibling,
)
from gapless_dependency.enumeration import all_trees
from gapless_dependency.proofs import grand_siblings, outermost_grandchildren
from gapless_dependency.proofs.backbones import TreeVerifier

BACKBONES = ("sibling", "carreras", "grand-sibling")
FACTORS = {
    "sibling": (AdjacentSibling,),
    "carreras": (AdjacentSibling, OutermostGrandchild),
    "grand-sibling": (Grandchild, AdjacentSibling, GrandSibling),
}
THROUGH = {
    "sibling": lambda weights, sibling, **rest: grand_siblings.bounds_through_arcs(
        weights, None, sibling, None, **rest
    ),
    "carreras": outermost_grandchildren.bounds_through_arcs,
    "grand-sibling": grand_siblings.bounds_through_arcs,
}
every_backbone = pytest.mark.parametrize("backbone", BACKBONES)
both_rules = pytest.mark.parametrize("single_root", [False, True])


def axes(kind):
    return 4 if kind is GrandSibling else 3


@cache
def trees_with_parts(n, single_root, kind):
    """Of every tree the parts of a kind, as indices of its scores."""
    factor = kind(np.zeros((n + 1,) * axes(kind)))
    found = []
    for heads in all_trees(n, True, single_root):
        above = [0, *heads.tolist()]
        chains = [(above[h], h, m) for m, h in enumerate(heads.tolist(), start=1) if h]
        found.append(chains if kind is Grandchild else factor.parts(heads))
    return found


def enumerated(backbone, weights, parts, single_root):
    """The best sum, and the best with each arc, correctly rounded."""
    n = len(weights) - 1
    trees, words = all_trees(n, True, single_root), np.arange(1, n + 1)
    terms = [weights[heads, words].tolist() for heads in trees]
    for kind, scores in zip(FACTORS[backbone], parts, strict=True):
        if scores is not None:
            for sums, places in zip(terms, trees_with_parts(n, single_root, kind), strict=True):
                sums += [float(scores[place]) for place in places]
    values = np.array([-math.inf if -math.inf in sums else math.fsum(sums) for sums in terms])
    through = np.full(weights.shape, -np.inf)
    for word in range(n):
        np.maximum.at(through[:, word + 1], trees[:, word], values)
    return values.max(), through


def instance(rng, backbone, longest):
    ties, masks, n = bool(rng.integers(2)), rng.integers(5) == 4, int(rng.integers(1, longest + 1))
    arcs, share = rng.choice([0.0, 0.2, 0.5]), rng.choice([0.0, 0.1])

    def draw(shape, share):
        scores = rng.integers(-3, 4, shape).astype(float) if ties else rng.normal(size=shape)
        if masks:
            scores[rng.random(shape) < 0.1] = -1e9
        scores[rng.random(shape) < share] = -np.inf
        return scores

    given = [draw((n + 1,) * axes(kind), share) if rng.integers(5) else None for kind in FACTORS[backbone]]
    return draw((n + 1, n + 1), arcs), given


@every_backbone
@both_rules
@examples(25)
@given(rng=generators())
def test_the_best_tree_through_every_arc(rng, backbone, single_root):
    weights, parts = instance(rng, backbone, 5)
    best, through = enumerated(backbone, weights, parts, single_root)
    bound, each = THROUGH[backbone](weights, *parts, single_root=single_root)
    # Never below the exact sum, however it is rounded; above it by what rounding may cost.
    assert bound >= best
    assert np.all(each >= through)
    assert np.array_equal(each == -np.inf, through == -np.inf)
    reached = through > -np.inf
    assert np.all(each[reached] <= through[reached] + 1e-13 * np.maximum(np.abs(through[reached]), 20.0))
    assert bound == best or bound <= best + 1e-13 * max(abs(best), 20.0)


@every_backbone
@examples(6)
@given(rng=generators())
def test_longer_sentences_agree_with_the_kernels(rng, backbone):
    kernel = getattr(gapless_kernels, f"eisner_{backbone.replace('-', '_')}_max_marginals")
    weights, parts = instance(rng, backbone, 16 if gapless_kernels.COMPILED else 5)
    value, _, marginals = kernel(weights, *parts, True)
    bound, each = THROUGH[backbone](weights, *parts, single_root=True)
    np.testing.assert_allclose(each, marginals, rtol=1e-12, atol=1e-11)
    assert bound == pytest.approx(value, rel=1e-12, abs=1e-11)


def parsing(factors, *, projective=True, n=3):
    rng = np.random.default_rng(0)
    return ParsingProblem(rng.normal(size=(n + 1, n + 1)), factors=factors, projective=projective)


def adjacent(n=3, seed=1):
    return AdjacentSibling(np.random.default_rng(seed).normal(size=(n + 1,) * 3))


@every_backbone
def test_tree_verifier_counted(backbone):
    factors = [kind(np.zeros((4,) * axes(kind))) for kind in FACTORS[backbone]]
    problem = parsing([*factors, adjacent(), Sibling(np.zeros((4,) * 3))])
    verifier = TreeVerifier(problem, backbone)
    assert verifier.counted == problem.factors[:-1]
    one = AdjacentSibling(factors[FACTORS[backbone].index(AdjacentSibling)].scores + adjacent().scores)
    alone = TreeVerifier(parsing([one]), backbone)
    assert verifier.bounds(problem.scores)[0] == pytest.approx(alone.bounds(problem.scores)[0], abs=1e-12)


def test_lazy_grandchildren_are_counted_by_their_scores():
    table = np.random.default_rng(4).normal(size=(4, 4, 4))
    dense, lazy = Grandchild(table), Grandchild(lambda g, h, m: table[g, h, m])
    bounds = [
        TreeVerifier(problem, "grand-sibling").bounds(problem.scores)[0]
        for problem in (parsing([dense, dense]), parsing([lazy, dense]))
    ]
    assert bounds[0] == bounds[1]


class Other(AdjacentSibling):
    """Sees no parts at all."""

    def parts(self, heads):
        return []


class Apart(Grandchild):
    """Fires for pairs of arcs that are no chain."""

    def arc_sets(self, arcs):
        pairs = super().arc_sets(arcs)
        return pairs[:, ::-1]


@pytest.mark.parametrize(
    ("factors", "backbone", "projective"),
    [
        ([], "none", True),
        ([], "sibling", False),
        ([adjacent()], "first", True),
        ([adjacent()], "first", False),
        ([OutermostGrandchild(np.zeros((4, 4, 4)))], "sibling", True),
        ([GrandSibling(np.zeros((4,) * 4))], "carreras", True),
        ([Other(np.zeros((4, 4, 4)))], "sibling", True),
        ([Apart(np.zeros((4, 4, 4)))], "grand-sibling", True),
    ],
)
def test_what_cannot_be_counted_is_refused(factors, backbone, projective):
    with pytest.raises(InvalidProblem, match=r"backbone|chains"):
        TreeVerifier(parsing(factors, projective=projective), backbone).bounds(np.zeros((4, 4)))


def test_no_kernel_is_used(monkeypatch):
    for name in [name for name in dir(gapless_kernels) if name.startswith(("eisner", "arborescence"))]:
        monkeypatch.setattr(gapless_kernels, name, None)
    problem = parsing([adjacent()])
    assert math.isfinite(TreeVerifier(problem, "carreras").bounds(problem.scores)[0])
