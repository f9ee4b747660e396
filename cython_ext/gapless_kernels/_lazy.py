"""Names of the kernels, each with its module, which is imported when the name is first used (PEP 562)."""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from gapless_kernels._choice import COMPILED

_TWOFOLD = {
    "arborescences._arborescence": "arborescence arborescence_k_best arborescence_marginals"
    " arborescence_max_marginals",
    "chains._dominance": "dominance dominance_batch dominance_tables viterbi_batch",
    "chains._viterbi": "forward_messages viterbi",
    "column_generation._column_generation": "column_generation_batch",
    "features._parse_features": "part_features score_parts",
    "graphs._bridges": "bridge_tree quotient_tree sums_below",
    "graphs._edge_lines": "parse_edges",
    "graphs._graph_distances": "graph_components graph_search",
    "graphs._graph_searches": "gate_costs hitting_distances",
    "labels._labels": "label_distances label_enumerate label_price label_routes label_through label_windows",
    "linking._linking_search": "linking_search",
    "parsing._arc_sets": "arc_chains arcs_of_one_head candidate_arcs part_positions part_scores",
    "parsing._eisner": "eisner eisner_k_best eisner_marginals eisner_max_marginals",
    "parsing._eisner_higher": "eisner_carreras eisner_carreras_max_marginals eisner_grand_sibling"
    " eisner_grand_sibling_max_marginals eisner_sibling eisner_sibling_max_marginals",
    "paths._color_coding": "color_coding_pruned color_coding_search color_coding_table_bytes",
    "paths._path_beam": "path_beam_search",
    "paths._path_search": "forbid_within_classes path_search score_extent",
    "search._firing": "firing",
    "search.foreign": "ForeignFactor ForeignMaximiser",
    "sparse_chains._beam": "beam_batch",
    "sparse_chains._k_best": "k_best_batch",
    "sparse_chains._viterbi_pruned": "viterbi_pruned_batch",
    "trees._trees": "parent_leads tree_dominance tree_viterbi",
}
"""Modules that exist twice: compiled, and in NumPy with ``_twin`` after their names."""

_SHARED = {
    "chains._dominance_tables": "DominanceTables",
    "chains._transition_tables": "TransitionTables centring score_spread transition_tables",
    "features._arguments": "feature_counts",
    "graphs._graph_distances_arguments": "GraphSearch",
    "labels._label_arguments": "LabelTables RouteSearchResult UserState",
    "linking._arguments": "LinkingRecord LinkingSearchResult whole_bits",
    "paths._path_arguments": "OpenWalks PathSearchResult",
}
"""Modules in Python that both versions use."""

_MODULES = {home if COMPILED else f"{home}_twin": names for home, names in _TWOFOLD.items()} | _SHARED
_HOME_OF = {name: f"gapless_kernels.{home}" for home, names in _MODULES.items() for name in names.split()}


def lazy_names(package: str, others: str = "") -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Make the functions ``__getattr__`` and ``__dir__`` of a package, and its list ``__all__``.

    Parameters
    ----------
    package : str
        ``gapless_kernels``, which has the names of all subpackages, or a subpackage.
    others : str
        Names that the package defines itself, separated by spaces.
    """
    home_of = {name: home for name, home in _HOME_OF.items() if home.startswith(f"{package}.")}
    namespace = vars(sys.modules[package])

    def get(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        namespace[name] = getattr(import_module(home_of[name]), name)
        return namespace[name]

    exported = [*others.split(), *sorted(home_of)]
    return get, lambda: sorted({*namespace, *exported}), exported
