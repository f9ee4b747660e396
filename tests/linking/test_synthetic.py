"""Drawn graphs and documents are what they are called, and the same for the same seed."""

import numpy as np
import pytest

from gapless import InvalidProblem
from gapless_linking.synthetic import KINDS, synthetic_candidates, synthetic_graph


@pytest.mark.parametrize("communities", ["base", "clustered"])
def test_a_drawn_graph(communities):
    graph, labels = synthetic_graph(6000, 60_000, communities=communities, seed=3)
    again, _ = synthetic_graph(6000, 60_000, communities=communities, seed=3)
    assert np.array_equal(graph.neighbours, again.neighbours)
    assert 59_900 < graph.edge_count <= 60_000
    assert 5900 < graph.vertex_count <= 6000
    degrees = np.diff(graph.offsets)
    assert degrees[0] > 10 * degrees.mean() > 50 * degrees[-1]
    label = labels.labels[graph.vertices]
    inside = np.mean(np.repeat(label, degrees) == label[graph.neighbours])
    kind = KINDS[communities]
    by_chance = (1 - kind.inside) * kind.size / 6000
    assert inside == pytest.approx(kind.inside + by_chance, abs=0.1)


def test_drawn_candidates():
    graph, labels = synthetic_graph(6000, 60_000, communities="clustered", seed=3)
    sets = synthetic_candidates(graph, labels, 5, 48, seed=1)
    for one, other in zip(sets, synthetic_candidates(graph, labels, 5, 48, seed=1), strict=True):
        assert np.array_equal(one, other)
        assert np.unique(one).size == 48
        assert np.all(graph.inner(one) >= 0)
    common = np.bincount(labels.labels[np.concatenate(sets)])
    topics = np.sort(common)[::-1][:3]
    assert topics.sum() > 0.24 * 5 * 48 > 5 * np.sort(common)[::-1][3]
    assert graph.degree(np.concatenate(sets)).mean() > 1.3 * np.diff(graph.offsets).mean()


def test_impossible_graphs_are_refused():
    with pytest.raises(InvalidProblem, match="at most half of all pairs"):
        synthetic_graph(10, 40)
    with pytest.raises(InvalidProblem, match="expected one of"):
        synthetic_graph(10, 20, communities="random")
    graph, labels = synthetic_graph(100, 300)
    with pytest.raises(InvalidProblem, match="at most half can be candidates"):
        synthetic_candidates(graph, labels, 1, 60)
