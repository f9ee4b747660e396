"""Potentials of trees: true bounds whatever they hold, tight ones from the methods, and nothing forged proves."""

import json

import attrs
import numpy as np
import pytest
from drawn import generators
from hypothesis import given

import gapless
from gapless import Result, Status
from gapless.core import serial
from gapless.core.tolerance import meets
from gapless.roles import Fixings
from gapless_chains import ChainProblem, PotentialsCertificate, TreePotentialsCertificate, TreeProblem

METHODS = ["viterbi", "dominance", "column-generation"]
INF = float("inf")


def best_value(problem, fixings):
    n, k = problem.unary.shape
    labellings = (np.array(p) for p in np.ndindex(*(k,) * n))
    return max((problem.value(p) for p in labellings if fixings.allow(problem.encode(p))), default=-INF)


@pytest.mark.parametrize("forbidden", [0.0, 0.4])
@pytest.mark.parametrize("varying", [False, True])
@given(rng=generators())
def test_any_potentials_bound_every_labelling_under_any_fixings(rng, random_tree, forbidden, varying):
    seed = int(rng.integers(150))
    n, k = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    problem = random_tree(rng, n, k, forbidden=forbidden, varying=varying, integers=bool(seed % 2))
    potentials = rng.normal(size=(n, k)) * 10.0 ** rng.integers(-2, 19)
    potentials[rng.random((n, k)) < rng.choice([0.0, 0.3])] = -INF
    fixings = Fixings(rng.choice([-1, 0, 1], n * k, p=[0.7, 0.2, 0.1]))
    bound = TreePotentialsCertificate(potentials).upper_bound(problem, fixings)
    assert bound >= best_value(problem, fixings)


@pytest.mark.parametrize("method", METHODS)
@given(rng=generators())
def test_certificates_stay_useful_under_fixings(rng, random_tree, method):
    problem = random_tree(rng, 5, 3)
    result = gapless.solve(problem, method)
    count = problem.decisions.count
    best = problem.encode(result.best)
    assert meets(result.certificate.verify(problem, Fixings.none(count).fix(on=best[:2])).bound, result.value)
    other = Fixings.none(count).fix(off=best[:1])
    assert best_value(problem, other) <= result.certificate.verify(problem, other).bound <= result.value + 1e-9


@given(rng=generators())
def test_on_a_path_it_is_the_bound_of_the_reversed_chain(rng, random_tree):
    tree = random_tree(rng, 6, 4, forbidden=0.2, parents=np.arange(-1, 5))
    chain = ChainProblem(tree.unary[::-1].copy(), tree.transition.T.copy())
    potentials = rng.normal(size=(6, 4))
    bound = PotentialsCertificate(potentials[::-1]).upper_bound(chain, Fixings.none(24))
    own = TreePotentialsCertificate(potentials).upper_bound(tree, Fixings.none(24))
    assert own == pytest.approx(bound, rel=1e-14)


def test_a_false_claim_that_nothing_is_allowed_proves_nothing():
    problem = TreeProblem(np.zeros((3, 2)), np.zeros((2, 2)), [-1, 0, 0])
    potentials = np.zeros((3, 2))
    potentials[1] = -INF
    assert TreePotentialsCertificate(potentials).upper_bound(problem, Fixings.none(6)) == INF


def test_two_labels_fixed_at_one_node_leave_nothing():
    problem = TreeProblem(np.zeros((2, 3)), np.zeros((3, 3)), [-1, 0])
    certificate = TreePotentialsCertificate(np.zeros((2, 3)))
    assert certificate.upper_bound(problem, Fixings([1, 1, -1, -1, -1, -1])) == -INF


def test_huge_potentials_do_not_round_scores_away():
    problem = TreeProblem(np.ones((4, 2)), np.ones((2, 2)), [-1, 0, 0, 0])
    for size in (1e3, 1e17, 1e100):
        bound = TreePotentialsCertificate(np.full((4, 2), size)).upper_bound(problem, Fixings.none(8))
        assert bound >= 7.0


@pytest.mark.parametrize(
    ("potentials", "message"),
    [
        (np.zeros((2, 3)), "shape"),
        (np.full((4, 2), np.nan), "label 0 at node 0 is nan"),
        (np.full((4, 2), INF), "is inf"),
        (np.full((4, 2), 1e200), r"is 1e\+200"),
    ],
)
def test_unusable_potentials_are_refused(potentials, message):
    problem = TreeProblem(np.zeros((4, 2)), np.zeros((2, 2)), [-1, 0, 0, 1])
    assert not TreePotentialsCertificate(potentials).verify(problem)
    with pytest.raises(gapless.InvalidProblem, match=message):
        TreePotentialsCertificate(potentials).upper_bound(problem, Fixings.none(8))


def test_speaks_of_trees_only():
    chain = ChainProblem(np.zeros((1, 1)), np.zeros((1, 1)))
    with pytest.raises(gapless.InvalidProblem, match="not of a ChainProblem"):
        TreePotentialsCertificate(np.zeros((1, 1))).upper_bound(chain, Fixings.none(1))


@pytest.fixture(params=METHODS)
def solved(request, random_tree):
    problem = random_tree(17, 6, 4, forbidden=0.1, parents=[-1, 0, 0, 1, 1, 0])
    return problem, gapless.solve(problem, request.param)


def test_results_survive_json(solved):
    problem, result = solved
    copy = Result.from_json(result.to_json())
    assert copy.verify(problem)
    assert copy.value == result.value
    np.testing.assert_array_equal(copy.certificate.potentials, result.certificate.potentials)
    tag = serial.to_data(result.certificate)["type"]
    assert tag == "gapless_chains.TreePotentialsCertificate"


def test_a_lowered_bound_is_found(solved):
    problem, result = solved
    low = result.value - 0.5
    verdict = Result.of(problem, [], low, gapless.Stop.TIME, certificate=result.certificate).verify(problem)
    assert not verdict
    assert verdict.place == "certificate"
    assert "is claimed" in verdict.reason


def test_changed_potentials_prove_no_wrong_value(solved):
    """The potential of a node whose one label serves all labels of its parent may move: it is still a proof."""
    problem, result = solved
    data = json.loads(result.to_json())
    found = 0
    for place in range(24):
        for change in (0.25, -0.25):
            changed = json.loads(json.dumps(data))
            changed["certificate"]["potentials"]["values"][place] += change
            copy = Result.from_json(json.dumps(changed))
            assert copy.certificate.upper_bound(problem, Fixings.none(24)) >= result.value - 1e-12
            found += not copy.verify(problem)
    assert found > 4


def test_a_certificate_of_another_tree_is_found(solved, random_tree):
    problem, result = solved
    other = TreeProblem(problem.unary, problem.transition, [-1, 0, 1, 2, 3, 4])
    assert not attrs.evolve(gapless.solve(other), certificate=result.certificate).verify(other)


@pytest.mark.parametrize("method", METHODS)
def test_infeasible_trees_are_proved(method):
    """Each child allows a label of the root that the other forbids, though every edge is open."""
    transition = np.zeros((3, 2, 2))
    transition[1, 0] = transition[2, 1] = -INF
    problem = TreeProblem(np.zeros((3, 2)), transition, [-1, 0, 0])
    result = gapless.solve(problem, method)
    assert result.status is Status.INFEASIBLE
    assert result.explanation
    verdict = Result.from_json(result.to_json()).verify(problem)
    assert verdict
    assert verdict.bound == -INF
