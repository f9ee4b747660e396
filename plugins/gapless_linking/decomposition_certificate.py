"""The evidence of ``decomposable``: bridges part the sets, so that their choices do not depend on each other."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import attrs
import networkx as nx
import numpy as np

from gapless import InvalidProblem
from gapless.certificates.certificate import BoundCertificate
from gapless.roles import Fixings, charge_work, serialisable
from gapless_linking.graph import Graph
from gapless_linking.problem import LinkingProblem
from gapless_linking.proofs.plain_distances import PlainDistances


@serialisable("gapless_linking.DecompositionCertificate")
@attrs.frozen
class DecompositionCertificate(BoundCertificate):
    """The graph's own bridges prove the optimum; nothing has to be written down.

    Where a bridge parts X_i from X_j, ``d(x, y) = d(x, r_j) + d(r_i, y) - d(r_i, r_j)`` for any r_i in X_i and
    r_j in X_j. So with one such vertex of each set, and h_i(x) for what x costs by itself and by twice its
    distances from those of the other sets,

        f(S) = sum_i h_i(x_i) - sum_{i != j} d(r_i, r_j),

    and each set is best off with its smallest h_i. The check finds the bridges by networkx, and these
    distances by a plain search from each representative.
    """

    kind: ClassVar[str] = "decomposition at bridges"

    def upper_bound(self, problem: Any, fixings: Fixings) -> float:
        """Return minus the sum above, over the minimum h_i of the candidates that the fixings leave."""
        plain = PlainDistances.of(problem)
        if plain.graph is None:
            raise InvalidProblem("a problem over given distances has no bridges")
        _check_bridges(problem, plain.graph)
        implied = fixings.implied(problem.decisions)
        if implied is None:
            return -math.inf
        own = plain.unary_costs()
        own[implied.off] = np.inf
        starts, ends = problem.first[:-1], problem.first[1:]
        # Any candidate can serve as r_i; the cheapest one is allowed if any is.
        chosen = [a + int(own[a:b].argmin()) for a, b in zip(starts, ends, strict=True)]
        if np.any(np.isinf(own[chosen])):
            return -math.inf
        apart, between = np.zeros(own.size), 0.0
        for j, at in enumerate(chosen):
            far = plain.nearest(problem.members[at : at + 1])
            if np.any(np.isinf(far[chosen])):
                return -math.inf
            between += math.fsum(far[chosen])
            far[starts[j] : ends[j]] = 0.0
            apart += far
        costs = 2.0 * apart + own
        return between - math.fsum(costs[a:b].min() for a, b in zip(starts, ends, strict=True))


def _check_bridges(problem: LinkingProblem, graph: Graph) -> None:
    """Raise unless each set is connected within itself, and no two share a part that no bridge cuts."""
    charge_work(0, 5.0 * (graph.vertex_count + graph.neighbours.size))
    tree: Any = nx.Graph()
    tree.add_nodes_from(range(graph.vertex_count))
    for u in range(graph.vertex_count):
        tree.add_edges_from((u, v) for v in graph.neighbours[graph.offsets[u] : graph.offsets[u + 1]].tolist())
    sets = [graph.inner(members).tolist() for members in problem.candidates]
    for i, members in enumerate(sets):
        if not nx.is_connected(tree.subgraph(members)):
            raise InvalidProblem(f"set {i} does not induce a connected subgraph")
    # Without the bridges, connected components are the parts that no bridge cuts.
    tree.remove_edges_from(list(nx.bridges(tree)))
    owner = {v: i for i, members in enumerate(sets) for v in members}
    if len(owner) < problem.members.size:
        raise InvalidProblem("two sets share a vertex")
    for part in nx.connected_components(tree):
        met = sorted({owner[v] for v in part if v in owner})
        if len(met) > 1:
            raise InvalidProblem(f"no bridge parts set {met[0]} from set {met[1]}")
