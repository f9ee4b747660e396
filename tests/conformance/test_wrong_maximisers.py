"""Deliberately wrong maximisers: not the maximum, fixings ignored, slacks that lie."""

import itertools
import math

import attrs
import numpy as np
import pytest

from gapless.testing import (
    ConformanceError,
    check_maximiser,
    feasible_structures,
)
from gapless.testing.examples import SelectionMaximiser

NAN, INF = math.nan, math.inf
CALLS = itertools.count()


class BentMaximiser(SelectionMaximiser):
    bend_solve = None
    bend_slacks = None

    def solve(self, weights, fixings):
        found = super().solve(weights, fixings)
        bend = type(self).bend_solve
        return bend(self, found, weights, fixings) if bend else found

    def max_marginals(self, weights, fixings):
        slacks = super().max_marginals(weights, fixings)
        bend = type(self).bend_slacks
        return bend(slacks, weights, fixings) if bend else slacks


def bent_solve(bend):
    return type("BentMaximiser", (BentMaximiser,), {"bend_solve": staticmethod(bend)})


def bent_slacks(bend):
    return type("BentMaximiser", (BentMaximiser,), {"bend_slacks": staticmethod(bend)})


def second_best(self, found, weights, fixings):
    group = self.groups[0]
    chosen = np.intersect1d(found.on_ids, group)
    wider = fixings.fix(off=chosen)
    other = None if wider is None or not chosen.size else SelectionMaximiser.solve(self, weights, wider)
    return found if other is None or other.value == -INF else other


def blind_to_fixings(self, found, weights, fixings):
    return SelectionMaximiser.solve(self, weights, attrs.evolve(fixings, state=np.full(6, -1)))


def blind_to_infinity(self, found, weights, fixings):
    tame = np.maximum(weights, -100.0)
    return SelectionMaximiser.solve(self, tame, fixings)


def scribbles(self, found, weights, fixings):
    weights[0] += 1.0
    return found


def alternates(self, found, weights, fixings):
    call = next(CALLS)
    ids = found.on_ids if call % 2 else found.on_ids[::-1].copy()
    return attrs.evolve(found, on_ids=ids)


MAXIMISERS = {
    "value too high": (bent_solve(lambda self, f, *_: attrs.evolve(f, value=f.value + 1)), "value is the maximum"),
    "value too low": (bent_solve(lambda self, f, *_: attrs.evolve(f, value=f.value - 1)), "value is the maximum"),
    "value is NaN": (bent_solve(lambda self, f, *_: attrs.evolve(f, value=NAN)), "value is the maximum"),
    "second best": (bent_solve(second_best), "value is the maximum"),
    "blind to fixings": (bent_solve(blind_to_fixings), "value is the maximum|respects the fixings"),
    "blind to -inf": (bent_solve(blind_to_infinity), "value is the maximum"),
    "value of another structure": (
        bent_solve(lambda self, f, *_: attrs.evolve(f, on_ids=f.on_ids[:-1])),
        "sum of the weights|returns a structure|respects the fixings",
    ),
    "no structure": (
        bent_solve(lambda self, f, w, x: attrs.evolve(f, on_ids=np.arange(6)) if not w.any() else f),
        "returns a structure|respects the fixings",
    ),
    "raises": (bent_solve(lambda *_: 1 / 0), "solve answers"),
    "returns a tuple": (bent_solve(lambda self, f, *_: (f.value, f.on_ids)), "returns an Optimum"),
    "scribbles on the weights": (bent_solve(scribbles), "weights are left alone"),
    "alternates": (bent_solve(alternates), "equal questions"),
    "slack too large": (bent_slacks(lambda s, *_: attrs.evolve(s, on=s.on + 0.5)), "max-marginal losses are exact"),
    "slack too small": (
        bent_slacks(lambda s, *_: attrs.evolve(s, on=s.on * 0)),
        "max-marginal losses are exact|number >= 0",
    ),
    "slack negative": (
        bent_slacks(lambda s, *_: attrs.evolve(s, on=s.on - 1.0)),
        "a max-marginal loss is a number >= 0",
    ),
    "slack is NaN": (
        bent_slacks(lambda s, *_: attrs.evolve(s, off=np.full(6, NAN))),
        "a max-marginal loss is a number >= 0",
    ),
    "slack of some": (bent_slacks(lambda s, *_: attrs.evolve(s, on=s.on[:3])), "cover all decisions"),
    "slack off swapped": (bent_slacks(lambda s, *_: attrs.evolve(s, off=s.on)), "max-marginal losses are exact"),
    "max-marginals raise": (bent_slacks(lambda *_: {}["x"]), "max_marginals answers"),
}


@pytest.mark.parametrize("name", MAXIMISERS)
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_maximisers(grouped, name):
    cls, rule = MAXIMISERS[name]
    unlimited = attrs.evolve(grouped, capacities=[99.0])
    on_sets = [f.on_ids for f in feasible_structures(unlimited)]
    with pytest.raises(ConformanceError) as error:
        check_maximiser(cls(grouped), grouped.decisions, on_sets)
    assert any(part in error.value.rule for part in rule.split("|")), error.value
