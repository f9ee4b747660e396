"""Entity linking: the choice of candidates of least total distance, and its proof."""

from gapless_kernels._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
