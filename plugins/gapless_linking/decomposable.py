"""The method ``decomposable``: linear time where bridges keep the candidate sets apart."""

from __future__ import annotations

import math

import numpy as np

from gapless import InvalidProblem, Result, Stop
from gapless.arrays.sparse import IntArray
from gapless.problems.problem import score_of
from gapless.roles import SolveRequest, Stats
from gapless_kernels import bridge_tree
from gapless_linking.connected_graph import changed_graph
from gapless_linking.decomposition import PartTree, choose, split_group
from gapless_linking.decomposition_certificate import DecompositionCertificate
from gapless_linking.problem import LinkingProblem


def run(problem: LinkingProblem, request: SolveRequest) -> Result[IntArray]:
    """Solve a decomposable problem (Blanco, Boldi, Marino 2013, section 4, Algorithm 1) and prove it.

    The paper cuts the graph at one useful edge after the other, and finds each by a search of its own. Here one
    depth-first search finds all bridges, and the tree of the parts between them gives the sets behind each: the
    useful edges are the bridges that are not within one set, and cutting them all leaves the paper's base cases.
    After O(n + m) for that, each set costs one search of its region for each bridge that leaves it: O(k m) at most.
    Nothing recurs, so a path of a million vertices is no harder than a bush. The result is OPTIMAL or INFEASIBLE,
    with a `DecompositionCertificate`. Raises `InvalidProblem`: the problem is not decomposable: a set does not
    induce a connected subgraph (the paper's first condition), or candidates of two sets share a biconnected
    component, which no bridge cuts (the second). The message names them.
    """
    try:
        chosen, reasons = algorithm_1(problem)
    except KeyboardInterrupt:
        return Result.of(problem, [], math.inf, Stop.INTERRUPTED, method=request.method)
    structures = [] if chosen is None else [problem.members[chosen]]
    bound = -math.inf if chosen is None else score_of(problem, structures[0])
    request.budget.emit("stop", bound, bound)
    return Result.of(
        problem,
        structures,
        bound,
        Stop.PROVED,
        certificate=DecompositionCertificate(),
        method=request.method,
        stats=Stats(seconds=request.budget.elapsed),
        trace=request.budget.events,
        explanation=reasons,
    )


def algorithm_1(problem: LinkingProblem) -> tuple[IntArray | None, list[str]]:
    """Return the best candidate of each set; else None and the reason. Raises as `run`.

    This part is linear. The value of the choice takes k more searches of the graph, in `run`.
    """
    graph = changed_graph(problem)
    vertices = graph.inner(problem.members)
    owner = problem.set_of
    _check_apart(problem, vertices, owner)
    split = split_group(graph, vertices, owner)
    if split is not None:
        u, v = problem.members[list(split)].tolist()
        raise InvalidProblem(
            f"not decomposable: {problem.mention(int(owner[split[0]]))} does not induce a connected subgraph, "
            f"no path within it leads from {u} to {v}; maximal_connection() would connect it"
        )
    tree = PartTree(*bridge_tree(graph.offsets, graph.neighbours))
    parts = tree.part[vertices]
    _check_apart(problem, parts, owner)
    region = np.full(tree.tops.size, -1)
    region[parts] = owner
    return choose(problem, graph, tree, region[tree.part], np.minimum.reduceat(parts, problem.first[:-1]))


def _check_apart(problem: LinkingProblem, parts: IntArray, owner: IntArray) -> None:
    """Refuse candidates of different sets in one part, or at one vertex."""
    order = np.argsort(parts, kind="stable")
    shared = np.flatnonzero((parts[order][1:] == parts[order][:-1]) & (owner[order][1:] != owner[order][:-1]))
    if shared.size:
        pair = order[shared[0] : shared[0] + 2].tolist()
        x, y = (f"{problem.members[m]} of {problem.mention(int(owner[m]))}" for m in pair)
        raise InvalidProblem(
            f"not decomposable: {x} and {y} are in one biconnected component, so no bridge parts them; "
            "the method 'exact' needs none"
        )
