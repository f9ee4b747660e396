"""Drawn networks with few routes, and resources of all kinds."""

import numpy as np
from c_functions import DOUBLES, INT, VOID, compiled

from gapless.rcsp import Additive, CompiledResource, DiagramResource, Network, RankOneCuts, Visits
from gapless.roles import DecisionDiagram


class Breaks(DecisionDiagram):
    """At most `most` arcs between two that rest; a rest that comes early costs."""

    def __init__(self, rests, most, fee):
        self.rests, self.most, self.fee = rests, most, fee

    def layers(self, decisions):
        return [[arc] for arc in range(len(self.rests))]

    def step(self, layer, choice, states):
        if self.rests[layer]:
            return np.zeros_like(states), np.where(states < self.most, -self.fee, 0.0)
        after = states + 1
        return np.where(after > self.most, -1, after), 0.0

    def final(self, states):
        return np.where(states == 1, -np.inf, 0.0)


def network(rng, most=6):
    """Arcs between `most` vertices at most, some twice, some into the source or out of the sink."""
    n = int(rng.integers(2, most + 1))
    m = int(rng.integers(0, 5 * n + 1))
    tails, heads = rng.integers(0, n, m), rng.integers(0, n, m)
    return Network(tails, heads, 0, n - 1)


def load(rng, net, most=5):
    """A resource that rises on every arc: it ends every cycle."""
    return Additive(rng.integers(1, 4, net.arcs), 0, int(rng.integers(2, most + 2)))


def additive(rng, net):
    """Windows, waiting or not, of uses of either sign."""
    n, kind = net.vertices, int(rng.integers(4))
    lower = rng.integers(0, 4, n)
    lower[net.source] = 0
    if kind == 0:
        return Additive(rng.integers(0, 3, net.arcs), lower, lower + rng.integers(0, 5, n), waits=True)
    if kind == 1:
        return Additive(rng.integers(0, 3, net.arcs), lower, lower + rng.integers(0, 6, n))
    if kind == 2:
        return Additive(rng.integers(-2, 3, net.arcs), -1, rng.integers(0, 4, n))
    return Additive(rng.integers(-2, 3, net.arcs), lower, lower + rng.integers(0, 4, n), waits=True)


def visits(rng, net):
    n = net.vertices
    if rng.integers(3) == 0:
        return Visits()
    return Visits([[u for u in range(n) if rng.integers(2)] for _ in range(n)])


def rank_one(rng, net, rows=2):
    n, sets, memories, parts = net.vertices, [], [], []
    for _ in range(rows):
        members = [v for v in range(n) if rng.integers(2)]
        sets.append(members)
        memories.append(sorted({*members, *(v for v in range(n) if rng.integers(2))}))
        denominator = int(rng.integers(2, 5))
        parts.append(
            [(int(rng.integers(1, denominator)), denominator) for _ in members] if rng.integers(2) else (1, 2)
        )
    return RankOneCuts(memories if rng.integers(3) else None, parts, sets)


def breaks(rng, net):
    return DiagramResource(
        Breaks(rng.integers(0, 2, net.arcs) > 0, int(rng.integers(1, 4)), int(rng.integers(0, 3)))
    )


EXTEND = compiled(INT, VOID, INT, DOUBLES, DOUBLES, DOUBLES)


def shifts(rng, net):
    """Hours since the last rest, a fee for each that is late, and a side of the street that is dear to change."""
    rests, hours, side = (rng.integers(0, k, net.arcs).tolist() for k in (2, 3, 2))
    most, fee, crossing = int(rng.integers(2, 6)), float(rng.integers(0, 3)), float(rng.integers(-2, 3))

    def extend(_, arc, state, after, cost):
        since = state[0] + hours[arc]
        if since > most:
            return 1
        after[0] = 0.0 if rests[arc] else since
        after[1] = side[arc]
        cost[0] = (fee if since > 2 else 0.0) + (crossing if state[1] != side[arc] else 0.0)
        return 0

    return CompiledResource(EXTEND(extend), [0, 0], same=[1], least=-2, most=4)


def case(rng):
    """Network, resources, costs, charges."""
    net = network(rng)
    resources, charges = [load(rng, net)], []
    for make in (additive, visits, rank_one, breaks, breaks, additive):
        if rng.integers(2):
            resources.append(make(rng, net))
            if make is rank_one:
                charges = rng.integers(0, 4, 2).astype(float)
    if rng.integers(4) == 0:
        resources = resources[::-1]
    costs = rng.integers(-4, 5, net.arcs).astype(float)
    return net, resources, costs, charges
