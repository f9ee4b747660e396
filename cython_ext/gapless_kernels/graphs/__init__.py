"""Large sparse graphs: hop distances, searches from sets, bridges, and edge lists as text."""

from gapless_kernels._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
