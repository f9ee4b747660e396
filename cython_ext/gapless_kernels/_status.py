"""Status codes of sentences in a batch; the C loops use the same numbers, from `lanes/status.h`."""

from typing import Final

DECIDED: Final = 0
"""The labels are optimal and the value is their score in float64."""
DOUBTFUL: Final = 1
"""Two label paths are too close for float32: decode the sentence again in float64."""
INVALID: Final = 2
"""A score is NaN or plus infinity; labels and value are meaningless."""
INFEASIBLE: Final = 3
"""No path is allowed: the value is minus infinity and all labels are -1."""
