"""Documents with their candidates, and the graph whose vertices the candidates are."""

from __future__ import annotations

from typing import Any

import attrs
import networkx as nx
import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.runs import Fingerprint
from gapless_linking import Graph, LinkingProblem


@attrs.frozen(eq=False)
class Document:
    """One document.

    Parameters
    ----------
    sets : tuple of int64 arrays
        The candidates of each mention, ascending.
    fair : tuple of int64 arrays
        The right ones among them, at least one for each mention.
    text : str
        Empty where a corpus has none.
    """

    name: str
    sets: tuple[IntArray, ...]
    fair: tuple[IntArray, ...]
    mentions: tuple[str, ...]
    text: str = ""

    def problem(self, graph: Graph) -> LinkingProblem:
        """Build the document's problem on the graph as it is, without a connection."""
        return LinkingProblem(graph, self.sets, mentions=self.mentions)

    def value(self, chosen: Any) -> float:
        """Compute the share of mentions whose chosen vertex is fair (Blanco et al. 2013, section 6)."""
        return float(np.mean([vertex in fair for vertex, fair in zip(chosen, self.fair, strict=True)]))


@attrs.frozen(eq=False)
class Knowledge:
    """A concept graph, and data about its vertices.

    Parameters
    ----------
    graph : Graph
        Undirected, connected.
    titles : tuple of str
        By vertex.
    in_links : float64 (n,), optional
        The number of links to each concept, NaN if unknown.
    arcs : networkx.DiGraph, optional
        The links with their direction.
    """

    name: str
    graph: Graph
    titles: tuple[str, ...]
    in_links: FloatArray | None = None
    arcs: Any = None

    @classmethod
    def of_links(cls, name: str, titles: tuple[str, ...], links: IntArray) -> Knowledge:
        """Build the knowledge of directed links (m, 2)."""
        arcs = directed(len(titles), links)
        return cls(name, Graph.from_edges(links), titles, links_to(arcs), arcs)


def graph_fingerprint(knowledge: Knowledge) -> Fingerprint:
    """Compute a digest of the graph: a run continues only on the same graph."""
    graph = knowledge.graph
    weights = () if graph.weights is None else graph.weights
    return Fingerprint.of(knowledge.name, [graph.vertices, graph.offsets, graph.neighbours, weights])


def directed(n: int, links: IntArray) -> Any:
    """Build the directed graph of the vertices 0..n-1 and the links (m, 2)."""
    arcs = nx.DiGraph()
    arcs.add_nodes_from(range(n))
    arcs.add_edges_from(links.tolist())
    return arcs


def links_to(arcs: Any) -> FloatArray:
    """Count the links to each vertex, float64 (n,)."""
    return np.array([arcs.in_degree(v) for v in range(len(arcs))], float)


@attrs.frozen(eq=False)
class Corpus:
    """Documents over one graph."""

    name: str
    knowledge: Knowledge
    documents: tuple[Document, ...]
