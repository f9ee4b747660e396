"""Deliberately wrong relaxations: bounds too low, fixings ignored or too bold, false evidence."""

import itertools
import math

import attrs
import numpy as np
import pytest

from gapless.roles import LinearDualCertificate, RelaxationResult, Tightening
from gapless.testing import (
    ConformanceError,
    check_relaxation,
)
from gapless.testing.examples import ChargedCapacities, OptimisticBound

NAN, INF = math.nan, math.inf
CALLS = itertools.count()


class Bent(OptimisticBound):
    """`bend(self, relaxed, fixings, budget, incumbent, state)` changes the honest answer."""

    bend = None

    def solve(self, fixings, budget, *, incumbent=-INF, state=None):
        relaxed = super().solve(fixings, budget, incumbent=incumbent, state=state)
        return type(self).bend(self, relaxed, fixings, budget, incumbent, state)


def bent(bend):
    return type("Bent", (Bent,), {"bend": staticmethod(bend)})


def evolve(**fields):
    return bent(lambda self, r, *_: attrs.evolve(r, **{k: v(r) if callable(v) else v for k, v in fields.items()}))


def spent_is_empty(self, relaxed, fixings, budget, incumbent, state):
    return RelaxationResult(-INF) if budget.stop_reason() else relaxed


def spent_is_an_error(self, relaxed, fixings, budget, incumbent, state):
    if budget.stop_reason():
        raise TimeoutError("too late")
    return relaxed


def trusts_the_incumbent(self, relaxed, fixings, budget, incumbent, state):
    return attrs.evolve(
        relaxed, bound=max(min(relaxed.bound, incumbent), -1e9) if incumbent > -INF else relaxed.bound
    )


def trusts_its_state(self, relaxed, fixings, budget, incumbent, state):
    bound = relaxed.bound if state is None else min(relaxed.bound, state)
    return attrs.evolve(relaxed, bound=bound, state=relaxed.bound)


def fixes_everything_off(self, relaxed, fixings, budget, incumbent, state):
    step = Tightening((), tuple(fixings.free), relaxed.certificate)
    return attrs.evolve(relaxed, tightenings=(step,))


def excludes_too_little(self, relaxed, fixings, budget, incumbent, state):
    step = Tightening((), tuple(fixings.free), relaxed.certificate)
    return attrs.evolve(relaxed, tightenings=(step,), excluded_bound=-50.0) if incumbent > 10 else relaxed


def ignores_fixings(self, relaxed, fixings, budget, incumbent, state):
    found = self.maximiser.solve(self.prices.scores, attrs.evolve(fixings, state=np.full(6, -1)))
    point = np.zeros(6)
    point[found.on_ids] = 1.0
    return attrs.evolve(relaxed, bound=found.value, point=point)


def fickle(self, relaxed, fixings, budget, incumbent, state):
    call = next(CALLS)
    return attrs.evolve(relaxed, bound=relaxed.bound + call)


RELAXATIONS = {
    "bound too low": (evolve(bound=lambda r: r.bound - 3.0), "dominates every feasible value"),
    "bound is NaN": (evolve(bound=NAN), "never NaN"),
    "raises": (bent(lambda *_: 1 / 0), "solve returns a RelaxationResult"),
    "returns nothing": (bent(lambda *_: None), "solve returns a RelaxationResult"),
    "point of another size": (evolve(point=np.zeros(3)), "a number in [0, 1]"),
    "point outside": (evolve(point=np.full(6, 1.5)), "a number in [0, 1]"),
    "point with NaN": (evolve(point=np.full(6, NAN)), "a number in [0, 1]"),
    "ignores fixings": (bent(ignores_fixings), "point respects the fixings"),
    "attains too much": (evolve(primal_value=lambda r: r.bound + 1.0), "attained lies below"),
    "empty when spent": (bent(spent_is_empty), "dominates|true when the budget is spent"),
    "fails when spent": (bent(spent_is_an_error), "a spent budget is no error"),
    "trusts the incumbent": (bent(trusts_the_incumbent), "dominates every feasible value"),
    "trusts its state": (bent(trusts_its_state), "dominates every feasible value"),
    "fixes too much": (bent(fixes_everything_off), "keep every structure better"),
    "excludes too little": (bent(excludes_too_little), "excluded bounds|keep every structure"),
    "changes its mind": (bent(fickle), "answer alike"),
    "certificate too weak": (evolve(certificate=ChargedCapacities([9.0])), "certificate proves the bound"),
    "certificate unreadable": (evolve(certificate=LinearDualCertificate([1.0])), "a certificate holds"),
    "certificate false": (
        evolve(certificate=type("Lie", (ChargedCapacities,), {"upper_bound": lambda *_: -5.0})([0.0])),
        "proves nothing false",
    ),
}


@pytest.mark.parametrize("name", RELAXATIONS)
def test_relaxations(grouped, name):
    cls, rule = RELAXATIONS[name]
    with pytest.raises(ConformanceError) as error:
        check_relaxation(lambda: cls(grouped), grouped)
    assert any(part in error.value.rule for part in rule.split("|")), error.value


def test_weak_certificate_is_named_by_its_tightening(grouped):
    def weak(self, relaxed, fixings, budget, incumbent, state):
        if incumbent < 10.5 or fixings.free.size < 2:  # what nothing beats
            return relaxed
        certificates = relaxed.certificate, ChargedCapacities(np.full(grouped.capacities.size, 1e3))
        steps = [Tightening((), (int(d),), c) for d, c in zip(fixings.free, certificates, strict=False)]
        return attrs.evolve(relaxed, tightenings=tuple(steps))

    with pytest.raises(ConformanceError, match=r"under tightening 1 \(not: .*\) it proves") as error:
        check_relaxation(lambda: bent(weak)(grouped), grouped)
    assert error.value.rule == "the certificate proves the bound"
