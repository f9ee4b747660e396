"""Resource-constrained shortest paths: labels from both ends, bounds, routes."""

from gapless_kernels._choice import COMPILED
from gapless_kernels.labels._label_arguments import FoundRoutes, LabelTables, OwnState

if COMPILED:
    from gapless_kernels.labels._labels import (
        label_distances,
        label_enumerate,
        label_price,
        label_routes,
        label_through,
        label_windows,
    )
else:
    from gapless_kernels.labels._labels_twin import (
        label_distances,
        label_enumerate,
        label_price,
        label_routes,
        label_through,
        label_windows,
    )

__all__ = [
    "FoundRoutes",
    "LabelTables",
    "OwnState",
    "label_distances",
    "label_enumerate",
    "label_price",
    "label_routes",
    "label_through",
    "label_windows",
]
