"""Potentials: true bounds whatever they hold, tight ones from the methods, and no tampering goes unseen."""

import json
import tracemalloc

import attrs
import numpy as np
import pytest
from all_labellings import all_labellings
from drawn import always_the_same, generators
from hypothesis import given
from small_trees import random_tree

import gapless
from gapless import Result, Status
from gapless.arrays import serial
from gapless.arrays.tolerance import meets
from gapless.roles import Fixings
from gapless_chains import ChainProblem, PotentialsCertificate, TreePotentialsCertificate, TreeProblem

METHODS = ["viterbi", "dominance", "column-generation"]
INF = float("inf")


@attrs.frozen
class Kind:
    """Chains, or trees, whose nodes are children of the first one."""

    name: str
    node: str
    certificate: type

    def __str__(self):
        return self.name

    def problem(self, unary, transition):
        if self is CHAIN:
            return ChainProblem(unary, transition)
        return TreeProblem(unary, transition, [-1] + [0] * (len(unary) - 1))

    def random(self, random_chain, *arguments, parents=None, **options):
        if self is CHAIN:
            return random_chain(*arguments, **options)
        return random_tree(*arguments, parents=parents, **options)


CHAIN, TREE = Kind("chain", "token", PotentialsCertificate), Kind("tree", "node", TreePotentialsCertificate)
both_kinds = pytest.mark.parametrize("kind", [CHAIN, TREE], ids=str)


def best_value(problem, fixings):
    allowed = (y for y in all_labellings(problem) if fixings.allows(problem.encode(y)))
    return max(map(problem.value, allowed), default=-INF)


@both_kinds
@pytest.mark.parametrize("forbidden", [0.0, 0.4])
@pytest.mark.parametrize("varying", [False, True])
@given(rng=generators())
def test_any_potentials_bound_every_labelling_under_any_fixings(rng, random_chain, kind, forbidden, varying):
    seed = int(rng.integers(150))
    n, k = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    problem = kind.random(random_chain, rng, n, k, forbidden=forbidden, varying=varying, integers=bool(seed % 2))
    potentials = rng.normal(size=(n, k)) * 10.0 ** rng.integers(-2, 19)
    potentials[rng.random((n, k)) < rng.choice([0.0, 0.3])] = -INF
    fixings = Fixings(rng.choice([-1, 0, 1], n * k, p=[0.7, 0.2, 0.1]))
    assert kind.certificate(potentials).upper_bound(problem, fixings) >= best_value(problem, fixings)


@both_kinds
@pytest.mark.parametrize("method", METHODS)
@given(rng=generators())
def test_certificates_stay_useful_under_fixings(rng, random_chain, kind, method):
    """A branching method may hand them to children: a fixed label that the optimum has keeps the bound tight."""
    problem = kind.random(random_chain, rng, 5, 3)
    result = gapless.solve(problem, method)
    free = Fixings.none(problem.decisions.count)
    best = problem.encode(result.best)
    assert meets(result.certificate.verify(problem, free.fix(on=best[:2])).bound, result.value)
    other = free.fix(off=best[:1])
    assert best_value(problem, other) <= result.certificate.verify(problem, other).bound <= result.value + 1e-9


@given(rng=generators())
def test_on_a_path_a_tree_has_the_bound_of_the_reversed_chain(rng):
    tree = random_tree(rng, 6, 4, forbidden=0.2, parents=np.arange(-1, 5))
    chain = ChainProblem(tree.unary[::-1].copy(), tree.transition.T.copy())
    potentials = rng.normal(size=(6, 4))
    bound = PotentialsCertificate(potentials[::-1]).upper_bound(chain, Fixings.none(24))
    assert TreePotentialsCertificate(potentials).upper_bound(tree, Fixings.none(24)) == pytest.approx(
        bound, rel=1e-14
    )


@both_kinds
def test_two_labels_fixed_at_one_node_leave_nothing(kind):
    problem = kind.problem(np.zeros((2, 3)), np.zeros((3, 3)))
    bound = kind.certificate(np.zeros((2, 3))).upper_bound(problem, Fixings([1, 1, -1, -1, -1, -1]))
    assert bound == -INF


@both_kinds
def test_a_false_claim_of_unreachability_proves_nothing(kind):
    problem = kind.problem(np.zeros((3, 2)), np.zeros((2, 2)))
    potentials = np.zeros((3, 2))
    potentials[1] = -INF
    assert kind.certificate(potentials).upper_bound(problem, Fixings.none(6)) == INF


@pytest.mark.parametrize("method", METHODS)
def test_claims_of_unreachability_are_proved_by_the_transitions(method):
    """Every edge is open, but labels that one edge allows are out of reach over the others."""
    chain = ChainProblem([[0, -INF], [0, 0], [0, 0]], [[0, -INF], [0, 0]], final=[-INF, 0])
    transition = np.zeros((3, 2, 2))
    transition[1, 0] = transition[2, 1] = -INF
    for problem in (chain, TreeProblem(np.zeros((3, 2)), transition, [-1, 0, 0])):
        result = gapless.solve(problem, method)
        assert result.status is Status.INFEASIBLE
        assert result.bound == -INF
        assert result.explanation
        verdict = Result.from_json(result.to_json()).verify(problem)
        assert verdict
        assert verdict.bound == -INF


@both_kinds
@pytest.mark.parametrize("size", [1e3, 1e17, 1e100])
def test_huge_potentials_do_not_round_scores_away(kind, size):
    problem = kind.problem(np.ones((4, 2)), np.ones((2, 2)))
    assert kind.certificate(np.full((4, 2), size)).upper_bound(problem, Fixings.none(8)) >= 7.0


@both_kinds
@pytest.mark.parametrize(
    ("potentials", "message"),
    [
        (np.zeros((2, 3)), "shape"),
        (np.zeros(8), "shape"),
        (np.full((4, 2), np.nan), "label 0 at {node} 0 is nan"),
        (np.full((4, 2), INF), "is inf"),
        (np.full((4, 2), 1e200), r"is 1e\+200"),
    ],
)
def test_unusable_potentials_are_refused(kind, potentials, message):
    problem = kind.problem(np.zeros((4, 2)), np.zeros((2, 2)))
    verdict = kind.certificate(potentials).verify(problem)
    assert not verdict
    assert "fit the problem" in verdict.reason
    with pytest.raises(gapless.InvalidProblem, match=message.replace("{node}", kind.node)):
        kind.certificate(potentials).upper_bound(problem, Fixings.none(8))


def test_other_problems_are_refused():
    with pytest.raises(gapless.InvalidProblem, match="not of a str"):
        PotentialsCertificate(np.zeros((1, 1))).upper_bound("chain", Fixings.none(1))
    with pytest.raises(gapless.InvalidProblem, match="not of a ChainProblem"):
        TreePotentialsCertificate(np.zeros((1, 1))).upper_bound(
            ChainProblem(np.zeros((1, 1)), np.zeros((1, 1))), Fixings.none(1)
        )


def test_memory_stays_far_below_all_pairs_of_all_edges():
    rng = np.random.default_rng(0)
    n, k = 250, 350
    problem = ChainProblem(rng.normal(size=(n, k)), rng.normal(size=(k, k)))
    certificate = PotentialsCertificate(rng.normal(size=(n, k)))
    tracemalloc.start()
    try:
        certificate.upper_bound(problem, Fixings.none(n * k))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 16e6 < n * k * k * 8 / 10


@pytest.fixture(scope="module", params=[(kind, method) for kind in (CHAIN, TREE) for method in METHODS], ids=str)
def solved(request, random_chain):
    kind, method = request.param
    problem = kind.random(random_chain, 17, 6, 4, forbidden=0.1, parents=[-1, 0, 0, 1, 1, 0])
    return problem, gapless.solve(problem, method)


def test_results_survive_json(solved):
    problem, result = solved
    copy = Result.from_json(result.to_json())
    assert copy.verify(problem)
    assert copy.value == result.value
    assert copy.bound == result.bound
    np.testing.assert_array_equal(copy.best, result.best)
    assert copy.certificate.verify(problem).bound == result.certificate.verify(problem).bound
    if isinstance(problem, TreeProblem):
        np.testing.assert_array_equal(copy.certificate.potentials, result.certificate.potentials)


def test_infeasible_results_survive_json():
    problem = ChainProblem([[0, -INF], [0, 0]], [[-INF, -INF], [0, 0]])
    for method in METHODS:
        assert Result.from_json(gapless.solve(problem, method).to_json()).verify(problem)


def test_a_changed_label_is_found(solved):
    problem, result = solved
    data = json.loads(result.to_json())
    labels = data["solutions"]["items"][0]["structure"]["values"]
    labels[2] = (labels[2] + 1) % 4
    verdict = Result.from_json(json.dumps(data)).verify(problem)
    assert not verdict
    assert verdict.location == "solutions[0]"
    labels[2] = 4
    verdict = Result.from_json(json.dumps(data)).verify(problem)
    assert verdict.reason == f"infeasible: {problem.node_word} 2 has label 4, expected 0..3"


def test_a_lowered_bound_is_found(solved):
    problem, result = solved
    low = result.value - 0.5
    solution = attrs.evolve(result.solutions[0], value=low)
    verdict = attrs.evolve(result, solutions=(solution,), bound=low).verify(problem)
    assert not verdict
    assert verdict.location == "solutions[0]"
    verdict = Result.of(problem, [], low, gapless.Stop.TIME, certificate=result.certificate).verify(problem)
    assert not verdict
    assert verdict.location == "certificate"
    assert "is claimed" in verdict.reason


def test_changed_potentials_are_found(random_chain):
    problem = random_chain(17, 6, 4, forbidden=0.1)
    result = gapless.solve(problem, "column-generation")
    data = json.loads(result.to_json())
    for change, holds in ((0.0, True), (0.25, False), (-0.25, False)):
        changed = json.loads(json.dumps(data))
        numbers = changed["certificate"]["potentials"]["values"]
        position = 6 * 4 // 2 + int(result.best[3])
        numbers[position] += change
        verdict = Result.from_json(json.dumps(changed)).verify(problem)
        assert bool(verdict) is holds
        if not holds:
            assert verdict.location == "certificate"


@pytest.mark.parametrize("method", METHODS)
def test_changed_potentials_of_trees_prove_no_wrong_value(method):
    """The potential of a node whose one label serves all labels of its parent may move: it is still a proof."""
    problem = random_tree(17, 6, 4, forbidden=0.1, parents=[-1, 0, 0, 1, 1, 0])
    result = gapless.solve(problem, method)
    data = json.loads(result.to_json())
    refused = 0
    for position in range(24):
        for change in (0.25, -0.25):
            changed = json.loads(json.dumps(data))
            changed["certificate"]["potentials"]["values"][position] += change
            copy = Result.from_json(json.dumps(changed))
            assert copy.certificate.upper_bound(problem, Fixings.none(24)) >= result.value - 1e-12
            refused += not copy.verify(problem)
    assert refused > 4
    other = TreeProblem(problem.unary, problem.transition, [-1, 0, 1, 2, 3, 4])
    assert not attrs.evolve(gapless.solve(other), certificate=result.certificate).verify(other)


@pytest.mark.parametrize("method", ["dominance", "column-generation"])
def test_a_certificate_of_another_sentence_is_found(method, random_chain):
    problem, other = random_chain(17, 6, 4), random_chain(18, 6, 4)
    gapless.solve_many([problem] * 2, "dominance")  # pays for the table
    evidence = gapless.solve(problem, method).certificate
    assert not attrs.evolve(gapless.solve(other), certificate=evidence).verify(other)


@both_kinds
def test_json_tag_is_stable(kind):
    assert (
        serial.to_data(kind.certificate(np.zeros((1, 1))))["type"] == f"gapless_chains.{kind.certificate.__name__}"
    )


@always_the_same(20)  # others: a value of 0 among scores of 1e8, whose bound is refused for 4e-8
@given(rng=generators())
def test_large_scores_that_cancel_are_verified_without_rounding(rng):
    n, k, scale = rng.integers(1, 6), rng.integers(1, 4), 10.0 ** rng.integers(0, 12)
    unary = rng.integers(-3, 4, (n, k)) * scale
    problem = ChainProblem(unary, rng.integers(-3, 4, (k, k)) * scale)
    result = gapless.solve(problem)
    assert result.verify(problem)
    lowered = attrs.evolve(
        result,
        solutions=(),
        status=gapless.Status.NO_SOLUTION,
        stop=gapless.Stop.TIME,
        bound=result.bound - 1e-6 * max(1.0, abs(result.bound)),
    )
    assert not lowered.verify(problem)
