"""The graph of a problem with the edges of its connection."""

from __future__ import annotations

import numpy as np

from gapless import InvalidProblem
from gapless_linking.connection import Connection
from gapless_linking.graph import Graph
from gapless_linking.problem import LinkingProblem


def changed_graph(problem: LinkingProblem) -> Graph:
    """The graph in which distances are measured; refuses a problem over given distances."""
    if problem.graph is None:
        raise InvalidProblem("a problem over given distances has no graph; this method needs one")
    if problem.connection is None:
        return problem.graph
    return with_connection(problem.graph, problem.connection)


def with_connection(graph: Graph, connection: Connection) -> Graph:
    """A graph with more edges of length 1."""
    at = np.repeat(np.arange(graph.vertex_count), np.diff(graph.offsets))
    edges = [np.column_stack([graph.vertices[at], graph.vertices[graph.neighbours]]), connection.edges]
    for members in connection.cliques:
        edges.append(members[np.column_stack(np.triu_indices(members.size, 1))])
    pairs = np.concatenate(edges)
    weights = None
    if graph.weights is not None:
        weights = np.concatenate([graph.weights, np.ones(len(pairs) - len(graph.weights))])
    return Graph.from_edges(pairs, weights)
