"""Arrays of fields: what is no number of a type is refused."""

import numpy as np
import pytest

from gapless import InvalidProblem
from gapless.arrays.sparse import int_array


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300, 0.5, -1.25])
def test_what_is_no_integer_is_no_entry_of_an_array_of_integers(value):
    """A forged NaN became the least integer, with a warning."""
    with pytest.raises(InvalidProblem, match="expected integers"):
        int_array(np.array([0.0, value]))
    assert int_array(np.array([0.0, 2.0])).tolist() == [0, 2]
