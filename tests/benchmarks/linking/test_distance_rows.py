"""The benchmark of distances measures what it says, in a process of its own."""

from importlib.util import find_spec

import numpy as np

from benchmarks.frame.turns import Compared
from benchmarks.linking.distance_rows import distance_lines, measured
from gapless_linking.synthetic import synthetic_candidates, synthetic_graph


def test_lines_for_each_kind_of_graph():
    found = list(distance_lines(3000, 20))
    pairs = [one for one in found if isinstance(one, Compared)]
    assert len(pairs) == (2 if find_spec("networkit") else 0)
    assert len(found) - len(pairs) == 4
    assert all("3,000 vertices" in one.scores for one in found)
    assert all(one.value is not None and one.value.median > 0 for one in found if not isinstance(one, Compared))
    for pair in pairs:
        assert all(0 < both.alone.seconds[0] < both.from_arrays.seconds[0] for both in pair.times)


def test_what_the_process_measures(tmp_path):
    graph, labels = synthetic_graph(2000, 8000)
    graph.save(tmp_path / "graph")
    points = np.unique(np.concatenate(synthetic_candidates(graph, labels, 3, 20)))
    seconds, peak = measured(tmp_path / "graph", points)
    assert 0 < seconds < 60
    assert peak > 2**20
