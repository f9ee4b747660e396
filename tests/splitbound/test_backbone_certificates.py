"""Every backbone through the whole method: enumeration, certificates, tampering, pre-pruning."""

import attrs
import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given
from parsing_cases import best_scores, check_solved, random_case, trees_under
from split_layout import SplitLayout

import gapless
from gapless import Result, Status
from gapless.roles import Fixings, TreeCertificate
from gapless_dependency import (
    AdjacentSibling,
    AnyOf,
    ArcConjunctions,
    Grandchild,
    GrandSibling,
    OutermostGrandchild,
    ParsingProblem,
    Valency,
    backbone_for,
)
from gapless_dependency.random_problems import random_problem
from gapless_splitbound import TreeSplitCertificate

BACKBONES = ("sibling", "carreras", "grand-sibling")
COUNTED = {
    "sibling": (AdjacentSibling,),
    "carreras": (AdjacentSibling, OutermostGrandchild),
    "grand-sibling": (AdjacentSibling, Grandchild, GrandSibling),
}
OTHERS = ("sibling", "grandchild", "great-grandchild", "comb", "any-of", "valency")
every_backbone = pytest.mark.parametrize("backbone", BACKBONES)


def sentence(rng, backbone, longest=5, strength=1.0):
    """Factors that the backbone counts beside factors that are split; ties or floats, masks, both root rules."""
    ties, n = bool(rng.integers(2)), int(rng.integers(1, longest + 1))
    share = rng.choice([0.0, 0.1])

    def draw(kind):
        shape = (n + 1,) * (4 if kind is GrandSibling else 3)
        scores = rng.integers(-2, 3, shape).astype(float) if ties else strength * rng.normal(size=shape)
        scores[rng.random(shape) < share] = -np.inf
        return kind(scores)

    families = rng.choice(OTHERS, size=int(rng.integers(0, 3)), replace=False)
    shares = {"forbidden": [0.0, 0.2], "forbidden_parts": [share]}
    split = random_case(rng, n, families, projective=True, ties=ties, strength=strength, **shares)
    counted = [draw(kind) for kind in COUNTED[backbone] if rng.integers(4)]
    return ParsingProblem(
        split.scores,
        factors=[*split.factors, *counted],
        projective=True,
        single_root=split.single_root,
        granularity=split.granularity,
    )


@every_backbone
@given(rng=generators())
def test_every_optimum_is_enumerations_and_verified(rng, backbone):
    problem = sentence(rng, backbone)
    order = ("best-first", "depth-first", "breadth-first")[rng.integers(3)]
    variant = ("default", "default", "paper")[rng.integers(3)]
    check_solved(problem, best_scores(problem), backbone=backbone, order=order, variant=variant)


@every_backbone
@examples(8)
@given(rng=generators())
def test_k_best(rng, backbone):
    problem = sentence(rng, backbone, longest=4)
    check_solved(problem, best_scores(problem), k=3, backbone=backbone)


@examples(5)
@given(rng=generators())
def test_grandchildren_that_the_backbone_counts_know_no_floor(rng):
    """Their scores are in no scope of the split, so its floor once lay above every tree."""
    problem = random_problem(rng, 4, projective=True, families=["sibling"])
    far = Grandchild(rng.normal(-50.0, 1.0, (5, 5, 5)))
    both = ParsingProblem(problem.scores, factors=[far, *problem.factors], projective=True)
    check_solved(both, best_scores(both), backbone="grand-sibling")


@every_backbone
@examples(10)
@given(rng=generators())
def test_any_multipliers_and_any_backbone_bound_every_tree(rng, backbone):
    problem = sentence(rng, backbone)
    split = SplitLayout(problem, backbone_for(problem, backbone).scored_factors)
    state = np.full(problem.decisions.count, -1, np.int8)
    state[rng.random(state.size) < 0.2] = 0
    fixings = Fixings(state)
    heads, scores = trees_under(problem, fixings)
    words = np.arange(1, problem.length + 1)
    best = scores.max(initial=-np.inf)
    for name in (*BACKBONES, "first", "none"):
        multipliers = rng.normal(size=split.size)
        if split.size and rng.integers(2):
            multipliers[rng.integers(split.size)] = rng.choice([np.nan, np.inf, -np.inf, 1e300])
        evidence = TreeSplitCertificate(split.orientation, multipliers, backbone=name)
        verdict = evidence.verify(problem, fixings)
        assert not verdict or verdict.bound >= best - 1e-12 * max(1.0, abs(best))
        assert verdict or name != backbone
        assert name != "none" or not verdict
        if not verdict:
            continue
        off = rng.permutation(problem.decisions.count)[:5].tolist()
        flipped = evidence.verify_flips(problem, fixings, (), off)
        for tree, score in zip(heads, scores, strict=True):
            if np.isin(problem.decisions.index[tree, words], off).any():
                assert flipped.bound >= score - 1e-12 * max(1.0, abs(score))


def leaves_of(certificate):
    """Pieces of evidence, a few, each with what makes the certificate that has another one in its place."""
    if isinstance(certificate, TreeSplitCertificate):
        return [(certificate, lambda other: other)]
    assert isinstance(certificate, TreeCertificate)
    return [
        (leaf, lambda other, node=node: attrs.evolve(certificate, leaves={**certificate.leaves, node: other}))
        for node, leaf in list(certificate.leaves.items())[:3]
    ]


@pytest.mark.usefixtures("bounds_alone")
@every_backbone
@seeing("branched")
@examples(12)
@given(rng=generators())
def test_json_round_trip_and_tampering(seen, rng, backbone):
    problem = sentence(rng, backbone, strength=1.5)
    result = gapless.solve(problem, "split-bound", backbone=backbone)
    copy = Result.from_json(result.to_json())
    assert copy.verify(problem)
    seen["branched"] += isinstance(copy.certificate, TreeCertificate)
    for leaf, put in leaves_of(copy.certificate) if result.solutions else ():
        assert leaf.backbone == backbone

        def forged(leaf=leaf, put=put, **wrong):
            return attrs.evolve(copy, certificate=put(attrs.evolve(leaf, **wrong))).verify(problem)

        assert not forged(backbone="none")
        assert not problem.backbone_factors or not forged(backbone="first")
        assert not forged(multipliers=np.append(leaf.multipliers, 0.0))
        for factor in (0.0, -1.0, np.nan):
            verdict = forged(multipliers=factor * leaf.multipliers)
            assert not verdict or verdict.bound >= result.value - 1e-9


@every_backbone
@seeing("bounded")
@examples(12)
@given(rng=generators())
def test_pre_pruning_keeps_a_bound_on_all_trees(seen, rng, backbone):
    problem = sentence(rng, backbone)
    expected = best_scores(problem)
    result = gapless.solve(problem, "split-bound", max_heads=1, backbone=backbone)
    verdict = result.verify(problem)
    assert verdict
    if expected.size:
        assert expected[0] - 1e-9 <= result.bound < np.inf
        seen["bounded"] += bool(result.solutions)


@pytest.mark.usefixtures("bounds_alone")
def test_pairs_that_face_each_other_are_in_no_star():
    """The search goes by the rivals that the backbone names in Python, as the verifier does."""
    conjunctions = ArcConjunctions([[(2, 1), (1, 2)], [(0, 1), (1, 2)], [(0, 1), (0, 2)]], [-1.0, -1.0, 0.0])
    scores = [[0, 0, -1], [0, 0, 1], [0, -2, 0]]
    siblings = AdjacentSibling(
        [
            [[0, -2, -1], [0, -2, -2], [-1, -2, 2]],
            [[-1, -1, -2], [-2, 2, -2], [2, 0, -1]],
            [[1, 2, -2], [0, 0, -2], [1, -1, 0]],
        ]
    )
    problem = ParsingProblem(scores, factors=[conjunctions, siblings], projective=True, single_root=False)
    result = gapless.solve(problem, "split-bound")
    assert result.status is Status.OPTIMAL
    assert result.verify(problem)


@pytest.mark.usefixtures("bounds_alone")
@pytest.mark.parametrize(
    "beside", [AnyOf([(1, 2)], -np.inf), AdjacentSibling(np.ones((3, 3, 3))), Valency(0, [0.0, 1.0, 0.0])]
)
def test_sums_that_fall_below_every_score_prove_that_nothing_is_feasible(beside):
    """Factors that are no conjunctions, and those that the backbone counts, have limits, too."""
    both = np.zeros((3, 3, 3))
    both[0, 1, 2] = both[0, 2, 1] = -np.inf
    problem = ParsingProblem(np.ones((3, 3)), factors=[Grandchild(both), beside], projective=True)
    result = gapless.solve(problem, "split-bound")
    assert result.status is Status.INFEASIBLE
    assert result.verify(problem)


def test_every_factor_that_the_backbone_counts_may_score_as_low_as_a_score_may():
    rng = np.random.default_rng(0)
    siblings = [AdjacentSibling(rng.uniform(-1e12, 0.0, (4, 4, 4))) for _ in range(40)]
    problem = ParsingProblem(np.zeros((4, 4)), factors=siblings, projective=True)
    result = gapless.solve(problem, "split-bound")
    verdict = result.verify(problem)
    assert verdict
    assert verdict.bound >= result.value - 1e-3
    even = TreeSplitCertificate.even(problem, backbone="sibling").verify(problem)
    assert even.bound >= result.value
