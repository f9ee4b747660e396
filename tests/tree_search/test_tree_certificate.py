"""Tampered search trees fail, and say where; honest ones verify, also out of JSON."""

import math

import attrs
import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given

from gapless import InvalidProblem, Limits, Result
from gapless.decisions.branch import in_words
from gapless.roles import (
    Branch,
    Fixings,
    LinearDualCertificate,
    MostFractional,
    NoCertificate,
    PointCertificate,
    SolveBudget,
    Tightening,
    TreeCertificate,
)
from gapless.search.lagrangian import LagrangianRelaxation
from gapless.testing import enumerate_best
from gapless.testing.examples import (
    CapacityPrices,
    ChargedCapacities,
    OptimisticBound,
    Selection,
    SelectionMaximiser,
    random_selection,
)
from gapless.tree_search import tree_search


@pytest.fixture
def solved(knapsack):
    """A problem and its result, proved by a tree with several levels."""
    result = tree_search(knapsack, OptimisticBound(knapsack), MostFractional())
    assert isinstance(result.certificate, TreeCertificate)
    assert len(result.certificate.parents) > 10
    assert result.verify(knapsack)
    return knapsack, result


def refuted(problem, result, reason, place, **changes):
    """The reason why a result with a tampered certificate does not verify."""
    broken = attrs.evolve(result, certificate=attrs.evolve(result.certificate, **changes))
    for copy in (broken, Result.from_json(broken.to_json())):
        verdict = copy.verify(problem)
        assert not verdict
        assert reason in verdict.reason
        assert place in verdict.location
    return verdict


def leaves(certificate):
    inner = set(certificate.parents)
    return [n for n in range(len(certificate.parents)) if n not in inner]


def test_every_missing_leaf_is_named(solved):
    problem, result = solved
    certificate = result.certificate
    for node in leaves(certificate):
        rest = {k: v for k, v in certificate.leaves.items() if k != str(node)}
        verdict = refuted(problem, result, "a leaf has no certificate", f"tree, node {node}", leaves=rest)
        branched = in_words(result.certificate.branches[node], problem.decisions)
        assert verdict.location == f"tree, node {node} ({branched})"


def test_a_subtree_cut_off_needs_a_certificate_of_its_own(solved):
    problem, result = solved
    last = len(result.certificate.parents) - 2
    refuted(
        problem,
        result,
        "a leaf has no certificate",
        f"node {result.certificate.parents[last]}",
        parents=result.certificate.parents[:last],
        branches=result.certificate.branches[:last],
    )


def test_one_child_removed(solved):
    problem, result = solved
    parent = result.certificate.parents[-1]
    refuted(
        problem,
        result,
        "no child covers the case item",
        f"tree, node {parent}",
        parents=result.certificate.parents[:-1],
        branches=result.certificate.branches[:-1],
    )


def test_every_changed_branch_is_found(solved):
    problem, result = solved
    certificate = result.certificate
    for node in range(1, len(certificate.parents)):
        branch = certificate.branches[node]
        changed = list(certificate.branches)
        changed[node] = Branch(on=branch.off, off=branch.on)
        refuted(problem, result, "no child covers", f"node {certificate.parents[node]}", branches=changed)


@pytest.mark.parametrize("slip", [0.5, 1e-3, 1e-6])
def test_a_bound_that_was_lowered(slip):
    """A result that claims more than its tree proves: stop early, then state a better bound."""
    problem = random_selection(np.random.default_rng(2), 8)
    result = tree_search(problem, OptimisticBound(problem), MostFractional(), SolveBudget(Limits(nodes=3)))
    assert result.verify(problem)
    tampered = attrs.evolve(result, bound=result.bound - slip)
    verdict = tampered.verify(problem)
    assert not verdict
    assert verdict.location == "certificate"
    assert "is claimed" in verdict.reason
    assert verdict.bound == pytest.approx(result.bound)


def test_a_value_that_was_raised(solved):
    problem, result = solved
    raised = attrs.evolve(result.solutions[0], value=result.value * 1.01)
    tampered = attrs.evolve(result, solutions=(raised,), bound=result.bound * 1.01)
    verdict = tampered.verify(problem)
    assert not verdict
    assert verdict.location == "solutions[0]"


def test_a_structure_that_was_changed(solved):
    problem, result = solved
    for structure, reason in (((0, 1, 2), "infeasible: capacity 0"), ((0, 99), "not a structure"), ("x", "not a")):
        other = attrs.evolve(result.solutions[0], structure=structure)
        verdict = attrs.evolve(result, solutions=(other,)).verify(problem)
        assert not verdict
        assert reason in verdict.reason
        assert verdict.location == "solutions[0]"


MALFORMED = {
    "empty": ({"parents": (), "branches": (), "leaves": {}}, "0 nodes"),
    "short": ({"branches": (Branch(),)}, "branches are not a tree"),
    "rooted": ({"branches": lambda c: (Branch(off=(0,)), *c.branches[1:])}, "the root fixes decisions"),
    "two roots": ({"parents": lambda c: (-1, -1, *c.parents[2:])}, "node 1 has parent -1"),
    "backwards": ({"parents": lambda c: (-1, 2, *c.parents[2:])}, "node 1 has parent 2"),
    "wrong root": ({"parents": lambda c: (-2, *c.parents[1:])}, "node 0 has parent -2"),
    "unknown decision": ({"branches": lambda c: (Branch(), Branch(on=(77,)), *c.branches[2:])}, "no decision 77"),
    "from the end": ({"branches": lambda c: (Branch(), Branch(on=(-1,)), *c.branches[2:])}, "no decision -1"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_trees_are_refuted_not_crashed_on(solved, name):
    problem, result = solved
    changes, reason = MALFORMED[name]
    changes = {k: v(result.certificate) if callable(v) else v for k, v in changes.items()}
    refuted(problem, result, reason, "", **changes)


WRONG_TYPES = {
    "not a number": ({"parents": lambda c: (-1, "0", *c.parents[2:])}, "node 1 has parent 0"),
    "no branch": ({"branches": lambda c: (Branch(), None, *c.branches[2:])}, "has no branch"),
    "leaf of text": ({"leaves": lambda c: dict.fromkeys(c.leaves, "trust me")}, "cannot be read"),
    "no leaves": ({"leaves": None}, "cannot be read"),
    "tightening of text": ({"tightenings": {"0": ["trust me"]}}, "cannot be read"),
}


@pytest.mark.parametrize("name", WRONG_TYPES)
def test_fields_of_wrong_types_are_refuted_in_memory_and_refused_in_a_file(solved, name):
    problem, result = solved
    changes, reason = WRONG_TYPES[name]
    changes = {k: v(result.certificate) if callable(v) else v for k, v in changes.items()}
    broken = attrs.evolve(result, certificate=attrs.evolve(result.certificate, **changes))
    verdict = broken.verify(problem)
    assert not verdict
    assert reason in verdict.reason
    (field,) = changes
    with pytest.raises(InvalidProblem, match=rf"certificate\.{field}: not a readable gapless\.TreeCertificate"):
        Result.from_json(broken.to_json())


def test_a_branch_that_contradicts_itself_covers_nothing():
    """Nothing is under "0 on and 0 off", so a tree that looks nowhere else proves nothing."""
    problem = random_selection(np.random.default_rng(0), 2)
    tree = TreeCertificate(
        (-1, 0, 0), (Branch(), Branch(on=(0,), off=(0,)), Branch(off=(0,))), {"2": ChargedCapacities([0.0])}
    )
    verdict = tree.verify(problem)
    assert not verdict
    assert (verdict.location, verdict.reason) == ("tree, node 0", "no child covers the case item 0 on")


def test_a_leaf_that_the_groups_empty_needs_no_evidence():
    """Both items of group 0 are off there, which no structure allows; dual prices could not say so."""
    grouped = Selection([3, 1, 5, 4, 0, -2], [[2, 1, 3, 1, 1, 1]], [5], ((0, 1), (2, 3), (4, 5)))
    branches = (Branch(), Branch(on=(0,)), Branch(off=(0,)), Branch(on=(1,)), Branch(off=(1,)))
    prices = LinearDualCertificate([0.0, 3.0, 5.0, 0.0])
    tree = TreeCertificate((-1, 0, 0, 2, 2), branches, {"1": prices, "3": prices, "4": prices})
    verdict = tree.verify(grouped)
    assert verdict
    assert verdict.bound == pytest.approx(8.0)
    lost = attrs.evolve(tree, leaves={"1": prices, "3": prices, "4": LinearDualCertificate([0.0, 90.0, 0.0, 0.0])})
    assert lost.verify(grouped).bound == pytest.approx(8.0)


def test_a_leaf_without_evidence_is_named(solved):
    problem, result = solved
    node = leaves(result.certificate)[0]
    changed = {**result.certificate.leaves, str(node): NoCertificate("lazy")}
    refuted(problem, result, "lazy", f"tree, node {node}", leaves=changed)


def test_a_point_certificate_with_open_decisions_is_refused(solved):
    problem, result = solved
    depth = [0]
    for parent in result.certificate.parents[1:]:
        depth.append(depth[parent] + 1)
    open_leaves = [n for n in leaves(result.certificate) if depth[n] < problem.decisions.count]
    assert open_leaves
    for node in open_leaves:
        changed = {**result.certificate.leaves, str(node): PointCertificate()}
        refuted(problem, result, "still open", f"tree, node {node}", leaves=changed)


@seeing("relied")
@examples(25)
@given(rng=generators())
def test_tightenings_are_part_of_the_proof(seen, rng):
    """Trees of a Lagrangian search verify; without the tightenings, or with bolder ones, they do not."""
    problem = random_selection(rng, 8, group_sizes=(3, 3))
    relaxation = LagrangianRelaxation(CapacityPrices(problem), SelectionMaximiser(problem))
    result = tree_search(problem, relaxation, MostFractional())
    assert result.verify(problem), result.verify(problem).reason
    certificate = result.certificate
    if not (isinstance(certificate, TreeCertificate) and certificate.tightenings and result.solutions):
        return
    best = enumerate_best(problem)[0].value
    bare = attrs.evolve(certificate, tightenings={}).verify(problem)
    seen["relied"] += not bare or bare.bound > best + 1e-6
    lost = int(problem.encode(result.best)[0])
    bold = Tightening((), (lost,), ChargedCapacities([50.0]))
    steps = certificate.tightenings.get("0", ())
    verdict = attrs.evolve(certificate, tightenings={**certificate.tightenings, "0": (bold, *steps)}).verify(
        problem
    )
    assert verdict.bound >= best - 1e-9  # whatever evidence is given, the optimum cannot be argued away


def test_a_certificate_of_another_problem(solved):
    _, result = solved
    other = random_selection(np.random.default_rng(4), 3, capacities=2)
    assert not result.verify(other)


def test_verification_under_fixings(solved):
    problem, result = solved
    some = Fixings.none(6).fix(on=[0])
    verdict = result.certificate.verify(problem, some)
    assert verdict
    assert verdict.bound >= problem.sense.sign * enumerate_best(problem, fixings=some)[0].value - 1e-9


def test_bound_certificates_refuse_what_does_not_fit(knapsack):
    for prices in ([math.nan], [math.inf], [-1.0], [0.0, 0.0]):
        verdict = ChargedCapacities(prices).verify(knapsack)
        assert not verdict
        assert verdict.location == "certificate (capacity prices)"
    with pytest.raises(InvalidProblem):
        PointCertificate().upper_bound(knapsack, Fixings.none(6))
