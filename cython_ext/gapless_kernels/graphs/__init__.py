"""Large sparse graphs: hop distances, searches from sets, bridges, and edge lists as text."""

from gapless_kernels._choice import COMPILED
from gapless_kernels.graphs._graph_distances_arguments import GraphSearch

if COMPILED:
    from gapless_kernels.graphs._bridges import bridge_tree, quotient_tree, sums_below
    from gapless_kernels.graphs._edge_lines import parse_edges
    from gapless_kernels.graphs._graph_distances import graph_components, graph_search
    from gapless_kernels.graphs._graph_searches import gate_costs, hitting_distances
else:
    from gapless_kernels.graphs._bridges_twin import bridge_tree, quotient_tree, sums_below
    from gapless_kernels.graphs._edge_lines_twin import parse_edges
    from gapless_kernels.graphs._graph_distances_twin import graph_components, graph_search
    from gapless_kernels.graphs._graph_searches_twin import gate_costs, hitting_distances

__all__ = [
    "GraphSearch",
    "bridge_tree",
    "gate_costs",
    "graph_components",
    "graph_search",
    "hitting_distances",
    "parse_edges",
    "quotient_tree",
    "sums_below",
]
