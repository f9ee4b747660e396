"""Projective parses (Eisner's recursion, higher orders, marginals, the k best); candidate arcs and sets of them."""

from gapless_kernels._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
