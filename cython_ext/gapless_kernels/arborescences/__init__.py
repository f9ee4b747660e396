"""Arborescences: the best spanning tree (Chu-Liu-Edmonds), max-marginals, marginals and the k best."""

from gapless_kernels._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
