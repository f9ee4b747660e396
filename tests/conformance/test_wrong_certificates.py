"""Deliberately wrong certificates: each passes `verify`, which runs the code of its own class; the kit does not."""

import math

import attrs
import numpy as np
import pytest

from gapless import Certificate, Result, Stop, Verdict
from gapless.roles import BoundCertificate, Method, NoCertificate, serialisable
from gapless.testing import check_certificate, check_method, check_relaxation, feasible_structures
from gapless.testing.examples import ChargedCapacities, OptimisticBound, Selection


@serialisable("test.Believes")
@attrs.frozen
class Believes(BoundCertificate):
    """The bound is a number that somebody wrote down."""

    amount: float

    def upper_bound(self, problem, fixings):
        return self.amount


@serialisable("test.BelievesDeepDown")
@attrs.frozen(eq=False)
class BelievesDeepDown(BoundCertificate):
    """Prices whose sign is not checked: negative prices give no bound."""

    prices: np.ndarray = attrs.field(converter=np.asarray)

    def upper_bound(self, problem, fixings):
        honest = ChargedCapacities(np.abs(self.prices)).upper_bound(problem, fixings)
        return honest - 2 * float((np.abs(self.prices) - self.prices).sum()) * 10


@serialisable("test.ForgetsFixedItems")
@attrs.frozen(eq=False)
class ForgetsFixedItems(ChargedCapacities):
    """Right as long as nothing is fixed on."""

    def upper_bound(self, problem, fixings):
        lost = problem.sense.sign * problem.worth[fixings.on].sum()
        return super().upper_bound(problem, fixings) - max(0.0, float(lost))


@serialisable("test.RoundsDown")
@attrs.frozen(eq=False)
class RoundsDown(ChargedCapacities):
    """As if values were multiples of two."""

    def upper_bound(self, problem, fixings):
        bound = super().upper_bound(problem, fixings)
        return bound if math.isinf(bound) else 2 * math.floor(bound / 2)


def certified(make, seen=False):
    """A method that is right, with the evidence of `make(problem, score)`; `seen`: verify sees what is wrong."""

    def run(problem, solve):
        found = max(feasible_structures(problem), key=lambda f: f.score)
        held = attrs.evolve(
            Result.of(problem, [found.structure], found.score, Stop.PROVED, method=solve.method),
            certificate=make(problem, found.score),
        )
        assert bool(held.verify(problem)) is not seen, "verify has no way to see that its class is wrong"
        return held

    return Method("certified", Selection, run)


@pytest.fixture
def odd():
    """Two of three items: the best score is 9, and a price of 3 proves it."""
    return Selection([5.0, 4.0, 3.0], [[1.0, 1.0, 1.0]], [2.0])


def test_a_bound_that_is_written_down_is_refused(caught, odd):
    method = certified(lambda problem, score: Believes(score))
    found = caught("a forged certificate proves nothing false", check_method, method, [odd])
    assert found.role == "Believes"
    assert "amount was 9.0 and is" in found.instance


def test_fields_that_are_not_checked_are_refused(caught, odd):
    certificate = BelievesDeepDown([3.0])
    assert certificate.verify(odd).bound == 9.0
    caught("a forged certificate proves nothing false", check_certificate, certificate, odd)


def test_a_certificate_that_is_wrong_under_fixings_is_refused(caught, odd):
    method = certified(lambda problem, score: ForgetsFixedItems([3.0]))
    found = caught("a certificate proves nothing false", check_method, method, [odd])
    assert "Fixings(on=[" in found.instance


def test_a_certificate_that_proves_more_than_is_claimed_is_refused(caught, odd):
    """The method says 9, which is right; its evidence says 8, which verify and the kit refuse."""
    method = certified(lambda problem, score: RoundsDown([3.0]), seen=True)
    found = caught("verifies|proves nothing false", check_method, method, [odd])
    assert "a bound of 8" in found.instance


def test_relaxations_are_asked_for_such_evidence_too(caught, odd):
    class Bold(OptimisticBound):
        def solve(self, *args, **kwargs):
            relaxed = super().solve(*args, **kwargs)
            return attrs.evolve(relaxed, certificate=Believes(relaxed.bound))

    caught("proves nothing false", check_relaxation, lambda: Bold(odd), odd)


def test_a_certificate_that_fails_is_named(caught, odd):
    class Fails(Certificate):
        def verify(self, problem, fixings=None):
            raise OSError("there is no disk")

    caught("a certificate can be verified", check_certificate, Fails(), odd)


@pytest.mark.parametrize("price", [0.0, 1.0, 3.0, 1e9])
def test_honest_certificates_pass(instance, price):
    check_certificate(ChargedCapacities(np.full(instance.capacities.size, price)), instance)


def test_no_certificate_claims_nothing(odd):
    check_certificate(NoCertificate(), odd)


def test_a_certificate_that_holds_nothing_passes(odd):
    class Refuses(Certificate):
        def verify(self, problem, fixings=None):
            return Verdict(False, "no")

    check_certificate(Refuses(), odd)


def test_structures_may_be_given_instead_of_enumerated(caught):
    """Twenty items have more assignments than anyone wants to try; the single items are all that fits."""
    count = 20
    problem = Selection(np.arange(count), np.ones((1, count)), [1.0])
    found = [(), *((item,) for item in range(count))]
    check_certificate(ChargedCapacities([19.0]), problem, structures=found)
    rule = "a certificate proves nothing false"
    caught(rule, check_certificate, Believes(18.0), problem, structures=found)
