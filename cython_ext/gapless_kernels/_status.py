"""What a batch kernel says of each sentence; the C loops use the same numbers, from `lanes/status.h`."""

from typing import Final

DECIDED: Final = 0
"""The labels are optimal and the value is their score in float64."""
DOUBTFUL: Final = 1
"""Float32 could not tell two label paths apart: to be decoded again in float64."""
INVALID: Final = 2
"""A score is NaN or plus infinity; labels and value mean nothing."""
INFEASIBLE: Final = 3
"""No allowed path: the value is minus infinity and the labels are -1."""
