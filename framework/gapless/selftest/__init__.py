"""``gapless selftest``: every registered method against brute force, on the user's machine."""

from typing import TYPE_CHECKING

__all__ = ["Mistake", "Tally", "TwinTally", "compare_kernels", "differential"]

if TYPE_CHECKING:
    from gapless.selftest.differential import Mistake, Tally, differential
    from gapless.selftest.twins import TwinTally, compare_kernels
else:
    from gapless.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "gapless.selftest.differential": "Mistake Tally differential",
            "gapless.selftest.twins": "TwinTally compare_kernels",
        },
    )
