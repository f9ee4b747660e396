"""Three groups of two decisions with a capacity."""

import pytest

from gapless.testing.examples import Selection


@pytest.fixture
def grouped():
    """Three groups of two; the optimum is 3 + 5 + 0 = 8 without a binding capacity, 7 with it."""
    return Selection(
        [3.0, 1.0, 5.0, 4.0, 0.0, -2.0], [[2.0, 1.0, 3.0, 1.0, 1.0, 1.0]], [5.0], ((0, 1), (2, 3), (4, 5))
    )
