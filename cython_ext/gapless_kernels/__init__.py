"""Hot loops: arrays in, arrays out, no policy.

Each room holds one family of kernels and is imported when one of them is first named; its README says what is
computed, by which recursion, and how to change it. Every function exists twice with one signature: compiled, as in
``chains/_viterbi``, and in plain NumPy, as in ``chains/_viterbi_twin``. The twin is the oracle of the tests, and
runs instead of the compiled code when the environment variable ``GAPLESS_PURE`` is ``1`` at import. Recursions
agree with their twins bit by bit: neither reorders a sum. Of equally good structures each may return another.
Searches (``dominance``, ``linking_search``, ``path_search``) agree with theirs in values and in proofs.
``search/_split_bound`` has no twin: the roles of ``gapless_splitbound`` are its reference, and run in its place.

Attributes
----------
COMPILED : bool
    Whether the compiled kernels are in use.
INSTRUCTION_SET : str
    What they were compiled for: "avx512", "avx2" or "plain", the best that the processor has and the environment
    variable ``GAPLESS_SIMD`` allows at import; "numpy" for the twins. The answers do not depend on it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gapless_kernels._choice import COMPILED
from gapless_kernels._status import DECIDED, DOUBTFUL, INFEASIBLE, INVALID

if TYPE_CHECKING:
    from gapless_kernels.arborescences import (
        arborescence,
        arborescence_dual,
        arborescence_k_best,
        arborescence_marginals,
        arborescence_max_marginals,
    )
    from gapless_kernels.chains import (
        DominanceTables,
        TransitionTables,
        centring,
        dominance,
        dominance_batch,
        dominance_tables,
        forward_messages,
        score_spread,
        transition_tables,
        viterbi,
        viterbi_batch,
    )
    from gapless_kernels.column_generation import column_generation_batch, path_bounds_batch
    from gapless_kernels.features import feature_counts, part_features, score_parts
    from gapless_kernels.graphs import (
        GraphSearch,
        bridge_tree,
        gate_costs,
        graph_components,
        graph_search,
        hitting_distances,
        parse_edges,
        quotient_tree,
        sums_below,
    )
    from gapless_kernels.linking import FoundChoice, SearchRecord, linking_search, whole_bits
    from gapless_kernels.parsing import (
        eisner,
        eisner_carreras,
        eisner_carreras_max_marginals,
        eisner_grand_sibling,
        eisner_grand_sibling_max_marginals,
        eisner_k_best,
        eisner_marginals,
        eisner_max_marginals,
        eisner_sibling,
        eisner_sibling_max_marginals,
    )
    from gapless_kernels.paths import (
        FoundPaths,
        OpenWalks,
        color_coding_pruned,
        color_coding_search,
        color_coding_table_bytes,
        path_beam_search,
        path_search,
        score_extent,
    )
    from gapless_kernels.sparse_chains import beam_batch, k_best_batch, viterbi_pruned_batch
    from gapless_kernels.trees import parent_leads, tree_dominance, tree_viterbi

    INSTRUCTION_SET: str

_ROOMS = {
    "arborescences": (
        "arborescence",
        "arborescence_dual",
        "arborescence_k_best",
        "arborescence_marginals",
        "arborescence_max_marginals",
    ),
    "chains": (
        "DominanceTables",
        "TransitionTables",
        "centring",
        "dominance",
        "dominance_batch",
        "dominance_tables",
        "forward_messages",
        "score_spread",
        "transition_tables",
        "viterbi",
        "viterbi_batch",
    ),
    "column_generation": (
        "column_generation_batch",
        "path_bounds_batch",
    ),
    "features": (
        "feature_counts",
        "part_features",
        "score_parts",
    ),
    "graphs": (
        "GraphSearch",
        "bridge_tree",
        "gate_costs",
        "graph_components",
        "graph_search",
        "hitting_distances",
        "parse_edges",
        "quotient_tree",
        "sums_below",
    ),
    "linking": (
        "FoundChoice",
        "SearchRecord",
        "linking_search",
        "whole_bits",
    ),
    "parsing": (
        "eisner",
        "eisner_carreras",
        "eisner_carreras_max_marginals",
        "eisner_grand_sibling",
        "eisner_grand_sibling_max_marginals",
        "eisner_k_best",
        "eisner_marginals",
        "eisner_max_marginals",
        "eisner_sibling",
        "eisner_sibling_max_marginals",
    ),
    "paths": (
        "FoundPaths",
        "OpenWalks",
        "color_coding_pruned",
        "color_coding_search",
        "color_coding_table_bytes",
        "path_beam_search",
        "path_search",
        "score_extent",
    ),
    "sparse_chains": (
        "beam_batch",
        "k_best_batch",
        "viterbi_pruned_batch",
    ),
    "trees": (
        "parent_leads",
        "tree_dominance",
        "tree_viterbi",
    ),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "COMPILED",
    "DECIDED",
    "DOUBTFUL",
    "INFEASIBLE",
    "INSTRUCTION_SET",
    "INVALID",
    "DominanceTables",
    "FoundChoice",
    "FoundPaths",
    "GraphSearch",
    "OpenWalks",
    "SearchRecord",
    "TransitionTables",
    "arborescence",
    "arborescence_dual",
    "arborescence_k_best",
    "arborescence_marginals",
    "arborescence_max_marginals",
    "beam_batch",
    "bridge_tree",
    "centring",
    "color_coding_pruned",
    "color_coding_search",
    "color_coding_table_bytes",
    "column_generation_batch",
    "dominance",
    "dominance_batch",
    "dominance_tables",
    "eisner",
    "eisner_carreras",
    "eisner_carreras_max_marginals",
    "eisner_grand_sibling",
    "eisner_grand_sibling_max_marginals",
    "eisner_k_best",
    "eisner_marginals",
    "eisner_max_marginals",
    "eisner_sibling",
    "eisner_sibling_max_marginals",
    "feature_counts",
    "forward_messages",
    "gate_costs",
    "graph_components",
    "graph_search",
    "hitting_distances",
    "k_best_batch",
    "linking_search",
    "parent_leads",
    "parse_edges",
    "part_features",
    "path_beam_search",
    "path_bounds_batch",
    "path_search",
    "quotient_tree",
    "score_extent",
    "score_parts",
    "score_spread",
    "sums_below",
    "transition_tables",
    "tree_dominance",
    "tree_viterbi",
    "viterbi",
    "viterbi_batch",
    "viterbi_pruned_batch",
    "whole_bits",
]


def __getattr__(name: str) -> Any:
    """Import the room of a kernel when the kernel is first named."""
    if name == "INSTRUCTION_SET":
        value: Any = import_module("gapless_kernels.lanes._sets").instruction_sets()[-1] if COMPILED else "numpy"
    elif name in _ROOM_OF:
        value = getattr(import_module(f"gapless_kernels.{_ROOM_OF[name]}"), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value
