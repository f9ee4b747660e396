"""Deliberately wrong branchers: cases lost, parents repeated, points kept."""

import itertools
import math

import attrs
import numpy as np
import pytest

from gapless.roles import Branch, Brancher, MostFractional
from gapless.testing import (
    check_brancher,
)
from gapless.testing.examples import OptimisticBound

NAN, INF = math.nan, math.inf
CALLS = itertools.count()


class Split(Brancher):
    def __init__(self, function):
        self.function = function

    def split(self, fixings, relaxed):
        return self.function(fixings, relaxed, MostFractional().split(fixings, relaxed))


class HalfPoints(OptimisticBound):
    """Every free decision at one half."""

    def solve(self, fixings, budget, *, incumbent=-INF, state=None):
        relaxed = super().solve(fixings, budget, incumbent=incumbent, state=state)
        return attrs.evolve(relaxed, point=np.where(fixings.state == -1, 0.5, fixings.state).astype(float))


class OneFraction(OptimisticBound):
    """Only the last free decision is fractional."""

    def solve(self, fixings, budget, *, incumbent=-INF, state=None):
        relaxed = super().solve(fixings, budget, incumbent=incumbent, state=state)
        point = np.maximum(fixings.state, 0).astype(float)
        if fixings.free.size:
            point[fixings.free[-1]] = 0.5
        return attrs.evolve(relaxed, point=point)


def shuffles(fixings, relaxed, honest):
    call = next(CALLS)
    return honest if call % 2 else honest[::-1]


def first_free(fixings, relaxed, honest):
    free = fixings.free
    return (Branch(on=(free[0],)), Branch(off=(free[0],))) if free.size else ()


def group_without_the_rest(fixings, relaxed, honest):
    """Branches on the items of a group, but forgets one."""
    return [Branch(on=(0,))] if fixings.state[0] == -1 and fixings.state[1] == -1 else honest


BRANCHERS = {
    "forgets a child": (lambda f, r, h: h[:1], "children cover the parent"),
    "forgets one of a group": (group_without_the_rest, "children cover the parent"),
    "contradicts itself": (
        lambda f, r, h: (Branch(on=h[0].on, off=h[0].on), h[1]) if h else h,
        "children cover the parent",
    ),
    "repeats the parent": (lambda f, r, h: (*h, Branch()) if h else h, "no child repeats"),
    "gives up": (lambda f, r, h: (), "children are given while something is open"),
    "names what is not there": (lambda f, r, h: (*h, Branch(on=(6,))) if h else h, "existing decisions"),
    "counts from the end": (lambda f, r, h: (*h, Branch(on=(-1,))) if h else h, "existing decisions"),
    "keeps the point": (first_free, "exclude a fractional point"),
    "shuffles": (shuffles, "equal questions"),
    "raises": (lambda f, r, h: 1 / 0, "split answers"),
    "returns nothing": (lambda f, r, h: None, "split answers"),
}


@pytest.mark.parametrize("name", BRANCHERS)
def test_branchers(caught, grouped, name):
    function, rule = BRANCHERS[name]
    relaxation = OneFraction(grouped) if name == "keeps the point" else HalfPoints(grouped)
    check_brancher(MostFractional(), grouped, relaxation)
    caught(rule, check_brancher, Split(function), grouped, relaxation)
