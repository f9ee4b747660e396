"""Rules for a `CompiledResource`: its function is monotone, and the labelling finds the best of all routes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gapless.arrays.sparse import BoolArray
from gapless.rcsp import CompiledResource, LabelSetting, Network
from gapless.rcsp.tables import Resource
from gapless.testing.conformance import Check, same
from gapless_kernels import UserState
from gapless_kernels.labels._labels_twin import extend_user_state

State = tuple[float, ...]

STATES = 40
"""States of a vertex that are compared."""
WALKS = 400
"""Beginnings of routes that are drawn."""
ROUTES = 20_000
"""Routes of a part of the network that are listed."""


def check_resource(
    resource: CompiledResource,
    network: Network,
    resources: Sequence[Resource] = (),
    *,
    seed: int = 0,
) -> None:
    """Check what a labelling believes of a user's function.

    States are drawn by walks from the source. From one that is no worse than another of its vertex, each arc must
    be allowed that the other may take, lead to a state that is no worse, and cost no more. Then the best routes
    within a few vertices are compared with a list of all.

    Parameters
    ----------
    resource : CompiledResource
    network : Network
        One of the user's own, or a small one like it.
    resources : sequence of resources
        The others, as a `LabelSetting` gets them; cycles must end.
    seed : int

    Raises
    ------
    ConformanceError
        With the arc and the states that break the rule. States that no walk came by are not looked at: a check that
        passes is no proof.
    """
    check, own, rng = Check(resource), resource.at("resource"), np.random.default_rng(seed)
    out = [
        np.flatnonzero((network.tails == v) & (network.heads != network.source)) for v in range(network.vertices)
    ]
    out[network.sink] = out[network.sink][:0]
    states = _walked(check, own, network, out, rng)
    for v, known in enumerate(states):
        for one in known:
            for other in known:
                if _no_worse(own, one, other):
                    for arc in out[v].tolist():
                        _compare(check, own, arc, one, other)
    _compare_routes(check, network, [*resources, resource], rng)


def _no_worse(own: UserState, one: State, other: State) -> bool:
    return all(p == q or (p < q and not k) for p, q, k in zip(one, other, own.same.tolist(), strict=True))


def _walked(
    check: Check, own: UserState, network: Network, out: Sequence[np.ndarray], rng: np.random.Generator
) -> list[list[State]]:
    """Collect states of each vertex, from walks with a few arcs each."""
    states: list[dict[State, None]] = [{} for _ in range(network.vertices)]
    begin = tuple(own.start.tolist())
    states[network.source][begin] = None
    for _ in range(WALKS):
        v, state = network.source, begin
        for _ in range(2 * network.vertices):
            if not out[v].size:
                break
            arc = int(rng.choice(out[v]))
            at = check.at(f"arc {arc}, state {state}")
            answers = [at.call("extend answers by its rules", extend_user_state, own, arc, state) for _ in range(2)]
            at.require(answers[0] == answers[1], "a call made twice has one answer", str(answers))
            if answers[0] is None:
                break
            v, state = int(network.heads[arc]), answers[0][0]
            if len(states[v]) < STATES:
                states[v][state] = None
    return [list(known) for known in states]


def _compare(check: Check, own: UserState, arc: int, one: State, other: State) -> None:
    better, worse = (extend_user_state(own, arc, state) for state in (one, other))
    at = check.at(f"arc {arc}, states {one} and {other}")
    if worse is None:
        return
    rule = "a state that is no worse may go on, at no greater cost, to a state that is no worse"
    at.require(better is not None, rule, "only the second may go on")
    assert better is not None
    at.require(better[1] <= worse[1], rule, f"the first costs {better[1]}, the second {worse[1]}")
    leads = f"the first leads to {better[0]}, the second to {worse[0]}"
    at.require(_no_worse(own, better[0], worse[0]), rule, leads)


def _compare_routes(
    check: Check, network: Network, resources: Sequence[Resource], rng: np.random.Generator
) -> None:
    labelling = LabelSetting(network, resources)
    for size in (3, 4, 5, 6):
        inner = rng.permutation(network.vertices)[:size]
        kept = np.isin(np.arange(network.vertices), [*inner.tolist(), network.source, network.sink])
        off: BoolArray = ~(kept[network.tails] & kept[network.heads])
        costs = rng.integers(-9, 10, network.arcs).astype(float)
        dues = np.zeros(labelling._tables.wrap.size)
        every = labelling.enumerate(costs, np.inf, ROUTES, off=off, charges=dues)
        if every.stop != "complete":
            return
        best = float(every.cost.min(initial=np.inf))
        found = labelling.routes(costs, below=np.inf, limit=1, off=off, charges=dues)
        rule = "the labelling finds the best of all routes"
        cost = float(found.cost[0]) if len(found) else np.inf
        check.require(
            same(cost, best), rule, f"over vertices {sorted(inner.tolist())} it costs {best}, found {cost}"
        )
