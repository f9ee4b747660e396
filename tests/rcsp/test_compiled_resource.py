"""States of a user's own beside the list of all routes, and an error for each rule that a function breaks."""

import importlib

import numpy as np
import pytest
from c_functions import address, raises
from drawn import examples, generators, seeing
from every_route import every_route, found_routes, listed
from hypothesis import given
from small_networks import EXTEND, case, shifts

import gapless_kernels
from gapless import InvalidProblem
from gapless.rcsp import Additive, CompiledResource, LabelSetting, Network, RankOneCuts
from gapless.testing import ConformanceError, check_resource
from gapless_kernels.labels import _labels_twin

pytestmark = pytest.mark.usefixtures("raised_in_callbacks")


def shifted(rng):
    """A drawn case with one or two states of a user's own."""
    net, resources, costs, charges = case(rng)
    own = [shifts(rng, net) for _ in range(int(rng.integers(1, 3)))]
    return net, [*own, *resources] if rng.integers(2) else [*resources, *own], costs, charges


@seeing("routes", "none", "below")
@examples(200)
@given(rng=generators())
def test_the_cheapest_route_and_its_bound(rng, seen):
    net, resources, costs, charges = shifted(rng)
    every = every_route(net, resources, costs, charges)
    best = min(every.values(), default=np.inf)
    seen["routes" if every else "none"] += 1
    labelling = LabelSetting(net, resources)
    for below in (np.inf, 0.0):
        seen["below"] += best < below
        for stage in ("exact", "relaxed", "heuristic"):
            found_routes(labelling, every, costs, charges, below=below, stage=stage)


@seeing("routes")
@examples(120)
@given(rng=generators())
def test_all_routes_and_bounds_through_arcs(rng, seen):
    net, resources, costs, charges = shifted(rng)
    every = every_route(net, resources, costs, charges)
    seen["routes"] += bool(every)
    labelling = LabelSetting(net, resources)
    dues = charges if len(charges) else None
    found = labelling.enumerate(costs, np.inf, charges=dues)
    assert listed(found) == pytest.approx(every)
    through = labelling.cheapest_through_arcs(costs, stage="relaxed", charges=dues)
    for route, cost in every.items():
        assert (through[list(route)] <= cost + 1e-9).all()
    with pytest.raises(InvalidProblem, match="stage='relaxed'"):
        labelling.cheapest_through_arcs(costs, charges=dues)


@pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")
@examples(60)
@given(rng=generators())
def test_twins_agree(rng):
    kernels = importlib.import_module("gapless_kernels.labels._labels")
    net, resources, costs, charges = shifted(rng)
    tables = LabelSetting(net, resources)._tables
    dues = np.zeros(tables.wrap.size) if not len(charges) else charges
    one, two = (x.label_routes(tables, costs, dues, np.inf, 999) for x in (kernels, _labels_twin))
    assert min(one.cost, default=np.inf) == pytest.approx(min(two.cost, default=np.inf))
    a, b = (np.sort(x.label_enumerate(tables, costs, dues, np.inf, 999).cost) for x in (kernels, _labels_twin))
    assert a == pytest.approx(b)
    prices = [x.label_price(tables, costs, dues, one.first, one.arcs) for x in (kernels, _labels_twin)]
    assert prices[0].tolist() == pytest.approx(prices[1].tolist())


def wrote(state, cost, code=0):
    """A function that always answers the same."""

    def extend(_, arc, before, after, toll):
        for k, x in enumerate(state):
            after[k] = x
        if cost is not None:
            toll[0] = cost
        return code

    return EXTEND(extend)


PATH = Network([0, 1, 2, 1, 0], [1, 2, 3, 3, 2], 0, 3)


@pytest.mark.parametrize(
    ("function", "fault"),
    [
        (wrote([0.0, np.nan], 0.0), "left entry 1 of the next state NaN"),
        (wrote([0.0], 0.0), "left entry 1 of the next state NaN"),
        (wrote([0.0, 0.0], None), "wrote the cost nan"),
        (wrote([0.0, 0.0], 2.5), r"wrote the cost 2.5, or none; costs must be from -1 to 2"),
        (wrote([0.0, 0.0], -np.inf), "wrote the cost -inf"),
        (wrote([0.0, 0.0], 0.0, 7), "returned 7, which is neither 0"),
        (wrote([0.0, 0.0], 0.0, -1), "returned -1"),
        (EXTEND(raises), "resource 1 .*extend.. at arc"),
    ],
)
def test_a_function_that_breaks_a_rule_ends_every_call(function, fault):
    labelling = LabelSetting(
        PATH, [Additive(np.ones(5), upper=9), CompiledResource(function, [0, 0], least=-1, most=2)]
    )
    costs = np.arange(5.0)
    for call in (
        lambda: labelling.routes(costs, below=np.inf),
        lambda: labelling.routes(costs, below=np.inf, stage="heuristic"),
        lambda: labelling.cheapest_through_arcs(costs, stage="relaxed"),
        lambda: labelling.enumerate(costs, np.inf),
        lambda: labelling.cost([0, 3], costs),
    ):
        with pytest.raises(RuntimeError, match=fault):
            call()


@pytest.mark.parametrize(
    ("make", "error", "fault"),
    [
        (lambda: CompiledResource(len, [0]), TypeError, "extend must be"),
        (lambda: CompiledResource(0, [0]), ValueError, "no address"),
        (lambda: CompiledResource(wrote([], 0), [np.nan]), InvalidProblem, "start"),
        (lambda: CompiledResource(wrote([], 0), [0], same=[1]), InvalidProblem, "same"),
        (lambda: CompiledResource(wrote([], 0), [0], same=[0.5]), InvalidProblem, "expected indices"),
        (lambda: CompiledResource(wrote([], 0), [0], least=1), InvalidProblem, "ascending"),
        (lambda: CompiledResource(wrote([], 0), [0], data=np.zeros(4)[::2]), ValueError, "contiguous"),
    ],
)
def test_what_is_no_such_resource_is_refused(make, error, fault):
    with pytest.raises(error, match=fault):
        make()


@pytest.mark.parametrize("stage", ["exact", "relaxed", "heuristic"])
def test_the_last_arc_may_pay(stage):
    """A route above the threshold is not given up, nor its charges, while the function may write less than 0."""

    def extend(_, arc, before, after, cost):
        cost[0] = -float(arc)
        return 0

    net = Network([0, 1], [1, 2], 0, 2)
    paid = CompiledResource(EXTEND(extend), [], least=-1.0)
    labelling = LabelSetting(net, [paid, RankOneCuts(None, [(1, 2)], [[1, 2]])])
    for charge, below in ((0.0, -0.5), (0.0, 0.0), (0.25, -0.5), (0.25, np.inf)):
        found = labelling.routes([0.0, 0.0], below=below, limit=1, stage=stage, charges=[charge])
        assert found.cost.tolist() == [charge - 1.0]
        assert found.bound <= charge - 1.0
    found = labelling.routes([0.0, 0.0], below=-0.75, stage=stage, charges=[0.25])
    assert len(found) == 0
    assert found.bound <= -0.75
    assert labelling.enumerate([0.0, 0.0], -0.5, charges=[0.25]).cost.tolist() == [-0.75]


def test_data_reach_the_function():
    seen = []

    def extend(data, arc, before, after, cost):
        seen.append(data)
        cost[0] = 0.0
        return 0

    data = np.arange(3.0)
    LabelSetting(PATH, [CompiledResource(EXTEND(extend), [], data=data)]).cost([0, 3], np.zeros(5))
    assert set(seen) == {data.ctypes.data}
    assert address(EXTEND(extend))


@examples(20)
@given(rng=generators())
def test_the_kit_accepts_what_is_monotone(rng):
    net, resources, *_ = case(rng)
    check_resource(shifts(rng, net), net, resources)


def test_the_kit_refuses_what_is_not():
    def late_is_better(_, arc, before, after, cost):
        after[0] = before[0] + 1 + arc % 2
        cost[0] = 3.0 if before[0] < 3 else 0.0
        return 0

    def late_may_go_on(_, arc, before, after, cost):
        after[0], cost[0] = before[0] + 1 + arc % 2, 0.0
        return 1 if before[0] == 1 else 0

    def back_in_time(_, arc, before, after, cost):
        after[0], cost[0] = 4.0 - before[0] + arc % 2, 0.0
        return 0

    calls = []

    def another_every_time(_, arc, before, after, cost):
        calls.append(arc)
        after[0], cost[0] = len(calls), 0.0
        return 0

    pairs = [(i, j) for i in range(6) for j in range(6) if i != j and i != 5 and j != 0]
    net = Network(*np.array(pairs).T, 0, 5)
    count = Additive(np.ones(net.arcs), upper=4)
    for function, fault in (
        (late_is_better, "costs"),
        (late_may_go_on, "may go on"),
        (back_in_time, "leads to"),
        (another_every_time, "twice"),
    ):
        with pytest.raises(ConformanceError, match=fault):
            check_resource(CompiledResource(EXTEND(function), [0.0], most=3), net, [count])
