"""Branch and bound with Lagrangian bounds; roles of the search, to be filled in by other languages."""

from gapless_kernels._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
