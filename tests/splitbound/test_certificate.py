"""Certificates are true whatever they hold: tampering is caught or only weakens the bound."""

import pickle

import attrs
import numpy as np
import pytest
from drawn import examples, generators, long
from hypothesis import given
from parsing_cases import random_case, trees_under
from split_layout import SplitLayout

import gapless
from gapless import InvalidProblem, Result
from gapless.certificates.split_formula import split_weights
from gapless.roles import Fixings, NoCertificate, TreeCertificate
from gapless_dependency.proofs.backbones import TreeVerifier
from gapless_dependency.random_problems import CONJUNCTIVE, FAMILIES, random_problem
from gapless_splitbound import TreeSplitCertificate

pytestmark = pytest.mark.usefixtures("bounds_alone")


def sentence(rng, families=FAMILIES):
    shares = {"forbidden": [0.0, 0.2], "forbidden_parts": [0.0, 0.1]}
    selected = rng.choice(families, size=3, replace=False)
    return random_case(rng, int(rng.integers(2, 6)), selected, strength=1.5, **shares)


def random_fixings(rng, problem):
    state = np.full(problem.decisions.count, -1, np.int8)
    state[rng.random(state.size) < 0.2] = 0
    if state.size:
        state[rng.integers(state.size)] = rng.integers(-1, 2)
    return Fixings(state)


def best_under(problem, fixings):
    return trees_under(problem, fixings)[1].max(initial=-np.inf)


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
        bound = TreeSplitCertificate(split.orientation, multipliers).upper_bound(problem, fixings)
        best = best_under(problem, fixings)
        assert bound >= best - 1e-9


@pytest.mark.parametrize("cases", [16, long(40)])
def test_lifted_charges_bound_every_tree_and_are_tighter(cases):
    """Whatever the multipliers, and whether or not trees may cross; and written sparsely they prove the same."""
    tighter = 0
    for seed in range(cases):
        rng = np.random.default_rng(seed)
        problem = random_problem(
            rng, 5, projective=seed % 8 > 0, single_root=seed % 2 == 0, families=CONJUNCTIVE, strength=2.0
        )
        split = SplitLayout(problem)
        plain = TreeSplitCertificate(split.orientation, rng.random(split.size), loss=split.loss)
        lifted = attrs.evolve(plain, lifted=True)
        kept = rng.random(split.size) < 0.7
        rest = np.where(kept, plain.multipliers, 0.0)
        units = (split.signs * split.scale * plain.multipliers)[kept]
        sparse = attrs.evolve(lifted, multipliers=units, places=split.places[kept])
        for fixings in (Fixings.none(problem.decisions.count), random_fixings(rng, problem)):
            bound, loose = lifted.upper_bound(problem, fixings), plain.upper_bound(problem, fixings)
            assert best_under(problem, fixings) - 1e-9 <= bound <= loose + 1e-9
            tighter += bound < loose - 1e-6
            dense = attrs.evolve(lifted, multipliers=rest)
            assert sparse.upper_bound(problem, fixings) == pytest.approx(
                dense.upper_bound(problem, fixings), rel=1e-9
            )
    assert tighter > cases / 4


@pytest.mark.parametrize("places", [[-1], [10**6], [0, 1]], ids=str)
def test_places_that_there_are_not_prove_nothing(places):
    problem = sentence(np.random.default_rng(3), CONJUNCTIVE)
    wrong = TreeSplitCertificate(SplitLayout(problem).orientation, [1.0], places=np.array(places))
    with pytest.raises(InvalidProblem, match="places"):
        wrong.upper_bound(problem, Fixings.none(problem.decisions.count))


def test_charges_are_lifted_only_where_it_is_known_what_excludes_what():
    problem = random_problem(
        np.random.default_rng(0), 5, projective=True, single_root=True, families=CONJUNCTIVE, strength=2.0
    )
    split = SplitLayout(problem)
    unknowing = attrs.evolve(TreeVerifier(problem, "first").split, excludes=None)
    given = split.orientation, np.zeros(0, np.int64), np.ones(split.size), 100.0
    none = Fixings.none(problem.decisions.count)
    assert split_weights(unknowing, *given, none) is not None
    with pytest.raises(InvalidProblem, match="exclude each other is not known"):
        split_weights(attrs.evolve(unknowing, lifted=True), *given, none)


def test_what_the_search_lifts_its_certificate_says_and_needs():
    """Without the flag the same multipliers prove less."""
    needed = 0
    for seed in range(20):
        problem = random_problem(
            np.random.default_rng(seed), 6, projective=True, single_root=True, families=("sibling",), strength=3.0
        )
        result = gapless.solve(problem, "split-bound")
        assert result.verify(problem)
        whole = pickle.loads(pickle.dumps(result.certificate))  # which makes it
        leaves = [leaf for leaf in whole.leaves.values() if isinstance(leaf, TreeSplitCertificate)]
        assert all(leaf.lifted for leaf in leaves)
        flat = {
            node: attrs.evolve(leaf, lifted=False) if isinstance(leaf, TreeSplitCertificate) else leaf
            for node, leaf in whole.leaves.items()
        }
        verdict = attrs.evolve(whole, leaves=flat).verify(problem)
        needed += not verdict or verdict.bound > result.bound + 1e-6
    assert needed > 3


@examples(20)
@given(rng=generators())
def test_flips_are_bounded_together_as_well_as_alone(rng):
    problem = sentence(rng)
    evidence = TreeSplitCertificate.even(problem)
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
        if not isinstance(leaf, TreeSplitCertificate):
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
    leaf = next(v for v in result.certificate.leaves.values() if isinstance(v, TreeSplitCertificate))
    assert not attrs.evolve(leaf, orientation=(1,)).verify(problem)
    longer = random_problem(np.random.default_rng(0), 5, families=["sibling"])
    assert not leaf.verify(longer)
    assert not isinstance(result.certificate, NoCertificate)
