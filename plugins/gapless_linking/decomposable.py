"""The method ``decomposable``: linear time where bridges keep the candidate sets apart."""

from __future__ import annotations

import math

import numpy as np

from gapless import InvalidProblem, Result, Solve, Stats, Stop
from gapless.core.problem import score_of
from gapless.core.sparse import IntArray
from gapless_kernels import bridge_tree
from gapless_linking.changed_graph import changed_graph
from gapless_linking.decomposition import PartTree, neighbour_rows
from gapless_linking.decomposition_certificate import DecompositionCertificate
from gapless_linking.graph import Graph
from gapless_linking.problem import LinkingProblem


def run(problem: LinkingProblem, solve: Solve) -> Result[IntArray]:
    """Solve a decomposable problem (Blanco, Boldi, Marino 2013, section 4, Algorithm 1) and prove it.

    The paper cuts the graph at one useful edge after the other, and finds each by a search of its own. Here one
    depth-first search finds all bridges, and the tree of the parts between them says what lies behind each: the
    useful edges are the bridges that are not within one set, and cutting them all leaves the paper's base cases.
    After O(n + m) for that, each set costs one search of its region for each bridge that leaves it: O(k m) at most.
    Nothing recurs, so a path of a million vertices is no harder than a bush.

    Returns
    -------
    Result
        OPTIMAL or INFEASIBLE, with a `DecompositionCertificate`.

    Raises
    ------
    InvalidProblem
        The problem is not decomposable: a set does not induce a connected subgraph (the paper's first condition),
        or candidates of two sets share a biconnected component, which no bridge cuts (the second). The message
        names them.
    """
    graph = changed_graph(problem)
    try:
        chosen, why = _choose(problem, graph)
    except KeyboardInterrupt:
        return Result.of(problem, [], math.inf, Stop.INTERRUPTED, method=solve.method)
    structures = [] if chosen is None else [problem.members[chosen]]
    bound = -math.inf if chosen is None else score_of(problem, structures[0])
    solve.budget.emit("stop", bound, bound)
    return Result.of(
        problem,
        structures,
        bound,
        Stop.PROVED,
        certificate=DecompositionCertificate(),
        method=solve.method,
        stats=Stats(seconds=solve.budget.elapsed),
        trace=solve.budget.events,
        explanation=why,
    )


def _choose(problem: LinkingProblem, graph: Graph) -> tuple[IntArray | None, list[str]]:
    """The best member of each set; else why there is none."""
    vertices = graph.inner(problem.members)
    owner = np.repeat(np.arange(problem.k), np.diff(problem.first))
    _check_connected(problem, graph, vertices, owner)
    tree = PartTree(*bridge_tree(graph.offsets, graph.neighbours))
    parts = tree.part[vertices]
    _check_apart(problem, parts, owner)
    homes = np.minimum.reduceat(parts, problem.first[:-1])
    anchored = [(z, weight) for z, weight in problem.anchors if weight]
    anchors = graph.inner([z for z, _ in anchored])
    ends = np.concatenate([homes, tree.part[anchors]])
    away = np.flatnonzero(tree.component[ends] != tree.component[homes[0]])
    if away.size:
        i = int(away[0])
        other = problem.mention(i) if i < problem.k else f"anchor {anchored[i - problem.k][0]}"
        return None, [f"no path connects {problem.mention(0)} with {other}"]
    region_of_part = np.full(tree.tops.size, -1)
    region_of_part[parts] = owner
    weights = np.array([weight for _, weight in anchored])
    costs = tree.costs(graph, region_of_part[tree.part], homes, anchors, weights)[vertices]
    if problem.prior is not None and problem.prior_weight:
        costs -= problem.prior_weight * np.concatenate(problem.prior)
    ranges = list(zip(problem.first[:-1].tolist(), problem.first[1:].tolist(), strict=True))
    chosen = np.array([a + int(costs[a:b].argmin()) for a, b in ranges])
    lost = np.flatnonzero(np.isinf(costs[chosen]))
    if lost.size:
        return None, [f"all candidates of {problem.mention(int(i))} are forbidden" for i in lost]
    return chosen, []


def _check_connected(problem: LinkingProblem, graph: Graph, vertices: IntArray, owner: IntArray) -> None:
    """Refuse overlapping sets, and a set that does not induce a connected subgraph."""
    order = np.argsort(vertices, kind="stable")
    twice = np.flatnonzero(vertices[order][1:] == vertices[order][:-1])
    if twice.size:
        one, other = order[twice[0]], order[twice[0] + 1]
        _refuse_shared(problem, owner, int(one), int(other))
    place = np.full(graph.vertex_count, -1)
    place[vertices] = np.arange(vertices.size)
    offsets, near = neighbour_rows(graph, vertices)
    row = np.repeat(np.arange(vertices.size), np.diff(offsets))
    inside = place[near] >= 0
    inside[inside] = owner[place[near[inside]]] == owner[row[inside]]
    starts = np.concatenate([[0], np.cumsum(np.bincount(row[inside], minlength=vertices.size))])
    _, tops, above = bridge_tree(starts, place[near[inside]].astype(np.int32))
    roots = np.sort(tops[above < 0])
    split = np.flatnonzero(owner[roots][1:] == owner[roots][:-1])
    if split.size:
        u, v = problem.members[roots[split[0] : split[0] + 2]].tolist()
        raise InvalidProblem(
            f"not decomposable: {problem.mention(int(owner[roots[split[0]]]))} does not induce a connected "
            f"subgraph, no path within it leads from {u} to {v}; maximal_connection() or minimal_connection() "
            "would connect it"
        )


def _check_apart(problem: LinkingProblem, parts: IntArray, owner: IntArray) -> None:
    """Refuse candidates of different sets in one part."""
    order = np.argsort(parts, kind="stable")
    shared = (parts[order][1:] == parts[order][:-1]) & (owner[order][1:] != owner[order][:-1])
    if shared.any():
        at = int(np.flatnonzero(shared)[0])
        _refuse_shared(problem, owner, int(order[at]), int(order[at + 1]))


def _refuse_shared(problem: LinkingProblem, owner: IntArray, one: int, other: int) -> None:
    said = [f"{problem.members[m]} of {problem.mention(int(owner[m]))}" for m in (one, other)]
    raise InvalidProblem(
        f"not decomposable: {said[0]} and {said[1]} are in one biconnected component, so no bridge parts them; "
        "the method 'exact' needs none"
    )
