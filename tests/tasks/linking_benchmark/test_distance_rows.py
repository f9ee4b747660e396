"""The benchmark of distances measures what it says, in a process of its own."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np

from gapless_linking.synthetic import synthetic_candidates, synthetic_graph
from gapless_tasks.linking_benchmark.distance_rows import distance_lines, measured


def test_lines_for_each_kind_of_graph() -> None:
    lines = list(distance_lines(3000, 20))
    rows = 4 if find_spec("networkit") else 2
    assert len(lines) == 2 * rows
    assert all("3,000 vertices" in line.scores for line in lines)
    values = [line.value.median for line in lines if line.value]
    assert len(values) == len(lines)
    assert min(values) > 0


def test_what_the_process_measures(tmp_path: Path) -> None:
    graph, labels = synthetic_graph(2000, 8000)
    graph.save(tmp_path / "graph")
    points = np.unique(np.concatenate(synthetic_candidates(graph, labels, 3, 20)))
    seconds, peak = measured(tmp_path / "graph", points)
    assert 0 < seconds < 60
    assert peak > 2**20
