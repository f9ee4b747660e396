"""Entity linking: the choice of candidates of least total distance, and its proof."""

from gapless_kernels._choice import COMPILED
from gapless_kernels.linking._arguments import FoundChoice, SearchRecord, whole_bits

if COMPILED:
    from gapless_kernels.linking._linking_search import linking_search
else:
    from gapless_kernels.linking._linking_search_twin import linking_search

__all__ = ["FoundChoice", "SearchRecord", "linking_search", "whole_bits"]
