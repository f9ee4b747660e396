"""Chains with few allowed labels or arrivals: pruned Viterbi, beam search, the k best labellings."""

from gapless_kernels._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
