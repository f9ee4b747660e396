"""Deliberately wrong generators: a column dropped, a slack that lies, fixings ignored."""

import itertools
import math

import attrs
import numpy as np
import pytest

from gapless.roles import Batch
from gapless.testing import (
    ConformanceError,
    check_generator,
)
from gapless.testing.example_pricing import ItemGenerator, KnownItems

NAN, INF = math.nan, math.inf
CALLS = itertools.count()


class BentGenerator(ItemGenerator):
    bend = None

    def query(self, view, *, limit=None):
        return type(self).bend(self, super().query(view, limit=limit), view)


def bent_query(bend):
    return type("BentGenerator", (BentGenerator,), {"bend": staticmethod(bend)})


def drops_item_two(self, answer, view):
    keys = answer.batch.columns.keys
    if 2 not in keys:
        return answer
    kept = np.flatnonzero(keys != 2)
    return attrs.evolve(answer, batch=Batch(answer.batch.columns.take(kept)), pricing_gap=0.0)


def forgets_item_two(self, answer, view):
    """As if item 2 did not exist."""
    state = view.fixings.state.copy()
    state[2] = 0
    return ItemGenerator.query(self, type(view)(attrs.evolve(view.fixings, state=state), view.known, view.best))


def ignores_the_fixings(self, answer, view):
    free = attrs.evolve(view.fixings, state=np.full(6, -1))
    return ItemGenerator.query(self, type(view)(free, view.known, view.best))


def wavers(self, answer, view):
    call = next(CALLS)
    return attrs.evolve(answer, pricing_gap=None if answer.pricing_gap is None else answer.pricing_gap + call)


def nan_objective(self, answer, view):
    columns = answer.batch.columns
    return attrs.evolve(answer, batch=Batch(attrs.evolve(columns, objective=columns.objective * NAN)))


GENERATORS = {
    "drops a column": (
        bent_query(drops_item_two),
        "nothing feasible is missing|pricing gap bounds what is missing",
    ),
    "forgets an item": (
        bent_query(forgets_item_two),
        "nothing feasible is missing|pricing gap bounds what is missing",
    ),
    "halves its slack": (
        bent_query(
            lambda self, a, v: attrs.evolve(a, pricing_gap=None if a.pricing_gap is None else a.pricing_gap / 4)
        ),
        "pricing gap bounds what is missing",
    ),
    "claims zero": (
        bent_query(lambda self, a, v: attrs.evolve(a, pricing_gap=0.0)),
        "pricing gap bounds what is missing",
    ),
    "claims less than zero": (
        bent_query(lambda self, a, v: attrs.evolve(a, pricing_gap=-1.0)),
        "a pricing gap is a number >= 0",
    ),
    "claims NaN": (
        bent_query(lambda self, a, v: attrs.evolve(a, pricing_gap=NAN)),
        "equal views|a pricing gap is a number >= 0",
    ),
    "claims nothing": (bent_query(lambda self, a, v: attrs.evolve(a, pricing_gap=None)), "a pricing gap is owed"),
    "ignores the fixings": (bent_query(ignores_the_fixings), "banned by the fixings"),
    "wavers": (bent_query(wavers), "equal views get equal answers"),
    "raises": (bent_query(lambda *_: 1 / 0), "query answers"),
    "returns nothing": (bent_query(lambda *_: None), "query returns a GeneratorResult"),
    "prices with NaN": (bent_query(nan_objective), "no NaN"),
    "returns the same for ever": (
        bent_query(lambda self, a, v: attrs.evolve(a, batch=Batch(self.columns([0])), pricing_gap=0.0)),
        "nothing feasible is missing|banned|pricing gap bounds",
    ),
}


@pytest.mark.parametrize("name", GENERATORS)
def test_generators(grouped, name):
    cls, rule = GENERATORS[name]
    with pytest.raises(ConformanceError) as error:
        check_generator(cls(grouped), lambda: KnownItems(grouped, (1, 3)), grouped)
    assert any(part in error.value.rule for part in rule.split("|")), error.value


def test_generator_that_never_runs_dry(caught, grouped):
    class Endless(KnownItems):
        def extend(self, batch):
            super().extend(batch)
            return 1

    class Chatty(ItemGenerator):
        def query(self, view, *, limit=None):
            free = [d for d in range(6) if view.fixings.state[d] != 0]
            return attrs.evolve(super().query(view, limit=limit), batch=Batch(self.columns(free)))

    caught("runs dry", check_generator, Chatty(grouped), lambda: Endless(grouped), grouped)
