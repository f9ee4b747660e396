"""Hot loops: arrays in, arrays out, no policy.

Each room (subpackage) holds one family of kernels and is imported when one of its names is first used; its README
gives the recursions, the files, and the way to change them. Every function exists twice with one signature:
compiled, as in ``chains/_viterbi``, and in plain NumPy, as in ``chains/_viterbi_twin``. The twin is the oracle of
the tests, and runs instead of the compiled code when the environment variable ``GAPLESS_PURE`` is ``1`` at import.
Twins that add in the same order agree bit by bit (Viterbi, trees, beams, colour coding, graphs, features); parsing
and arborescences agree up to rounding, searches (dominance, column generation, linking, paths) in values and
proofs. Of equally good structures each may return another.

A stranger's extension subclasses the roles of ``search/roles.pxd``; `get_include` finds the headers for it.

The search of ``search/_search`` has its twin elsewhere: ``gapless.engine.search`` takes the same steps, and runs in
its place when ``GAPLESS_PURE`` is ``1``.

Attributes
----------
COMPILED : bool
    Whether the compiled kernels are in use.
INSTRUCTION_SET : str
    Instruction set of the compiled kernels: "avx512", "avx2" or "plain", the best that the processor has and the
    environment variable ``GAPLESS_SIMD`` allows at import; "numpy" for the twins. No answer depends on it.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

from gapless_kernels._choice import COMPILED
from gapless_kernels._status import DECIDED, DOUBTFUL, INFEASIBLE, INVALID

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
    "column_generation": ("column_generation_batch", "path_bounds_batch"),
    "features": ("feature_counts", "part_features", "score_parts"),
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
    "labels": (
        "FoundRoutes",
        "LabelTables",
        "OwnState",
        "label_distances",
        "label_enumerate",
        "label_price",
        "label_routes",
        "label_through",
        "label_windows",
    ),
    "linking": ("FoundChoice", "SearchRecord", "linking_search", "whole_bits"),
    "parsing": (
        "arc_chains",
        "arcs_of_one_head",
        "candidate_arcs",
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
        "part_positions",
        "part_scores",
    ),
    "paths": (
        "FoundPaths",
        "OpenWalks",
        "color_coding_pruned",
        "color_coding_search",
        "color_coding_table_bytes",
        "forbid_within_classes",
        "path_beam_search",
        "path_search",
        "score_extent",
    ),
    "search": ("ForeignFactor", "ForeignMaximiser", "firing"),
    "sparse_chains": ("beam_batch", "k_best_batch", "viterbi_pruned_batch"),
    "trees": ("parent_leads", "tree_dominance", "tree_viterbi"),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = ["COMPILED", "DECIDED", "DOUBTFUL", "INFEASIBLE", "INSTRUCTION_SET", "INVALID", "get_include"]
__all__ += list(_ROOM_OF)


def get_include() -> str:
    """The folder of the C headers: an include directory of extensions that ``cimport`` from `gapless_kernels`."""
    return str(Path(__file__).parent)


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


def __dir__() -> list[str]:
    """List the names of all rooms, imported or not."""
    return sorted({*globals(), *__all__})
