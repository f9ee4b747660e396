"""Branch and bound with Lagrangian bounds over dependency trees with conjunctive factors."""

from gapless_kernels._choice import COMPILED

if COMPILED:
    from gapless_kernels.search._firing import firing
else:
    from gapless_kernels.search._firing_twin import firing

__all__ = ["firing"]
