"""A result says whether its proof can be shown, and states every number in the problem's own sense."""

import math

import attrs
import numpy as np
import pytest

from gapless import Result, Status, Stop
from gapless.certificates.tree_certificate import Tightening
from gapless.roles import (
    Branch,
    Fixings,
    MostFractional,
    NoCertificate,
    PointCertificate,
    ProbabilisticCertificate,
    Sense,
    SolveBudget,
    TreeCertificate,
)
from gapless.testing.examples import ChargedCapacities, Expenses, OptimisticBound, Selection
from gapless.tree_search import tree_search

EVIDENCE = ChargedCapacities([1.0])
COLOURS = ProbabilisticCertificate(trials=50, colours=6, size=4)


def of(certificate=None, *, stop=Stop.PROVED, bound=3.0, kind=Selection):
    problem = kind([3.0, 1.0] if kind is Selection else [-3.0, -1.0], [[1.0, 1.0]], [1.0])
    return problem, Result.of(problem, [(0,)], bound, stop, certificate=certificate)


def tree(leaf, tightening=EVIDENCE):
    step = Tightening((0,), (), tightening)
    return TreeCertificate((-1,), (Branch(),), {"0": leaf}, {"0": [step]})


@pytest.mark.parametrize(
    ("certificate", "said"),
    [
        (EVIDENCE, "proved, with certificate"),
        (None, "proved, no certificate: this method writes no certificate"),
        (NoCertificate("the record outgrew its memory"), "proved, no certificate: the record outgrew its memory"),
        (NoCertificate(""), "proved, no certificate: no reason is given"),
        (tree(EVIDENCE), "proved, with certificate"),
        (tree(NoCertificate("lost")), "proved, no certificate: node 0: lost"),
        (tree(tree(NoCertificate("deep"))), "proved, no certificate: node 0: node 0: deep"),
        (tree(EVIDENCE, NoCertificate("cut")), "proved, no certificate: node 0, a tightening: cut"),
    ],
)
def test_proved_with_or_without_a_certificate(certificate, said):
    _, result = of(certificate)
    assert result.status is Status.OPTIMAL
    assert result.proof == said
    assert result.certified is said.endswith("with certificate")
    assert said in repr(result)


def test_bounds_that_prove_nothing_yet():
    assert of(EVIDENCE, stop=Stop.TIME, bound=5.0)[1].proof == "not proved; the bound has a certificate"
    assert of(stop=Stop.TIME, bound=5.0)[1].proof.startswith("not proved; the bound has no certificate: this ")
    assert of(stop=Stop.TIME, bound=math.inf)[1].proof == "not proved; no bound is claimed"
    likely = of(COLOURS, stop=Stop.ITERATIONS, bound=math.inf)[1]
    assert likely.proof == f"optimal except with probability {COLOURS.failure_probability:.3g}; no bound is claimed"
    assert likely.certified  # of a chance
    bounded = of(COLOURS, stop=Stop.ITERATIONS, bound=5.0)[1]
    assert "the bound has no certificate: a probability bounds no score" in bounded.proof
    whole = of(attrs.evolve(COLOURS, evidence=EVIDENCE), stop=Stop.ITERATIONS, bound=5.0)[1]
    assert whole.proof.endswith("the bound has a certificate")


@pytest.mark.parametrize("junk", ["trust me", None, tree("trust me"), TreeCertificate((-1,), (Branch(),), None)])
def test_what_is_no_certificate_certifies_nothing(junk):
    """A file may bring anything, and still has a repr."""
    result = attrs.evolve(of()[1], certificate=junk)
    assert not result.certified
    assert "proved, no certificate: it cannot be read" in repr(result)


def test_the_round_trip_keeps_the_words():
    for certificate in (EVIDENCE, NoCertificate("so"), tree(NoCertificate("lost"))):
        _, result = of(certificate)
        assert Result.from_json(result.to_json()).proof == result.proof


@pytest.mark.parametrize(
    ("kind", "said"), [(Selection, "nothing scores more than 3"), (Expenses, "nothing costs less than -3")]
)
def test_verdicts_speak_in_the_sense_of_the_problem(kind, said):
    problem, result = of(EVIDENCE, kind=kind)
    for evidence in (result.certificate, tree(EVIDENCE)):
        verdict = attrs.evolve(result, certificate=evidence).verify(problem)
        assert verdict
        assert verdict.reason.endswith(said)
        assert verdict.sense is problem.sense
        assert verdict.value_bound == result.bound
        assert verdict.bound == 3.0  # on scores, as ever


def test_a_weaker_proof_is_stated_in_the_sense_of_the_problem():
    problem, result = of(ChargedCapacities([2.0]), kind=Expenses)
    weak = attrs.evolve(result, certificate=ChargedCapacities([4.0]))
    assert "the evidence proves -4, but -3 is claimed" in weak.verify(problem).reason
    assert weak.verify(problem).value_bound == -4.0


def test_infeasible_is_said_in_words():
    problem = Expenses([1.0, 1.0], [[1.0, 1.0]], [1.0], [(0, 1)])
    nothing = PointCertificate().verify(problem, Fixings.none(2).fix(off=(0, 1)))
    assert nothing.reason == "single structure: nothing is feasible"


def test_no_cost_of_minus_zero():
    problem = Expenses([0.0], [[1.0]], [1.0])
    result = Result.of(problem, [()], 0.0, Stop.PROVED)
    assert math.copysign(1.0, result.bound) == 1.0
    assert "-0" not in f"{Sense.MINIMISE.turn(0.0):.12g}"
    assert Sense.MINIMISE.beyond(0.0) == "nothing costs less than 0"


def costs():
    """Worth 10 at most, so -10 as a cost."""
    return Expenses([-5.0, -4.0, -3.0, -3.0, -2.0, -1.0], [[4.0, 3.0, 2.0, 2.0, 2.0, 1.0]], [7.0])


def test_events_of_a_minimised_problem_hold_its_values():
    problem, seen = costs(), []
    result = tree_search(problem, OptimisticBound(problem), MostFractional(), SolveBudget(observers=[seen.append]))
    assert {event.sense for event in seen} == {Sense.MINIMISE}
    values = [event.value for event in seen if math.isfinite(event.value)]
    assert values == sorted(values, reverse=True)
    assert values[-1] == result.value == -10.0
    bounds = [event.bound for event in seen]
    assert bounds == sorted(bounds)
    assert all(event.bound <= result.value for event in seen)
    nodes = [event.details["node_bound"] for event in seen if event.kind == "node"]
    assert nodes
    assert nodes[0] <= result.value
    assert min(np.sign(nodes)) == -1.0
