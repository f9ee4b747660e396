"""Resource-constrained shortest paths: labels from both ends, bounds, routes."""

from gapless_kernels._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
