"""Instances: drawn documents on synthetic graphs."""

from __future__ import annotations

import functools

import attrs

from gapless_linking import Graph, LinkingProblem
from gapless_linking.synthetic import Communities, synthetic_candidates, synthetic_graph

VERTICES = 300_000
CANDIDATES = 96


@attrs.frozen
class Family:
    """Documents of one kind.

    Parameters
    ----------
    share : float
        Of the vertices that are asked for.
    communities : str
        See `gapless_linking.synthetic.KINDS`.
    on_topic : float, optional
        Share of a candidate set that comes from the document's topics, else as in `KINDS`.
    """

    share: float
    mean_degree: float
    communities: str
    on_topic: float | None = None


FAMILIES = {
    "2-6 hops, coherent": Family(0.1, 20 / 3, "base", 3 / 96),
    "2-6 hops, without a topic": Family(0.1, 20 / 3, "base", 0.0),
    "base": Family(1.0, 20.0, "base"),
    "clustered": Family(1.0, 20.0, "clustered"),
}
"""The first two are on 30,000 vertices and 100,000 edges, where 46 % of the distances are 4; the others on 300,000
and 3,000,000, where most are 3."""


@attrs.frozen(eq=False)
class Synthetic:
    """Documents of every family.

    Parameters
    ----------
    vertices : int
        Of the largest graphs.
    candidates : int
        Of each mention.
    """

    vertices: int = VERTICES
    candidates: int = CANDIDATES

    @property
    def judged(self) -> bool:
        """Whether the marks speak of these sizes."""
        return (self.vertices, self.candidates) == (VERTICES, CANDIDATES)

    def documents(self, family: str, k: int, count: int) -> list[LinkingProblem]:
        """Draw problems with `k` sets, one for each seed, distances known."""
        graph, communities = _graph(FAMILIES[family], self.vertices)
        found = []
        for seed in range(count):
            sets = synthetic_candidates(graph, communities, k, self.candidates, seed=seed)
            found.append(LinkingProblem(graph, sets))
            _ = found[-1].distances  # found now, and kept
        return found


@functools.lru_cache(maxsize=1)
def _graph(family: Family, vertices: int) -> tuple[Graph, Communities]:
    """Generate the graph of a family; cached, because several sizes of documents are sampled on it."""
    size = int(vertices * family.share)
    graph, communities = synthetic_graph(size, int(size * family.mean_degree / 2), communities=family.communities)
    if family.on_topic is not None:
        kind = attrs.evolve(communities.kind, on_topic=family.on_topic)
        communities = attrs.evolve(communities, kind=kind)
    return graph, communities
