"""Routes, bounds and prices through arcs beside the list of all routes."""

import numpy as np
import pytest
from drawn import examples, generators, seeing
from every_route import every_route, found_routes, listed
from hypothesis import given
from small_networks import Breaks, case, network, visits

import gapless_kernels
from gapless import InvalidProblem
from gapless.rcsp import Additive, DiagramResource, LabelSetting, Network, Visits


def close(a, b):
    return abs(a - b) <= 1e-9 if np.isfinite([a, b]).all() else a == b


@seeing("routes", "none", "negative")
@examples(300)
@given(rng=generators())
def test_the_cheapest_route(rng, seen):
    net, resources, costs, charges = case(rng)
    every = every_route(net, resources, costs, charges)
    best = min(every.values(), default=np.inf)
    seen["routes" if every else "none"] += 1
    seen["negative"] += best < 0
    labelling = LabelSetting(net, resources)
    for below in (np.inf, 0.0):
        found_routes(labelling, every, costs, charges, below=below)


@seeing("routes")
@examples(150)
@given(rng=generators())
def test_other_stages_have_true_bounds_and_real_routes(rng, seen):
    net, resources, costs, charges = case(rng)
    every = every_route(net, resources, costs, charges)
    for stage in ("relaxed", "heuristic"):
        for below in (np.inf, 0.0):
            found = found_routes(LabelSetting(net, resources), every, costs, charges, below=below, stage=stage)
            seen["routes"] += len(found)


@seeing("priced", "above")
@examples(200)
@given(rng=generators())
def test_the_cheapest_route_through_each_arc(rng, seen):
    net, resources, costs, charges = case(rng)
    every = every_route(net, resources, costs, charges)
    labelling = LabelSetting(net, resources)
    dues = charges if len(charges) else None
    exact, below, relaxed = (
        labelling.cheapest_through_arcs(costs, charges=dues),
        labelling.cheapest_through_arcs(costs, charges=dues, below=1.0),
        labelling.cheapest_through_arcs(costs, charges=dues, stage="relaxed"),
    )
    for arc in range(net.arcs):
        best = min((cost for route, cost in every.items() if arc in route), default=np.inf)
        seen["priced" if best < np.inf else "above"] += 1
        assert close(exact[arc], best)
        assert close(below[arc], min(best, 1.0))
        assert relaxed[arc] <= best + 1e-9


@seeing("all", "cut")
@examples(200)
@given(rng=generators())
def test_all_routes_below_a_cost(rng, seen):
    net, resources, costs, charges = case(rng)
    dues = charges if len(charges) else None
    every = every_route(net, resources, costs, charges)
    labelling = LabelSetting(net, resources)
    for below in (np.inf, 2.0):
        wanted = {route: cost for route, cost in every.items() if cost < below}
        found = labelling.enumerate(costs, below, charges=dues)
        assert listed(found) == pytest.approx(wanted)
        assert found.rest >= below
        assert found.bound <= min(every.values(), default=np.inf)
        assert found.bound >= min([*wanted.values(), below]) - 1e-9
        assert (np.diff(found.cost) >= 0).all()
        if len(wanted) > 1:
            few = labelling.enumerate(costs, below, len(wanted) - 1, charges=dues)
            seen["cut"] += 1
            assert len(few) == len(wanted) - 1
            assert few.stop == "limit"
            assert few.rest <= min(every.values()) + 1e-9
        seen["all"] += 1


def complete(rng, n):
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j and j != 0 and i != n - 1]
    tails, heads = map(np.array, zip(*pairs, strict=True))
    return Network(tails, heads, 0, n - 1)


@seeing("learned")
@examples(25)
@given(rng=generators())
def test_elementary_routes_learn_from_cycles(rng, seen):
    """More vertices than are remembered at first: one call, then another that knows what the first has learned."""
    net = complete(rng, 14)
    resources = [Additive(np.ones(net.arcs), upper=5), Visits()]
    labelling = LabelSetting(net, resources)
    before = labelling._ng_sets.sum()
    for _ in range(2):
        # A few vertices pay, and lie next to none that is remembered.
        prize = rng.integers(0, 2, 14) * rng.integers(0, 9, 14)
        costs = rng.integers(0, 4, net.arcs) - prize[net.heads].astype(float)
        found = labelling.routes(costs, below=np.inf)
        best = best_of_elementary(net, costs, 5)
        assert close(found.cost[0], best)
        assert close(found.bound, best)
        assert all(len(set(found.vertices(i))) == found.vertices(i).size for i in range(len(found)))
    seen["learned"] += labelling._ng_sets.sum() > before


def best_of_elementary(net, costs, most):
    """By sets of vertices: the best of all elementary routes of at most `most` arcs."""
    layer = {(frozenset([net.source]), net.source): 0.0}
    best = np.inf
    out = [np.flatnonzero(net.tails == v) for v in range(net.vertices)]
    for _ in range(most):
        new = {}
        for (seen, v), cost in layer.items():
            for arc in out[v]:
                w = int(net.heads[arc])
                if w == net.sink:
                    best = min(best, cost + costs[arc])
                elif w not in seen:
                    key = (seen | {w}, w)
                    new[key] = min(new.get(key, np.inf), cost + costs[arc])
        layer = new
    return best


def test_without_resources_an_acyclic_network_is_plain_shortest_paths():
    net = Network([0, 0, 1, 2], [1, 2, 3, 3], 0, 3)
    found = LabelSetting(net, []).routes([1.0, 2.0, 5.0, 3.0], below=np.inf)
    assert found.vertices(0).tolist() == [0, 2, 3]
    assert found.cost.tolist() == [5.0, 6.0]


@pytest.mark.parametrize("limit", [1, 2, None])
def test_routes_that_cost_nothing_are_found(limit):
    """Sums of zeros lose nothing by rounding: the threshold that a first look finds must still lie above them."""
    net = complete(np.random.default_rng(0), 5)
    costs, resources = np.zeros(net.arcs), [Additive(np.ones(net.arcs), upper=4)]
    for visited in ([], [Visits()]):
        found = LabelSetting(net, [*resources, *visited]).routes(costs, below=np.inf, limit=limit)
        assert found.cost[:1].tolist() == [0.0]
        assert found.bound == 0.0


def test_an_endless_cycle_is_refused():
    net = Network([0, 1, 2, 1], [1, 2, 1, 3], 0, 3)
    with pytest.raises(InvalidProblem, match=r"round vertices \[1, 2\] for ever"):
        LabelSetting(net, [])
    with pytest.raises(InvalidProblem, match="for ever"):
        LabelSetting(net, [Additive([1, 0, 0, 1], upper=9)])
    with pytest.raises(InvalidProblem, match="for ever"):
        LabelSetting(net, [Visits([[], [1], [2], []])])
    LabelSetting(net, [Visits([[], [1, 2], [1, 2], []])])
    LabelSetting(net, [Additive([1, 0, 1, 1], upper=9)])


def test_an_infeasible_network_says_so():
    net = Network([0, 1], [1, 2], 0, 2)
    for resources in ([Additive([3, 3], upper=5)], [Additive([1, 1], lower=[0, 5, 0])], [Additive([1, 1], 1, 9)]):
        found = LabelSetting(net, resources).routes([1.0, 1.0], below=np.inf)
        assert len(found) == 0
        assert found.bound == np.inf
        assert LabelSetting(net, resources).routes([1.0, 1.0]).bound >= -1e-9
    assert LabelSetting(Network([], [], 0, 1), []).routes([], below=np.inf).bound == np.inf
    assert len(LabelSetting(Network([], [], 0, 1), []).enumerate([], 9.0)) == 0


def test_decimals_mean_what_they_say():
    """0.1 + 0.2 > 0.3 in floats; a route of three tenths is within three tenths."""
    net = Network([0, 1], [1, 2], 0, 2)
    assert 0.1 + 0.2 > 0.3
    assert len(LabelSetting(net, [Additive([0.1, 0.2], upper=0.3)]).routes([1.0, 1.0], below=np.inf)) == 1
    assert (
        len(LabelSetting(net, [Additive([0.1, 0.2], lower=0.3, upper=[9, 9, 0.3])]).routes([1, 1], below=np.inf))
        == 0
    )
    assert len(LabelSetting(net, [Additive([0.1, 0.200001], upper=0.3)]).routes([1.0, 1.0], below=np.inf)) == 0


@pytest.mark.parametrize("never", [1e9, 2.0**62, 1e300, np.finfo(float).max])
@pytest.mark.parametrize("waits", [True, False])
def test_a_large_number_for_no_limit_widens_no_window(never, waits):
    """Windows grew by 2e-9 of the largest number: 1e9 at the depot meant 2 minutes, and more left no window."""
    net, costs = Network([0, 1, 2, 0, 1], [1, 2, 3, 2, 3], 0, 3), [-1.0, -9.0, -1.0, 0.0, 0.0]
    for use in ([0.1, 5.1, 0.1, 0.1, 0.1], [1, 5, 1, 1, 1]):
        time = Additive(use, [-never, 0, 0, 0], [never, 3, 4, never], waits=waits)
        found = LabelSetting(net, [time]).routes(costs, below=np.inf)
        assert found.cost.tolist() == [-1.0, -1.0]
        assert {tuple(found.vertices(i)) for i in range(2)} == {(0, 1, 3), (0, 2, 3)}
    path = Network([0, 1, 2], [1, 2, 3], 0, 3)
    with pytest.raises(InvalidProblem, match=r"resource 0 \(Additive\): .* too large for uses of at most 5.1"):
        LabelSetting(path, [Additive([0.1, 5.1, 0.1], 0, [never, 3, never, never], waits=waits)])
    with pytest.raises(InvalidProblem, match=r"resource 0 \(Additive\): .* too large for uses of at most 2.1"):
        LabelSetting(path, [Additive([2.1, -2.1, 0.1], 0, [0, 9, 0, never], waits=waits)])
    LabelSetting(path, [Additive([2.1, 2.1, 0.1], 0, never, waits=waits)])
    LabelSetting(path, [Additive(np.zeros(3), 0, [0, 0.1, 9, 0.3], waits=waits)])


def test_bounds_are_as_tight_as_short_routes_allow():
    """Routes have two or three arcs where no arc lies between customers, however late their windows end."""
    net = Network([0, 1, 0], [1, 2, 2], 0, 2)
    found = LabelSetting(net, [Additive(np.ones(3), upper=1e9)]).routes([1.0, 2.0, 4.0], below=np.inf)
    assert found.bound == pytest.approx(3.0, abs=1e-9)


def test_arcs_that_are_off():
    net = Network([0, 0, 1], [2, 1, 2], 0, 2)
    labelling = LabelSetting(net, [])
    assert labelling.routes([1.0, 1.0, 1.0], below=np.inf, off=[True, False, False]).vertices(0).tolist() == [
        0,
        1,
        2,
    ]
    assert labelling.routes([1.0, np.inf, 1.0], below=np.inf).vertices(0).tolist() == [0, 2]
    assert labelling.cheapest_through_arcs([1.0, np.inf, 1.0]).tolist() == [1.0, np.inf, np.inf]


def test_a_limit_and_a_stop():
    net = complete(np.random.default_rng(0), 9)
    labelling = LabelSetting(net, [Additive(np.ones(net.arcs), upper=4), Visits()])
    costs = np.random.default_rng(0).integers(-9, 9, net.arcs).astype(float)
    best = labelling.routes(costs)
    few = labelling.routes(costs, limit=3)
    assert len(few) == 3
    assert few.stop == "limit"
    assert (few.cost == best.cost[:3]).all()
    stopped = labelling.routes(costs, stop=lambda: True)
    assert stopped.stop == "stopped"
    assert stopped.bound <= best.cost[0]
    assert all(labelling.cost(stopped.route(i), costs) == stopped.cost[i] for i in range(len(stopped)))
    assert (labelling.cheapest_through_arcs(costs, stop=lambda: True) == -np.inf).all()
    assert labelling.enumerate(costs, 0.0, stop=lambda: True).stop == "stopped"


def test_what_a_stop_raises_comes_through():
    net = Network([0], [1], 0, 1)
    with pytest.raises(KeyboardInterrupt):
        LabelSetting(net, []).routes([1.0], below=np.inf, stop=lambda: (_ for _ in ()).throw(KeyboardInterrupt))


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        (lambda x: x.routes([1.0]), "costs must be 2 numbers"),
        (lambda x: x.routes([1.0, np.nan]), "costs must be"),
        (lambda x: x.routes([1.0, 1.0], off=[1, 0]), "off must be 2 bools"),
        (lambda x: x.routes([1.0, 1.0], charges=[1.0]), "charges must be 0"),
        (lambda x: x.routes([1.0, 1.0], below=np.nan), "below"),
        (lambda x: x.routes([1.0, 1.0], limit=0), "limit"),
        (lambda x: x.routes([1.0, 1.0], stage="fast"), "stage must be one of"),
        (lambda x: x.cheapest_through_arcs([1.0, 1.0], stage="heuristic"), "stage must be exact or relaxed"),
        (lambda _: Network([0, 1], [1], 0, 2), "one length"),
        (lambda _: Network([0], [1], 0, 0), "number of its own"),
        (lambda _: Network([0], [-1], 0, 1), "from 0 on"),
        (lambda x: LabelSetting(x.network, [Additive([1.0])]), "use must be 2 finite numbers"),
        (lambda x: LabelSetting(x.network, [Additive([1.0, 1.0], [1, 2], 3)]), "lower must be a number, or 3"),
        (lambda x: LabelSetting(x.network, [Visits([[1]])]), "1 neighbourhoods"),
        (lambda x: LabelSetting(x.network, [Visits([[7], [], []])]), "vertex 0 names"),
        (lambda x: LabelSetting(x.network, ["load"]), r"resource 0 \(str\)"),
        (
            lambda x: LabelSetting(x.network, [DiagramResource(Breaks([0, 0], 9999, 0), limit=1)]),
            "more than 1 states",
        ),
    ],
)
def test_faults_are_named(call, fault):
    labelling = LabelSetting(Network([0, 1], [1, 2], 0, 2), [])
    with pytest.raises(InvalidProblem, match=fault):
        call(labelling)


def test_the_order_of_resources_is_of_no_importance_to_the_work():
    """Labels go along the time, whose windows are narrow, wherever it stands; unless the user says otherwise."""
    rng = np.random.default_rng(5)
    net = complete(rng, 20)
    opens = np.where(np.isin(np.arange(20), [net.source, net.sink]), 0, rng.integers(0, 60, 20))
    closes = np.where(np.isin(np.arange(20), [net.source, net.sink]), 100, opens + 15)
    time = Additive(rng.integers(5, 20, net.arcs), opens, closes, waits=True)
    load = Additive(rng.integers(1, 4, 20)[net.heads], upper=20)
    costs = rng.integers(-9, 20, net.arcs).astype(float)
    found = {}
    for name, resources, main in (
        ("time first", [time, load], None),
        ("load first", [load, time], None),
        ("time given", [load, time], 1),
        ("load given", [time, load], 1),
    ):
        found[name] = LabelSetting(net, resources, main=main).routes(costs, below=np.inf, limit=1)
        assert found[name].cost[0] == found["time first"].cost[0]
    assert found["load first"].labels == found["time first"].labels == found["time given"].labels
    if gapless_kernels.COMPILED:  # the twin sets labels one after another, without slices
        assert found["load given"].labels > 2 * found["time first"].labels


@examples(60)
@given(rng=generators())
def test_every_resource_can_be_the_main_one(rng):
    net, resources, costs, charges = case(rng)
    every = every_route(net, resources, costs, charges)
    best = min(every.values(), default=np.inf)
    for main, resource in enumerate(resources):
        if (
            not isinstance(resource, Additive)
            or resource.use.min(initial=0) < 0
            or not np.isfinite(resource.upper).all()
        ):
            with pytest.raises(InvalidProblem, match="main must be the position"):
                LabelSetting(net, resources, main=main)
            continue
        found = LabelSetting(net, resources, main=main).routes(
            costs, below=np.inf, charges=charges if len(charges) else None
        )
        assert close(min(found.cost, default=np.inf), best)
        assert found.bound <= best


@given(rng=generators())
def test_an_order_of_resources_changes_nothing(rng):
    net = network(rng)
    one, two = Additive(rng.integers(1, 3, net.arcs), upper=5), Additive(rng.integers(0, 3, net.arcs), upper=4)
    three = visits(rng, net)
    costs = rng.integers(-4, 5, net.arcs).astype(float)
    a, b = (
        LabelSetting(net, order).routes(costs, below=np.inf) for order in ([one, two, three], [three, two, one])
    )
    assert close(a.bound, b.bound)
