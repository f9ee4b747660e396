"""The graph of a problem with the edges of its connection."""

from __future__ import annotations

from gapless import InvalidProblem
from gapless_linking.graph import Graph
from gapless_linking.problem import LinkingProblem


def graph_of(problem: LinkingProblem) -> Graph:
    """Return the graph as it is; raises for a problem over given distances."""
    if problem.graph is None:
        raise InvalidProblem("a problem over given distances has no graph; this method needs one")
    return problem.graph


def changed_graph(problem: LinkingProblem) -> Graph:
    """Return the graph in which distances are measured: with the edges of the connection."""
    graph = graph_of(problem)
    return graph if problem.connection is None else graph.with_connection(problem.connection)
