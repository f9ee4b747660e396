"""Chains whose labels are all allowed: Viterbi, and dominance between labels."""

from gapless_kernels._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
