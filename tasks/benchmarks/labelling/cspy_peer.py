"""cspy: labels from both ends in C++, elementary, over a networkx graph; no windows that wait, no ng-sets."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from benchmarks.frame.peers import CSPY
from benchmarks.labelling.instances import Priced

LIMIT = 20
"""Seconds for one search; what it has found by then is its answer."""


def prepared(one: Priced) -> Any:
    """Build cspy's algorithm with its graph; the resources are time and load, both starting at 0."""
    network, time = one.graph.network, one.graph.time
    graph = nx.DiGraph(directed=True, n_res=2)
    names = {network.source: "Source", network.sink: "Sink"}
    for arc, (tail, head) in enumerate(zip(network.tails.tolist(), network.heads.tolist(), strict=True)):
        used = np.array([time[arc], one.graph.demand[head]])
        graph.add_edge(names.get(tail, tail), names.get(head, head), weight=float(one.costs[arc]), res_cost=used)
    most = [one.graph.due[0], one.graph.capacity]
    return CSPY.load().BiDirectional(graph, most, [0.0, 0.0], elementary=True, time_limit=LIMIT)


def search(algorithm: Any) -> float:
    """Run the algorithm; return the cost of its path, infinity if there is none."""
    algorithm.run()
    return float(algorithm.total_cost) if algorithm.path else float("inf")
