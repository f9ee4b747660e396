"""Certificates are true whatever they hold: tampering is caught or only weakens the bound."""

import attrs
import numpy as np
import pytest
from drawn import examples, generators
from hypothesis import given
from split_layout import SplitLayout

import gapless
from gapless import Result
from gapless.roles import Fixings, NoCertificate, TreeCertificate
from gapless.search import driver
from gapless_dependency.enumeration import tree_scores
from gapless_dependency.random_problems import FAMILIES, random_problem
from gapless_splitbound import SplitMultipliers


@pytest.fixture(autouse=True)
def bounded_only(monkeypatch):
    """Sentences so small would all be enumerated and leave no multipliers."""
    monkeypatch.setattr(driver, "CHOICES", 0)


def sentence(rng, families=FAMILIES):
    chosen = rng.choice(len(families), size=3, replace=False)
    return random_problem(
        rng,
        int(rng.integers(2, 6)),
        projective=bool(rng.integers(2)),
        single_root=bool(rng.integers(2)),
        families=[families[f] for f in chosen],
        forbidden=float(rng.choice([0.0, 0.2])),
        forbidden_parts=float(rng.choice([0.0, 0.1])),
        strength=1.5,
    )


def random_fixings(rng, problem):
    state = np.full(problem.decisions.count, -1, np.int8)
    state[rng.random(state.size) < 0.2] = 0
    if state.size:
        state[rng.integers(state.size)] = rng.integers(-1, 2)
    return Fixings(state)


def best_under(problem, fixings):
    heads, scores = tree_scores(problem)
    words = np.arange(1, problem.length + 1)
    kept = [s for h, s in zip(heads, scores, strict=True) if fixings.allow(problem.decisions.index[h, words])]
    return max(kept, default=-np.inf)


@examples(40)
@given(rng=generators())
def test_any_multipliers_bound_every_tree(rng):
    problem = sentence(rng)
    split = SplitLayout(problem)
    for scale in (0.0, 1.0, 1e6):
        multipliers = scale * rng.normal(size=split.size)
        if scale == 1.0 and split.size:
            multipliers[rng.integers(split.size)] = rng.choice([np.nan, np.inf, -np.inf, 1e300])
        fixings = random_fixings(rng, problem)
        bound = SplitMultipliers(split.orientation, multipliers).upper_bound(problem, fixings)
        best = best_under(problem, fixings)
        assert bound >= best - 1e-9


@examples(20)
@given(rng=generators())
def test_flips_are_bounded_together_as_well_as_alone(rng):
    problem = sentence(rng)
    evidence = SplitMultipliers.even(problem)
    none = Fixings.none(problem.decisions.count)
    count = problem.decisions.count
    off = rng.permutation(count)[: count // 3].tolist()
    on = [d for d in rng.permutation(count)[:2].tolist() if d not in off]
    verdict = evidence.verify_flips(problem, none, on, off)
    assert verdict
    flips = [none.fix(on=[d]) for d in off] + [none.fix(off=[d]) for d in on]
    best = max((best_under(problem, f) for f in flips), default=-np.inf)
    assert verdict.bound >= best - 1e-9


def solved(seed):
    """A result whose search branched and fixed."""
    rng = np.random.default_rng(seed)
    while True:
        problem = random_problem(rng, 6, projective=True, families=["sibling", "grandchild"], strength=2.0)
        result = gapless.solve(problem, "split-bound")
        certificate = result.certificate
        if isinstance(certificate, TreeCertificate) and len(certificate.parents) > 2 and certificate.tightenings:
            return problem, result


def test_json_round_trip_and_tampering():
    problem, result = solved(0)
    copy = Result.from_json(result.to_json())
    assert copy.verify(problem)
    tree = copy.certificate
    for node, leaf in tree.leaves.items():
        dropped = {k: v for k, v in tree.leaves.items() if k != node}
        assert not attrs.evolve(copy, certificate=attrs.evolve(tree, leaves=dropped)).verify(problem)
        if not isinstance(leaf, SplitMultipliers):
            continue
        for wrong in (np.zeros_like(leaf.multipliers), -leaf.multipliers, leaf.multipliers * np.nan):
            worse = attrs.evolve(leaf, multipliers=wrong)
            forged = attrs.evolve(copy, certificate=attrs.evolve(tree, leaves={**tree.leaves, node: worse}))
            verdict = forged.verify(problem)
            assert not verdict or verdict.bound >= result.value - 1e-9
        short = attrs.evolve(leaf, multipliers=leaf.multipliers[:-1])
        assert not attrs.evolve(copy, certificate=attrs.evolve(tree, leaves={**tree.leaves, node: short})).verify(
            problem
        )


def test_a_forged_fixing_is_caught():
    """Fixing an arc of the optimum off hides the optimum; its flip proves more than is claimed."""
    problem, result = solved(1)
    tree = result.certificate
    optimum = problem.encode(result.best)
    node, steps = next(iter(tree.tightenings.items()))
    forged = attrs.evolve(steps[0], on=(), off=(int(optimum[0]),))
    certificate = attrs.evolve(tree, tightenings={**tree.tightenings, node: (forged,)})
    smaller = attrs.evolve(result, bound=result.value, certificate=certificate)
    verdict = smaller.verify(problem)
    assert not verdict or verdict.bound >= result.value - 1e-9


def test_another_problem_and_other_shapes_are_refused():
    problem, result = solved(2)
    leaf = next(v for v in result.certificate.leaves.values() if isinstance(v, SplitMultipliers))
    assert not attrs.evolve(leaf, orientation=(1,)).verify(problem)
    longer = random_problem(np.random.default_rng(0), 5, families=["sibling"])
    assert not leaf.verify(longer)
    assert not isinstance(result.certificate, NoCertificate)
