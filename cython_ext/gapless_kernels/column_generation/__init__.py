"""Chains by column generation: label domains grown by reduced costs of two-way messages."""

from gapless_kernels._choice import COMPILED

if COMPILED:
    from gapless_kernels.column_generation._column_generation import column_generation_batch, path_bounds_batch
else:
    from gapless_kernels.column_generation._column_generation_twin import column_generation_batch, path_bounds_batch

__all__ = ["column_generation_batch", "path_bounds_batch"]
