"""Arcs fixed by prices through them, with rows of rank 1 and states of diagrams: no route below the gap is lost."""

import numpy as np
import pytest
from drawn import examples, generators, seeing
from every_route import every_route
from hypothesis import given
from small_networks import additive, breaks, load, network, rank_one, visits

from gapless import InvalidProblem
from gapless.rcsp import LabelSetting, Network, RankOneCuts


@seeing("fixed", "kept", "rows due", "ties")
@examples(250)
@given(rng=generators())
def test_no_route_below_the_gap_is_lost(rng, seen):
    net = network(rng)
    resources = [load(rng, net), rank_one(rng, net), breaks(rng, net)]
    resources += [make(rng, net) for make in (visits, additive, breaks) if rng.integers(2)]
    resources = [resources[i] for i in rng.permutation(len(resources))]
    largest = int(rng.integers(1, 4))  # small costs tie often
    costs = rng.integers(-largest, largest + 1, net.arcs).astype(float)
    charges = rng.integers(0, 4, 2).astype(float)
    every = every_route(net, resources, costs, charges)
    best = min(every.values(), default=np.inf)
    labelling = LabelSetting(net, resources)
    exact = labelling.cheapest_through_arcs(costs, charges=charges)
    relaxed = labelling.cheapest_through_arcs(costs, charges=charges, stage="relaxed")
    for arc in range(net.arcs):
        cost = min((cost for route, cost in every.items() if arc in route), default=np.inf)
        assert exact[arc] == pytest.approx(cost, abs=1e-9)
        assert relaxed[arc] <= cost + 1e-9
    if not every:
        return
    free = every_route(net, resources, costs, [0, 0])
    seen["rows due"] += any(every[route] > free[route] for route in every)
    seen["ties"] += sum(cost == best for cost in every.values()) > 1
    for gap in (0.5, 2.0):
        wanted = {route: cost for route, cost in every.items() if cost < best + gap}
        for prices in (exact, relaxed, labelling.cheapest_through_arcs(costs, charges=charges, below=best + gap)):
            off = prices >= best + gap - 1e-9
            seen["fixed"] += bool(off.any())
            seen["kept"] += not off.all()
            found = labelling.enumerate(costs, best + gap, charges=charges, off=off)
            listed = {tuple(found.route(i).tolist()): found.cost[i] for i in range(len(found))}
            assert listed == pytest.approx(wanted)
            assert labelling.routes(costs, below=np.inf, charges=charges, off=off).cost[0] == pytest.approx(best)


PATH = Network([0, 1], [1, 2], 0, 2)


@pytest.mark.parametrize("charges", [[-1.0], [np.nan], [np.inf], [1.0, 1.0]])
def test_charges_that_are_no_duals_are_refused(charges):
    labelling = LabelSetting(PATH, [RankOneCuts(None, [(1, 2)], [[1]])])
    costs = np.zeros(2)
    for call in (
        labelling.routes,
        labelling.cheapest_through_arcs,
        lambda c, **k: labelling.enumerate(c, 1.0, **k),
    ):
        with pytest.raises(InvalidProblem, match="charges must be 1 finite numbers >= 0"):
            call(costs, charges=charges)
    with pytest.raises(InvalidProblem, match="charges must be"):
        labelling.cost([0, 1], costs, charges=charges)


@pytest.mark.parametrize(
    ("multipliers", "fault"),
    [
        ([(-1, 2)], "between 0 and 1"),
        ([(0, 2)], "between 0 and 1"),
        ([(2, 2)], "between 0 and 1"),
        ([(1, 256)], "denominator"),
        ([(1, -2)], "denominator"),
        ([], "0 multipliers"),
    ],
)
def test_multipliers_out_of_range_are_refused(multipliers, fault):
    with pytest.raises(InvalidProblem, match=fault):
        LabelSetting(PATH, [RankOneCuts(None, multipliers, [[1]])])
