"""Potentials: true bounds whatever they hold, tight ones from the methods, and no tampering goes unseen."""

import json
import tracemalloc
from itertools import product

import attrs
import numpy as np
import pytest
from drawn import always_the_same, generators
from hypothesis import given

import gapless
from gapless import Result, Status
from gapless.core import serial
from gapless.core.tolerance import meets
from gapless.roles import Fixings
from gapless_chains import ChainProblem, PotentialsCertificate

METHODS = ["viterbi", "dominance", "column-generation"]
INF = float("inf")


def best_value(problem, fixings):
    n, k = problem.unary.shape
    paths = (np.array(p) for p in product(range(k), repeat=n))
    return max((problem.value(p) for p in paths if fixings.allow(problem.encode(p))), default=-INF)


@pytest.mark.parametrize("forbidden", [0.0, 0.4])
@pytest.mark.parametrize("varying", [False, True])
@given(rng=generators())
def test_any_potentials_bound_every_labelling_under_any_fixings(rng, random_chain, forbidden, varying):
    seed = int(rng.integers(150))
    n, k = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    problem = random_chain(rng, n, k, forbidden=forbidden, varying=varying, integers=bool(seed % 2))
    potentials = rng.normal(size=(n, k)) * 10.0 ** rng.integers(-2, 19)
    potentials[rng.random((n, k)) < rng.choice([0.0, 0.3])] = -INF
    fixings = Fixings(rng.choice([-1, 0, 1], n * k, p=[0.7, 0.2, 0.1]))
    bound = PotentialsCertificate(potentials).upper_bound(problem, fixings)
    assert bound >= best_value(problem, fixings)


@pytest.mark.parametrize("method", METHODS)
@given(rng=generators())
def test_certificates_stay_useful_under_fixings(rng, random_chain, method):
    """A branching method may hand them to children: a fixed label that the optimum has keeps the bound tight."""
    problem = random_chain(rng, 5, 3)
    result = gapless.solve(problem, method)
    count = problem.decisions.count
    best = problem.encode(result.best)
    verdict = result.certificate.verify(problem, Fixings.none(count).fix(on=best[:2]))
    assert meets(verdict.bound, result.value)
    other = Fixings.none(count).fix(off=best[:1])
    assert best_value(problem, other) <= result.certificate.verify(problem, other).bound <= result.value + 1e-9


def test_two_labels_fixed_at_one_token_leave_nothing():
    problem = ChainProblem(np.zeros((2, 3)), np.zeros((3, 3)))
    certificate = PotentialsCertificate(np.zeros((2, 3)))
    assert certificate.upper_bound(problem, Fixings([1, 1, -1, -1, -1, -1])) == -INF


def test_a_false_claim_of_unreachability_proves_nothing():
    problem = ChainProblem(np.zeros((3, 2)), np.zeros((2, 2)))
    potentials = np.zeros((3, 2))
    potentials[1] = -INF
    assert PotentialsCertificate(potentials).upper_bound(problem, Fixings.none(6)) == INF


def test_claims_of_unreachability_are_proved_by_the_transitions():
    """Label 1 is out of reach at token 1, and only it may lead on: infeasible, though every edge is open."""
    problem = ChainProblem([[0, -INF], [0, 0], [0, 0]], [[0, -INF], [0, 0]], final=[-INF, 0])
    for method in METHODS:
        result = gapless.solve(problem, method)
        assert result.status is Status.INFEASIBLE
        assert result.bound == -INF
        assert result.certificate.verify(problem).bound == -INF


def test_huge_potentials_do_not_round_scores_away():
    problem = ChainProblem(np.ones((4, 2)), np.ones((2, 2)))
    for size in (1e3, 1e17, 1e100):
        bound = PotentialsCertificate(np.full((4, 2), size)).upper_bound(problem, Fixings.none(8))
        assert bound >= 7.0


@pytest.mark.parametrize(
    ("potentials", "message"),
    [
        (np.zeros((2, 3)), "shape"),
        (np.zeros(8), "shape"),
        (np.full((4, 2), np.nan), "label 0 at token 0 is nan"),
        (np.full((4, 2), INF), "is inf"),
        (np.full((4, 2), 1e200), r"is 1e\+200"),
    ],
)
def test_unusable_potentials_are_refused(potentials, message):
    verdict = PotentialsCertificate(potentials).verify(ChainProblem(np.zeros((4, 2)), np.zeros((2, 2))))
    assert not verdict
    assert "fit the problem" in verdict.reason
    with pytest.raises(gapless.InvalidProblem, match=message):
        PotentialsCertificate(potentials).upper_bound(
            ChainProblem(np.zeros((4, 2)), np.zeros((2, 2))), Fixings.none(8)
        )


def test_speaks_of_chains_only():
    with pytest.raises(gapless.InvalidProblem, match="not of a str"):
        PotentialsCertificate(np.zeros((1, 1))).upper_bound("chain", Fixings.none(1))


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


@pytest.fixture(params=METHODS)
def solved(request, random_chain):
    problem = random_chain(17, 6, 4, forbidden=0.1)
    return problem, gapless.solve(problem, request.param)


def test_results_survive_json(solved):
    problem, result = solved
    copy = Result.from_json(result.to_json())
    assert copy.verify(problem)
    assert copy.value == result.value
    assert copy.bound == result.bound
    np.testing.assert_array_equal(copy.best, result.best)
    assert copy.certificate.verify(problem).bound == result.certificate.verify(problem).bound


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
    assert verdict.place == "solutions[0]"
    labels[2] = 4
    verdict = Result.from_json(json.dumps(data)).verify(problem)
    assert verdict.reason == "infeasible: token 2 has label 4, expected 0..3"


def test_a_lowered_bound_is_found(solved):
    problem, result = solved
    low = result.value - 0.5
    solution = attrs.evolve(result.solutions[0], value=low)
    verdict = attrs.evolve(result, solutions=(solution,), bound=low).verify(problem)
    assert not verdict
    assert verdict.place == "solutions[0]"
    verdict = Result.of(problem, [], low, gapless.Stop.TIME, certificate=result.certificate).verify(problem)
    assert not verdict
    assert verdict.place == "certificate"
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
            assert verdict.place == "certificate"


@pytest.mark.parametrize("method", ["dominance", "column-generation"])
def test_a_certificate_of_another_sentence_is_found(method, random_chain):
    problem, other = random_chain(17, 6, 4), random_chain(18, 6, 4)
    gapless.solve_many([problem] * 2, "dominance")  # pays for the table
    evidence = gapless.solve(problem, method).certificate
    assert not attrs.evolve(gapless.solve(other), certificate=evidence).verify(other)


def test_json_tag_is_stable():
    assert serial.to_data(PotentialsCertificate(np.zeros((1, 1))))["type"] == "gapless_chains.PotentialsCertificate"


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


@pytest.mark.parametrize("mask", [-1e4, -1e9, -1e12])
@pytest.mark.parametrize("method", ["viterbi", "column-generation"])
@given(rng=generators())
def test_finite_masks_neither_hide_scores_nor_spoil_the_proof(rng, method, mask):
    """Many models forbid by a large negative number; the proof must stay sharp beside it."""
    n, k = int(rng.integers(2, 25)), int(rng.integers(2, 12))
    unary, transition = rng.normal(size=(n, k)), rng.normal(size=(k, k))
    unary[:, 1:][rng.random((n, k - 1)) < 0.4] = mask
    transition[1:, 1:][rng.random((k - 1, k - 1)) < 0.4] = mask
    problem = ChainProblem(unary, transition)
    result = gapless.solve(problem, method)
    assert result.status is gapless.Status.OPTIMAL
    assert result.value == pytest.approx(gapless.solve(problem).value, abs=1e-9)
    assert result.verify(problem)
