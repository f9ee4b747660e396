"""Compiled labels beside their twin, limits on memory, Ctrl-C."""

import importlib
import os
import signal

import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given
from small_networks import case, network

import gapless_kernels
from gapless.rcsp import Additive, LabelSetting, Network, Visits
from gapless_kernels.labels import _labels_twin

compiled = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")


@seeing("routes")
@examples(80)
@given(rng=generators())
@compiled
def test_twins_agree(rng, seen):
    _labels = importlib.import_module("gapless_kernels.labels._labels")

    net, resources, costs, charges = case(rng)
    tables = LabelSetting(net, resources)._tables
    dues = np.zeros(tables.wrap.size) if not len(charges) else charges
    for below in (np.inf, 0.0):
        one, two = (x.label_routes(tables, costs, dues, below, 999) for x in (_labels, _labels_twin))
        seen["routes"] += one.cost.size
        assert one.status == two.status == 0
        assert min(one.cost, default=np.inf) == pytest.approx(min(two.cost, default=np.inf))
        a, b = (np.sort(x.label_enumerate(tables, costs, dues, below, 999).cost) for x in (_labels, _labels_twin))
        assert a == pytest.approx(b)
        a, b = (x.label_through(tables, costs, dues, below)[0] for x in (_labels, _labels_twin))
        assert a == pytest.approx(b)
        prices = [x.label_price(tables, costs, dues, one.first, one.arcs) for x in (_labels, _labels_twin)]
        assert prices[0].tolist() == pytest.approx(prices[1].tolist())
        assert prices[0].tolist() == one.cost.tolist()


@examples(100)
@given(rng=generators())
@compiled
def test_windows_and_distances_are_those_of_the_twins(rng):
    _labels = importlib.import_module("gapless_kernels.labels._labels")

    net = network(rng)
    n, use = net.vertices, rng.integers(0, 4, net.arcs).astype(float)
    lower = np.where(rng.integers(2, size=n), -np.inf, rng.integers(0, 5, n).astype(float))
    upper = np.where(rng.integers(4, size=n) == 0, np.inf, rng.integers(-1, 9, n).astype(float))
    given = net.tails, net.heads, use, lower, upper, float(rng.integers(0, 3)), net.source, net.sink
    for one, two in zip(_labels.label_windows(*given), _labels_twin.label_windows(*given), strict=True):
        assert one.tolist() == two.tolist()
    given = n, net.tails, net.heads, use
    assert _labels.label_distances(*given).tolist() == _labels_twin.label_distances(*given).tolist()


def test_arcs_between_vertices_that_are_not_there_are_refused():
    for heads, use, fault in (([3], [1.0], "from 0 to 2"), ([-1], [1.0], "from 0 to 2"), ([1], [], "one length")):
        with pytest.raises(ValueError, match=fault):
            gapless_kernels.label_distances(3, [0], heads, use)
        with pytest.raises(ValueError, match=fault):
            gapless_kernels.label_windows([0], heads, use, np.zeros(3), np.ones(3), 0.0, 0, 2)
    with pytest.raises(ValueError, match="one number for each vertex"):
        gapless_kernels.label_windows([0], [1], [1.0], np.zeros(3), np.ones(2), 0.0, 0, 2)


@compiled
def test_the_cheapest_route_takes_little_more_work_than_its_proof():
    """Without a threshold, a search finds one near the bound; it makes no labels far from it."""
    rng = np.random.default_rng(3)
    pairs = [(i, j) for i in range(40) for j in range(40) if i != j and j != 0 and i != 39]
    net = Network(*np.array(pairs).T, 0, 39)
    places = rng.integers(0, 100, (40, 2))
    away = np.rint(np.linalg.norm(places[:, None] - places[None], axis=2))
    time = Additive(away[net.tails, net.heads] + 10, upper=300)
    labelling = LabelSetting(net, [time, Visits.nearest(away, 8)])
    costs = away[net.tails, net.heads] - rng.uniform(20, 60, 40)[net.heads]
    best = labelling.routes(costs, below=np.inf, limit=1)
    proof = labelling.routes(costs, below=best.cost[0], limit=1)
    assert len(proof) == 0
    assert best.labels <= 2 * proof.labels


def hard(n=60):
    """More labels than the memory limit allows."""
    rng = np.random.default_rng(0)
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j and j != 0 and i != n - 1]
    tails, heads = np.array(pairs).T
    net = Network(tails, heads, 0, n - 1)
    near = Visits.nearest(rng.uniform(size=(n, n)), 40)
    return LabelSetting(net, [Additive(np.ones(net.arcs), upper=40), near], memory_limit=2.0**18), rng.normal(
        size=net.arcs
    )


@compiled
def test_memory_is_limited_and_the_bound_is_true():
    labelling, costs = hard()
    found = labelling.routes(costs, limit=5)
    assert found.stop == "memory"
    assert len(found) > 0
    assert -np.inf < found.bound <= found.cost[0]
    assert all(labelling.cost(found.route(i), costs) == found.cost[i] for i in range(len(found)))
    with pytest.raises(MemoryError, match="memory_limit"):
        labelling.cheapest_through_arcs(costs)
    assert labelling.enumerate(costs, 0.0).stop == "memory"


@compiled
def test_control_c_is_heard_inside():
    labelling, costs = hard()

    def press() -> bool:
        os.kill(os.getpid(), signal.SIGINT)
        return False

    for call in (labelling.routes, labelling.cheapest_through_arcs):
        with pytest.raises(KeyboardInterrupt):
            call(costs, stop=press)


def test_tables_that_point_nowhere_are_refused():
    tables = LabelSetting(Network([0, 1], [1, 2], 0, 2), [])._tables
    calls = (lambda t: gapless_kernels.label_routes(t, np.zeros(2), np.zeros(0), 0.0, 1),)
    for call in calls:
        with pytest.raises(TypeError, match="LabelTables"):
            call(None)
        for bad in (
            tables._replace(heads=np.array([1, 9], np.int32)),
            tables._replace(tails=np.array([0, 1])),
            tables._replace(steps=1),
            tables._replace(next_states=np.array([[5]], np.int32)),
            tables._replace(upper=np.full((1, 3), np.inf)),
            tables._replace(min_resource_between=np.zeros((2, 2))),
        ):
            with pytest.raises(ValueError, match="tables"):
                call(bad)
    with pytest.raises(ValueError, match="routes must be"):
        gapless_kernels.label_price(tables, np.zeros(2), np.zeros(0), np.array([0, 1]), np.array([7]))
