"""Paths that visit each class at most once: colour coding, beam search, and exact search."""

from gapless_kernels._choice import COMPILED
from gapless_kernels.paths._path_arguments import FoundPaths, OpenWalks

if COMPILED:
    from gapless_kernels.paths._color_coding import (
        color_coding_pruned,
        color_coding_search,
        color_coding_table_bytes,
    )
    from gapless_kernels.paths._path_beam import path_beam_search
    from gapless_kernels.paths._path_search import forbid_within_classes, path_search, score_extent
else:
    from gapless_kernels.paths._color_coding_twin import (
        color_coding_pruned,
        color_coding_search,
        color_coding_table_bytes,
    )
    from gapless_kernels.paths._path_beam_twin import path_beam_search
    from gapless_kernels.paths._path_search_twin import forbid_within_classes, path_search, score_extent

__all__ = [
    "FoundPaths",
    "OpenWalks",
    "color_coding_pruned",
    "color_coding_search",
    "color_coding_table_bytes",
    "forbid_within_classes",
    "path_beam_search",
    "path_search",
    "score_extent",
]
