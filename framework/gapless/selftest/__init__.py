"""``gapless selftest``: every registered method against brute force, on the user's machine."""

from gapless.selftest.differential import Mistake, Tally, differential
from gapless.selftest.twins import TwinTally, compare_kernels

__all__ = ["Mistake", "Tally", "TwinTally", "compare_kernels", "differential"]
