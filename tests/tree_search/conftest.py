"""A small knapsack in both senses."""

import numpy as np
import pytest

from gapless.testing.examples import Expenses, Selection

WORTH = [5.0, 4.0, 3.0, 3.0, 2.0, 1.0]
WEIGHT = [[4.0, 3.0, 2.0, 2.0, 2.0, 1.0]]


@pytest.fixture(params=["maximise", "minimise"])
def knapsack(request):
    """Six items, capacity 7; the optimum is 10 (items 1, 2, 3), not what greedy finds."""
    if request.param == "maximise":
        return Selection(WORTH, WEIGHT, [7.0])
    return Expenses(-np.array(WORTH), WEIGHT, [7.0])
