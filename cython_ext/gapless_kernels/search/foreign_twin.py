"""Stand-ins for the roles of C functions, which need the compiled kernels."""

from typing import Any


class _Compiled:
    """A role that cannot be made; without compiled kernels the search never calls ``compiled()`` for one."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        raise RuntimeError(
            f"{type(self).__name__} needs the compiled kernels, and GAPLESS_PURE is 1; without them the search "
            "asks a factor's value() and best(), and a maximiser's solve() and max_marginals()"
        )


class ForeignFactor(_Compiled):
    """See `gapless_kernels.search.foreign`."""


class ForeignMaximiser(_Compiled):
    """See `gapless_kernels.search.foreign`."""
