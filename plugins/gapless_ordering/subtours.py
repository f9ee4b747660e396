"""Subtour elimination, lifted by classes: the rows, and the ones that a point violates."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import attrs
import networkx as nx
import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray, int_array
from gapless.arrays.tolerance import INTEGRAL
from gapless_ordering.problem import OrderingProblem

UNIT = 1e9
"""Points are rounded to multiples of 1 / UNIT for the search of cuts."""


@attrs.frozen(eq=False)
class Subtour:
    r"""One row :math:`x(E(S)) \le y(S) - y(S \cap C)` for a set S of vertices and a class C.

    x(E(S)) counts the edges of the path inside S, y its vertices. A path has fewer edges in S than vertices, unless
    it has none of both, and at most one vertex of a class: the row holds for every path. It is the generalised
    subtour elimination of prize-collecting problems with a class in the place of a vertex; without C alone, x(E(S))
    <= y(S), it would be no more than the degrees of vertices say. `members` is S, ascending, `group` C.
    """

    members: IntArray = attrs.field(converter=int_array)
    group: int

    def columns(self, problem: OrderingProblem) -> tuple[IntArray, FloatArray]:
        """Return columns and values of the row, moved to one side: <= 0.

        Edges are numbered as decisions, and the column of vertex v is decision count + v.
        """
        n = problem.vertices
        tails, heads = np.nonzero(problem.ordering[np.ix_(self.members, self.members)] > -np.inf)
        inside = n + n * self.members[tails] + self.members[heads]
        counted = self.members[problem.classes[self.members] != self.group]
        columns = np.concatenate([inside, problem.decisions.count + counted])
        return columns, np.where(np.arange(columns.size) < inside.size, 1.0, -1.0)

    @property
    def key(self) -> bytes:
        """Equal for equal rows."""
        return np.append(self.members, self.group).tobytes()


def violated(
    problem: OrderingProblem, point: FloatArray, stop: Callable[[], bool] = lambda: False
) -> list[Subtour]:
    """Separate rows that a point violates; none if the point satisfies all of them.

    Vertices that the source does not reach along the point are taken first. Else, for each class, the smallest cut
    between its vertices, as many as are visited, and the sink: moved to out-degrees, the row says that at least
    y(S and C) leaves S, so that the row with the largest violation is a minimum cut (networkx). `point` (float64
    (decisions,)): In-degrees equal out-degrees. `stop` is called for each class; True ends the search.
    """
    n = problem.vertices
    inner, sink = point[n : n + n * n].reshape(n, n), point[n + n * n :]
    tails, heads = np.nonzero(inner > INTEGRAL)
    visits = inner.sum(axis=1) + sink
    used = np.flatnonzero(visits > INTEGRAL)
    weights = inner[tails, heads]

    def excess(row: Subtour) -> float:
        counted = row.members[problem.classes[row.members] != row.group]
        return float(inner[np.ix_(row.members, row.members)].sum() - visits[counted].sum())

    graph = nx.DiGraph()
    graph.add_nodes_from(used.tolist())
    # Integral capacities: with floats, the cut of networkx need not have the value that it reports.
    capacities = np.rint(weights * UNIT).astype(np.int64).tolist()
    graph.add_weighted_edges_from(zip(tails.tolist(), heads.tolist(), capacities, strict=True), weight="capacity")
    rows = [
        max((Subtour(members, group) for group in np.unique(problem.classes[members]).tolist()), key=excess)
        for members in _unreached(graph, np.flatnonzero(point[:n] > INTEGRAL).tolist())
    ]
    # A minimum cut for each class is costly, and needless while some vertices are not even reached.
    if not rows:
        rows = list(_cuts(problem, graph, visits, sink, stop))
    return [row for row in rows if excess(row) > INTEGRAL]


def _unreached(graph: nx.DiGraph[int], first: list[int]) -> Iterator[IntArray]:
    """Yield connected sets of vertices that no edge enters from the vertices where paths begin."""
    reachable = set(first).union(*(nx.descendants(graph, vertex) for vertex in first if vertex in graph))
    rest = graph.subgraph([vertex for vertex in graph if vertex not in reachable])
    for component in nx.weakly_connected_components(rest):
        yield np.array(sorted(component))


def _cuts(
    problem: OrderingProblem,
    graph: nx.DiGraph[int],
    visits: FloatArray,
    sink: FloatArray,
    stop: Callable[[], bool],
) -> Iterator[Subtour]:
    """Yield for each class the minimum cut below its visits; classes covered by earlier cuts are skipped.

    `graph` gets a sink, n, and is given back without the sources that it had in between.
    """
    n = problem.vertices
    vertices = [vertex for vertex in graph if vertex < n]
    capacity = np.rint(np.stack([visits, sink]) * UNIT).astype(np.int64)
    for vertex in vertices:
        graph.add_edge(vertex, n, capacity=int(capacity[1, vertex]))
    covered: set[int] = set()
    for group in np.unique(problem.classes[vertices]).tolist():
        members = [vertex for vertex in vertices if problem.classes[vertex] == group]
        if stop():
            return
        if covered.issuperset(members):
            continue
        graph.add_weighted_edges_from(((n + 1, v, int(capacity[0, v])) for v in members), weight="capacity")
        leaving, (inside, _) = nx.minimum_cut(graph, n + 1, n)
        graph.remove_node(n + 1)
        # Violated if less leaves the set than the class is visited inside it.
        if leaving < capacity[0, members].sum() - INTEGRAL * UNIT:
            inside.discard(n + 1)
            covered |= inside
            yield Subtour(np.array(sorted(inside)), group)
