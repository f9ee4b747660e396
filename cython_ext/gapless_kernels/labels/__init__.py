"""Resource-constrained shortest paths: labels from both ends, bounds, routes."""

from gapless_kernels._choice import COMPILED
from gapless_kernels.labels._label_arguments import FoundRoutes, LabelTables

if COMPILED:
    from gapless_kernels.labels._labels import label_enumerate, label_price, label_routes, label_through
else:
    from gapless_kernels.labels._labels_twin import label_enumerate, label_price, label_routes, label_through

__all__ = ["FoundRoutes", "LabelTables", "label_enumerate", "label_price", "label_routes", "label_through"]
