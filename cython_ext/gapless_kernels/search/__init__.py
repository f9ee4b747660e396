"""Branch and bound with Lagrangian bounds; roles of the search, to be filled in by other languages."""

from typing import TYPE_CHECKING, Any

from gapless_kernels._choice import COMPILED

if COMPILED or TYPE_CHECKING:
    from gapless_kernels.search._firing import firing
    from gapless_kernels.search.foreign import ForeignFactor, ForeignMaximiser
else:
    from gapless_kernels.search._firing_twin import firing

    class _Compiled:
        """Stands where a role of C functions would: `compiled()` is not asked for without compiled kernels."""

        def __init__(self, *arguments: Any, **keywords: Any) -> None:
            raise RuntimeError(
                f"{type(self).__name__} needs the compiled kernels, and GAPLESS_PURE is 1; without them the search "
                "asks a factor's value() and best(), and a maximiser's solve() and slacks()"
            )

    class ForeignFactor(_Compiled):
        """See `gapless_kernels.search.foreign`."""

    class ForeignMaximiser(_Compiled):
        """See `gapless_kernels.search.foreign`."""


__all__ = ["ForeignFactor", "ForeignMaximiser", "firing"]
