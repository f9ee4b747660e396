"""Every backbone through the whole method: enumeration, certificates, tampering, pre-pruning."""

import attrs
import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given
from split_layout import SplitLayout

import gapless
from gapless import Result, Status
from gapless.core.tolerance import meets
from gapless.roles import Fixings, TreeCertificate
from gapless.search import layout
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
from gapless_dependency.enumeration import tree_scores
from gapless_dependency.random_problems import random_problem
from gapless_splitbound import SplitMultipliers

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

    split = random_problem(
        rng,
        n,
        projective=True,
        single_root=bool(rng.integers(2)),
        families=[str(f) for f in rng.choice(OTHERS, size=int(rng.integers(0, 3)), replace=False)],
        ties=ties,
        forbidden=float(rng.choice([0.0, 0.2])),
        forbidden_parts=float(share),
        strength=strength,
    )
    counted = [draw(kind) for kind in COUNTED[backbone] if rng.integers(4)]
    return ParsingProblem(
        split.scores,
        factors=[*split.factors, *counted],
        projective=True,
        single_root=split.single_root,
        granularity=split.granularity,
    )


def best_scores(problem):
    scores = np.sort(tree_scores(problem)[1])[::-1]
    return scores[scores > -np.inf]


def check(problem, expected, k=1, **options):
    result = gapless.solve(problem, "split-bound", k=k, **options)
    verdict = result.verify(problem)
    assert verdict, (verdict, options)
    if not expected.size:
        assert result.status is Status.INFEASIBLE
        assert verdict.bound == -np.inf
        return result
    assert result.status is Status.OPTIMAL
    assert [s.value for s in result.solutions] == pytest.approx(expected[:k].tolist(), rel=1e-9, abs=1e-9)
    assert verdict.bound >= expected[:k][-1] - 1e-12 * abs(expected[0])
    if problem.granularity is None and k == 1:
        assert meets(verdict.bound, result.value)
    return result


@every_backbone
@given(rng=generators())
def test_every_optimum_is_enumerations_and_verified(rng, backbone):
    problem = sentence(rng, backbone)
    order = ("best-first", "depth-first", "breadth-first")[rng.integers(3)]
    variant = ("default", "default", "paper")[rng.integers(3)]
    check(problem, best_scores(problem), backbone=backbone, order=order, variant=variant)


@every_backbone
@examples(8)
@given(rng=generators())
def test_k_best(rng, backbone):
    problem = sentence(rng, backbone, longest=4)
    check(problem, best_scores(problem), k=3, backbone=backbone)


@examples(5)
@given(rng=generators())
def test_grandchildren_that_the_backbone_counts_know_no_floor(rng):
    """Their scores are in no scope of the split, so its floor once lay above every tree."""
    problem = random_problem(rng, 4, projective=True, families=["sibling"])
    far = Grandchild(rng.normal(-50.0, 1.0, (5, 5, 5)))
    both = ParsingProblem(problem.scores, factors=[far, *problem.factors], projective=True)
    check(both, best_scores(both), backbone="grand-sibling")


@every_backbone
@examples(10)
@given(rng=generators())
def test_any_multipliers_and_any_backbone_bound_every_tree(rng, backbone):
    problem = sentence(rng, backbone)
    split = SplitLayout(problem, backbone_for(problem, backbone).absorbed)
    state = np.full(problem.decisions.count, -1, np.int8)
    state[rng.random(state.size) < 0.2] = 0
    fixings = Fixings(state)
    heads, scores = tree_scores(problem)
    words = np.arange(1, problem.length + 1)
    allowed = [fixings.allow(problem.decisions.index[tree, words]) for tree in heads]
    best = max(scores[np.array(allowed, bool)], default=-np.inf)
    for name in (*BACKBONES, "first", "none"):
        multipliers = rng.normal(size=split.size)
        if split.size and rng.integers(2):
            multipliers[rng.integers(split.size)] = rng.choice([np.nan, np.inf, -np.inf, 1e300])
        evidence = SplitMultipliers(split.orientation, multipliers, backbone=name)
        verdict = evidence.verify(problem, fixings)
        assert not verdict or verdict.bound >= best - 1e-12 * max(1.0, abs(best))
        assert verdict or name != backbone
        assert name != "none" or not verdict
        if not verdict:
            continue
        off = rng.permutation(problem.decisions.count)[:5].tolist()
        flipped = evidence.verify_flips(problem, fixings, (), off)
        for tree, score, fits in zip(heads, scores, allowed, strict=True):
            if fits and np.isin(problem.decisions.index[tree, words], off).any():
                assert flipped.bound >= score - 1e-12 * max(1.0, abs(score))


def leaves_of(certificate):
    """Pieces of evidence, a few, each with what makes the certificate that has another one in its place."""
    if isinstance(certificate, SplitMultipliers):
        return [(certificate, lambda other: other)]
    assert isinstance(certificate, TreeCertificate)
    return [
        (leaf, lambda other, node=node: attrs.evolve(certificate, leaves={**certificate.leaves, node: other}))
        for node, leaf in list(certificate.leaves.items())[:3]
    ]


@pytest.fixture
def bounds_alone(monkeypatch):
    monkeypatch.setattr(layout, "CHOICES", 0)


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
    result = gapless.solve(problem, "split-bound", heads_kept=1, backbone=backbone)
    verdict = result.verify(problem)
    assert verdict
    if expected.size:
        assert expected[0] - 1e-9 <= result.bound < np.inf
        seen["bounded"] += bool(result.solutions)


@pytest.fixture
def bounded(monkeypatch):
    """Nothing is enumerated."""
    monkeypatch.setattr(layout, "CHOICES", 0)


@pytest.mark.usefixtures("bounded")
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


@pytest.mark.usefixtures("bounded")
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
    even = SplitMultipliers.even(problem, "sibling").verify(problem)
    assert even.bound >= result.value
