"""``gapless selftest``: every registered method against brute force, on the user's machine."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gapless.selftest.differential import Mistake as Mistake, Tally as Tally, differential as differential
    from gapless.selftest.twins import TwinTally as TwinTally, compare_kernels as compare_kernels
else:
    from gapless.lazy import lazy_names

    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "gapless.selftest.differential": "Mistake Tally differential",
            "gapless.selftest.twins": "TwinTally compare_kernels",
        },
    )
