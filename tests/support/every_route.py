"""All routes of a small network, by the words of the resources' docstrings and nothing of their code."""

import ctypes
from fractions import Fraction

import numpy as np
import pytest

from gapless.rcsp import Additive, CompiledResource, DiagramResource, RankOneCuts, Visits


def every_route(network, resources, costs, charges=()):
    """``{arcs: cost}``; infinite costs are arcs that are off."""
    found = {}
    out = [[] for _ in range(network.vertices)]
    for arc, (tail, head) in enumerate(zip(network.tails, network.heads, strict=True)):
        if tail != network.sink and head != network.source and costs[arc] < np.inf:
            out[tail].append(arc)

    def walk(arcs):
        cost = priced(network, resources, costs, charges, arcs)
        if cost is None:
            return
        v = network.heads[arcs[-1]] if arcs else network.source
        if v == network.sink:
            if cost < np.inf:
                found[arcs] = cost
            return
        for arc in out[v]:
            walk((*arcs, arc))

    walk(())
    return found


def priced(network, resources, costs, charges, arcs):
    """The cost of the beginning of a route; None where a resource is broken."""
    vertices = [network.source, *(int(network.heads[arc]) for arc in arcs)]
    cost, charges = sum(costs[arc] for arc in arcs), iter(charges)
    for resource in resources:
        if isinstance(resource, Additive):
            lower, upper = (np.full(network.vertices, end) for end in (resource.lower, resource.upper))
            total = 0.0
            for step, v in enumerate(vertices):
                total += resource.use[arcs[step - 1]] if step else 0
                total = max(total, lower[v]) if resource.waits else total
                if not lower[v] <= total <= upper[v]:
                    return None
        elif isinstance(resource, Visits):
            for j, v in enumerate(vertices):
                for i in range(j):
                    remembers = resource.neighbourhoods
                    if vertices[i] == v and (
                        remembers is None or all(v in remembers[w] for w in vertices[i + 1 : j])
                    ):
                        return None
        elif isinstance(resource, DiagramResource):
            state = resource.diagram.start
            for arc in arcs:
                (state,), score = resource.diagram.step(arc, 0, np.array([state]))
                score = float(np.ravel(score)[0])
                if state < 0 or score == -np.inf:
                    return None
                cost -= score
            if vertices[-1] == network.sink:
                cost -= float(np.ravel(resource.diagram.final(np.array([state])))[0])
        elif isinstance(resource, CompiledResource):
            state = np.array(resource.start)
            doubles = ctypes.POINTER(ctypes.c_double)
            for arc in arcs:
                after, toll = np.empty_like(state), ctypes.c_double()
                places = (array.ctypes.data_as(doubles) for array in (state, after))
                if resource.extend(None, arc, *places, ctypes.byref(toll)):
                    return None
                state, cost = after, cost + toll.value
        elif isinstance(resource, RankOneCuts):
            for i, members in enumerate(resource.sets):
                charge, state = next(charges), Fraction(0)
                for v in vertices:
                    if resource.memories is not None and v not in resource.memories[i]:
                        state = Fraction(0)
                    if v in members:
                        part = resource.multipliers[i]
                        part = part if np.ndim(part) == 1 else part[list(members).index(v)]
                        state += Fraction(int(part[0]), int(part[1]))
                    if state >= 1:
                        state, cost = state - 1, cost + charge
    return cost


def listed(routes):
    """``{arcs: cost}`` of found routes."""
    return {tuple(routes.route(i).tolist()): routes.cost[i] for i in range(len(routes))}


def found_routes(labelling, every, costs, charges, *, below, stage="exact"):
    """The routes that a stage finds below a cost, checked against all of them."""
    best, dues = min(every.values(), default=np.inf), charges if len(charges) else None
    found = labelling.routes(costs, below=below, charges=dues, stage=stage)
    assert found.bound <= best
    for route, cost in listed(found).items():
        assert cost == pytest.approx(every[route], abs=1e-9)
        assert cost < below
        assert labelling.cost(route, costs, charges=dues) == cost
    if stage == "exact":
        assert found.stop == "complete"
        assert (len(found) > 0) == (best < below)
        assert found.bound == pytest.approx(best, abs=1e-9) if best < below else found.bound >= below - 1e-9
        assert min(found.cost, default=best) == pytest.approx(best, abs=1e-9)
    return found
