"""The method ``spanning-tree``: the optimum of a problem whose sets are joined by a tree only."""

from __future__ import annotations

import numpy as np

from gapless import InvalidProblem, Result
from gapless.arrays.sparse import IntArray
from gapless.roles import SolveRequest
from gapless_kernels import quotient_tree
from gapless_linking.connected_graph import changed_graph
from gapless_linking.decomposition import PartTree, choose, split_group
from gapless_linking.graph import Graph
from gapless_linking.heuristic import chosen_by
from gapless_linking.problem import LinkingProblem


def run(problem: LinkingProblem, request: SolveRequest, *, bound: bool = False) -> Result[IntArray]:
    """Make the problem decomposable by force, and solve that (Blanco, Boldi, Marino 2013, section 5.1).

    Sets that share candidates, also by way of other sets, form one group. Each group is shrunk to one vertex, and a
    breadth-first tree from the first set's group spans what results. Of the edges of the graph that stand for one
    of the tree, the paper takes any; here it is the lightest, and of equals the first by inner numbers (vertices
    of large degree come first). These and the edges within the groups are left, and Algorithm 1 solves that.
    In a group of several sets each chooses without regard to the others of its group, as in the paper.

    Distances along the tree are much longer than those of the graph, so this is the weakest of the paper's
    heuristics; it was made for graphs after `maximal_connection` or `minimal_connection`. Raises `InvalidProblem`:
    a group does not induce a connected subgraph: connect the sets first. The message names one. Or the problem has
    no graph. `bound`: whether to bound the cost of all choices by hitting distances; without it nothing is proved.
    """
    graph = changed_graph(problem)
    return chosen_by(problem, request, lambda: _choose(problem, graph), bound)


def _choose(problem: LinkingProblem, graph: Graph) -> tuple[IntArray | None, list[str]]:
    members = graph.inner(problem.members)
    owner = problem.set_of
    group = _groups(problem.k, members, owner)
    vertices, where = np.unique(members, return_index=True)
    split = split_group(graph, vertices, group[owner[where]])
    if split is not None:
        pair = where[list(split)]
        u, v = problem.members[pair].tolist()
        raise InvalidProblem(
            f"{problem.mention(int(owner[pair[0]]))}, with the sets that it shares candidates with, does not "
            f"induce a connected subgraph: no path within leads from {u} to {v}; use maximal_connection() or "
            "minimal_connection() first"
        )
    # Vertices of a group shrink to one; -1 marks vertices outside of all groups.
    region = np.full(graph.vertex_count, -1)
    region[members] = group[owner]
    tree = PartTree(*quotient_tree(graph.offsets, graph.neighbours, graph.weights, region, int(group[0])))
    return choose(problem, graph, tree, region, tree.part[members[problem.first[:-1]]])


def _groups(k: int, members: IntArray, owner: IntArray) -> IntArray:
    """Number the groups of sets that share candidates, in the order of their first sets.

    Sets may outnumber the vertices, but groups do not.
    """
    leader = list(range(k))

    def lead(i: int) -> int:
        while leader[i] != i:
            # Path halving keeps the trees of the union-find shallow.
            leader[i] = leader[leader[i]]
            i = leader[i]
        return i

    order = np.argsort(members, kind="stable")
    for index in np.flatnonzero(members[order][1:] == members[order][:-1]).tolist():
        first, second = sorted((lead(int(owner[order[index]])), lead(int(owner[order[index + 1]]))))
        leader[second] = first
    return np.unique([lead(i) for i in range(k)], return_inverse=True)[1].astype(np.int64)
