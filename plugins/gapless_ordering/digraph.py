"""Weighted directed graphs as arrays of scores."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import networkx as nx
import numpy as np

from gapless import InvalidProblem
from gapless.arrays.sparse import FloatArray
from gapless_ordering.inputs import checked_scores


def digraph_arrays(
    graph: nx.DiGraph[Any], source: Hashable, sink: Hashable, weight: str, class_attribute: str
) -> tuple[FloatArray, FloatArray, FloatArray, list[tuple[str, Any]], list[Any]]:
    """Read the scores of start, order and end, the classes, and the inner vertices.

    Arguments and errors as for `OrderingProblem.from_digraph`.
    """
    if not isinstance(graph, nx.Graph):
        raise InvalidProblem(f"the graph is a {type(graph).__name__}, expected a networkx DiGraph")
    if not graph.is_directed():
        raise InvalidProblem("the graph is undirected: give a DiGraph, both directions as edges of their own")
    for role, vertex in (("source", source), ("sink", sink)):
        if vertex not in graph:
            raise InvalidProblem(f"the graph has no vertex {vertex!r}, which should be the {role}")
    inner = [vertex for vertex in graph if vertex not in (source, sink)]
    at = {vertex: number for number, vertex in enumerate(inner)}
    n = len(inner)
    start, ordering, end = np.full(n, -np.inf), np.full((n, n), -np.inf), np.full(n, -np.inf)
    for u, v, data in graph.edges(data=True):
        if weight not in data:
            raise InvalidProblem(f"the edge {u!r} -> {v!r} has no attribute {weight!r}")
        if u == source and v in at:
            row, column = start, at[v]
        elif u in at and v == sink:
            row, column = end, at[u]
        elif u in at and v in at:
            row, column = ordering[at[u]], at[v]
        else:
            continue
        row[column] = np.fmax(row[column], _weight(data[weight], u, v))
    groups = [
        ("class", data[class_attribute]) if class_attribute in data else ("vertex", vertex)
        for vertex, data in ((vertex, graph.nodes[vertex]) for vertex in inner)
    ]
    return start, ordering, end, groups, inner


def _weight(value: Any, u: Hashable, v: Hashable) -> float:
    array = checked_scores(f"the weight of the edge {u!r} -> {v!r}", value)
    if array.shape != ():
        raise InvalidProblem(f"the weight of the edge {u!r} -> {v!r} is no number")
    return float(array)
