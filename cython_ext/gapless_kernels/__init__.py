"""Hot loops: arrays in, arrays out, no policy.

Every function exists twice with one signature: compiled (as in ``_viterbi``) and in plain NumPy (``_viterbi_ref``).
The NumPy twin is the oracle in the tests, and runs instead of the compiled code when the environment
variable ``GAPLESS_PURE`` is ``1`` at import. The values of recursions agree with their twins' bit by bit: neither
reorders a sum. Of equally good structures each may return another. Searches (``dominance``, ``linking_search``,
``path_search``) agree with theirs in values and in what they prove. ``_split_bound`` has no twin: the roles of
``gapless_splitbound`` are its reference, and run in its place.

Attributes
----------
COMPILED : bool
    Whether the compiled kernels are in use.
INSTRUCTION_SET : str
    What they were compiled for: "avx512", "avx2" or "plain", the best that the processor has and the environment
    variable ``GAPLESS_SIMD`` allows at import; "numpy" for the twins. The answers do not depend on it.
"""

import os

from gapless_kernels._dominance_tables import DominanceTables
from gapless_kernels._graph_distances_arguments import GraphSearch
from gapless_kernels._linking_arguments import FoundChoice, SearchRecord, whole_bits
from gapless_kernels._path_arguments import FoundPaths, OpenWalks
from gapless_kernels._status import DECIDED, DOUBTFUL, INFEASIBLE, INVALID
from gapless_kernels._transition_tables import TransitionTables, centring, score_spread, transition_tables

if os.environ.get("GAPLESS_SIMD", "avx512") not in {"plain", "avx2", "avx512"}:
    raise ValueError(f"GAPLESS_SIMD={os.environ['GAPLESS_SIMD']}: must be plain, avx2 or avx512, or not be set")

if os.environ.get("GAPLESS_PURE") == "1":
    from gapless_kernels._arborescence_ref import (
        arborescence,
        arborescence_dual,
        arborescence_k_best,
        arborescence_marginals,
        arborescence_max_marginals,
    )
    from gapless_kernels._beam_ref import beam_batch
    from gapless_kernels._bridges_ref import bridge_tree, quotient_tree, sums_below
    from gapless_kernels._color_coding_ref import color_coding_pruned, color_coding_search, color_coding_table_bytes
    from gapless_kernels._column_generation_ref import column_generation_batch, path_bounds_batch
    from gapless_kernels._dominance_ref import dominance, dominance_batch, dominance_tables
    from gapless_kernels._edge_lines_ref import parse_edges
    from gapless_kernels._eisner_higher_ref import (
        eisner_carreras,
        eisner_carreras_max_marginals,
        eisner_grand_sibling,
        eisner_grand_sibling_max_marginals,
        eisner_sibling,
        eisner_sibling_max_marginals,
    )
    from gapless_kernels._eisner_ref import eisner, eisner_k_best, eisner_marginals, eisner_max_marginals
    from gapless_kernels._graph_distances_ref import graph_components, graph_search
    from gapless_kernels._graph_searches_ref import gate_costs, hitting_distances
    from gapless_kernels._k_best_ref import k_best_batch
    from gapless_kernels._linking_search_ref import linking_search
    from gapless_kernels._parse_features_ref import feature_counts, part_features, score_parts
    from gapless_kernels._path_beam_ref import path_beam_search
    from gapless_kernels._path_search_ref import path_search, score_extent
    from gapless_kernels._trees_ref import parent_leads, tree_dominance, tree_viterbi
    from gapless_kernels._viterbi_pruned_ref import viterbi_pruned_batch
    from gapless_kernels._viterbi_ref import forward_messages, viterbi, viterbi_batch

    COMPILED = False
    INSTRUCTION_SET = "numpy"
else:
    from gapless_kernels._arborescence import (
        arborescence,
        arborescence_dual,
        arborescence_k_best,
        arborescence_marginals,
        arborescence_max_marginals,
    )
    from gapless_kernels._beam import beam_batch
    from gapless_kernels._bridges import bridge_tree, quotient_tree, sums_below
    from gapless_kernels._color_coding import color_coding_pruned, color_coding_search, color_coding_table_bytes
    from gapless_kernels._column_generation import column_generation_batch, path_bounds_batch
    from gapless_kernels._dominance import (
        dominance,
        dominance_batch,
        dominance_tables,
        instruction_sets,
        viterbi_batch,
    )
    from gapless_kernels._edge_lines import parse_edges
    from gapless_kernels._eisner import eisner, eisner_k_best, eisner_marginals, eisner_max_marginals
    from gapless_kernels._eisner_higher import (
        eisner_carreras,
        eisner_carreras_max_marginals,
        eisner_grand_sibling,
        eisner_grand_sibling_max_marginals,
        eisner_sibling,
        eisner_sibling_max_marginals,
    )
    from gapless_kernels._graph_distances import graph_components, graph_search
    from gapless_kernels._graph_searches import gate_costs, hitting_distances
    from gapless_kernels._k_best import k_best_batch
    from gapless_kernels._linking_search import linking_search
    from gapless_kernels._parse_features import feature_counts, part_features, score_parts
    from gapless_kernels._path_beam import path_beam_search
    from gapless_kernels._path_search import path_search, score_extent
    from gapless_kernels._trees import parent_leads, tree_dominance, tree_viterbi
    from gapless_kernels._viterbi import forward_messages, viterbi
    from gapless_kernels._viterbi_pruned import viterbi_pruned_batch

    COMPILED = True
    INSTRUCTION_SET = instruction_sets()[-1]

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
