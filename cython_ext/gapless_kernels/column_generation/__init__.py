"""Chains by column generation: label domains grown by reduced costs of two-way messages."""

from gapless_kernels._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
